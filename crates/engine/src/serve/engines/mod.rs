//! The engines of all tabs.

mod other_engine;
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

pub(crate) use other_engine::{OtherProgram, OtherPrograms};
use scheduler::Scheduler;
pub(crate) use tab_engine::{Busy, TabEngine};

use ferz_session::protocol::EngineEntry;
use ferz_session::{EngineHost, SearchEvent};

/// The maximum number of engines. Each has a transposition table and a thread.
const MAX_ENGINES: usize = 32;

/// Notices of the page when there is no engine.
const FULL: &str = "All engines are in use by other tabs. Close a tab and try again.";
const NO_MEMORY: &str = "Not enough memory for another engine. Close a tab and try again.";
/// The notice when the transposition tables of all tabs are too large together.
const TABLES_TOO_LARGE: &str =
    "The transposition tables of all tabs take too much memory. Choose a smaller hash size or close a tab.";
/// The notice after a panic of the search.
const FAULT: &str = "Internal error: the search failed. Try again.";

/// What the engines of all tabs share.
#[derive(Debug, Default)]
pub(crate) struct EngineResources {
    /// The number of threads that search at the same time.
    pub(crate) slots: usize,
    /// The default size of a transposition table, in MiB.
    pub(crate) hash: usize,
    /// The largest size of a transposition table, in MiB.
    pub(crate) max_hash: usize,
    pub(crate) network: Option<Arc<Network>>,
    pub(crate) tables: Tablebases,
    pub(crate) others: OtherPrograms,
}

/// The engines of all tabs.
#[derive(Debug)]
pub(crate) struct Engines {
    scheduler: Arc<Scheduler>,
    network: Option<Arc<Network>>,
    tables: Tablebases,
    hash: usize,
    max_hash: usize,
    others: Arc<OtherPrograms>,
    count: AtomicUsize,
    /// The size of all transposition tables that are larger than the default, in MiB.
    extra: AtomicUsize,
}

impl Engines {
    pub(crate) fn new(resources: EngineResources) -> Arc<Engines> {
        let EngineResources { slots, hash, max_hash, network, tables, others } = resources;
        let scheduler = Scheduler::start(slots);
        let max_hash = max_hash.max(hash);
        let (count, extra) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Engines {
            scheduler,
            network,
            tables,
            hash,
            max_hash,
            others: Arc::new(others),
            count,
            extra,
        })
    }

    /// What a session may offer the page.
    pub(crate) fn host(&self) -> EngineHost {
        let entry = |name: &str| EngineEntry { id: name.to_owned(), name: name.to_owned() };
        EngineHost {
            threads: self.scheduler.slots(),
            hash_mb: self.max_hash,
            default_hash_mb: self.hash,
            engines: self.others.names().map(entry).collect(),
        }
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
        reserved.is_ok().then(|| Reservation { engines: Arc::clone(self), extra: 0 })
    }
}

/// The place of an engine and the memory of its transposition table, freed on drop.
#[derive(Debug)]
struct Reservation {
    engines: Arc<Engines>,
    /// What the table has above the default size, in MiB.
    extra: usize,
}

impl Reservation {
    /// Reserves memory for a table of this size; false if the large tables of all tabs would take more than twice the
    /// largest size.
    fn resize(&mut self, hash: usize) -> bool {
        let extra = hash.saturating_sub(self.engines.hash);
        let most = 2 * self.engines.max_hash;
        let before = self.extra;
        let resized = self.engines.extra.fetch_update(Relaxed, Relaxed, |sum| {
            Some(sum - before + extra).filter(|&sum| extra <= before || sum <= most)
        });
        if resized.is_ok() {
            self.extra = extra;
        }
        resized.is_ok()
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.engines.count.fetch_sub(1, Relaxed);
        self.engines.extra.fetch_sub(self.extra, Relaxed);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_tables_are_limited_together() {
        let engines =
            Engines::new(EngineResources { slots: 1, hash: 16, max_hash: 100, ..Default::default() });
        let mut all: Vec<_> = (0..3).map(|_| engines.reserve().expect("a place")).collect();
        assert!(all[0].resize(100) && all[1].resize(100));
        assert!(!all[2].resize(100) && all[2].resize(16), "168 of 200 MiB are in use");
        assert!(all[0].resize(30) && all[2].resize(100));
        drop(all);
        assert_eq!((engines.extra.load(Relaxed), engines.count.load(Relaxed)), (0, 0));
    }
}
