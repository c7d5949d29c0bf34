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
use super::run::{Content, LINE, LINES, Record, Run, RunWriter, TOUCHED};
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

/// A move of a game, or a mark of one.
#[derive(Clone, Copy, Debug)]
struct PlayedMove {
    key: u64,
    /// The game; for a [`LINE`] the place of the line.
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
    /// Runs smaller than this are always merged.
    small_run: u64,
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
        let index = Index { folder: folder.to_owned(), manifest, runs, small_run: SMALL_RUN, _lock: lock };
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

    #[cfg(test)]
    pub(super) fn with_small_runs(self, small_run: u64) -> Index {
        Index { small_run, ..self }
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
            lines: Vec::new(),
            runs: Vec::new(),
            mark: None,
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

    /// Takes all games out.
    pub fn clear(&mut self) -> Result<(), IndexError> {
        self.replace_runs(Vec::new(), 0, String::new())
    }

    /// What [`Update::set_mark`] noted.
    pub(super) fn mark(&self) -> &str {
        &self.manifest.mark
    }

    /// The packed line of a game that [`Update::replace`] put in.
    fn line(&self, game: u64) -> Result<Option<Vec<u8>>, IndexError> {
        for run in self.runs.iter().rev() {
            if let Some(line) = run.line(game)? {
                return Ok(Some(line).filter(|line| !line.is_empty()));
            }
        }
        Ok(None)
    }

    fn merge_to_new(&mut self, runs: &[Arc<Run>], is_older: bool) -> Result<Arc<Run>, IndexError> {
        let path = self.new_run_path();
        merge(runs, is_older, &path).map(Arc::new)
    }

    /// Makes these runs the index, and deletes the files of others.
    fn replace_runs(&mut self, runs: Vec<Arc<Run>>, games: u64, mark: String) -> Result<(), IndexError> {
        manifest::sync_folder(&self.folder);
        let numbers = runs.iter().filter_map(|run| run_number(run.path())).collect();
        let manifest = Manifest { runs: numbers, games, mark, ..self.manifest.clone() };
        manifest.write(&self.folder)?;
        self.manifest = manifest;
        self.runs = runs;
        self.remove_strays();
        Ok(())
    }

    /// Merges the newest runs until each run is much larger than all newer ones together, so that queries read few. To
    /// be called after some changes; what a reader finds stays the same.
    pub fn merge(&mut self) -> Result<(), IndexError> {
        let sizes: Vec<u64> = self.runs.iter().map(|run| run.size()).collect();
        let mut from = sizes.len();
        let mut newer = 0;
        for (number, &size) in sizes.iter().enumerate().rev() {
            if newer > 0 && (size < self.small_run || size < GROWTH * newer) {
                from = number;
            }
            newer += size;
        }
        if from + 1 >= sizes.len() {
            return Ok(());
        }
        let newest = self.runs[from..].to_vec();
        let merged = self.merge_to_new(&newest, from > 0)?;
        let runs = self.runs[..from].iter().cloned().chain([merged]).collect();
        self.replace_runs(runs, self.manifest.games, self.manifest.mark.clone())
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
    lines: Vec<Vec<u8>>,
    /// Runs of this change.
    runs: Vec<Arc<Run>>,
    mark: Option<String>,
    added: u64,
    removed: u64,
    limit: usize,
}

impl Update<'_> {
    /// Adds a game, which stays in the index.
    pub fn add(&mut self, game: &IndexedGame, line: &OpeningLine) -> Result<(), IndexError> {
        self.added += 1;
        self.put(PackedGame::new(game), line, 1);
        self.write_if_full()
    }

    /// Puts a game into the place of the one with this id, if there is one; without a new game that one is removed. To
    /// be called once for an id in an update.
    ///
    /// The index keeps the moves of the game, because it must know later what to take out.
    pub fn replace(&mut self, id: u64, game: Option<(&IndexedGame, &OpeningLine)>) -> Result<(), IndexError> {
        let game = game.map(|(game, line)| (PackedGame::new(&IndexedGame { id, ..*game }), line));
        let old = self.index.line(id)?;
        let new = game.map(|(game, line)| line.pack(game));
        if old == new {
            return Ok(());
        }
        let mark = |key, mv, place| PlayedMove { key, game: PackedGame(place), mv, sign: 0 };
        if let Some(old) = old {
            let unpacked = OpeningLine::unpack(&old);
            let damaged = || IndexError::damaged(&self.index.folder, "not the line of a game");
            let (game, line) = unpacked.ok_or_else(damaged)?;
            self.removed += 1;
            self.put(game, &line, -1);
            self.moves.push(mark(id, TOUCHED, 0));
        }
        if let Some((game, line)) = game {
            self.added += 1;
            self.put(game, line, 1);
        }
        self.moves.push(mark(LINES + id, LINE, self.lines.len() as u64));
        self.lines.push(new.unwrap_or_default());
        // The marks are in the same run as the moves, because they apply to older runs.
        self.write_if_full()
    }

    /// Notes how much of its source the index has then.
    pub(super) fn set_mark(&mut self, mark: String) {
        self.mark = Some(mark);
    }

    /// The games that the index has then.
    pub(super) fn games(&self) -> u64 {
        (self.index.manifest.games + self.added).saturating_sub(self.removed)
    }

    #[cfg(test)]
    pub(super) fn with_memory_for(mut self, moves: usize) -> Self {
        self.limit = moves;
        self
    }

    fn put(&mut self, game: PackedGame, line: &OpeningLine, sign: i8) {
        self.moves.extend(line.records().map(|(key, mv)| PlayedMove { key, game, mv, sign }));
    }

    fn write_if_full(&mut self) -> Result<(), IndexError> {
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
            let PlayedMove { key, mv, game, .. } = same[0];
            let content = match mv {
                TOUCHED => Content::Touched,
                LINE => Content::Line(std::mem::take(&mut self.lines[game.0 as usize])),
                _ => {
                    let mut stats = MoveStats::default();
                    same.iter().for_each(|it| stats.add(&MoveStats::of(it.game, it.sign.into())));
                    if stats.is_empty() {
                        continue;
                    }
                    Content::Moves(stats)
                }
            };
            writer.write(&Record { key, mv, content })?;
        }
        self.moves.clear();
        self.lines.clear();
        self.runs.push(Arc::new(writer.finish()?));
        if self.runs.len() < FAN_IN {
            return Ok(());
        }
        let merged = self.merge_runs()?;
        self.runs.extend(merged);
        Ok(())
    }

    /// Merges the runs of this change into one.
    fn merge_runs(&mut self) -> Result<Option<Arc<Run>>, IndexError> {
        let runs = std::mem::take(&mut self.runs);
        if runs.len() < 2 {
            return Ok(runs.into_iter().next());
        }
        let merged = self.index.merge_to_new(&runs, !self.index.runs.is_empty())?;
        runs.iter().for_each(|run| drop(fs::remove_file(run.path())));
        Ok(Some(merged))
    }

    /// Makes the change part of the index. When this returns, it survives a crash.
    pub fn commit(mut self) -> Result<(), IndexError> {
        self.write_run()?;
        let new = self.merge_runs()?;
        let all = self.index.runs.iter().cloned().chain(new).collect();
        let mark = self.mark.take().unwrap_or_else(|| self.index.manifest.mark.clone());
        self.index.replace_runs(all, self.games(), mark)
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

    #[cfg(test)]
    pub(super) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Reads the whole index, which checks it and leaves it in the cache of the system. A query reads some dozens of
    /// places of it, which takes long from a slow disk.
    pub fn read_all(&self) -> Result<(), IndexError> {
        self.runs.iter().try_for_each(|run| run.read_all())
    }

    /// The moves that were played in a position, and those that lead to positions of other games.
    pub fn explore(&self, position: &Position) -> Result<Exploration, IndexError> {
        let mut played: BTreeMap<u16, MoveStats> = BTreeMap::new();
        for (number, run) in self.runs.iter().enumerate() {
            let newer = &self.runs[number + 1..];
            run.moves(position.repetition_key(), |mv, mut stats| {
                stats.drop_samples(|game| newer.iter().any(|run| run.touches(game)));
                played.entry(mv).or_default().add(&stats);
            })?;
        }
        played.values_mut().for_each(MoveStats::settle);
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
            run.moves(key, |_, stats| sum.add(&stats))?;
        }
        Ok(sum.games())
    }
}
