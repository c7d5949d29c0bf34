//! Packed game files, for archiving.
//!
//! The [`header`] is followed by blocks of games and an end mark:
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 4 | `BLOK`, or `DONE` for the end |
//! | 8 | games in the block; in the end mark, in the file |
//! | 8 | plies in the block; in the end mark, in the file |
//! | 4 | the length of the rest; 0 in the end mark |
//! | 4 | CRC-32 of the 24 bytes above and the rest |
//! | | the games, coded with the model |
//!
//! Each block can be read on its own: the model is reset at its end. A file without an end mark is incomplete.

use std::fmt;
use std::io::{self, Write};

use super::ScoredGame;
use super::checksum::crc32;
use super::coder::{Decoder, Encoder};
use super::game_file::Reason;
use super::header::{self, Header};
use super::model::Model;

/// The length of the frame of a block.
const FRAME: usize = 28;
const BLOCK: [u8; 4] = *b"BLOK";
const END: [u8; 4] = *b"DONE";
/// A block holds at most this many games or plies.
const BLOCK_GAMES: u64 = 4096;
const BLOCK_PLIES: u64 = 1 << 19;
/// The longest block.
const MAX_LENGTH: usize = 1 << 23;

/// The number of games and plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PackCount {
    /// The number of games.
    pub games: u64,
    /// Positions in all games.
    pub plies: u64,
}

impl PackCount {
    /// Counts a game.
    pub fn add(&mut self, game: &ScoredGame) {
        self.games += 1;
        self.plies += game.plies.len() as u64;
    }
}

/// Packs games.
pub struct Packer<W> {
    out: W,
    encoder: Encoder,
    model: Model,
    block: PackCount,
    all: PackCount,
}

impl<W> fmt::Debug for Packer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packer").field("block", &self.block).field("all", &self.all).finish_non_exhaustive()
    }
}

impl<W: Write> Packer<W> {
    /// Starts a file.
    pub fn new(mut out: W, header: &Header) -> io::Result<Packer<W>> {
        header.write(header::PACKED, &mut out)?;
        let (encoder, model) = (Encoder::new(), Model::new());
        Ok(Packer { out, encoder, model, block: PackCount::default(), all: PackCount::default() })
    }

    /// Adds a game.
    pub fn push(&mut self, game: &ScoredGame) -> io::Result<()> {
        self.model.write(&mut self.encoder, game);
        self.block.add(game);
        self.all.add(game);
        if self.block.games >= BLOCK_GAMES || self.block.plies >= BLOCK_PLIES {
            self.end_block()
        } else {
            Ok(())
        }
    }

    fn end_block(&mut self) -> io::Result<()> {
        let games = std::mem::replace(&mut self.encoder, Encoder::new()).finish();
        self.model = Model::new();
        let count = std::mem::take(&mut self.block);
        self.out.write_all(&framed(BLOCK, count, &games))
    }

    /// Writes the end mark and returns the writer.
    pub fn finish(mut self) -> io::Result<W> {
        if self.block != PackCount::default() {
            self.end_block()?;
        }
        self.out.write_all(&framed(END, self.all, &[]))?;
        Ok(self.out)
    }
}

fn framed(kind: [u8; 4], count: PackCount, games: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(FRAME + games.len());
    bytes.extend_from_slice(&kind);
    bytes.extend_from_slice(&count.games.to_le_bytes());
    bytes.extend_from_slice(&count.plies.to_le_bytes());
    bytes.extend_from_slice(&(games.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(games);
    let checksum = checksum(&bytes);
    bytes[FRAME - 4..FRAME].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The checksum of everything but itself.
fn checksum(bytes: &[u8]) -> u32 {
    crc32(&bytes[..FRAME - 4]) ^ crc32(&bytes[FRAME..]).rotate_left(16)
}

/// The content at the start of some bytes.
#[derive(Debug)]
pub(super) enum Framed<'a> {
    /// A block; the length includes its frame.
    Block(PackCount, &'a [u8], usize),
    /// The end mark.
    End(PackCount, usize),
    /// More bytes are needed.
    Incomplete,
    /// Something as long as this, frame included, that looks like a block but has a different checksum.
    WrongChecksum(usize),
    Damaged(Reason),
}

/// Looks for a block at the start of some bytes and checks its checksum.
pub(super) fn unframe(bytes: &[u8]) -> Framed<'_> {
    let kind = &bytes[..bytes.len().min(4)];
    if !BLOCK.starts_with(kind) && !END.starts_with(kind) {
        return Framed::Damaged("no block found");
    }
    let Some(frame) = bytes.first_chunk::<FRAME>() else { return Framed::Incomplete };
    let number = |from: usize, length: usize| {
        frame[from..from + length].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    };
    let count = PackCount { games: number(4, 8), plies: number(12, 8) };
    let length = number(20, 4) as usize;
    let is_block = kind == BLOCK;
    if length > if is_block { MAX_LENGTH } else { 0 } {
        return Framed::Damaged("the length of the block is wrong");
    }
    if is_block && (count.games > BLOCK_GAMES || count.plies > BLOCK_PLIES + ScoredGame::MAX_PLIES as u64) {
        return Framed::Damaged("the block has too many games");
    }
    let Some(whole) = bytes.get(..FRAME + length) else { return Framed::Incomplete };
    if u64::from(checksum(whole)) != number(FRAME - 4, 4) {
        return Framed::WrongChecksum(whole.len());
    }
    if is_block {
        Framed::Block(count, &whole[FRAME..], whole.len())
    } else {
        Framed::End(count, whole.len())
    }
}

/// The games of a block.
pub(super) fn unpack(count: PackCount, games: &[u8]) -> Result<Vec<ScoredGame>, Reason> {
    let mut decoder = Decoder::new(games);
    let mut model = Model::new();
    let mut list = Vec::new();
    let mut read = PackCount::default();
    for _ in 0..count.games {
        let game = model.read(&mut decoder)?;
        read.add(&game);
        if read.plies > count.plies {
            return Err("the block has more plies than its frame says");
        }
        list.push(game);
    }
    if read == count { Ok(list) } else { Err("the block has fewer plies than its frame says") }
}
