//! Taking positions with scores from games.

use std::collections::HashSet;
use std::fs::File;
use std::ops::ControlFlow;

use ferz_board::{Color, Move, Position};
use ferz_notation::pgn::{Diagnostic, GameResult, Reader, Stop, Visitor, tag_value};
use ferz_search::WdlModel;

use crate::options::Options;

/// Opening moves come from a book, not from the players.
const FIRST_PLY: usize = 16;
/// Beyond it everything is won, and only the match program decides how long games go on.
const HIGHEST_VALUE: f64 = 2500.0;
/// One game in this number is held out.
const HELD_OUT: u64 = 10;

/// The result of the game for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Win,
    Draw,
    Loss,
}

/// A position as the model sees it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub value: f64,
    pub material: u32,
    pub outcome: Outcome,
    /// An index in [`Sets::opponents`]; `None` if both players are wanted.
    pub opponent: Option<usize>,
}

impl Sample {
    /// The same position with what the player's strength is worth added to the value: the more material is left, the
    /// more can still happen.
    pub fn with_advantage(self, advantage: f64) -> Sample {
        Sample { value: self.value + advantage * f64::from(self.material) / 58.0, ..self }
    }
}

/// The positions of all games.
#[derive(Default, Debug)]
pub struct Sets {
    pub train: Vec<Sample>,
    pub held_out: Vec<Sample>,
    /// The opponents of the wanted players.
    pub opponents: Vec<String>,
    /// Games with at least one position.
    pub games: usize,
    /// Games that had been seen before. An engine that plays itself with a fixed number of nodes plays each
    /// opening twice the same way.
    pub repeated: usize,
    /// Games that cannot be read to their end, for example the last one of a file that is still being written.
    pub broken: usize,
}

/// Reads all files.
pub fn read(options: &Options) -> Result<Sets, String> {
    let mut sampler = Sampler::new(options);
    for path in &options.files {
        let fail = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut reader = Reader::new(File::open(path).map_err(fail)?);
        while reader.read_game(&mut sampler).map_err(fail)? {}
    }
    Ok(sampler.sets)
}

/// Collects a game, then takes positions from it.
struct Sampler<'a> {
    options: &'a Options,
    sets: Sets,
    seen: HashSet<u64>,
    start: Position,
    /// The moves, with the mover's score in centipawns; `None` for a mate or without a score.
    moves: Vec<(Move, Option<f64>)>,
    /// Whether the positions of this player are wanted, by colour.
    wanted: [bool; 2],
    names: [String; 2],
    result: Option<GameResult>,
    is_broken: bool,
}

impl<'a> Sampler<'a> {
    fn new(options: &'a Options) -> Sampler<'a> {
        Sampler {
            options,
            sets: Sets::default(),
            seen: HashSet::new(),
            start: Position::start(),
            moves: Vec::new(),
            wanted: [true; 2],
            names: Default::default(),
            result: None,
            is_broken: false,
        }
    }

    /// All positions of the game that the model is about.
    fn samples(&mut self, result: GameResult) -> Vec<Sample> {
        let opponent = self.opponent();
        let mut position = self.start;
        let mut samples = Vec::new();
        for (ply, &(mv, score)) in self.moves.iter().enumerate() {
            let mover = position.side_to_move();
            if let Some(score) = score
                && ply >= FIRST_PLY
                && self.wanted[mover as usize]
            {
                let material = WdlModel::material(&position);
                let value = score * self.options.played_with.half_at(material) / 100.0;
                let outcome = match result {
                    GameResult::Win(winner) if winner == mover => Outcome::Win,
                    GameResult::Win(_) => Outcome::Loss,
                    GameResult::Draw | GameResult::Unknown => Outcome::Draw,
                };
                if value.abs() < HIGHEST_VALUE {
                    samples.push(Sample { value, material, outcome, opponent });
                }
            }
            position.play_unchecked(mv);
        }
        samples
    }
}

impl Sampler<'_> {
    /// The opponent of the only wanted player.
    fn opponent(&mut self) -> Option<usize> {
        let name = match self.wanted {
            [true, false] => &self.names[1],
            [false, true] => &self.names[0],
            _ => return None,
        };
        let opponents = &mut self.sets.opponents;
        Some(opponents.iter().position(|it| it == name).unwrap_or_else(|| {
            opponents.push(name.clone());
            opponents.len() - 1
        }))
    }
}

impl Visitor for Sampler<'_> {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self) {
        self.moves.clear();
        self.wanted = [self.options.players.is_empty(); 2];
        self.result = None;
        self.is_broken = false;
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        let color = match name {
            b"White" => Color::White,
            b"Black" => Color::Black,
            _ => return,
        };
        let name = tag_value(value);
        self.wanted[color as usize] |= self.options.players.contains(&name);
        self.names[color as usize] = name;
    }

    fn begin_moves(&mut self, start: &Position) -> ControlFlow<Stop> {
        self.start = *start;
        ControlFlow::Continue(())
    }

    fn mv(&mut self, mv: Option<Move>) -> ControlFlow<Stop> {
        match mv {
            Some(mv) if !self.is_broken => self.moves.push((mv, None)),
            _ => self.is_broken = true,
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, part: &[u8], _: bool) {
        if let Some((_, score @ None)) = self.moves.last_mut() {
            *score = parse_score(part);
        }
    }

    fn result(&mut self, result: GameResult) {
        self.result = Some(result);
    }

    fn problem(&mut self, _: Diagnostic) {
        self.is_broken = true;
    }

    fn end_game(&mut self, _: GameResult) {
        let Some(result @ (GameResult::Win(_) | GameResult::Draw)) = self.result.filter(|_| !self.is_broken)
        else {
            self.sets.broken += 1;
            return;
        };
        let seed = self.moves.iter().fold(self.start.key(), |seed, (mv, _)| mix(seed ^ u64::from(mv.bits())));
        if !self.seen.insert(seed) {
            self.sets.repeated += 1;
            return;
        }
        let samples = self.samples(result);
        if samples.is_empty() {
            return;
        }
        self.sets.games += 1;
        let taken = samples.len().min(self.options.per_game);
        let evenly = (0..taken).map(|index| samples[index * samples.len() / taken]);
        // Whole games, since the positions of one have the same outcome.
        if mix(seed).is_multiple_of(HELD_OUT) {
            self.sets.held_out.extend(evenly);
        } else {
            self.sets.train.extend(evenly);
        }
    }
}

/// The finisher of SplitMix64.
fn mix(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Reads `+0.31/10 0.5s`, as match programs write it, to centipawns. Mates (`-M5/20 0.1s`) are not read.
fn parse_score(comment: &[u8]) -> Option<f64> {
    let (pawns, _) = std::str::from_utf8(comment).ok()?.trim_start().split_once('/')?;
    pawns.parse::<f64>().ok().map(|pawns| pawns * 100.0).filter(|score| score.is_finite())
}
