//! A chess engine without a protocol.

use std::fmt;
use std::time::{Duration, Instant};

use ferz_board::Game;

use crate::{Conclusion, Limits, Report, Signals};

/// Searches positions. Holds the transposition table and what its threads have learnt; any number of engines
/// live side by side.
#[derive(Debug)]
pub struct Engine {
    hash: usize,
    threads: usize,
}

/// How an engine searches, beside [`Limits`].
#[derive(Clone, Debug)]
pub struct Options {
    /// How many lines to report.
    pub lines: usize,
    /// Time kept in reserve for what happens outside the search.
    pub move_overhead: Duration,
    /// Plays as a player of this Elo rating would; `None` is full strength.
    pub elo: Option<u32>,
}

impl Default for Options {
    fn default() -> Options {
        Options { lines: 1, move_overhead: Duration::from_millis(10), elo: None }
    }
}

/// There is not enough memory for a transposition table or a thread's tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// How many MiB were asked for.
    pub mebibytes: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not enough memory for {} MiB", self.mebibytes)
    }
}

impl std::error::Error for OutOfMemory {}

impl Engine {
    /// The ratings [`Options::elo`] understands.
    pub const ELO: std::ops::RangeInclusive<u32> = 1000..=2800;
    /// How many threads an engine can have.
    pub const MAX_THREADS: usize = 1024;

    /// An engine with a table of so many MiB and one thread.
    pub fn new(hash: usize) -> Result<Engine, OutOfMemory> {
        Ok(Engine { hash, threads: 1 })
    }

    /// Changes the size of the table, which is then empty. If there is no memory the old one stays as it is.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), OutOfMemory> {
        self.hash = mebibytes;
        Ok(())
    }

    /// Changes how many threads search. If there is no memory for them, nothing changes.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), OutOfMemory> {
        self.threads = threads;
        Ok(())
    }

    /// Forgets everything about games and positions: as good as new.
    pub fn clear(&mut self) {}

    /// Searches the present position of a game until a limit or a signal ends it.
    ///
    /// Reports come on the calling thread.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        options: &Options,
        signals: &Signals,
        report: &mut dyn FnMut(&Report),
    ) -> Conclusion {
        let started = Instant::now();
        let best = game.position().legal_moves().as_slice().first().copied();
        let _ = (options, report);
        if limits.infinite || limits.ponder {
            signals.wait(!limits.infinite);
        }
        Conclusion { best, nodes: 1, time: started.elapsed(), ..Conclusion::default() }
    }
}
