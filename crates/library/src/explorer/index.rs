//! An index: a folder with runs.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ferz_board::{Move, Position};
use ferz_notation::polyglot::PackedMove;

use super::error::IndexError;
use super::line::{END, OpeningLine};
use super::manifest::{self, Manifest};
use super::merge::merge;
use super::run::{Record, Run, RunWriter};
use super::stats::{IndexedGame, MoveStats, PackedGame};

/// Moves in memory before a run is written: 64 MiB.
const MOVES_IN_MEMORY: usize = (64 << 20) / size_of::<PlayedMove>();
/// Runs that are merged at once.
const FAN_IN: usize = 32;
/// A run is merged with the newer ones when it is less than this many times as large.
const GROWTH: u64 = 3;
/// Runs smaller than this are always merged.
const SMALL_RUN: u64 = 256 << 10;
/// The file that the writing process locks.
const LOCK: &str = "lock";

/// A move of a game.
#[derive(Clone, Copy, Debug)]
struct PlayedMove {
    key: u64,
    game: PackedGame,
    mv: u16,
    sign: i8,
}

/// An index that can be changed. Only one process at a time can have it; readers do not wait for it.
#[derive(Debug)]
pub struct Index {
    folder: PathBuf,
    manifest: Manifest,
    runs: Vec<Arc<Run>>,
    /// Holds the lock.
    _lock: File,
}

impl Index {
    /// Opens the index in a folder. If there is none, or one with a different label, it begins empty: a label says what
    /// the index was built from, for example a file with its size and date.
    pub fn open(folder: &Path, label: &str) -> Result<Index, IndexError> {
        fs::create_dir_all(folder).map_err(IndexError::io(folder))?;
        let lock_path = folder.join(LOCK);
        let lock = File::options().create(true).truncate(false).write(true).open(&lock_path);
        let lock = lock.map_err(IndexError::io(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(IndexError::Locked { path: folder.to_owned() }),
            // Some file systems have no locks; the manifest is replaced as a whole there, too.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(IndexError::io(&lock_path)(error)),
        }
        let label = manifest::one_line(label);
        let known = Manifest::read(folder)?.filter(|manifest| manifest.label == label);
        let manifest = known.unwrap_or(Manifest { label, ..Manifest::default() });
        let runs = open_runs(folder, &manifest)?;
        let index = Index { folder: folder.to_owned(), manifest, runs, _lock: lock };
        index.remove_strays();
        Ok(index)
    }

    /// The same, but a damaged index is deleted and begins empty.
    pub fn open_or_replace(folder: &Path, label: &str) -> Result<Index, IndexError> {
        match Index::open(folder, label) {
            Err(error) if error.is_damage() => {
                fs::remove_dir_all(folder).map_err(IndexError::io(folder))?;
                Index::open(folder, label)
            }
            opened => opened,
        }
    }

    /// The number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.manifest.games
    }

    /// The size of all runs in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.runs.iter().map(|run| run.size()).sum()
    }

    /// A view of the index as it is now.
    #[must_use]
    pub fn reader(&self) -> IndexReader {
        IndexReader { runs: self.runs.clone(), games: self.manifest.games }
    }

    /// Begins a change. Nothing changes before [`Update::commit`].
    pub fn update(&mut self) -> Update<'_> {
        Update {
            index: self,
            moves: Vec::new(),
            runs: Vec::new(),
            added: 0,
            removed: 0,
            limit: MOVES_IN_MEMORY,
        }
    }

    fn new_run_path(&mut self) -> PathBuf {
        let path = run_path(&self.folder, self.manifest.next);
        self.manifest.next += 1;
        path
    }

    fn merge_to_new(&mut self, runs: &[Arc<Run>]) -> Result<Arc<Run>, IndexError> {
        let path = self.new_run_path();
        merge(runs, &path).map(Arc::new)
    }

    /// Makes these runs the index, and deletes the files of others.
    fn replace_runs(&mut self, runs: Vec<Arc<Run>>, games: u64) -> Result<(), IndexError> {
        manifest::sync_folder(&self.folder);
        let numbers = runs.iter().filter_map(|run| run_number(run.path())).collect();
        let manifest = Manifest { runs: numbers, games, ..self.manifest.clone() };
        manifest.write(&self.folder)?;
        self.manifest = manifest;
        self.runs = runs;
        self.remove_strays();
        Ok(())
    }

    /// Merges the newest runs until each run is much larger than all newer ones together.
    fn merge_newest(&mut self) -> Result<(), IndexError> {
        let sizes: Vec<u64> = self.runs.iter().map(|run| run.size()).collect();
        let mut from = sizes.len();
        let mut newer = 0;
        for (number, &size) in sizes.iter().enumerate().rev() {
            if newer > 0 && (size < SMALL_RUN || size < GROWTH * newer) {
                from = number;
            }
            newer += size;
        }
        if from + 1 >= sizes.len() {
            return Ok(());
        }
        let newest = self.runs[from..].to_vec();
        let merged = self.merge_to_new(&newest)?;
        let runs = self.runs[..from].iter().cloned().chain([merged]).collect();
        self.replace_runs(runs, self.manifest.games)
    }

    /// Deletes files that an interrupted change left behind.
    fn remove_strays(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let is_stray = match path.extension().and_then(|extension| extension.to_str()) {
                Some("run") => run_number(&path).is_some_and(|number| !self.manifest.runs.contains(&number)),
                Some("part") => true,
                _ => false,
            };
            if is_stray {
                // A file that stays costs space only.
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn run_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:06}.run"))
}

fn run_number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.parse().ok()
}

fn open_runs(folder: &Path, manifest: &Manifest) -> Result<Vec<Arc<Run>>, IndexError> {
    let open = |&number: &u64| {
        let path = run_path(folder, number);
        match Run::open(&path) {
            Err(IndexError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                Err(IndexError::damaged(&path, "missing"))
            }
            opened => opened.map(Arc::new),
        }
    };
    manifest.runs.iter().map(open).collect()
}

/// A change of an index.
#[derive(Debug)]
pub struct Update<'a> {
    index: &'a mut Index,
    moves: Vec<PlayedMove>,
    /// Runs of this change.
    runs: Vec<Arc<Run>>,
    added: u64,
    removed: u64,
    limit: usize,
}

impl Update<'_> {
    /// Adds a game.
    pub fn add(&mut self, game: &IndexedGame, line: &OpeningLine) -> Result<(), IndexError> {
        self.added += 1;
        self.put(game, line, 1)
    }

    /// Removes a game that was added like this.
    pub fn remove(&mut self, game: &IndexedGame, line: &OpeningLine) -> Result<(), IndexError> {
        self.removed += 1;
        self.put(game, line, -1)
    }

    #[cfg(test)]
    pub(super) fn with_memory_for(mut self, moves: usize) -> Self {
        self.limit = moves;
        self
    }

    fn put(&mut self, game: &IndexedGame, line: &OpeningLine, sign: i8) -> Result<(), IndexError> {
        let game = PackedGame::new(game);
        self.moves.extend(line.records().map(|(key, mv)| PlayedMove { key, game, mv, sign }));
        if self.moves.len() >= self.limit { self.write_run() } else { Ok(()) }
    }

    /// Writes the moves in memory as a run.
    fn write_run(&mut self) -> Result<(), IndexError> {
        if self.moves.is_empty() {
            return Ok(());
        }
        self.moves.sort_unstable_by_key(|it| (it.key, it.mv));
        let mut writer = RunWriter::create(&self.index.new_run_path())?;
        for same in self.moves.chunk_by(|a, b| (a.key, a.mv) == (b.key, b.mv)) {
            let mut stats = MoveStats::default();
            same.iter().for_each(|it| stats.add(&MoveStats::of(it.game, it.sign.into())));
            if !stats.is_empty() {
                writer.write(&Record { key: same[0].key, mv: same[0].mv, stats })?;
            }
        }
        self.moves.clear();
        self.runs.push(Arc::new(writer.finish()?));
        if self.runs.len() < FAN_IN {
            return Ok(());
        }
        let runs = std::mem::take(&mut self.runs);
        let merged = self.index.merge_to_new(&runs)?;
        runs.iter().for_each(|run| drop(fs::remove_file(run.path())));
        self.runs.push(merged);
        Ok(())
    }

    /// Makes the change part of the index. When this returns, it survives a crash.
    pub fn commit(mut self) -> Result<(), IndexError> {
        self.write_run()?;
        let runs = std::mem::take(&mut self.runs);
        let new = match &runs[..] {
            [] => None,
            [one] => Some(Arc::clone(one)),
            _ => Some(self.index.merge_to_new(&runs)?),
        };
        let all = self.index.runs.iter().cloned().chain(new).collect();
        let games = (self.index.manifest.games + self.added).saturating_sub(self.removed);
        self.index.replace_runs(all, games)?;
        self.index.merge_newest()
    }
}

/// The moves of a position.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// The games that reached the position.
    pub total: u64,
    /// The moves, the most frequent first.
    pub moves: Vec<ExploredMove>,
}

/// A move of a position.
#[derive(Clone, Copy, Debug)]
pub struct ExploredMove {
    /// The move.
    pub mv: Move,
    /// The games that played it here.
    pub stats: MoveStats,
    /// The games that reached the position behind it, but not by this move from here.
    pub transpositions: u64,
}

impl Exploration {
    /// The games with the highest ratings that were played here, at most `most`.
    #[must_use]
    pub fn games(&self, most: usize) -> Vec<IndexedGame> {
        let mut games: Vec<IndexedGame> = self.moves.iter().flat_map(|it| it.stats.samples()).collect();
        games.sort_by_key(|game| std::cmp::Reverse((game.elo, game.year, game.id)));
        games.truncate(most);
        games
    }
}

/// A view of an index that does not change, for any number of threads.
#[derive(Clone, Debug)]
pub struct IndexReader {
    runs: Vec<Arc<Run>>,
    games: u64,
}

impl IndexReader {
    /// Opens the index in a folder for reading; `None` if there is none with this label.
    pub fn open(folder: &Path, label: &str) -> Result<Option<IndexReader>, IndexError> {
        /// A writer may delete runs between the reading of the manifest and their opening.
        const TRIALS: usize = 5;
        let mut trial = 0;
        loop {
            let manifest = Manifest::read(folder)?.filter(|it| it.label == manifest::one_line(label));
            let Some(manifest) = manifest else { return Ok(None) };
            match open_runs(folder, &manifest) {
                Ok(runs) => return Ok(Some(IndexReader { runs, games: manifest.games })),
                Err(_) if trial < TRIALS && Manifest::read(folder)?.as_ref() != Some(&manifest) => trial += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// The number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The moves that were played in a position, and those that lead to positions of other games.
    pub fn explore(&self, position: &Position) -> Result<Exploration, IndexError> {
        let mut played: BTreeMap<u16, MoveStats> = BTreeMap::new();
        for run in &self.runs {
            run.find(position.repetition_key(), |mv, stats| played.entry(mv).or_default().add(stats))?;
        }
        let total = played.values().map(MoveStats::games).sum();
        played.remove(&END);
        let mut moves = Vec::new();
        for &mv in &position.legal_moves() {
            let stats = played.get(&PackedMove::new(mv).bits()).copied().unwrap_or_default();
            let mut after = *position;
            after.play_unchecked(mv);
            let transpositions = self.reached(after.repetition_key())?.saturating_sub(stats.games());
            if stats.games() + transpositions > 0 {
                moves.push(ExploredMove { mv, stats, transpositions });
            }
        }
        moves.sort_by_key(|it| std::cmp::Reverse((it.stats.games(), it.transpositions)));
        Ok(Exploration { total, moves })
    }

    /// The games that reached a position.
    fn reached(&self, key: u64) -> Result<u64, IndexError> {
        let mut sum = MoveStats::default();
        for run in &self.runs {
            run.find(key, |_, stats| sum.add(stats))?;
        }
        Ok(sum.games())
    }
}
