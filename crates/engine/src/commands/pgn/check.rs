//! `ferz pgn check`.

use std::io::Write;
use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ferz_board::Move;
use ferz_notation::pgn::parallel::Batch;
use ferz_notation::pgn::{Diagnostic, GameResult, Stop as StopReading, Visitor};

use super::problems::Problems;
use super::reading::{PgnFiles, ReadTotals, Stop};

/// Check games for illegal moves and syntax errors
///
/// Prints every problem as `file:line:column: kind: message`, at most 20 per game. The last line is
/// `<n> games, <n> moves, <n> problems`. It counts the half-moves of the main lines; variations are checked, but not
/// counted. If there are problems, the exit code is 1; if a file cannot be read, it is 2.
#[derive(Args)]
pub(crate) struct CheckGames {
    #[command(flatten)]
    files: PgnFiles,

    /// Print only the last line
    #[arg(long, short)]
    quiet: bool,
}

impl CheckGames {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let totals = ReadTotals::new();
        let mut problems = 0;
        let work = |batch: &mut Batch<'_>| batch.read_all(Checker::default());
        self.files.read(&totals, work, |checker, source| {
            totals.add(checker.games, checker.moves);
            problems += checker.problems.count();
            if self.quiet || checker.problems.count() == 0 {
                return Ok(());
            }
            source
                .progress
                .suspend(|| {
                    let mut lines = checker.problems.lines(&source);
                    lines.try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush())
                })
                .map_err(Stop::output)
        })?;
        writeln!(out, "{} games, {} moves, {problems} problems", totals.games(), totals.moves())?;
        Ok(totals.exit_code(problems > 0))
    }
}

/// Counts games and moves, and collects problems.
#[derive(Default)]
struct Checker {
    games: u64,
    moves: u64,
    /// The number of open variations.
    depth: u32,
    problems: Problems,
}

impl Visitor for Checker {
    fn begin_game(&mut self) {
        self.games += 1;
        self.depth = 0;
        self.problems.next_game();
    }

    fn mv(&mut self, _: Option<Move>) -> ControlFlow<StopReading> {
        self.moves += u64::from(self.depth == 0);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self) -> ControlFlow<StopReading> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn end_variation(&mut self) {
        self.depth -= 1;
    }

    fn problem(&mut self, problem: Diagnostic) {
        self.problems.add(problem);
    }

    fn end_game(&mut self, _: GameResult) {
        self.problems.next_game();
    }
}
