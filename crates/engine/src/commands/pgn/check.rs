//! `ferz pgn check`: says what is wrong with games.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ferz_board::Move;
use ferz_notation::pgn::parallel::Batch;
use ferz_notation::pgn::{Diagnostic, Visitor};

use super::problems::Problems;
use super::reading::{Files, Stop, Tally};

/// Check games: are all moves legal, is everything closed that was opened
///
/// Every problem is a line `file:line:column: kind: message`, at most 20 for a game. The last line is
/// `<n> games, <n> moves, <n> problems`, where moves are the half-moves of the main lines; those of variations are
/// checked, but not counted. With problems the exit code is 1, with a file that cannot be read 2.
#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    files: Files,

    /// Only the last line
    #[arg(long, short)]
    quiet: bool,
}

impl Check {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let tally = Tally::new();
        let mut problems = 0;
        let work = |batch: &mut Batch<'_>| batch.read_all(Checker::default());
        self.files.read(&tally, work, |checker, source| {
            tally.add(checker.games, checker.moves);
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
        writeln!(out, "{} games, {} moves, {problems} problems", tally.games(), tally.moves())?;
        Ok(tally.exit_code(problems > 0))
    }
}

/// Counts games and moves, and collects problems.
#[derive(Default)]
struct Checker {
    games: u64,
    moves: u64,
    /// How many variations are open.
    depth: u32,
    problems: Problems,
}

impl Visitor for Checker {
    fn begin_game(&mut self) {
        self.games += 1;
        self.depth = 0;
        self.problems.next_game();
    }

    fn mv(&mut self, _: Option<Move>) {
        self.moves += u64::from(self.depth == 0);
    }

    fn begin_variation(&mut self) {
        self.depth += 1;
    }

    fn end_variation(&mut self) {
        self.depth -= 1;
    }

    fn problem(&mut self, problem: Diagnostic) {
        self.problems.add(problem);
    }

    fn end_game(&mut self) {
        self.problems.next_game();
    }
}
