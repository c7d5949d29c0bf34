//! A run: a file of records, sorted by key and move.
//!
//! | part | content |
//! |---|---|
//! | magic | `FerzRun2` |
//! | blocks | records, about 2 KiB each |
//! | block index | per block: first key, end of the block in the file, checksum (8 bytes each) |
//! | foot | start of the block index, number of records, checksum of the block index and of these two |
//!
//! A record is the difference of its key to the one before (from the first key of the block on), the move in two bytes,
//! and the games. A move that only one game played, as most are, has its top bit set and the packed game behind it. All
//! numbers are little-endian or of variable length.
//!
//! Two values that are not moves mark records of games. [`TOUCHED`], with the id as its key: older runs know a version
//! of the game that does not count any more. [`LINE`], with [`LINES`] + id as its key: the length of the packed line,
//! and the line. The newest line of a game counts; an empty one means that the game was removed.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::checksum::checksum;
use super::error::IndexError;
use super::stats::{MAX_ID, MoveStats, PackedGame};
use super::varint;

const MAGIC: &[u8; 8] = b"FerzRun2";
/// A block ends when it has this many bytes.
const BLOCK: usize = 2 << 10;
/// The longest block that is believed.
const MAX_BLOCK: u64 = 64 << 10;
/// Bytes of a block in the block index, and bytes of the foot.
const ROW: usize = 24;
const FOOT: usize = 24;
/// Set in the move of a record with one game.
const SINGLE: u16 = 0x8000;

/// Where the keys of lines begin. Those of touched games are below it, so that they are read at once.
pub(super) const LINES: u64 = 1 << 42;
const _: () = assert!(MAX_ID < LINES);
pub(super) const LINE: u16 = 0x7fff;
pub(super) const TOUCHED: u16 = 0x7ffe;

/// A record of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Record {
    pub(super) key: u64,
    pub(super) mv: u16,
    pub(super) content: Content,
}

/// What a record tells of its key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// The games that played the move.
    Moves(MoveStats),
    /// The line of a game.
    Line(Vec<u8>),
    Touched,
}

/// A block of a run.
#[derive(Clone, Copy, Debug)]
struct Block {
    first: u64,
    end: u64,
    sum: u64,
}

/// Writes a run. It gets its name when it is complete.
#[derive(Debug)]
pub(super) struct RunWriter {
    path: PathBuf,
    part: PathBuf,
    out: BufWriter<File>,
    offset: u64,
    block: Vec<u8>,
    first: u64,
    last: u64,
    index: Vec<u8>,
    records: u64,
}

impl RunWriter {
    pub(super) fn create(path: &Path) -> Result<RunWriter, IndexError> {
        let part = path.with_extension("part");
        let mut out = BufWriter::with_capacity(1 << 18, File::create(&part).map_err(IndexError::io(&part))?);
        out.write_all(MAGIC).map_err(IndexError::io(&part))?;
        Ok(RunWriter {
            path: path.to_owned(),
            part,
            out,
            offset: MAGIC.len() as u64,
            block: Vec::with_capacity(2 * BLOCK),
            first: 0,
            last: 0,
            index: Vec::new(),
            records: 0,
        })
    }

    /// Appends a record; they come in order.
    pub(super) fn write(&mut self, record: &Record) -> Result<(), IndexError> {
        if self.block.is_empty() {
            self.first = record.key;
            self.last = record.key;
        }
        varint::put(&mut self.block, record.key - self.last);
        self.last = record.key;
        let single = match &record.content {
            Content::Moves(stats) => stats.only_game(),
            Content::Line(_) | Content::Touched => None,
        };
        let flag = if single.is_some() { SINGLE } else { 0 };
        self.block.extend((record.mv | flag).to_le_bytes());
        match (single, &record.content) {
            (Some(game), _) => varint::put(&mut self.block, game.0),
            (None, Content::Moves(stats)) => stats.write(&mut self.block),
            (None, Content::Line(line)) => {
                varint::put(&mut self.block, line.len() as u64);
                self.block.extend(line);
            }
            (None, Content::Touched) => {}
        }
        self.records += 1;
        if self.block.len() >= BLOCK { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<(), IndexError> {
        if self.block.is_empty() {
            return Ok(());
        }
        self.out.write_all(&self.block).map_err(IndexError::io(&self.part))?;
        self.offset += self.block.len() as u64;
        for number in [self.first, self.offset, checksum(&self.block)] {
            self.index.extend(number.to_le_bytes());
        }
        self.block.clear();
        Ok(())
    }

    /// Completes the file, so that it survives a crash, and gives it its name.
    pub(super) fn finish(mut self) -> Result<Run, IndexError> {
        self.end_block()?;
        for number in [self.offset, self.records] {
            self.index.extend(number.to_le_bytes());
        }
        let sum = checksum(&self.index);
        self.index.extend(sum.to_le_bytes());
        let written = self.out.write_all(&self.index).and_then(|()| self.out.flush());
        written.and_then(|()| self.out.get_ref().sync_all()).map_err(IndexError::io(&self.part))?;
        fs::rename(&self.part, &self.path).map_err(IndexError::io(&self.path))?;
        Run::open(&self.path)
    }
}

/// A complete run.
#[derive(Debug)]
pub(super) struct Run {
    path: PathBuf,
    file: Mutex<File>,
    blocks: Vec<Block>,
    records: u64,
    size: u64,
    /// The ids of touched games, in their order.
    touched: Vec<u64>,
}

impl Run {
    /// Opens a run and checks its block index. Blocks are checked when they are read.
    pub(super) fn open(path: &Path) -> Result<Run, IndexError> {
        let io = || IndexError::io(path);
        let damaged = |reason| IndexError::damaged(path, reason);
        let mut file = File::open(path).map_err(io())?;
        let size = file.metadata().map_err(io())?.len();
        let mut magic = [0; MAGIC.len()];
        let foot_at = size.checked_sub(FOOT as u64).filter(|&at| at >= MAGIC.len() as u64);
        let foot_at = foot_at.ok_or_else(|| damaged("too short"))?;
        file.read_exact(&mut magic).map_err(io())?;
        if magic != *MAGIC {
            return Err(damaged("not a run"));
        }
        let mut foot = [0; FOOT];
        file.seek(SeekFrom::Start(foot_at)).and_then(|_| file.read_exact(&mut foot)).map_err(io())?;
        let [index_at, records, sum] = words(foot);
        let length = foot_at.checked_sub(index_at).filter(|length| length % ROW as u64 == 0);
        let length = length.ok_or_else(|| damaged("wrong length"))?;
        let mut index = Vec::new();
        file.seek(SeekFrom::Start(index_at)).map_err(io())?;
        (&file).take(length).read_to_end(&mut index).map_err(io())?;
        index.extend(&foot[..FOOT - 8]);
        if checksum(&index) != sum {
            return Err(damaged("wrong checksum of the block index"));
        }
        let (rows, _) = index[..index.len() - (FOOT - 8)].as_chunks::<ROW>();
        let blocks: Vec<Block> = rows
            .iter()
            .map(|&row| {
                let [first, end, sum] = words(row);
                Block { first, end, sum }
            })
            .collect();
        let mut start = MAGIC.len() as u64;
        for block in &blocks {
            if !(start..=start + MAX_BLOCK).contains(&block.end) {
                return Err(damaged("wrong block index"));
            }
            start = block.end;
        }
        if start != index_at || !blocks.is_sorted_by_key(|block| block.first) {
            return Err(damaged("wrong block index"));
        }
        let file = Mutex::new(file);
        let mut run = Run { path: path.to_owned(), file, blocks, records, size, touched: Vec::new() };
        let mut touched = Vec::new();
        let mut first = run.records();
        while let Some(record) = first.next()?.filter(|record| record.key < LINES) {
            if record.content == Content::Touched {
                touched.push(record.key);
            }
        }
        run.touched = touched;
        Ok(run)
    }

    /// Whether older runs know a version of this game that does not count any more.
    pub(super) fn touches(&self, game: u64) -> bool {
        self.touched.binary_search(&game).is_ok()
    }

    /// The line of a game, if this run has one. It is empty if the game was removed.
    pub(super) fn line(&self, game: u64) -> Result<Option<Vec<u8>>, IndexError> {
        let mut found = None;
        self.find(LINES + game, |record| {
            if let Content::Line(line) = record.content {
                found = Some(line);
            }
        })?;
        Ok(found)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The size of the file in bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Calls `each` with the moves of a position.
    pub(super) fn moves(&self, key: u64, mut each: impl FnMut(u16, MoveStats)) -> Result<(), IndexError> {
        self.find(key, |record| {
            if let Content::Moves(stats) = record.content {
                each(record.mv, stats);
            }
        })
    }

    fn find(&self, key: u64, mut each: impl FnMut(Record)) -> Result<(), IndexError> {
        let mut number = self.blocks.partition_point(|block| block.first < key).saturating_sub(1);
        while self.blocks.get(number).is_some_and(|block| block.first <= key) {
            let bytes = self.read(number)?;
            let mut records = BlockRecords::new(self.blocks[number].first, &bytes);
            while let Some(record) = records.next().ok_or_else(|| self.damaged_block())? {
                if record.key == key {
                    each(record);
                } else if record.key > key {
                    return Ok(());
                }
            }
            number += 1;
        }
        Ok(())
    }

    /// Reads all blocks, which checks them and leaves them in the cache of the system.
    pub(super) fn read_all(&self) -> Result<(), IndexError> {
        (0..self.blocks.len()).try_for_each(|number| self.read(number).map(drop))
    }

    /// All records in their order.
    pub(super) fn records(&self) -> RunRecords<'_> {
        RunRecords { run: self, next_block: 0, block: Vec::new(), at: 0, key: 0, left: self.records }
    }

    fn read(&self, number: usize) -> Result<Vec<u8>, IndexError> {
        let block = self.blocks[number];
        let start = number.checked_sub(1).map_or(MAGIC.len() as u64, |before| self.blocks[before].end);
        let mut bytes = vec![0; (block.end - start) as usize];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut bytes));
            read.map_err(IndexError::io(&self.path))?;
        }
        if checksum(&bytes) == block.sum { Ok(bytes) } else { Err(self.damaged_block()) }
    }

    fn damaged_block(&self) -> IndexError {
        IndexError::damaged(&self.path, "wrong checksum of a block")
    }
}

fn words(bytes: [u8; 24]) -> [u64; 3] {
    let (words, _) = bytes.as_chunks();
    std::array::from_fn(|number| u64::from_le_bytes(words[number]))
}

/// The records of a block.
struct BlockRecords<'a> {
    key: u64,
    rest: &'a [u8],
}

impl<'a> BlockRecords<'a> {
    fn new(first: u64, rest: &'a [u8]) -> BlockRecords<'a> {
        BlockRecords { key: first, rest }
    }

    /// The next record, `Some(None)` at the end, `None` if the bytes are not records.
    fn next(&mut self) -> Option<Option<Record>> {
        if self.rest.is_empty() {
            return Some(None);
        }
        self.key = self.key.checked_add(varint::take(&mut self.rest)?)?;
        let (&mv, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        let mv = u16::from_le_bytes(mv);
        let content = match mv {
            LINE => {
                let length = usize::try_from(varint::take(&mut self.rest)?).ok()?;
                let (line, rest) = self.rest.split_at_checked(length)?;
                self.rest = rest;
                Content::Line(line.to_vec())
            }
            TOUCHED => Content::Touched,
            _ if mv & SINGLE == 0 => Content::Moves(MoveStats::read(&mut self.rest)?),
            _ => Content::Moves(MoveStats::of(PackedGame(varint::take(&mut self.rest)?), 1)),
        };
        Some(Some(Record { key: self.key, mv: mv & !SINGLE, content }))
    }
}

/// The records of a run one after the other.
#[derive(Debug)]
pub(super) struct RunRecords<'a> {
    run: &'a Run,
    next_block: usize,
    block: Vec<u8>,
    at: usize,
    key: u64,
    /// The records still to come.
    left: u64,
}

impl RunRecords<'_> {
    pub(super) fn next(&mut self) -> Result<Option<Record>, IndexError> {
        while self.at == self.block.len() {
            let Some(block) = self.run.blocks.get(self.next_block) else {
                let complete = self.left == 0;
                return if complete {
                    Ok(None)
                } else {
                    Err(IndexError::damaged(&self.run.path, "records are missing"))
                };
            };
            self.key = block.first;
            self.block = self.run.read(self.next_block)?;
            self.at = 0;
            self.next_block += 1;
        }
        let mut records = BlockRecords::new(self.key, &self.block[self.at..]);
        let record = records.next().flatten().ok_or_else(|| self.run.damaged_block())?;
        self.at = self.block.len() - records.rest.len();
        self.key = record.key;
        self.left = self.left.wrapping_sub(1);
        Ok(Some(record))
    }
}
