//! What the search needs from the program around it: a clock, and sometimes a hook.

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// The environment of an engine: its clock and its poll hook.
///
/// The default uses the clock of the standard library ([`monotonic_now`]) and no hook. A program that has a clock of
/// its own, or no threads (WebAssembly in a browser), supplies both:
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use ferz_board::Game;
/// use ferz_search::{Engine, Host, Limits, SearchOptions, Signals};
///
/// let signals = Arc::new(Signals::new());
/// let calls = Arc::new(AtomicU64::new(0));
/// let poll = {
///     let (signals, calls) = (Arc::clone(&signals), Arc::clone(&calls));
///     // A single-threaded program would look at its input here.
///     move || {
///         if calls.fetch_add(1, Ordering::Relaxed) == 20 {
///             signals.stop();
///         }
///     }
/// };
///
/// let mut engine = Engine::new(1)?;
/// engine.set_host(Host::default().poll(poll));
/// let limits = Limits::default().infinite();
/// let result = engine.search(&Game::default(), &limits, &SearchOptions::default(), &signals, &mut |_| {});
/// assert!(result.best.is_some());
/// assert!(calls.load(Ordering::Relaxed) > 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Host {
    /// The time since any fixed moment. It must not run backwards.
    /// [`Limits::started`](field@crate::Limits::started) is a time on the same axis.
    pub now: Arc<dyn Fn() -> Duration + Send + Sync>,
    /// Called about every 512 nodes by the main thread of the search, on that thread, and every few milliseconds
    /// while the search is paused or waits for a signal. It may raise [`Signals`](crate::Signals).
    pub poll: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl Host {
    /// Sets [`Host::now`](field@Host::now).
    #[must_use]
    pub fn now(mut self, now: impl Fn() -> Duration + Send + Sync + 'static) -> Host {
        self.now = Arc::new(now);
        self
    }

    /// Sets [`Host::poll`](field@Host::poll).
    #[must_use]
    pub fn poll(mut self, poll: impl Fn() + Send + Sync + 'static) -> Host {
        self.poll = Some(Arc::new(poll));
        self
    }
}

impl Default for Host {
    fn default() -> Host {
        Host { now: Arc::new(monotonic_now), poll: None }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("poll", &self.poll.is_some()).finish_non_exhaustive()
    }
}

/// The time since the first call of this function, by the monotonic clock of the standard library: the clock of the
/// default [`Host`].
///
/// It panics where the standard library has no clock (`wasm32-unknown-unknown`).
#[must_use]
pub fn monotonic_now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    // The first call must not be later than the moment it makes.
    let start = *START;
    start.elapsed()
}
