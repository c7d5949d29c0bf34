//! Signals to a running search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::Host;

/// Controls a running search from a different thread: stop, ponder hit, pause.
///
/// A search reads its signals and never resets them. Use new ones for every search.
///
/// ```
/// use std::thread;
/// use std::time::Duration;
///
/// use ferz_board::Game;
/// use ferz_search::{Engine, Limits, SearchOptions, Signals};
///
/// let mut engine = Engine::new(1)?;
/// let signals = Signals::new();
/// let limits = Limits::default().infinite();
/// let result = thread::scope(|scope| {
///     scope.spawn(|| {
///         thread::sleep(Duration::from_millis(20));
///         signals.stop();
///     });
///     engine.search(&Game::default(), &limits, &SearchOptions::default(), &signals, &mut |_| {})
/// });
/// assert!(result.best.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Signals {
    stopped: AtomicBool,
    ponder_hit: AtomicBool,
    paused: AtomicBool,
    changed: Condvar,
    lock: Mutex<()>,
}

/// How often a search that waits calls the poll hook.
const POLL_PERIOD: Duration = Duration::from_millis(5);

/// Without threads nothing can wake a thread that sleeps, and the standard library does not let it sleep.
const CAN_SLEEP: bool = !cfg!(all(target_family = "wasm", not(target_feature = "atomics")));

impl Signals {
    /// Signals of which none is raised.
    #[must_use]
    pub fn new() -> Signals {
        Signals::default()
    }

    /// Ends the search now. It still returns the best move found so far.
    pub fn stop(&self) {
        self.raise(&self.stopped);
    }

    /// The opponent has played the expected move: from now on the search uses its own time.
    #[doc(alias = "ponderhit")]
    pub fn ponder_hit(&self) {
        self.raise(&self.ponder_hit);
    }

    /// Whether [`Signals::stop`] was called.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether [`Signals::ponder_hit`] was called.
    #[inline]
    pub fn is_ponder_hit(&self) -> bool {
        self.ponder_hit.load(Ordering::Relaxed)
    }

    /// Pauses the search until it is resumed or stopped. Its clock keeps running.
    pub fn pause(&self) {
        self.raise(&self.paused);
    }

    /// Resumes a paused search.
    pub fn resume(&self) {
        let _guard = self.guard();
        self.paused.store(false, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Whether the search is paused.
    #[inline]
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    /// Sleeps while the search is paused and not stopped.
    #[inline]
    pub fn wait_while_paused(&self) {
        if self.is_paused() {
            self.sleep_until(|| !self.is_paused() || self.is_stopped());
        }
    }

    /// The same, calling the poll hook of the host if there is one.
    #[inline]
    pub(crate) fn poll_while_paused(&self, host: &Host) {
        if self.is_paused() {
            self.wait_until(host, || !self.is_paused() || self.is_stopped());
        }
    }

    /// Sleeps until the search is stopped or, if `ponder_hit_ends`, until the ponder hit.
    pub(crate) fn wait_for_end(&self, host: &Host, ponder_hit_ends: bool) {
        self.wait_until(host, || self.is_stopped() || ponder_hit_ends && self.is_ponder_hit());
    }

    fn raise(&self, signal: &AtomicBool) {
        let _guard = self.guard();
        signal.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn guard(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The poll hook may be the only code that can raise a signal, so it is called while waiting too.
    fn wait_until(&self, host: &Host, is_over: impl Fn() -> bool) {
        let Some(poll) = &host.poll else { return self.sleep_until(is_over) };
        while !is_over() {
            poll();
            let guard = self.guard();
            if CAN_SLEEP && !is_over() {
                drop(self.changed.wait_timeout(guard, POLL_PERIOD));
            }
        }
    }

    fn sleep_until(&self, is_over: impl Fn() -> bool) {
        let mut guard = self.guard();
        while CAN_SLEEP && !is_over() {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
