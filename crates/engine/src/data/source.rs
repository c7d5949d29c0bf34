//! Reads games from files of either format.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::ScoredGame;
use super::game_file::{self, Framed};
use super::header::{self, Header};
use crate::input;

/// How much is read at a time.
const CHUNK: usize = 1 << 18;

/// What is wrong with a file, and where.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) file: PathBuf,
    /// Of the first byte that is not as it should be, or of the game or block it belongs to.
    pub(crate) offset: u64,
    pub(crate) reason: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: at byte {}: {}", input::name(&self.file), self.offset, self.reason)
    }
}

impl std::error::Error for Broken {}

/// How far the reading of some files has come; the progress line looks at it.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    taken: AtomicU64,
    size: AtomicU64,
}

impl Meter {
    /// For these files.
    pub(crate) fn of(files: &[PathBuf]) -> Meter {
        let size = files.iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum();
        Meter { taken: AtomicU64::new(0), size: AtomicU64::new(size) }
    }

    /// Bytes read so far, and how many there are.
    pub(crate) fn progress(&self) -> (u64, u64) {
        (self.taken.load(Relaxed), self.size.load(Relaxed))
    }
}

/// A file of games, read from front to back.
pub(crate) struct Source<'a> {
    path: PathBuf,
    file: File,
    meter: &'a Meter,
    header: Header,
    /// What was read and not used yet, from `at` on.
    buffer: Vec<u8>,
    at: usize,
    /// Of the first byte in the buffer.
    offset: u64,
    is_at_end: bool,
}

/// What comes next in a file.
pub(crate) enum Next {
    Game(ScoredGame),
    /// This place is broken. Going on finds the next game behind it.
    Broken(Broken),
    /// The end, where these bytes are left: a game that was being written when something ended the process.
    End {
        torn: u64,
    },
}

impl<'a> Source<'a> {
    /// Opens a file and reads what it says about itself.
    pub(crate) fn open(path: &Path, meter: &'a Meter) -> anyhow::Result<Source<'a>> {
        let context = |error: io::Error| match error.kind() {
            io::ErrorKind::InvalidData => {
                Broken { file: path.to_owned(), offset: 0, reason: error.to_string() }.into()
            }
            _ => anyhow::Error::new(error).context(input::name(path)),
        };
        let mut file = File::open(path).map_err(context)?;
        let (magic, header) = Header::read(&mut file).map_err(context)?;
        let offset = io::Seek::stream_position(&mut file).map_err(context)?;
        meter.taken.fetch_add(offset, Relaxed);
        if magic == header::PACKED {
            anyhow::bail!("{}: packed files cannot be read yet", input::name(path));
        }
        Ok(Source {
            path: path.to_owned(),
            file,
            meter,
            header,
            buffer: Vec::new(),
            at: 0,
            offset,
            is_at_end: false,
        })
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Where the next game begins, or would.
    pub(crate) fn offset(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// Reads the next game.
    pub(crate) fn next(&mut self) -> io::Result<Next> {
        loop {
            let reason = match game_file::unframe(&self.buffer[self.at..]) {
                Framed::Game(bytes, length) => match game_file::read_bare(bytes) {
                    Ok(game) => {
                        self.at += length;
                        return Ok(Next::Game(game));
                    }
                    Err(reason) => reason,
                },
                Framed::Broken(reason) => reason,
                Framed::Incomplete if self.is_at_end => {
                    return Ok(Next::End { torn: (self.buffer.len() - self.at) as u64 });
                }
                Framed::Incomplete => {
                    self.fill()?;
                    continue;
                }
            };
            let broken = Broken { file: self.path.clone(), offset: self.offset(), reason: reason.to_owned() };
            self.find_next()?;
            return Ok(Next::Broken(broken));
        }
    }

    /// Goes to the next byte at which a game begins, or to the end.
    fn find_next(&mut self) -> io::Result<()> {
        self.at += 1;
        loop {
            match game_file::unframe(&self.buffer[self.at..]) {
                Framed::Game(..) => return Ok(()),
                Framed::Incomplete if !self.is_at_end => self.fill()?,
                Framed::Incomplete if self.buffer.len() - self.at < game_file::FRAME => return Ok(()),
                // What a broken place says of its length may reach beyond the end.
                Framed::Incomplete | Framed::Broken(_) => self.at += 1,
            }
        }
    }

    /// Gets more bytes into the buffer and drops those that were used.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.at);
        self.offset += self.at as u64;
        self.at = 0;
        let count = self.file.by_ref().take(CHUNK as u64).read_to_end(&mut self.buffer)?;
        self.is_at_end = count == 0;
        self.meter.taken.fetch_add(count as u64, Relaxed);
        Ok(())
    }
}
