//! The file that games are written to, and found in again.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::data::header::{self, Header, Origin};
use crate::data::source::{Meter, Next, Source};
use crate::data::{ScoredGame, game_file};

/// How often the system is asked to bring what was written to the disk.
const SYNC_INTERVAL: Duration = Duration::from_secs(30);

/// A file that games are appended to, in the order of their numbers.
#[derive(Debug)]
pub(super) struct Writer {
    path: PathBuf,
    file: File,
    /// Up to here all is well.
    length: u64,
    games: u64,
    positions: u64,
    synced: Instant,
    buffer: Vec<u8>,
}

impl Writer {
    /// Begins a file, or goes on with one that has the same origin. A last game that was not written to its end is
    /// dropped. Nobody else can open it until this is dropped.
    pub(super) fn open(path: &Path, origin: &Origin) -> Result<Writer> {
        let name = || path.display().to_string();
        let open = || File::options().read(true).write(true).create(true).truncate(false).open(path);
        let file = open().with_context(name)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!("{}: another process is writing to it", name()),
            // Some file systems know no locks.
            Err(TryLockError::Error(_)) => {}
        }
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
        Header::new(vec![origin.clone()]).write(header::GAMES, &mut header).with_context(name)?;
        if writer.is_beginning_of(&header).with_context(name)? {
            writer.begin(&header).with_context(name)?;
        } else {
            writer.go_on(origin)?;
        }
        Ok(writer)
    }

    /// Whether there is nothing yet, or what is left of a header that was not written to its end.
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
        // What is there already is the same, and some devices cannot go back.
        let found = self.file.metadata()?.len() as usize;
        self.file.write_all(&header[found..])?;
        self.length = header.len() as u64;
        self.file.sync_data()
    }

    /// Counts the games that are there and drops what is left of one that was not written to its end.
    fn go_on(&mut self, origin: &Origin) -> Result<()> {
        let name = self.path.display().to_string();
        let meter = Meter::default();
        // On Windows only the handle that has the lock can read.
        self.file.rewind().with_context(|| name.clone())?;
        let file = self.file.try_clone().with_context(|| name.clone())?;
        let mut source = Source::new(&self.path, file, &meter)?;
        if source.is_packed() {
            bail!("{name}: a packed file cannot grow");
        }
        let [written] = &source.header().origins[..] else {
            bail!("{name}: these games come from more than one run, which cannot go on");
        };
        if let Some(difference) = difference(written, origin) {
            bail!("{name}: this run cannot go on: {difference}");
        }
        loop {
            self.length = source.offset();
            match source.next().with_context(|| name.clone())? {
                Next::Game(game) => {
                    self.games += 1;
                    self.positions += game.plies.len() as u64;
                }
                Next::End { .. } => break,
                Next::Broken(broken) => {
                    // One game was being written at a time.
                    let size = self.file.metadata().with_context(|| name.clone())?.len();
                    if size - self.length > (game_file::FRAME + game_file::MAX_LENGTH) as u64 {
                        return Err(broken.into());
                    }
                    break;
                }
            }
        }
        drop(source);
        self.cut().with_context(|| name)
    }

    /// Games there are, with those found.
    pub(super) fn games(&self) -> u64 {
        self.games
    }

    /// Positions there are, with those found.
    pub(super) fn positions(&self) -> u64 {
        self.positions
    }

    /// Appends a game. If that fails, what was written before is still a complete file.
    pub(super) fn write(&mut self, game: &ScoredGame) -> Result<()> {
        self.ensure_untouched().with_context(|| self.path.display().to_string())?;
        self.buffer.clear();
        game_file::write(game, &mut self.buffer);
        if let Err(error) = self.file.write_all(&self.buffer) {
            // On a full disk a part of the game may be there.
            let _ = self.cut();
            return Err(error).with_context(|| self.path.display().to_string());
        }
        self.length += self.buffer.len() as u64;
        self.games += 1;
        self.positions += game.plies.len() as u64;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.file.sync_data().with_context(|| self.path.display().to_string())?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Behind what somebody has cut off, or in a file that nobody can find any more, games would be lost.
    fn ensure_untouched(&self) -> Result<()> {
        let found = fs::metadata(&self.path)?;
        let (length, expected) = (found.len(), self.length);
        if found.is_file() && length != expected {
            bail!("somebody else has changed it: {expected} bytes were written, {length} are there");
        }
        Ok(())
    }

    /// Drops what is not a complete game.
    fn cut(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() != self.length {
            self.file.set_len(self.length)?;
        }
        self.file.seek(SeekFrom::End(0)).map(drop)
    }

    /// Everything is on the disk.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.file.sync_data().with_context(|| self.path.display().to_string())
    }
}

/// Why the games of one run would not fit behind those of another.
fn difference(written: &Origin, wanted: &Origin) -> Option<String> {
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
}
