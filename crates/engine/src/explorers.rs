//! Sources of the opening explorer: PGN files and opening books.

mod library;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use ferz_board::{Move, Position};
use ferz_library::explorer::{Exploration, Index, IndexError, IndexReader, IndexedGame, pgn};
use ferz_session::protocol::{ExplorerGame, ExplorerKind, ExplorerSource, Message, ResultName};
use ferz_session::{ExploreTask, MoveCounts};

use crate::books::{self, OpeningBook};
use crate::folders;
use crate::input::{self, ReadMeter};
use crate::progress::note;
use library::LibraryOpenings;

/// The games that an answer names.
const GAMES: usize = 8;

/// A PGN file, indexed in the cache folder.
#[derive(Debug)]
pub(crate) struct PgnSource {
    path: PathBuf,
    meter: ReadMeter,
}

impl PgnSource {
    /// A file that exists.
    pub(crate) fn new(path: &Path) -> Result<PgnSource> {
        books::plain_file(path).with_context(|| input::name(path))?;
        let path = path.canonicalize().with_context(|| input::name(path))?;
        Ok(PgnSource { path, meter: ReadMeter::default() })
    }

    /// How much of the file has been read.
    pub(crate) fn percent(&self) -> u64 {
        self.meter.percent().unwrap_or(0)
    }

    /// The folder of its index: each file has one.
    fn folder(&self) -> Result<PathBuf> {
        index_folder("", &self.path)
    }

    /// What the index is built from. A file that has changed has a different label.
    fn label(&self) -> Result<String> {
        let metadata = fs::metadata(&self.path).with_context(|| input::name(&self.path))?;
        let changed =
            metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let changed = changed.unwrap_or_default().as_nanos();
        Ok(format!("{} {} {changed}", self.path.display(), metadata.len()))
    }

    /// The index of the file, which is built if it is missing, old or damaged.
    pub(crate) fn index(&self) -> Result<IndexReader> {
        /// How often to ask whether a different process is done.
        const PATIENCE: Duration = Duration::from_millis(200);
        let (folder, label) = (self.folder()?, self.label()?);
        loop {
            match IndexReader::open(&folder, &label) {
                Ok(Some(reader)) => return Ok(reader),
                Err(error) if !error.is_damage() => return Err(error.into()),
                Ok(None) | Err(_) => {}
            }
            match Index::open_or_replace(&folder, &label) {
                // A different process has just built it.
                Ok(index) if index.games() > 0 => return Ok(index.reader()),
                Ok(mut index) => {
                    let text =
                        input::open(&self.path, &self.meter).with_context(|| input::name(&self.path))?;
                    let threads = thread::available_parallelism().map_or(1, usize::from).min(4);
                    pgn::add_games(&mut index, text, threads).map_err(|error| self.explain(error))?;
                    return Ok(index.reader());
                }
                Err(IndexError::Locked { .. }) => thread::sleep(PATIENCE),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn explain(&self, error: IndexError) -> anyhow::Error {
        match error {
            IndexError::Games(error) => anyhow::Error::new(error).context(input::name(&self.path)),
            error => error.into(),
        }
    }

    /// Looks a position up. A damaged index is built again.
    pub(crate) fn explore(&self, position: &Position) -> Result<Exploration> {
        match self.index()?.explore(position) {
            Err(error) if error.is_damage() => {
                self.discard()?;
                Ok(self.index()?.explore(position)?)
            }
            found => Ok(found?),
        }
    }

    /// Deletes the index, so that it is built again.
    fn discard(&self) -> Result<()> {
        let folder = self.folder()?;
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| input::name(&folder))
            }
            _ => Ok(()),
        }
    }

    /// Names of games. Without them if the file cannot be read at a place, as compressed files cannot.
    pub(crate) fn games(&self, found: &Exploration) -> Vec<ExplorerGame> {
        let name = |game: IndexedGame| {
            let head =
                File::open(&self.path).and_then(|file| pgn::game_head(file, game.id)).unwrap_or_default();
            ExplorerGame {
                game: None,
                white: head.white,
                black: head.black,
                elo: game.elo.map(u32::from),
                year: game.year,
                result: ResultName(game.result),
            }
        };
        let is_named = |game: &ExplorerGame| !game.white.is_empty() || !game.black.is_empty();
        found.games(GAMES).into_iter().map(name).filter(is_named).collect()
    }
}

/// The folder of an index: named after the path of what it is built from, the same in every version of the program.
fn index_folder(prefix: &str, path: &Path) -> Result<PathBuf> {
    let cache = folders::cache_folder()
        .context("no cache folder for the index: set XDG_CACHE_HOME, LOCALAPPDATA or HOME")?;
    let hash = ferz_library::fnv1a(path.as_os_str().as_encoded_bytes());
    Ok(cache.join("openings").join(format!("{prefix}{hash:016x}")))
}

/// What an index knows of the moves, in the order of the explorer.
pub(crate) fn counts(found: &Exploration) -> impl Iterator<Item = (Move, MoveCounts)> {
    found.moves.iter().map(|it| {
        let stats = &it.stats;
        let counts = MoveCounts {
            games: stats.games(),
            white: stats.white(),
            draws: stats.draws(),
            black: stats.black(),
            elo: stats.elo(),
            year: stats.year(),
            transpositions: it.transpositions,
        };
        (it.mv, counts)
    })
}

/// Whether a file is a book by its name.
pub(crate) fn is_book(path: &Path) -> bool {
    path == Path::new(books::EMBEDDED) || path.extension().is_some_and(|it| it.eq_ignore_ascii_case("bin"))
}

/// The sources of a server, besides those of every session.
#[derive(Debug, Default)]
pub(crate) struct Explorers {
    sources: Vec<Source>,
}

#[derive(Debug)]
struct Source {
    id: String,
    name: String,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Book(Mutex<OpeningBook>),
    Games(Arc<Games>),
    Library(Arc<LibraryOpenings>),
}

/// The games of a file, and the state of their index.
#[derive(Debug)]
struct Games {
    file: PgnSource,
    state: Mutex<GamesState>,
}

#[derive(Clone, Debug)]
enum GamesState {
    Building,
    Ready(IndexReader),
    Failed(String),
}

impl Games {
    fn lock(&self) -> MutexGuard<'_, GamesState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Builds the index on a thread of its own.
    fn build(self: &Arc<Games>) {
        let games = Arc::clone(self);
        let build = move || {
            match games.file.index() {
                Ok(reader) => {
                    *games.lock() = GamesState::Ready(reader.clone());
                    // Later questions need not wait for the disk. Damage is reported by the one that meets it.
                    let _ = reader.read_all();
                }
                Err(error) => *games.lock() = GamesState::Failed(format!("{error:#}")),
            }
        };
        *self.lock() = GamesState::Building;
        if let Err(error) = thread::Builder::new().name("openings".to_owned()).spawn(build) {
            *self.lock() = GamesState::Failed(error.to_string());
        }
    }
}

impl Explorers {
    /// Opens these files. The index of a PGN file is built in the background if it has none.
    pub(crate) fn open(files: &[PathBuf]) -> Result<Explorers> {
        /// More would not fit a menu.
        const MOST: usize = 16;
        ensure!(files.len() <= MOST, "at most {MOST} files of openings can be opened");
        let open = |(number, path): (usize, &PathBuf)| {
            let content = if is_book(path) {
                Content::Book(Mutex::new(OpeningBook::open(path)?))
            } else {
                let games = Games { file: PgnSource::new(path)?, state: Mutex::new(GamesState::Building) };
                let games = Arc::new(games);
                games.build();
                Content::Games(games)
            };
            let name =
                path.file_name().map_or_else(|| input::name(path), |name| input::name(Path::new(name)));
            Ok(Source { id: format!("file-{}", number + 1), name, content })
        };
        Ok(Explorers { sources: files.iter().enumerate().map(open).collect::<Result<_>>()? })
    }

    /// Adds the library of games. Without it if it cannot be opened a second time.
    pub(crate) fn add_library(&mut self, path: &Path) {
        match LibraryOpenings::open(path) {
            Ok(library) => {
                let (id, name) = ("library".to_owned(), "My library".to_owned());
                self.sources.insert(0, Source { id, name, content: Content::Library(library) });
            }
            Err(error) => note(format_args!("note: the opening explorer cannot use the library: {error}")),
        }
    }

    /// The sources for `welcome`.
    pub(crate) fn entries(&self) -> impl Iterator<Item = ExplorerSource> {
        self.sources.iter().map(|source| {
            let (kind, games) = match &source.content {
                Content::Book(_) => (ExplorerKind::Book, 0),
                Content::Games(games) => {
                    let count =
                        if let GamesState::Ready(reader) = &*games.lock() { reader.games() } else { 0 };
                    (ExplorerKind::Games, count)
                }
                Content::Library(library) => (ExplorerKind::Games, library.games()),
            };
            ExplorerSource { id: source.id.clone(), name: source.name.clone(), kind, games }
        })
    }

    /// The answer to a question of the page. It reads files.
    pub(crate) fn answer(&self, task: &ExploreTask) -> Message {
        self.look_up(task).unwrap_or_else(|error| Message::Error { message: format!("{error:#}.") })
    }

    fn look_up(&self, task: &ExploreTask) -> Result<Message> {
        let Some(source) = self.sources.iter().find(|source| source.id == task.source) else {
            bail!("The server has no such source of openings. Reload the page");
        };
        match &source.content {
            Content::Book(book) => {
                let mut book = book.lock().unwrap_or_else(PoisonError::into_inner);
                task.answer_from_book(|position| book_moves(&mut book, position))
                    .with_context(|| format!("{} cannot be read", source.name))
            }
            Content::Library(library) => library.answer(task),
            Content::Games(games) => {
                let state = games.lock().clone();
                match state {
                    GamesState::Building => Ok(task.is_building(games.file.percent() as u8)),
                    GamesState::Failed(message) => bail!("{} cannot be indexed: {message}", source.name),
                    GamesState::Ready(reader) => match reader.explore(&task.position) {
                        Ok(found) => {
                            let named = games.file.games(&found);
                            Ok(task.answer(ExplorerKind::Games, found.total, counts(&found), named))
                        }
                        Err(error) if error.is_damage() => {
                            games.file.discard()?;
                            games.build();
                            Ok(task.is_building(0))
                        }
                        Err(error) => Err(error.into()),
                    },
                }
            }
        }
    }
}

/// The moves of a book with their weights.
pub(crate) fn book_moves(book: &mut OpeningBook, position: &Position) -> Result<Vec<(Move, u16)>> {
    Ok(book.moves(position)?.iter().map(|it| (it.mv, it.weight)).collect())
}
