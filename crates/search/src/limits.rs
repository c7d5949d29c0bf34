//! How far a search may go, and how it is told to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ferz_board::Move;

/// What ends a search. Every limit that is set holds; with none the search goes on until it is stopped or has
/// nothing left to look at.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Plies of the deepest iteration.
    pub depth: Option<u32>,
    /// Nodes of all threads together. With one thread the limit is exact.
    pub nodes: Option<u64>,
    /// Nodes after which no further iteration is begun.
    pub soft_nodes: Option<u64>,
    /// Ends as soon as a mate in so many moves (or fewer) is proven.
    pub mate: Option<u32>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// The clock of the side to move, from which the search takes what it thinks right.
    pub clock: Option<Clock>,
    /// Does not end by itself, even with nothing left to look at.
    pub infinite: bool,
    /// The opponent's time: like `infinite`, until [`Signals::ponder_hit`].
    pub ponder: bool,
    /// Looks at these moves only; empty means at all of them. Illegal ones are ignored.
    pub search_moves: Vec<Move>,
    /// When the clock began to run, if that was before the search is called.
    pub started: Option<Instant>,
}

/// A chess clock, as its owner sees it at the start of the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// What is left.
    pub remaining: Duration,
    /// What every move adds.
    pub increment: Duration,
    /// Moves to the next time control, if there is one.
    pub moves_to_go: Option<u32>,
}

/// Stops a running search from another thread.
///
/// A search reads them; it never resets them. Use fresh ones for every search.
#[derive(Debug, Default)]
pub struct Signals {
    stopped: AtomicBool,
    ponder_hit: AtomicBool,
    paused: AtomicBool,
    changed: Condvar,
    lock: Mutex<()>,
}

impl Signals {
    /// Signals that say nothing yet.
    pub fn new() -> Signals {
        Signals::default()
    }

    /// The search must end now.
    pub fn stop(&self) {
        self.raise(&self.stopped);
    }

    /// The opponent has played the move expected: from here on the search uses its own time.
    pub fn ponder_hit(&self) {
        self.raise(&self.ponder_hit);
    }

    /// Whether the search has been told to end.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether the move expected has been played.
    #[inline]
    pub fn is_ponder_hit(&self) -> bool {
        self.ponder_hit.load(Ordering::Relaxed)
    }

    /// The search must hold still until it is resumed or stopped. Its clock goes on.
    pub fn pause(&self) {
        self.raise(&self.paused);
    }

    /// It goes on.
    pub fn resume(&self) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.paused.store(false, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Whether the search must hold still.
    #[inline]
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    /// Sleeps as long as the search must hold still and has not been told to end.
    #[inline]
    pub fn wait_while_paused(&self) {
        if self.is_paused() {
            let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
            while self.is_paused() && !self.is_stopped() {
                guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn raise(&self, signal: &AtomicBool) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        signal.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Sleeps until told to stop or, if a ponder hit ends the waiting, until that.
    pub(crate) fn wait(&self, until_ponder_hit: bool) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !(self.is_stopped() || until_ponder_hit && self.is_ponder_hit()) {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
