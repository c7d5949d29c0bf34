//! The library of games of a server: shared by its tabs.

mod answers;
mod keeper;
mod transfer;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use ferz_library::{Library, LibraryError};
use ferz_session::protocol::{LibraryStatus, LibrarySummary, Message, sentence};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::library_path::LibraryChoice;
use crate::progress::note;

pub(crate) use answers::LibraryTab;
pub(super) use transfer::{export, import};

/// The most imports at the same time. Each needs some ten megabytes.
const MAX_IMPORTS: usize = 4;
/// The most exports at the same time.
const MAX_EXPORTS: usize = 8;

/// How long a question of a tab waits for other programs that write.
const PATIENCE: Duration = Duration::from_secs(5);

/// The library, and the tabs that hear of its changes.
#[derive(Debug)]
pub(crate) struct LibraryHost {
    library: Mutex<Library>,
    path: PathBuf,
    is_writable: bool,
    /// The number of games when it was last counted.
    games: AtomicUsize,
    tabs: Mutex<HashMap<u64, UnboundedSender<Message>>>,
    /// Running imports, and the flags that stop them.
    imports: Mutex<HashMap<u64, Arc<AtomicBool>>>,
    import_places: Arc<Semaphore>,
    export_places: Arc<Semaphore>,
    /// Whether a tab could not write because of others.
    has_writer: AtomicBool,
    last_number: AtomicU64,
}

impl LibraryHost {
    /// Opens the library. If the usual one cannot be used, the server runs without it.
    pub(crate) fn open(choice: &LibraryChoice) -> Result<Option<Arc<LibraryHost>>, LibraryError> {
        let mut library = match choice {
            LibraryChoice::None => return Ok(None),
            LibraryChoice::File(path) => Library::open(path)?,
            LibraryChoice::Default(path) => match Library::open(path) {
                Ok(library) => library,
                Err(error) => {
                    note(format_args!("note: games are not kept: {error}"));
                    return Ok(None);
                }
            },
        };
        let games = library.count()?;
        library.set_patience(PATIENCE)?;
        let host = Arc::new(LibraryHost {
            path: library.path().to_owned(),
            is_writable: library.is_writable(),
            library: Mutex::new(library),
            games: AtomicUsize::new(games),
            tabs: Mutex::default(),
            imports: Mutex::default(),
            import_places: Arc::new(Semaphore::new(MAX_IMPORTS)),
            export_places: Arc::new(Semaphore::new(MAX_EXPORTS)),
            has_writer: AtomicBool::new(false),
            last_number: AtomicU64::new(0),
        });
        let prepared = Arc::clone(&host);
        // Reads a large list before it is needed. If that fails, the first question reports it.
        let _ = thread::Builder::new().name("library".to_owned()).spawn(move || {
            let mut library = prepared.library();
            let _ = library.purge();
            let _ = library.prepare();
        });
        Ok(Some(host))
    }

    fn library(&self) -> MutexGuard<'_, Library> {
        // Every change is a transaction: a panic leaves nothing half done.
        self.library.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The library if nobody uses it now.
    fn idle_library(&self) -> Option<MutexGuard<'_, Library>> {
        match self.library.try_lock() {
            Ok(library) => Some(library),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The file of the library.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn status(&self) -> LibraryStatus {
        LibraryStatus { games: self.games.load(Relaxed), writable: self.is_writable }
    }

    fn summary(&self) -> Result<LibrarySummary, LibraryError> {
        let summary = self.library().summary()?;
        self.games.store(summary.games, Relaxed);
        Ok(answers::summary(summary, self.is_writable))
    }

    fn next_number(&self) -> u64 {
        self.last_number.fetch_add(1, Relaxed) + 1
    }

    /// A number and a mailbox for a new tab.
    fn add_tab(&self) -> (u64, UnboundedReceiver<Message>) {
        let (sender, receiver) = unbounded_channel();
        let tab = self.next_number();
        self.tabs().insert(tab, sender);
        (tab, receiver)
    }

    fn remove_tab(&self, tab: u64) {
        self.tabs().remove(&tab);
    }

    fn tabs(&self) -> MutexGuard<'_, HashMap<u64, UnboundedSender<Message>>> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn imports(&self) -> MutexGuard<'_, HashMap<u64, Arc<AtomicBool>>> {
        self.imports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all tabs but one that the library has changed.
    fn announce_change(&self, except: Option<u64>) {
        for (_, sender) in self.tabs().iter().filter(|&(&tab, _)| Some(tab) != except) {
            // A tab that is closing does not listen.
            let _ = sender.send(Message::LibraryChanged {});
        }
    }

    fn tell(&self, tab: u64, message: Message) {
        if let Some(sender) = self.tabs().get(&tab) {
            let _ = sender.send(message);
        }
    }
}

/// An error as a sentence for the page.
fn explain(error: &LibraryError) -> String {
    format!("{}.", sentence(&error.to_string()))
}
