//! What stands at the beginning of a file: what it is, and where its games come from.
//!
//! Eight bytes say which format it is. Four bytes with the length of the rest and four with its checksum
//! (little-endian, as everything here) are followed by JSON.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use super::checksum::crc32;

/// What the formats are called in a file.
pub const GAMES: [u8; 8] = *b"FERZGAME";
pub const PACKED: [u8; 8] = *b"FERZPACK";
/// The present version of both.
const VERSION: u32 = 1;
/// Nobody writes headers that are longer.
const MAX_LENGTH: u32 = 1 << 20;

/// Where the games of a file come from.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Header {
    version: u32,
    /// One for games that are being played, several after files were put together.
    pub origins: Vec<Origin>,
}

/// Everything that the games of a run depend on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// The program that played.
    pub engine: String,
    /// What `bench` to a small depth counts: another number is another player.
    pub bench: u64,
    /// The net that it evaluated with; empty in files from before there were any.
    #[serde(default)]
    pub net: String,
    /// What its owner calls it.
    pub note: String,
    pub seed: u64,
    /// The soft limit of every move.
    pub nodes: u64,
    /// The table of either player, in MiB.
    pub hash: u32,
    /// How many of a hundred games begin with shuffled pieces.
    pub chess960: u32,
    /// No game begins with a higher score.
    pub opening_score: u16,
    /// With this score of both the game is won.
    pub win_score: u16,
}

impl Header {
    pub fn new(origins: Vec<Origin>) -> Header {
        Header { version: VERSION, origins }
    }

    /// Takes over where the games of another file come from.
    pub fn add(&mut self, other: &Header) {
        for origin in &other.origins {
            if !self.origins.contains(origin) {
                self.origins.push(origin.clone());
            }
        }
    }

    /// Writes all that stands before the games and returns how long it is.
    pub fn write(&self, magic: [u8; 8], out: &mut impl Write) -> io::Result<u64> {
        let text = serde_json::to_vec(self)?;
        out.write_all(&magic)?;
        out.write_all(&(text.len() as u32).to_le_bytes())?;
        out.write_all(&crc32(&text).to_le_bytes())?;
        out.write_all(&text)?;
        Ok(16 + text.len() as u64)
    }

    /// Reads it back, with what the format is called and how long all of it is.
    pub fn read(input: &mut impl Read) -> io::Result<([u8; 8], Header, u64)> {
        let [mut magic, mut rest] = [[0; 8]; 2];
        let mut fill = |bytes: &mut [u8]| {
            input.read_exact(bytes).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => wrong("the header is cut off"),
                _ => error,
            })
        };
        fill(&mut magic)?;
        if magic != GAMES && magic != PACKED {
            return Err(wrong("neither a file of games nor a packed one"));
        }
        fill(&mut rest)?;
        let [a, b, c, d, checksum @ ..] = rest;
        let length = u32::from_le_bytes([a, b, c, d]);
        if length > MAX_LENGTH {
            return Err(wrong("the header is too long"));
        }
        let mut text = vec![0; length as usize];
        fill(&mut text)?;
        if crc32(&text) != u32::from_le_bytes(checksum) {
            return Err(wrong("the checksum of the header is wrong"));
        }
        let header: Header = serde_json::from_slice(&text)
            .map_err(|error| wrong(&format!("the header is not understood: {error}")))?;
        if header.version != VERSION {
            return Err(wrong(&format!("version {} of the format is not known", header.version)));
        }
        Ok((magic, header, 16 + u64::from(length)))
    }
}

fn wrong(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
