//! Sampling of quiet positions from games.

use std::fs::File;
use std::ops::ControlFlow;

use fastrand::Rng;
use ferz_board::{Color, Move, Position};
use ferz_eval::tuning::Trace;
use ferz_notation::pgn::{GameResult, Stop, Visitor, parallel};

use crate::model::Samples;
use crate::options::Options;

/// Opening moves come from a book, not from the players.
const FIRST_PLY: usize = 12;
/// At the end of a game its result is plain, often from the tactics of the last moves.
const LAST_PLIES: usize = 4;
/// One game in `HELD_OUT` is held out.
const HELD_OUT: u64 = 10;

/// The positions of all games.
#[derive(Default)]
pub struct Sets {
    pub train: Samples,
    pub held_out: Samples,
    pub games: usize,
}

/// Reads all files.
pub fn read(options: &Options) -> Result<Sets, String> {
    let mut sets = Sets::default();
    for path in &options.files {
        let fail = |error: std::io::Error| format!("{}: {error}", path.display());
        let file = File::open(path).map_err(fail)?;
        let work = |batch: &mut parallel::Batch<'_>| batch.read_all(Sampler::new(options.per_game)).sets;
        let each = |part: Sets, _: &parallel::Origin| {
            sets.train.append(part.train);
            sets.held_out.append(part.held_out);
            sets.games += part.games;
            Ok::<(), std::io::Error>(())
        };
        parallel::read(file, options.threads, work, each).map_err(fail)?;
        eprintln!("{}: {} positions so far", path.display(), sets.train.len() + sets.held_out.len());
    }
    Ok(sets)
}

/// The search score in the comment of a move.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Remark {
    /// A score in centipawns, from the mover's side.
    Score(f32),
    /// A mate score, which an evaluation cannot predict.
    Mate,
}

/// Collects a game, then takes positions from it.
struct Sampler {
    per_game: usize,
    sets: Sets,
    start: Position,
    moves: Vec<(Move, Option<Remark>)>,
    result: Option<GameResult>,
    /// The game has an error.
    is_broken: bool,
}

impl Sampler {
    fn new(per_game: usize) -> Sampler {
        Sampler {
            per_game,
            sets: Sets::default(),
            start: Position::start(),
            moves: Vec::new(),
            result: None,
            is_broken: false,
        }
    }

    /// The quiet positions of the game, which a static evaluation can judge.
    fn quiet_positions(&self) -> Vec<(Position, Option<f32>)> {
        let mut position = self.start;
        let mut quiet = Vec::new();
        for (ply, &(mv, remark)) in self.moves.iter().enumerate() {
            let is_wanted = ply >= FIRST_PLY
                && ply + LAST_PLIES < self.moves.len()
                && position.captured(mv).is_none()
                && mv.promotion().is_none()
                && remark != Some(Remark::Mate)
                && !position.is_check();
            if is_wanted {
                let score = match remark {
                    Some(Remark::Score(score)) if position.side_to_move() == Color::White => Some(score),
                    Some(Remark::Score(score)) => Some(-score),
                    Some(Remark::Mate) | None => None,
                };
                quiet.push((position, score));
            }
            position.play_unchecked(mv);
        }
        quiet
    }
}

impl Visitor for Sampler {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self) {
        self.moves.clear();
        self.result = None;
        self.is_broken = false;
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
        if let Some((_, remark @ None)) = self.moves.last_mut() {
            *remark = parse_remark(part);
        }
    }

    fn result(&mut self, result: GameResult) {
        self.result = Some(result);
    }

    fn problem(&mut self, _: ferz_notation::pgn::Diagnostic) {
        self.is_broken = true;
    }

    fn end_game(&mut self, _: GameResult) {
        let result = match self.result {
            Some(GameResult::Win(Color::White)) => 1.0,
            Some(GameResult::Win(Color::Black)) => 0.0,
            Some(GameResult::Draw) => 0.5,
            Some(GameResult::Unknown) | None => return,
        };
        if self.is_broken {
            return;
        }
        // The choice depends on the game alone: the same games give the same positions on any machine, and duplicates
        // of a game are all in the same set.
        let next = |seed: u64, (mv, _): &(Move, _)| Rng::with_seed(seed ^ u64::from(mv.bits())).u64(..);
        let mut rng = Rng::with_seed(self.moves.iter().fold(self.start.key(), next));
        let is_held_out = rng.u64(..HELD_OUT) == 0;
        let mut quiet = self.quiet_positions();
        rng.shuffle(&mut quiet);
        quiet.truncate(self.per_game);
        let set = if is_held_out { &mut self.sets.held_out } else { &mut self.sets.train };
        for (position, score) in quiet {
            if let Some(trace) = Trace::new(&position) {
                set.push(&trace, result, score);
            }
        }
        self.sets.games += 1;
    }
}

/// Reads `+0.31/10 0.5s` or `-M5/20 0.1s`, as match programs write it.
fn parse_remark(comment: &[u8]) -> Option<Remark> {
    let text = std::str::from_utf8(comment).ok()?.trim_start();
    let (score, _) = text.split_once('/')?;
    let digits = score.strip_prefix(['+', '-']).unwrap_or(score);
    if digits.starts_with(['M', '#']) {
        return Some(Remark::Mate);
    }
    score.parse::<f32>().ok().map(|pawns| Remark::Score(pawns * 100.0))
}
