//! Verdicts on dead positions, confirmed with the rules of shakmaty.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use ferz_board::{
    CastlingMode, Color, DeadPositionSearch, DeadPositionVerdict, Helpmate, Move, Position, Winnability,
};
use ferz_notation::pgn::{Movetext, Reader, Stop, Visitor};
use ferz_selfplay::data::source::{Meter, Next, Source};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Position as _};

use crate::rules::{parse_fen, play_moves, write_fen};

/// Ask of every position of games, or of a list, whether it is dead
///
/// Helpmates are played with the rules of shakmaty. A dead position is confirmed by visiting all positions that can
/// follow, also with these rules, if they are few enough.
#[derive(Args)]
pub(crate) struct DeadArgs {
    /// PGN files, files of `ferz datagen`, and lists (.txt): lines of two characters that name the sides which can mate
    /// (WB, W-, -B, --) and a FEN
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The effort for each side
    #[arg(long, value_name = "N", default_value_t = DeadPositionSearch::DEFAULT_NODES)]
    nodes: u64,
    /// Stop after this many positions of games
    #[arg(long, value_name = "N", default_value_t = u64::MAX)]
    positions: u64,
    /// Confirm dead positions that at most this many positions can follow
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    confirm: usize,
}

impl DeadArgs {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let mut survey = Survey {
            search: DeadPositionSearch::new().nodes(self.nodes),
            limit: self.positions,
            confirm: self.confirm,
            counts: SurveyCounts::default(),
            confirmed: HashSet::new(),
            error: None,
        };
        for path in &self.files {
            if path.extension().is_some_and(|extension| extension == "txt") {
                survey.labelled(path, self.nodes)?;
            } else if path.extension().is_some_and(|extension| extension == "pgn") {
                survey.pgn(path)?;
            } else {
                survey.games(path)?;
            }
        }
        println!("{}", survey.counts.table());
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Default)]
struct SurveyCounts {
    positions: u64,
    nodes: u64,
    time: Duration,
    slowest: Duration,
    alive: u64,
    unknown: u64,
    dead_by_material: u64,
    dead_otherwise: u64,
    /// Different dead positions that were confirmed, and those with too many successors.
    confirmed: u64,
    too_large: u64,
}

impl SurveyCounts {
    fn table(&self) -> String {
        let mean = self.time.as_secs_f64() * 1e6 / self.positions.max(1) as f64;
        let nodes = self.nodes / self.positions.max(1);
        format!(
            "positions            {}\nalive                {}\nunknown              {}\ndead by material     {}\n\
             dead otherwise       {}\n  confirmed          {} different ones\n  too many to follow {}\n\
             nodes                {nodes} on average\ntime                 {mean:.1} µs on average, {} µs at most",
            self.positions,
            self.alive,
            self.unknown,
            self.dead_by_material,
            self.dead_otherwise,
            self.confirmed,
            self.too_large,
            self.slowest.as_micros(),
        )
    }
}

struct Survey {
    search: DeadPositionSearch,
    limit: u64,
    confirm: usize,
    counts: SurveyCounts,
    /// The keys of dead positions that need no second look.
    confirmed: HashSet<u64>,
    /// What stopped the reading of a file.
    error: Option<anyhow::Error>,
}

impl Survey {
    fn is_full(&self) -> bool {
        self.counts.positions >= self.limit
    }

    fn pgn(&mut self, path: &Path) -> Result<()> {
        let file = File::open(path).with_context(|| path.display().to_string())?;
        let mut reader = Reader::new(BufReader::new(file));
        while !self.is_full() && self.error.is_none() && reader.read_game(self)? {}
        self.error.take().map_or(Ok(()), Err)
    }

    fn games(&mut self, path: &Path) -> Result<()> {
        let meter = Meter::of(&[path.to_owned()]);
        let mut source = Source::open(path, &meter)?;
        while !self.is_full() {
            match source.next_item()? {
                Next::Game(game) => {
                    game.positions().try_for_each(|(position, _)| self.judge(&position))?;
                }
                Next::Damaged(damaged) => bail!("{}: {damaged:?}", path.display()),
                Next::End { .. } => break,
            }
        }
        Ok(())
    }

    /// Judges a position of a game.
    fn judge(&mut self, position: &Position) -> Result<()> {
        if self.is_full() {
            return Ok(());
        }
        let start = Instant::now();
        let verdict = self.search.verdict(position);
        let time = start.elapsed();
        let counts = &mut self.counts;
        counts.positions += 1;
        counts.nodes += self.search.searched();
        counts.time += time;
        counts.slowest = counts.slowest.max(time);
        match verdict {
            DeadPositionVerdict::Unknown => counts.unknown += 1,
            DeadPositionVerdict::Alive(helpmate) => {
                counts.alive += 1;
                check_helpmate(position, &helpmate)?;
            }
            DeadPositionVerdict::Dead if position.is_insufficient_material() => counts.dead_by_material += 1,
            DeadPositionVerdict::Dead => {
                counts.dead_otherwise += 1;
                if self.confirmed.insert(position.repetition_key()) {
                    for winner in Color::ALL {
                        match can_mate(position, winner, self.confirm)? {
                            Some(true) => bail!("not dead, {winner} can mate: {position}"),
                            Some(false) => {}
                            None => {
                                println!("not confirmed: {position}");
                                self.counts.too_large += 1;
                                return Ok(());
                            }
                        }
                    }
                    self.counts.confirmed += 1;
                }
            }
        }
        Ok(())
    }

    /// Compares the answers with those of a list.
    fn labelled(&mut self, path: &Path, nodes: u64) -> Result<()> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let (mut dead, mut dead_found, mut invalid) = (0, 0, 0);
        // For each side: (unwinnable, recognised, winnable, recognised).
        let mut answers = [0; 4];
        for line in text.lines().filter(|line| !line.starts_with('#') && line.len() > 3) {
            let (sides, fen) = line.split_at(2);
            let Ok((position, _)) = Position::from_fen_lenient(fen.trim()) else {
                invalid += 1;
                continue;
            };
            let mut unwinnable = 0;
            for (winner, letter) in Color::ALL.into_iter().zip(['W', 'B']) {
                let winnable = sides.contains(letter);
                let first = if winnable { 2 } else { 0 };
                answers[first] += 1;
                match self.search.winnability(&position, winner) {
                    Winnability::Unknown => {}
                    Winnability::Unwinnable => {
                        ensure!(!winnable, "{winner} can mate: {line}");
                        answers[first + 1] += 1;
                        unwinnable += 1;
                    }
                    Winnability::Winnable(helpmate) => {
                        ensure!(winnable, "{winner} cannot mate: {line}");
                        check_helpmate(&position, &helpmate)?;
                        answers[first + 1] += 1;
                    }
                }
            }
            dead += u64::from(sides == "--");
            dead_found += u64::from(sides == "--" && unwinnable == 2);
        }
        let [no, no_found, yes, yes_found] = answers;
        let name = path.file_name().unwrap_or_default().display();
        println!(
            "{name}: {nodes} nodes\n  dead               {dead_found} of {dead}\n  side cannot mate   {no_found} of \
             {no}\n  side can mate      {yes_found} of {yes}\n  impossible set-ups {invalid}"
        );
        Ok(())
    }
}

impl Visitor for Survey {
    const MOVETEXT: Movetext = Movetext::Positions;
    const VARIATIONS: bool = false;

    fn play(&mut self, _: &Position, _: Option<Move>, after: &Position) -> ControlFlow<Stop> {
        match self.judge(after) {
            Ok(()) if !self.is_full() => ControlFlow::Continue(()),
            Ok(()) => ControlFlow::Break(Stop::Game),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(Stop::Game)
            }
        }
    }
}

fn check_helpmate(position: &Position, helpmate: &Helpmate) -> Result<()> {
    let moves: Vec<_> = helpmate.moves.iter().map(|mv| mv.uci(CastlingMode::Chess960).to_string()).collect();
    let end = play_moves(&parse_fen(&position.to_string())?, moves.iter().map(String::as_str))?;
    let mated = if end.turn().is_white() { Color::White } else { Color::Black };
    ensure!(end.is_checkmate() && mated != helpmate.winner, "no mate in {position}: {}", moves.join(" "));
    Ok(())
}

/// Whether a side can mate, by visiting everything; `None` if there are more than this many positions.
fn can_mate(position: &Position, winner: Color, limit: usize) -> Result<Option<bool>> {
    let root = parse_fen(&position.to_string())?;
    let key = |position: &Chess| position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
    let mut seen = HashSet::from([key(&root)]);
    let mut open = vec![root];
    while let Some(position) = open.pop() {
        let moves = position.legal_moves();
        if moves.is_empty() {
            if position.is_check() && position.turn().is_white() != winner.is_white() {
                println!("mate: {}", write_fen(&position));
                return Ok(Some(true));
            }
            continue;
        }
        for mv in moves {
            let mut child = position.clone();
            child.play_unchecked(mv);
            if seen.insert(key(&child)) {
                open.push(child);
            }
        }
        if seen.len() > limit {
            return Ok(None);
        }
    }
    Ok(Some(false))
}
