//! `ferz perft`.

mod against;
mod counter;
mod known;
mod program;
mod suite;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::{Args, value_parser};
use ferz_board::{CastlingMode, Move, Position, perft};

use crate::fen_argument::{self, CastlingOption};
use crate::progress::{ProgressLine, note, per_second};
use against::{Patience, Peer};
use counter::CounterOptions;
use known::KnownPositions;

/// A higher number is a typing error.
const MAX_DEPTH: u32 = 99;

/// Count the leaves of the tree of legal moves (perft)
///
/// The last line is `nodes <n> time <milliseconds> nps <n>`, or for a suite `<n> passed, <n> failed`. If a position of a
/// suite fails, or another program counts differently, the exit code is 1.
#[derive(Args)]
#[command(
    allow_negative_numbers = true,
    override_usage = "ferz perft <DEPTH> [OPTIONS]\n       ferz perft <DEPTH> --against <CMD> [OPTIONS]\n       \
                      ferz perft --suite <FILE> [OPTIONS]"
)]
pub(crate) struct Perft {
    /// Depth in plies; 0 counts the position itself
    #[arg(required_unless_present = "suite", value_parser = value_parser!(u32).range(0..=i64::from(MAX_DEPTH)))]
    depth: Option<u32>,

    /// The position to count from [default: the start position]. It is repaired if necessary; repairs are noted on
    /// stderr
    #[arg(long)]
    fen: Option<String>,

    #[command(flatten)]
    castling: CastlingOption,

    #[command(flatten)]
    known: KnownPositions,

    /// Print the count below each root move
    #[arg(long)]
    divide: bool,

    /// Print how many of the last moves are captures, en passant, castles, promotions, checks and mates. Double checks are
    /// checks and not discovered checks
    #[arg(long, conflicts_with_all = ["divide", "suite", "hash", "walk"])]
    kinds: bool,

    #[command(flatten)]
    peer: Peer,

    #[command(flatten)]
    patience: Patience,

    /// Check the counts of a file with lines such as `FEN ;D1 20 ;D2 400`; `-` is stdin, `builtin` the Wiki's Perft
    /// Results, lines that start with `#` are comments
    #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "fen", "divide"])]
    suite: Option<PathBuf>,

    /// Skip counts above N
    #[arg(long, value_name = "N", conflicts_with = "depth")]
    max_nodes: Option<u64>,

    #[command(flatten)]
    counter: CounterOptions,
}

impl Perft {
    /// Counts leaves or checks a suite.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let mode = self.castling.mode();
        let max_nodes = self.max_nodes.unwrap_or(u64::MAX);
        match self.suite {
            Some(file) => suite::run(&file, mode, max_nodes, &self.counter.counter()?, out),
            None => self.count(mode, out),
        }
    }

    fn count(&self, mode: CastlingMode, out: &mut impl Write) -> Result<ExitCode> {
        let depth = self.depth.unwrap_or_default();
        let (position, repairs) = match self.fen.as_deref().or(self.known.fen()) {
            Some(fen) => fen_argument::lenient(fen, mode)?,
            None => (Position::start(), Vec::new()),
        };
        repairs.iter().for_each(|repair| note(format_args!("note: {repair}")));
        let counter = self.counter.counter()?;
        if self.peer.is_asked_for() {
            return self.peer.compare(&position, depth, mode, &self.patience, &counter, out);
        }

        let progress = Mutex::new(perft::Progress::default());
        let start = Instant::now();
        let progress_line = || {
            let now = *progress.lock().unwrap_or_else(PoisonError::into_inner);
            let seconds = start.elapsed().as_secs();
            format!("depth {depth}: {} %, {} nodes, {seconds} s", now.percent(), now.nodes)
        };
        let mut report = |now| *progress.lock().unwrap_or_else(PoisonError::into_inner) = now;
        let run = counter.run(&position, depth).on_progress(&mut report);
        let nodes = if self.kinds {
            let counts =
                ProgressLine::watch(progress_line, |_| run.kinds()).context("the count was stopped")?;
            for (name, number) in counts.rows().into_iter().skip(1) {
                writeln!(out, "{name:<18} {number}")?;
            }
            counts.nodes
        } else {
            let counts = ProgressLine::watch(progress_line, |_| run.divide());
            let perft::Counts { by_move, total } = counts.context("the count was stopped")?;
            ensure!(total < u64::MAX, "more than {total} nodes: too many to count");
            if self.divide {
                list(&position, mode, &by_move, out)?;
            }
            total
        };
        let time = start.elapsed();
        writeln!(out, "nodes {nodes} time {} nps {}", time.as_millis(), per_second(nodes, time))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints the counts sorted by move, so that the lists of two programs can be compared line by line.
fn list(
    position: &Position,
    mode: CastlingMode,
    by_move: &[(Move, u64)],
    out: &mut impl Write,
) -> Result<()> {
    let mode = fen_argument::castling_text(position, mode);
    let mut rows: Vec<_> = by_move.iter().map(|(mv, nodes)| (mv.uci(mode).to_string(), nodes)).collect();
    rows.sort();
    for (mv, nodes) in rows {
        writeln!(out, "{mv}: {nodes}")?;
    }
    Ok(())
}
