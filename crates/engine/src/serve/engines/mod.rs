//! The engines of all tabs.

mod reviewer;
mod scheduler;
mod tab_engine;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ferz_eval::Network;
use ferz_search::Engine;
use ferz_syzygy::Tablebases;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use scheduler::Scheduler;
pub(crate) use tab_engine::{Busy, TabEngine};

use ferz_session::SearchEvent;

/// The maximum number of engines. Each has a transposition table and a thread.
const MAX_ENGINES: usize = 32;

/// Notices of the page when there is no engine.
const FULL: &str = "All engines are in use by other tabs. Close a tab and try again.";
const NO_MEMORY: &str = "Not enough memory for another engine. Close a tab and try again.";
/// The notice after a panic of the search.
const FAULT: &str = "Internal error: the search failed. Try again.";

/// The engines of all tabs.
#[derive(Debug)]
pub(crate) struct Engines {
    scheduler: Arc<Scheduler>,
    network: Option<Arc<Network>>,
    tables: Tablebases,
    /// The size of each transposition table, in MiB.
    hash: usize,
    count: AtomicUsize,
}

impl Engines {
    /// At most `slots` searches run at the same time.
    pub(crate) fn new(
        slots: usize,
        hash: usize,
        network: Option<Arc<Network>>,
        tables: Tablebases,
    ) -> Arc<Engines> {
        let scheduler = Scheduler::start(slots);
        Arc::new(Engines { scheduler, network, tables, hash, count: AtomicUsize::new(0) })
    }

    /// The network of all engines.
    pub(crate) fn network(&self) -> Option<Arc<Network>> {
        self.network.clone()
    }

    /// The engine of a tab. It sends events, and notifies the tab of analysis updates.
    pub(crate) fn tab_engine(
        self: &Arc<Self>,
        events: UnboundedSender<SearchEvent>,
        news: Arc<Notify>,
    ) -> TabEngine {
        TabEngine::new(Arc::clone(self), events, news)
    }

    fn new_engine(&self) -> Option<Engine> {
        let mut engine = Engine::new(self.hash).ok()?;
        engine.set_network(self.network());
        engine.set_tablebases(self.tables.clone());
        Some(engine)
    }

    /// Reserves a place for an engine; `None` if there are too many.
    fn reserve(self: &Arc<Self>) -> Option<Reservation> {
        let reserved =
            self.count.fetch_update(Relaxed, Relaxed, |count| (count < MAX_ENGINES).then_some(count + 1));
        reserved.is_ok().then(|| Reservation(Arc::clone(self)))
    }
}

/// The place of an engine, freed on drop.
#[derive(Debug)]
struct Reservation(Arc<Engines>);

impl Drop for Reservation {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Relaxed);
    }
}

/// Lowers the priority of this thread: the page must answer while engines search. A failure does no harm.
fn lower_priority() {
    // On Linux this affects only the calling thread; 5 of 20 nice levels.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(5);
    #[cfg(windows)]
    {
        use windows_sys::Win32::System::Threading::{
            GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_BELOW_NORMAL,
        };
        // SAFETY: the handle stands for the calling thread and is always valid.
        let _ = unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL) };
    }
}
