//! What stands at the beginning of a file: what it is, and where its games come from.
//!
//! Eight bytes say which format it is. Four bytes with the length of the rest and four with its checksum
//! (little-endian, as everything here) are followed by JSON.

use std::error::Error;
use std::fmt;
use std::io::{self, Read, Write};

use ferz_search::WdlModel;
use serde::{Deserialize, Serialize};

use super::checksum::crc32;

/// What the formats are called in a file.
pub const GAMES: [u8; 8] = *b"FERZGAME";
/// The magic bytes of a packed file.
pub const PACKED: [u8; 8] = *b"FERZPACK";
/// The present version of both.
const VERSION: u32 = 2;
/// The first version, whose scores are displayed centipawns. It is still read.
const DISPLAYED_SCORES: u32 = 1;
/// Nobody writes headers that are longer.
const MAX_LENGTH: u32 = 1 << 20;

/// Where the games of a file come from.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Header {
    version: u32,
    /// One for games that are being played, several after files were put together.
    pub origins: Vec<Origin>,
}

/// Everything that the games of a run depend on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
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
    /// The seed of the run.
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
    /// The unit of the scores of all positions. The two limits above are in displayed centipawns in either case.
    #[serde(default)]
    pub scores: ScoreUnit,
    /// The WDL model that turned values of the search into displayed centipawns, which the limits are compared with;
    /// `None` in files of the first version.
    #[serde(default)]
    pub wdl_model: Option<ModelEntry>,
}

/// The unit of the scores in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreUnit {
    /// Centipawns as users see them. They depend on the WDL model of the program that played.
    #[default]
    Displayed,
    /// Values of the search, before any model.
    Raw,
}

impl fmt::Display for ScoreUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ScoreUnit::Displayed => "displayed centipawns",
            ScoreUnit::Raw => "raw search values",
        })
    }
}

/// A WDL model in a header: both polynomials of [`WdlModel`].
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ModelEntry {
    /// The value with which half of the games are won, by material.
    pub half: [f64; 4],
    /// How slowly the win probability changes with the value, by material.
    pub spread: [f64; 4],
}

impl From<WdlModel> for ModelEntry {
    fn from(WdlModel { half, spread }: WdlModel) -> ModelEntry {
        ModelEntry { half, spread }
    }
}

/// Files with scores in different units cannot be put together: a game does not know which run it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MixedScores;

impl fmt::Display for MixedScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("some files have raw search values as scores, others displayed centipawns: convert them separately")
    }
}

impl Error for MixedScores {}

impl Header {
    /// A new one.
    pub fn new(origins: Vec<Origin>) -> Header {
        Header { version: VERSION, origins }
    }

    /// Takes over the origins of another file.
    pub fn add(&mut self, other: &Header) -> Result<(), MixedScores> {
        let units = self.origins.iter().chain(&other.origins).map(|origin| origin.scores);
        if units.clone().any(|unit| Some(unit) != units.clone().next()) {
            return Err(MixedScores);
        }
        for origin in &other.origins {
            if !self.origins.contains(origin) {
                self.origins.push(origin.clone());
            }
        }
        Ok(())
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
            return Err(wrong("neither a game file nor a packed file"));
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
        let header: Header =
            serde_json::from_slice(&text).map_err(|error| wrong(&format!("invalid header: {error}")))?;
        if ![DISPLAYED_SCORES, VERSION].contains(&header.version) {
            return Err(wrong(&format!("version {} of the format is unknown", header.version)));
        }
        Ok((magic, header, 16 + u64::from(length)))
    }
}

fn wrong(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(json: &str) -> Vec<u8> {
        let mut bytes = GAMES.to_vec();
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(crc32(json.as_bytes()).to_le_bytes());
        bytes.extend(json.as_bytes());
        bytes
    }

    const FIRST_VERSION: &str = r#"{"version": 1, "origins": [{"engine": "ferz 0.1.0", "bench": 5, "net": "gen9",
        "note": "", "seed": 1, "nodes": 1000, "hash": 1, "chess960": 10, "opening_score": 150, "win_score": 600}]}"#;

    #[test]
    fn files_of_the_first_version_are_read() {
        let (_, header, _) = Header::read(&mut &file(FIRST_VERSION)[..]).expect("a header");
        assert_eq!((header.origins[0].scores, header.origins[0].wdl_model), (ScoreUnit::Displayed, None));
        let newer = FIRST_VERSION.replace("\"version\": 1", "\"version\": 3");
        assert!(Header::read(&mut &file(&newer)[..]).is_err());
    }

    #[test]
    fn scores_of_different_units_are_not_mixed() {
        let (_, displayed, _) = Header::read(&mut &file(FIRST_VERSION)[..]).expect("a header");
        let mut raw = displayed.clone();
        raw.origins[0].scores = ScoreUnit::Raw;
        raw.origins[0].wdl_model = Some(WdlModel::CURRENT.into());
        let mut bytes = Vec::new();
        raw.write(GAMES, &mut bytes).expect("memory");
        assert_eq!(Header::read(&mut &bytes[..]).expect("a header").1, raw, "the model survives");
        let mut all = Header::new(Vec::new());
        assert_eq!(all.add(&raw), Ok(()));
        assert_eq!(all.add(&displayed), Err(MixedScores));
        assert_eq!(all.origins.len(), 1, "nothing was taken over");
    }
}
