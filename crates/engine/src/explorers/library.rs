//! The library of games as a source of the opening explorer.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use ferz_library::explorer::{Exploration, Index, IndexError, IndexReader};
use ferz_library::{GameFacts, Library, LibraryError, Query};
use ferz_session::ExploreTask;
use ferz_session::protocol::{ExplorerGame, ExplorerKind, Message, ResultName};

use super::{GAMES, cache_folder, counts, name_hash};

/// Building takes at most one part of this many of the time.
const LEISURE: u32 = 10;

/// The openings of the games in a library.
///
/// Changes of the library are found by its change number, whoever made them. A game that was edited does not tell its old
/// moves, so the index is built again, on a thread of its own and not all the time; until then the old one answers.
#[derive(Debug)]
pub(super) struct LibraryOpenings {
    path: PathBuf,
    library: Mutex<Library>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The index, and the change number that it has.
    index: Option<(IndexReader, i64)>,
    is_building: bool,
    /// The games that are in the index that is being built, in per cent.
    percent: u8,
    not_before: Option<Instant>,
    failure: Option<String>,
}

impl LibraryOpenings {
    /// The openings of the library in this file.
    pub(super) fn open(path: &Path) -> Result<Arc<LibraryOpenings>, LibraryError> {
        let library = Library::open(path)?;
        Ok(Arc::new(LibraryOpenings {
            path: library.path().to_owned(),
            library: Mutex::new(library),
            state: Mutex::default(),
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
        let is_old = state.index.as_ref().is_none_or(|&(_, has)| has != change);
        let may_build = !state.is_building && state.not_before.is_none_or(|time| time <= Instant::now());
        if is_old && may_build {
            state.is_building = true;
            state.percent = 0;
            let source = Arc::clone(self);
            let spawned = thread::Builder::new().name("openings".to_owned()).spawn(move || source.build());
            state.is_building = spawned.is_ok();
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
                self.state().index = None;
                Ok(task.is_building(0))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn build(&self) {
        let start = Instant::now();
        let built = self.build_index();
        let mut state = self.state();
        state.is_building = false;
        state.not_before = Some(Instant::now() + start.elapsed() * LEISURE);
        match built {
            Ok(index) => state.index = Some(index),
            Err(error) => state.failure = Some(format!("{error:#}")),
        }
    }

    /// Reads all games with a connection of its own.
    fn build_index(&self) -> Result<(IndexReader, i64)> {
        let mut library = Library::open(&self.path)?;
        let change = library.change_number()?;
        let folder = cache_folder()?.join("openings").join(format!("library-{:016x}", name_hash(&self.path)));
        let label = format!("{} {change}", self.path.display());
        let mut index = match Index::open_or_replace(&folder, &label) {
            // A different server writes there.
            Err(IndexError::Locked { .. }) => {
                let own = folder.with_extension(std::process::id().to_string());
                Index::open_or_replace(&own, &label)?
            }
            opened => opened?,
        };
        let games = library.find(&Query::default())?;
        if index.games() > 0 {
            return Ok((index.reader(), change));
        }
        let mut update = index.update();
        for (number, &game) in games.iter().enumerate() {
            match library.text(game) {
                Ok(text) => update.add_game(game, &GameFacts::of(&text))?,
                // It was deleted meanwhile: the change number says so next time.
                Err(_) => continue,
            }
            if number % 1000 == 0 {
                self.state().percent = (100 * number / games.len()) as u8;
            }
        }
        update.commit().context("the index cannot be written")?;
        Ok((index.reader(), change))
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
