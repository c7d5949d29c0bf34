//! Reads games from files of both formats.

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::header::{self, Header};
use super::pack::PackCount;
use super::{ScoredGame, game_file, pack};
use crate::{Damaged, Error};

/// Bytes read at a time.
const CHUNK: usize = 1 << 18;
/// While the next game is looked for, this many bytes are checksummed for each byte passed, and some more at first. Then
/// what looks like a game but is none is passed as a whole: a hostile file takes time in proportion to its size.
const CHECKED_PER_BYTE: u64 = 64;
const CHECKED_AT_FIRST: u64 = 1 << 26;

/// The progress of reading files, for a progress line.
#[derive(Debug, Default)]
pub struct Meter {
    taken: AtomicU64,
    size: AtomicU64,
}

impl Meter {
    /// A meter for these files.
    pub fn of(files: &[PathBuf]) -> Meter {
        let size = files.iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum();
        Meter { taken: AtomicU64::new(0), size: AtomicU64::new(size) }
    }

    /// The bytes read so far, and all bytes.
    pub fn progress(&self) -> (u64, u64) {
        (self.taken.load(Relaxed), self.size.load(Relaxed))
    }
}

/// A file of games, read from front to back.
pub struct Source<'a> {
    path: PathBuf,
    file: Box<dyn Read + 'a>,
    meter: &'a Meter,
    header: Header,
    is_packed: bool,
    /// The bytes read; those from `at` on are not used yet.
    buffer: Vec<u8>,
    at: usize,
    /// The offset of the first byte in the buffer.
    offset: u64,
    is_at_end: bool,
    /// Games of a block that were not returned yet.
    unpacked: VecDeque<ScoredGame>,
    /// Games found in blocks.
    count: PackCount,
    /// Whether the end mark of a packed file was read, or is not needed.
    is_done: bool,
    /// Whether the next game must be looked for, after a damaged place.
    is_lost: bool,
}

/// The next item of a file.
#[derive(Debug)]
pub enum Next {
    /// A game.
    Game(ScoredGame),
    /// A damaged place. Reading on finds the next game after it.
    Damaged(Damaged),
    /// The end. A process that ended while writing leaves an incomplete game.
    End {
        /// The bytes of an incomplete last game.
        torn: u64,
    },
}

/// The content at the current offset.
enum Here {
    /// Games, and their length in bytes.
    Games(Vec<ScoredGame>, usize),
    /// The end of a packed file.
    Total(PackCount, usize),
    Incomplete,
    Damaged(&'static str),
}

/// Whether a game or a block starts at an offset.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Yes,
    No,
    /// Something of this length only looks like one.
    WrongChecksum(usize),
    /// More bytes are needed.
    Unknown,
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("path", &self.path)
            .field("offset", &self.offset())
            .finish_non_exhaustive()
    }
}

impl<'a> Source<'a> {
    /// Opens a file and reads its header.
    pub fn open(path: &Path, meter: &'a Meter) -> Result<Source<'a>, Error> {
        let file = File::open(path).map_err(Error::io(path))?;
        Source::new(path, file, meter)
    }

    /// Reads from an open file.
    pub fn new(path: &Path, mut file: impl Read + 'a, meter: &'a Meter) -> Result<Source<'a>, Error> {
        let (magic, header, offset) = Header::read(&mut file).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => {
                Damaged { path: path.to_owned(), offset: 0, reason: error.to_string() }.into()
            }
            _ => Error::io(path)(error),
        })?;
        meter.taken.fetch_add(offset, Relaxed);
        Ok(Source {
            path: path.to_owned(),
            file: Box::new(file),
            meter,
            header,
            is_packed: magic == header::PACKED,
            buffer: Vec::new(),
            at: 0,
            offset,
            is_at_end: false,
            unpacked: VecDeque::new(),
            count: PackCount::default(),
            is_done: false,
            is_lost: false,
        })
    }

    /// The header of the file.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether the file is packed.
    pub fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// The offset of the next game; in a packed file, of the next block.
    pub fn offset(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// Reads the next game.
    pub fn next_item(&mut self) -> io::Result<Next> {
        loop {
            if let Some(game) = self.unpacked.pop_front() {
                return Ok(Next::Game(game));
            }
            if std::mem::take(&mut self.is_lost) {
                self.find_next()?;
            }
            let left = self.buffer.len() - self.at;
            let reason = match self.look() {
                Here::Games(games, length) => {
                    self.at += length;
                    games.iter().for_each(|game| self.count.add(game));
                    self.unpacked.extend(games);
                    continue;
                }
                Here::Total(count, length) if !self.is_done && count == self.count => {
                    self.at += length;
                    self.is_done = true;
                    continue;
                }
                Here::Total(..) if !self.is_done => "the file has fewer or more games than its end mark says",
                Here::Total(..) => "there are bytes after the end mark",
                Here::Incomplete if !self.is_at_end => {
                    self.fill()?;
                    continue;
                }
                Here::Incomplete if self.is_packed && (left > 0 || !self.is_done) => "the file is cut off",
                Here::Incomplete => return Ok(Next::End { torn: left as u64 }),
                Here::Damaged(reason) => reason,
            };
            let damaged =
                Damaged { path: self.path.clone(), offset: self.offset(), reason: reason.to_owned() };
            // The games can no longer be counted.
            self.is_done = true;
            self.is_lost = true;
            return Ok(Next::Damaged(damaged));
        }
    }

    fn look(&self) -> Here {
        let bytes = &self.buffer[self.at..];
        if !self.is_packed {
            return match game_file::unframe(bytes) {
                game_file::Framed::Game(game, length) => match game_file::read_bare(game) {
                    Ok(game) => Here::Games(vec![game], length),
                    Err(reason) => Here::Damaged(reason),
                },
                game_file::Framed::Incomplete => Here::Incomplete,
                game_file::Framed::WrongChecksum(_) => Here::Damaged("the checksum of the game is wrong"),
                game_file::Framed::Damaged(reason) => Here::Damaged(reason),
            };
        }
        match pack::unframe(bytes) {
            pack::Framed::Block(count, games, length) => match pack::unpack(count, games) {
                Ok(games) => Here::Games(games, length),
                Err(reason) => Here::Damaged(reason),
            },
            pack::Framed::End(count, length) => Here::Total(count, length),
            pack::Framed::Incomplete => Here::Incomplete,
            pack::Framed::WrongChecksum(_) => Here::Damaged("the checksum of the block is wrong"),
            pack::Framed::Damaged(reason) => Here::Damaged(reason),
        }
    }

    /// Whether a game or a block starts at the current offset.
    fn start(&self) -> Start {
        let bytes = &self.buffer[self.at..];
        if self.is_packed {
            match pack::unframe(bytes) {
                pack::Framed::Block(..) => Start::Yes,
                pack::Framed::Incomplete => Start::Unknown,
                pack::Framed::WrongChecksum(length) => Start::WrongChecksum(length),
                pack::Framed::End(..) | pack::Framed::Damaged(_) => Start::No,
            }
        } else {
            match game_file::unframe(bytes) {
                game_file::Framed::Game(..) => Start::Yes,
                game_file::Framed::Incomplete => Start::Unknown,
                game_file::Framed::WrongChecksum(length) => Start::WrongChecksum(length),
                game_file::Framed::Damaged(_) => Start::No,
            }
        }
    }

    /// Goes to the next offset at which a game starts, or to the end.
    fn find_next(&mut self) -> io::Result<()> {
        let began = self.offset();
        let (mut checked, mut step) = (0, 1);
        while self.at < self.buffer.len() || !self.is_at_end {
            self.at = (self.at + step).min(self.buffer.len());
            step = 1;
            let start = loop {
                match self.start() {
                    Start::Unknown if !self.is_at_end => self.fill()?,
                    start => break start,
                }
            };
            match start {
                Start::Yes => break,
                Start::WrongChecksum(length) => {
                    checked += length as u64;
                    if checked > CHECKED_AT_FIRST + CHECKED_PER_BYTE * (self.offset() - began) {
                        step = length;
                    }
                }
                Start::No | Start::Unknown => {}
            }
        }
        Ok(())
    }

    /// Reads more bytes into the buffer and drops the used ones.
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

#[cfg(test)]
mod tests {
    use super::super::testing::random_games;
    use super::*;
    use crate::data::header::{GamesOrigin, ScoreUnit};
    use crate::datagen::random::SplitMix64;

    fn header() -> Header {
        Header::new(vec![GamesOrigin {
            engine: "test".to_owned(),
            bench: 1,
            note: String::new(),
            seed: 2,
            nodes: 3,
            hash: 4,
            chess960: 5,
            opening_score: 6,
            win_score: 7,
            net: "none".to_owned(),
            scores: ScoreUnit::Raw,
            wdl_model: Some(ferz_search::WdlModel::CURRENT.into()),
            tables: None,
        }])
    }

    fn plain(games: &[ScoredGame]) -> Vec<u8> {
        let mut bytes = Vec::new();
        header().write(header::GAMES, &mut bytes).expect("memory");
        games.iter().for_each(|game| game_file::write(game, &mut bytes));
        bytes
    }

    fn packed(games: &[ScoredGame]) -> Vec<u8> {
        let mut packer = pack::Packer::new(Vec::new(), &header()).expect("memory");
        games.iter().for_each(|game| packer.push(game).expect("memory"));
        packer.finish().expect("memory")
    }

    /// The games that can be read, how many places are broken, and the bytes left at the end.
    fn read(bytes: &[u8]) -> Option<(Vec<ScoredGame>, usize, u64)> {
        let meter = Meter::default();
        let mut source = Source::new(Path::new("test"), bytes, &meter).ok()?;
        assert_eq!(*source.header(), header());
        let (mut games, mut broken) = (Vec::new(), 0);
        loop {
            match source.next_item().expect("memory can be read") {
                Next::Game(game) => games.push(game),
                Next::Damaged(_) => broken += 1,
                Next::End { torn } => return Some((games, broken, torn)),
            }
        }
    }

    #[test]
    fn both_formats_give_games_back() {
        // More than fit into a block.
        for (seed, count) in [(1, 0), (2, 1), (3, 60), (4, 4200)] {
            let games = random_games(seed, count);
            for bytes in [plain(&games), packed(&games)] {
                let (read, broken, torn) = read(&bytes).expect("a header");
                assert!(read == games, "{count} games");
                assert_eq!((broken, torn), (0, 0));
            }
        }
    }

    #[test]
    fn files_that_are_cut_off_give_what_is_there() {
        let games = random_games(5, 6);
        let bytes = plain(&games);
        for cut in 0..bytes.len() {
            if let Some((read, broken, torn)) = read(&bytes[..cut]) {
                assert!(games.starts_with(&read) && broken == 0 && torn < 1300);
            }
        }
        let bytes = packed(&games);
        for cut in 0..bytes.len() {
            if let Some((read, broken, torn)) = read(&bytes[..cut]) {
                assert!(read.is_empty() || read == games);
                assert_eq!((broken, torn), (1, 0), "a missing end is noticed");
            }
        }
    }

    /// A broken game is reported and skipped, and the others are read.
    #[test]
    fn wrong_bytes_are_noticed() {
        let games = random_games(6, 4);
        let mut random = SplitMix64::new(9);
        let start = plain(&[]).len();
        for (bytes, is_packed) in [(plain(&games), false), (packed(&games), true)] {
            for _ in 0..2000 {
                let mut wrong = bytes.clone();
                let at = random.below(bytes.len() as u64) as usize;
                wrong[at] ^= 1 + random.below(255) as u8;
                match read(&wrong) {
                    None => assert!(at < start, "at {at}"),
                    Some((read, broken, torn)) => {
                        assert!(at >= start && (broken > 0 || torn > 0), "at {at}");
                        assert!(read.iter().all(|game| games.contains(game)));
                        assert!(is_packed || read.len() == games.len() - 1, "at {at}: {}", read.len());
                    }
                }
            }
        }
    }

    /// What looks like many overlapping blocks takes no time in proportion to the square of their number.
    #[test]
    fn false_blocks_do_not_take_for_ever() {
        let start = packed(&[]).len() - 28;
        let mut bytes = packed(&[])[..start].to_vec();
        // A block of 512 KiB with a wrong checksum in every 28 bytes.
        let mut block = packed(&random_games(8, 1))[start..start + 28].to_vec();
        block[20..24].copy_from_slice(&(1_u32 << 19).to_le_bytes());
        for _ in 0..1 << 17 {
            bytes.extend_from_slice(&block);
        }
        let began = std::time::Instant::now();
        let (games, broken, torn) = read(&bytes).expect("a header");
        assert!(games.is_empty() && broken > 0 && torn == 0);
        // 3.7 MB, of which 60 GB of blocks would be checksummed.
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }

    /// Bytes with valid checksums can still be anything: they are games, or refused.
    #[test]
    fn nonsense_with_the_right_checksum_does_no_harm() {
        let games = random_games(7, 12);
        let mut random = SplitMix64::new(10);
        let packed_games = packed(&games);
        let start = packed(&[]).len() - 28;
        for _ in 0..1500 {
            let mut game = Vec::new();
            game_file::write_bare(&games[random.below(12) as usize], &mut game);
            for _ in 0..=random.below(3) {
                let at = random.below(game.len() as u64) as usize;
                game[at] = random.next_u64() as u8;
            }
            if let Ok(game) = game_file::read_bare(&game) {
                assert_eq!(game.positions().count(), game.plies.len());
            }
            let mut block = packed_games[start + 28..packed_games.len() - 28].to_vec();
            for _ in 0..=random.below(3) {
                let at = random.below(block.len() as u64) as usize;
                block[at] = random.next_u64() as u8;
            }
            let plies = games.iter().map(|game| game.plies.len() as u64).sum();
            if let Ok(games) = pack::unpack(PackCount { games: 12, plies }, &block) {
                games.iter().for_each(|game| assert_eq!(game.positions().count(), game.plies.len()));
            }
        }
    }
}
