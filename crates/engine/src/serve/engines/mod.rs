//! Searches for all tabs: how many run at a time, and what each of them does.

mod reviewer;
mod scheduler;
mod tab_engine;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ferz_eval::Network;
use ferz_search::Engine;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use scheduler::Scheduler;
pub(crate) use tab_engine::{Busy, TabEngine};

use ferz_session::Event;

/// Engines that exist at a time; each has a table and searches on a thread of its own.
const MAX_ENGINES: usize = 32;

/// Why there is no engine.
const FULL: &str = "All engines are in use by other tabs; close one of them and try again.";
const NO_MEMORY: &str = "There is not enough memory for another engine.";
/// What is said when a search ends as it never should.
const FAULT: &str = "Internal error: the search failed. Try again.";

/// What all tabs share.
#[derive(Debug)]
pub(crate) struct Engines {
    scheduler: Arc<Scheduler>,
    network: Option<Arc<Network>>,
    /// The size of each engine's table in MiB.
    hash: usize,
    count: AtomicUsize,
}

impl Engines {
    /// So many searches run at a time.
    pub(crate) fn new(slots: usize, hash: usize, network: Option<Arc<Network>>) -> Arc<Engines> {
        Arc::new(Engines { scheduler: Scheduler::start(slots), network, hash, count: AtomicUsize::new(0) })
    }

    /// The net that all of them use.
    pub(crate) fn network(&self) -> Option<Arc<Network>> {
        self.network.clone()
    }

    /// The engine of a tab. It sends events, and notifies of news about the analysis.
    pub(crate) fn tab_engine(
        self: &Arc<Self>,
        events: UnboundedSender<Event>,
        news: Arc<Notify>,
    ) -> TabEngine {
        TabEngine::new(Arc::clone(self), events, news)
    }

    fn new_engine(&self) -> Option<Engine> {
        let mut engine = Engine::new(self.hash).ok()?;
        engine.set_network(self.network());
        Some(engine)
    }

    /// Takes the place of an engine, if there is one.
    fn admit(self: &Arc<Self>) -> Option<Admission> {
        let admitted =
            self.count.fetch_update(Relaxed, Relaxed, |count| (count < MAX_ENGINES).then_some(count + 1));
        admitted.is_ok().then(|| Admission(Arc::clone(self)))
    }
}

/// The place of an engine, given back when it is dropped.
#[derive(Debug)]
struct Admission(Arc<Engines>);

impl Drop for Admission {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Relaxed);
    }
}

/// Lets everything else run first: the page must answer while engines search.
fn give_way() {
    /// Of twenty steps.
    #[cfg(target_os = "linux")]
    const STEPS: i32 = 5;
    // On Linux this is about the thread alone. If it is not allowed, it is not important either.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(STEPS);
}
