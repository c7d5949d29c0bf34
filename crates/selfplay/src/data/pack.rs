//! Games packed for keeping.
//!
//! Behind the [`header`] come blocks of games, and behind the last one the end:
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 4 | `BLOK`, or `DONE` for the end |
//! | 8 | games in the block, or in all |
//! | 8 | plies in the block, or in all |
//! | 4 | the length of what follows; 0 at the end |
//! | 4 | CRC-32 of the 24 bytes above and what follows |
//! | | the games, as the [`model`](super::model) has it |
//!
//! A block can be read without any other: what is learnt from games is forgotten at its end. A file without an end was
//! not written to its end.

use std::fmt;
use std::io::{self, Write};

use super::ScoredGame;
use super::checksum::crc32;
use super::coder::{Decoder, Encoder};
use super::game_file::Reason;
use super::header::{self, Header};
use super::model::Model;

/// What stands before the games of a block.
const FRAME: usize = 28;
const BLOCK: [u8; 4] = *b"BLOK";
const END: [u8; 4] = *b"DONE";
/// A block is full with so many games, or with so many plies.
const BLOCK_GAMES: u64 = 4096;
const BLOCK_PLIES: u64 = 1 << 19;
/// No block is longer.
const MAX_LENGTH: usize = 1 << 23;

/// How many games and plies there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// The number of games.
    pub games: u64,
    /// Positions in all games.
    pub plies: u64,
}

impl Count {
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
    block: Count,
    all: Count,
}

impl<W> fmt::Debug for Packer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packer").field("block", &self.block).field("all", &self.all).finish_non_exhaustive()
    }
}

impl<W: Write> Packer<W> {
    /// Begins a file.
    pub fn new(mut out: W, header: &Header) -> io::Result<Packer<W>> {
        header.write(header::PACKED, &mut out)?;
        let (encoder, model) = (Encoder::new(), Model::new());
        Ok(Packer { out, encoder, model, block: Count::default(), all: Count::default() })
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

    /// Writes the end and gives back what it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        if self.block != Count::default() {
            self.end_block()?;
        }
        self.out.write_all(&framed(END, self.all, &[]))?;
        Ok(self.out)
    }
}

fn framed(kind: [u8; 4], count: Count, games: &[u8]) -> Vec<u8> {
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

/// Of everything but the checksum itself.
fn checksum(bytes: &[u8]) -> u32 {
    crc32(&bytes[..FRAME - 4]) ^ crc32(&bytes[FRAME..]).rotate_left(16)
}

/// What the first bytes of a file, or of a rest of it, are.
#[derive(Debug)]
pub(super) enum Framed<'a> {
    /// A block, with its frame so many bytes long.
    Block(Count, &'a [u8], usize),
    /// The end, so many bytes long.
    End(Count, usize),
    /// More bytes are needed to tell.
    Incomplete,
    Damaged(Reason),
}

/// Looks for a block at the beginning of some bytes and checks its sum.
pub(super) fn unframe(bytes: &[u8]) -> Framed<'_> {
    let kind = &bytes[..bytes.len().min(4)];
    if !BLOCK.starts_with(kind) && !END.starts_with(kind) {
        return Framed::Damaged("there is no block");
    }
    let Some(frame) = bytes.first_chunk::<FRAME>() else { return Framed::Incomplete };
    let number = |from: usize, length: usize| {
        frame[from..from + length].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    };
    let count = Count { games: number(4, 8), plies: number(12, 8) };
    let length = number(20, 4) as usize;
    let is_block = kind == BLOCK;
    if length > if is_block { MAX_LENGTH } else { 0 } {
        return Framed::Damaged("the length of the block is wrong");
    }
    let Some(whole) = bytes.get(..FRAME + length) else { return Framed::Incomplete };
    if u64::from(checksum(whole)) != number(FRAME - 4, 4) {
        return Framed::Damaged("the checksum of the block is wrong");
    }
    if is_block && (count.games > BLOCK_GAMES || count.plies > BLOCK_PLIES + ScoredGame::MAX_PLIES as u64) {
        return Framed::Damaged("the block has too many games");
    }
    if is_block {
        Framed::Block(count, &whole[FRAME..], whole.len())
    } else {
        Framed::End(count, whole.len())
    }
}

/// The games of a block.
pub(super) fn unpack(count: Count, games: &[u8]) -> Result<Vec<ScoredGame>, Reason> {
    let mut decoder = Decoder::new(games);
    let mut model = Model::new();
    let mut list = Vec::new();
    let mut read = Count::default();
    for _ in 0..count.games {
        let game = model.read(&mut decoder)?;
        read.add(&game);
        if read.plies > count.plies {
            return Err("the block has more plies than it should");
        }
        list.push(game);
    }
    if read == count { Ok(list) } else { Err("the block has fewer plies than it should") }
}
