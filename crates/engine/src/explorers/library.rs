//! The library of games as a source of the opening explorer.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use ferz_library::explorer::{Exploration, IndexError, IndexReader, LibraryIndex};
use ferz_library::{GameFacts, Library, LibraryError};
use ferz_session::ExploreTask;
use ferz_session::protocol::{ExplorerGame, ExplorerKind, Message, ResultName};

use super::{GAMES, counts, index_folder};

/// How long an answer waits for the last changes of the library. Those of a game take milliseconds.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often to ask whether a different process is done with the index.
const LOCK_PAUSE: Duration = Duration::from_millis(50);
/// How long to wait after a failure.
const RETRY_PAUSE: Duration = Duration::from_secs(10);

/// The openings of the games in a library.
///
/// Changes of the library are found by its change number, whoever made them. Only the games that changed are read, on a
/// thread of its own; until then the old index answers.
#[derive(Debug)]
pub(super) struct LibraryOpenings {
    path: PathBuf,
    library: Mutex<Library>,
    /// A connection for reading changes, which may take long the first time.
    changes: Mutex<Option<Library>>,
    state: Mutex<State>,
    /// The state has changed.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The index, and the change number that it has.
    index: Option<(IndexReader, i64)>,
    is_updating: bool,
    /// The index on the disk must be built again.
    is_damaged: bool,
    /// The games that are in the first index, in per cent.
    percent: u8,
    not_before: Option<Instant>,
    failure: Option<String>,
}

impl State {
    fn has(&self, change: i64) -> bool {
        self.index.as_ref().is_some_and(|&(_, has)| has == change)
    }
}

impl LibraryOpenings {
    /// The openings of the library in this file.
    pub(super) fn open(path: &Path) -> Result<Arc<LibraryOpenings>, LibraryError> {
        let library = Library::open(path)?;
        Ok(Arc::new(LibraryOpenings {
            path: library.path().to_owned(),
            library: Mutex::new(library),
            changes: Mutex::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
        }))
    }

    fn library(&self) -> MutexGuard<'_, Library> {
        self.library.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of games; 0 if it cannot be read now.
    pub(super) fn games(&self) -> u64 {
        self.library().count().unwrap_or(0) as u64
    }

    /// The answer to a question of the page.
    pub(super) fn answer(self: &Arc<Self>, task: &ExploreTask) -> Result<Message> {
        let change = self.library().change_number()?;
        let mut state = self.state();
        let may_update = !state.is_updating && state.not_before.is_none_or(|time| time <= Instant::now());
        if may_update && !state.has(change) {
            state.percent = 0;
            let source = Arc::clone(self);
            let spawned = thread::Builder::new().name("openings".to_owned()).spawn(move || source.update());
            state.is_updating = spawned.is_ok();
            let is_awaited = |state: &mut State| state.is_updating && !state.has(change);
            let waited = self.changed.wait_timeout_while(state, PATIENCE, is_awaited);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let Some((reader, _)) = state.index.clone() else {
            if let Some(failure) = state.failure.take() {
                anyhow::bail!("The openings of the library cannot be indexed: {failure}");
            }
            return Ok(task.is_building(state.percent));
        };
        drop(state);
        match reader.explore(&task.position) {
            Ok(found) => {
                let games = self.named(&found);
                Ok(task.answer(ExplorerKind::Games, found.total, counts(&found), games))
            }
            Err(error) if error.is_damage() => {
                let mut state = self.state();
                state.index = None;
                state.is_damaged = true;
                Ok(task.is_building(0))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn update(&self) {
        let is_first = self.state().index.is_none();
        let updated = self.update_index();
        let mut state = self.state();
        state.is_updating = false;
        if let Err(error) = updated {
            state.is_damaged |= error.downcast_ref().is_some_and(IndexError::is_damage);
            state.failure = Some(format!("{error:#}"));
            state.not_before = Some(Instant::now() + RETRY_PAUSE);
        }
        let reader = state.index.clone().filter(|_| is_first);
        drop(state);
        self.changed.notify_all();
        if let Some((reader, _)) = reader {
            // Later questions need not wait for the disk. Damage is reported by the one that meets it.
            let _ = reader.read_all();
        }
    }

    /// Reads what changed. Other processes may use the same index, one after the other.
    fn update_index(&self) -> Result<()> {
        let mut library = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let library = match &mut *library {
            Some(library) => library,
            none => none.insert(Library::open(&self.path)?),
        };
        let folder = index_folder("library-", &self.path)?;
        let mut index = loop {
            match LibraryIndex::open(&folder, library) {
                Err(IndexError::Locked { .. }) => thread::sleep(LOCK_PAUSE),
                opened => break opened?,
            }
        };
        let (is_damaged, is_first) = {
            let mut state = self.state();
            (std::mem::take(&mut state.is_damaged), state.index.is_none())
        };
        if is_damaged {
            index.clear()?;
        }
        let all = if is_first { library.count()? as u64 } else { 0 };
        let change = library.change_number()?;
        index.update(library, |read| {
            if is_first && read % 1_000 == 0 {
                self.state().percent = (100 * read / all.max(read)) as u8;
            }
        })?;
        self.publish(index.reader(), change);
        index.merge()?;
        self.publish(index.reader(), change);
        Ok(())
    }

    fn publish(&self, reader: IndexReader, change: i64) {
        self.state().index = Some((reader, change));
        self.changed.notify_all();
    }

    /// Names of games that are still in the library.
    fn named(&self, found: &Exploration) -> Vec<ExplorerGame> {
        let library = self.library();
        let name = |game: ferz_library::explorer::IndexedGame| {
            let facts = GameFacts::of(&library.text(game.id).ok()?);
            Some(ExplorerGame {
                game: Some(game.id),
                white: facts.white,
                black: facts.black,
                elo: game.elo.map(u32::from),
                year: game.year,
                result: ResultName(game.result),
            })
        };
        found.games(GAMES).into_iter().filter_map(name).collect()
    }
}
