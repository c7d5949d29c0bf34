//! Game files, which are written while games are played.
//!
//! The [`header`](super::header) is followed by games, each on its own:
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 2 | the length of the game |
//! | 2 | the same, XORed with a constant, to find games after a broken one |
//! | 4 | CRC-32 of the game |
//! | 23 to 31 | the start position (`packed_position.rs`) |
//! | 1 | result and ending |
//! | 3 to 5 for each ply | the move's 16 bits (from, to, kind: see `Move`), then the change of White's score: zigzag, seven bits a byte, the lowest first |
//!
//! A process that ends while writing leaves a last game that is too short.

use ferz_board::Move;

use super::checksum::crc32;
use super::{GameScore, Ply, ScoredGame, packed_position, verdict, verdict_byte};

/// The length of the frame before a game.
pub const FRAME: usize = 8;
/// The longest game.
pub const MAX_LENGTH: usize = 32 + 5 * ScoredGame::MAX_PLIES;
/// Makes the second copy of the length different from the first, even for zero.
const LENGTH_MASK: u16 = 0xa5c3;

/// Appends a game with its frame.
pub fn write(game: &ScoredGame, out: &mut Vec<u8>) {
    let frame = out.len();
    out.extend_from_slice(&[0; FRAME]);
    write_bare(game, out);
    let length = (out.len() - frame - FRAME) as u16;
    let checksum = crc32(&out[frame + FRAME..]);
    out[frame..frame + 2].copy_from_slice(&length.to_le_bytes());
    out[frame + 2..frame + 4].copy_from_slice(&(length ^ LENGTH_MASK).to_le_bytes());
    out[frame + 4..frame + FRAME].copy_from_slice(&checksum.to_le_bytes());
}

/// Appends a game without its frame.
pub fn write_bare(game: &ScoredGame, out: &mut Vec<u8>) {
    packed_position::write(&game.start, out);
    out.push(verdict_byte(game.result, game.ending));
    let mut before = 0;
    for ply in &game.plies {
        out.extend_from_slice(&ply.mv.bits().to_le_bytes());
        let score = i32::from(ply.score.0);
        write_varint(zigzag(score - before), out);
        before = score;
    }
}

/// Why bytes are not a game.
pub type Reason = &'static str;

/// Reads a game without its frame, and checks every move.
pub fn read_bare(mut bytes: &[u8]) -> Result<ScoredGame, Reason> {
    let start = packed_position::read(&mut bytes).ok_or("the start is not a legal position")?;
    let (&byte, mut bytes) = bytes.split_first().ok_or("the game is too short")?;
    let (result, ending) = verdict(byte).ok_or("the result is none")?;
    let mut plies = Vec::with_capacity((bytes.len() / 3).min(ScoredGame::MAX_PLIES));
    let mut position = start;
    let mut score = 0;
    while let Some((bits, rest)) = bytes.split_first_chunk::<2>() {
        bytes = rest;
        if plies.len() == ScoredGame::MAX_PLIES {
            return Err("the game is too long");
        }
        let mv = Move::from_bits(u16::from_le_bytes(*bits)).ok_or("invalid move")?;
        position.play(mv).map_err(|_| "a move is illegal")?;
        let difference = read_varint(&mut bytes).ok_or("a score is cut off")?;
        score += unzigzag(difference);
        plies
            .push(Ply { mv, score: GameScore(i16::try_from(score).map_err(|_| "a score is out of range")?) });
    }
    if bytes.is_empty() { Ok(ScoredGame { start, plies, result, ending }) } else { Err("a move is cut off") }
}

/// The content at the start of some bytes.
#[derive(Debug)]
pub enum Framed<'a> {
    /// A game; the length includes its frame.
    Game(&'a [u8], usize),
    /// More bytes are needed.
    Incomplete,
    /// Something as long as this, frame included, that looks like a game but has a different checksum.
    WrongChecksum(usize),
    /// Damaged bytes.
    Damaged(Reason),
}

/// Looks for a game at the start of some bytes and checks its checksum.
pub fn unframe(bytes: &[u8]) -> Framed<'_> {
    let Some((frame, rest)) = bytes.split_first_chunk::<FRAME>() else { return Framed::Incomplete };
    let [a, b, c, d, checksum @ ..] = *frame;
    let length = u16::from_le_bytes([a, b]);
    if length != u16::from_le_bytes([c, d]) ^ LENGTH_MASK || usize::from(length) > MAX_LENGTH {
        return Framed::Damaged("the length of the game is wrong");
    }
    let Some(game) = rest.get(..length.into()) else { return Framed::Incomplete };
    if crc32(game) != u32::from_le_bytes(checksum) {
        return Framed::WrongChecksum(FRAME + game.len());
    }
    Framed::Game(game, FRAME + game.len())
}

/// Zigzag coding: small numbers of either sign become small numbers.
pub(super) fn zigzag(value: i32) -> u32 {
    (value << 1 ^ value >> 31) as u32
}

pub(super) fn unzigzag(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

fn write_varint(mut value: u32, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads at most three bytes, enough for any difference of scores.
fn read_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0;
    for shift in [0, 7, 14] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_any_scores_fit() {
        for value in [0, 1, -1, 63, -64, 64, 8191, -8192, 65_535, -65_535] {
            let mut bytes = Vec::new();
            write_varint(zigzag(value), &mut bytes);
            assert!(bytes.len() <= 3, "{value}");
            assert_eq!(read_varint(&mut &bytes[..]).map(unzigzag), Some(value));
        }
        assert_eq!(read_varint(&mut &[0x80, 0x80, 0x80, 0][..]), None);
    }
}
