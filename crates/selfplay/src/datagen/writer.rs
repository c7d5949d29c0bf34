//! The file that games are appended to.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Error;
use crate::data::header::{self, GamesOrigin, Header};
use crate::data::source::{Meter, Next, Source};
use crate::data::{ScoredGame, game_file};
use crate::growing_file::lock;

/// The interval between syncs to the disk.
const SYNC_INTERVAL: Duration = Duration::from_secs(30);

/// A file that games are appended to, in the order of their numbers.
#[derive(Debug)]
pub(super) struct Writer {
    path: PathBuf,
    file: File,
    /// The length of the complete games.
    length: u64,
    games: u64,
    positions: u64,
    synced: Instant,
    buffer: Vec<u8>,
}

impl Writer {
    /// Creates a file, or resumes one with the same origin. An incomplete last game is removed. The file is locked until
    /// this is dropped.
    pub(super) fn open(path: &Path, origin: &GamesOrigin) -> Result<Writer, Error> {
        let open = || File::options().read(true).write(true).create(true).truncate(false).open(path);
        let file = open().map_err(Error::io(path))?;
        lock(&file, path)?;
        let mut writer = Writer {
            path: path.to_owned(),
            file,
            length: 0,
            games: 0,
            positions: 0,
            synced: Instant::now(),
            buffer: Vec::new(),
        };
        let mut header = Vec::new();
        Header::new(vec![origin.clone()]).write(header::GAMES, &mut header).map_err(Error::io(path))?;
        if writer.is_beginning_of(&header).map_err(Error::io(path))? {
            writer.begin(&header).map_err(Error::io(path))?;
        } else {
            writer.go_on(origin)?;
        }
        Ok(writer)
    }

    /// Whether the file is empty or has an incomplete header.
    fn is_beginning_of(&mut self, header: &[u8]) -> io::Result<bool> {
        let length = self.file.metadata()?.len();
        if length >= header.len() as u64 {
            return Ok(false);
        }
        let mut found = vec![0; length as usize];
        self.file.read_exact(&mut found)?;
        Ok(header.starts_with(&found))
    }

    fn begin(&mut self, header: &[u8]) -> io::Result<()> {
        // Existing bytes are the same, and some devices cannot seek.
        let found = self.file.metadata()?.len() as usize;
        self.file.write_all(&header[found..])?;
        self.length = header.len() as u64;
        self.file.sync_data()
    }

    /// Counts the games and removes an incomplete last one.
    fn go_on(&mut self, origin: &GamesOrigin) -> Result<(), Error> {
        let path = self.path.clone();
        let meter = Meter::default();
        // On Windows only the handle with the lock can read.
        self.file.rewind().map_err(Error::io(&path))?;
        let file = self.file.try_clone().map_err(Error::io(&path))?;
        let mut source = Source::new(&self.path, file, &meter)?;
        if source.is_packed() {
            return Err(Error::Packed(path));
        }
        let [written] = &source.header().origins[..] else {
            return Err(Error::SeveralRuns(path));
        };
        if let Some(difference) = difference(written, origin) {
            return Err(Error::OtherRun { path, difference });
        }
        loop {
            self.length = source.offset();
            match source.next_item().map_err(Error::io(&path))? {
                Next::Game(game) => {
                    self.games += 1;
                    self.positions += game.plies.len() as u64;
                }
                Next::End { .. } => break,
                Next::Damaged(damaged) => {
                    // Games are written one at a time.
                    let size = self.file.metadata().map_err(Error::io(&path))?.len();
                    if size - self.length > (game_file::FRAME + game_file::MAX_LENGTH) as u64 {
                        return Err(damaged.into());
                    }
                    break;
                }
            }
        }
        drop(source);
        self.cut().map_err(Error::io(&path))
    }

    /// The games in the file.
    pub(super) fn games(&self) -> u64 {
        self.games
    }

    /// The positions in the file.
    pub(super) fn positions(&self) -> u64 {
        self.positions
    }

    /// Appends a game. If that fails, what was written before is still a complete file.
    pub(super) fn write(&mut self, game: &ScoredGame) -> Result<(), Error> {
        self.ensure_untouched()?;
        self.buffer.clear();
        game_file::write(game, &mut self.buffer);
        if let Err(error) = self.file.write_all(&self.buffer) {
            // On a full disk, a part of the game may have been written.
            let _ = self.cut();
            return Err(Error::io(&self.path)(error));
        }
        self.length += self.buffer.len() as u64;
        self.games += 1;
        self.positions += game.plies.len() as u64;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.file.sync_data().map_err(Error::io(&self.path))?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Refuses to write to a file that another process has truncated or replaced: the games would be lost.
    fn ensure_untouched(&self) -> Result<(), Error> {
        let found = fs::metadata(&self.path).map_err(Error::io(&self.path))?;
        if found.is_file() && found.len() != self.length {
            return Err(Error::Changed { path: self.path.clone(), written: self.length, found: found.len() });
        }
        Ok(())
    }

    /// Removes an incomplete game.
    fn cut(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() != self.length {
            self.file.set_len(self.length)?;
        }
        self.file.seek(SeekFrom::End(0)).map(drop)
    }

    /// Syncs everything to the disk.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        self.file.sync_data().map_err(Error::io(&self.path))
    }
}

/// The first setting in which two runs differ.
fn difference(written: &GamesOrigin, wanted: &GamesOrigin) -> Option<String> {
    let differ = |what: &str, written: &dyn std::fmt::Display, wanted: &dyn std::fmt::Display| {
        let [written, wanted] = [written, wanted].map(ToString::to_string);
        (written != wanted).then(|| format!("its {what} was {written}, now it is {wanted}"))
    };
    differ("seed", &written.seed, &wanted.seed)
        .or_else(|| differ("number of nodes", &written.nodes, &wanted.nodes))
        .or_else(|| differ("table", &written.hash, &wanted.hash))
        .or_else(|| differ("share of Chess960", &written.chess960, &wanted.chess960))
        .or_else(|| differ("score of openings", &written.opening_score, &wanted.opening_score))
        .or_else(|| differ("score for a win", &written.win_score, &wanted.win_score))
        .or_else(|| differ("engine", &written.engine, &wanted.engine))
        .or_else(|| differ("net", &written.net, &wanted.net))
        .or_else(|| differ("signature of the engine", &written.bench, &wanted.bench))
        .or_else(|| differ("note", &written.note, &wanted.note))
        .or_else(|| differ("unit of scores", &written.scores, &wanted.scores))
        .or_else(|| {
            let tables = |origin: &GamesOrigin| origin.tables.clone().unwrap_or_else(|| "none".to_owned());
            differ("endgame tables", &tables(written), &tables(wanted))
        })
        .or_else(|| (written.wdl_model != wanted.wdl_model).then(|| "its WDL model was different".to_owned()))
}
