//! The header of a file: its format and the origin of its games.
//!
//! Eight magic bytes name the format. Then come the length of the rest and its checksum (four bytes each, little-endian),
//! and JSON.

use std::error::Error;
use std::fmt;
use std::io::{self, Read, Write};

use ferz_search::WdlModel;
use serde::{Deserialize, Serialize};

use super::checksum::crc32;

/// The magic bytes of a game file.
pub const GAMES: [u8; 8] = *b"FERZGAME";
/// The magic bytes of a packed file.
pub const PACKED: [u8; 8] = *b"FERZPACK";
/// The current version of both formats.
const VERSION: u32 = 2;
/// The first version, whose scores are displayed centipawns. It is still read.
const DISPLAYED_SCORES: u32 = 1;
/// The longest header that is accepted.
const MAX_LENGTH: u32 = 1 << 20;

/// The origins of the games of a file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Header {
    version: u32,
    /// One while games are played, several after files were merged.
    pub origins: Vec<GamesOrigin>,
}

/// Everything that the games of a run depend on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GamesOrigin {
    /// The program that played.
    pub engine: String,
    /// The node count of a short `bench`, which identifies the engine.
    pub bench: u64,
    /// The net; empty in files from before there were nets.
    #[serde(default)]
    pub net: String,
    /// A note by the user.
    pub note: String,
    /// The seed of the run.
    pub seed: u64,
    /// The soft node limit of every move.
    pub nodes: u64,
    /// The transposition table of each player, in MiB.
    pub hash: u32,
    /// The percentage of Chess960 games.
    pub chess960: u32,
    /// The highest score of an opening.
    pub opening_score: u16,
    /// The game is adjudicated as a win at this score of both players.
    pub win_score: u16,
    /// The unit of the scores of all positions. The two limits above are in displayed centipawns in either case.
    #[serde(default)]
    pub scores: ScoreUnit,
    /// The WDL model that turned values of the search into displayed centipawns, which the limits are compared with;
    /// `None` in files of the first version.
    #[serde(default)]
    pub wdl_model: Option<ModelEntry>,
    /// The endgame tables that adjudicate; `None` without tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<String>,
}

impl GamesOrigin {
    /// Games of a PGN file, which says nothing of the settings.
    #[must_use]
    pub fn imported(program: &str, note: String, scores: ScoreUnit) -> GamesOrigin {
        GamesOrigin {
            engine: format!("imported by {program}"),
            bench: 0,
            net: String::new(),
            note,
            seed: 0,
            nodes: 0,
            hash: 0,
            chess960: 0,
            opening_score: 0,
            win_score: 0,
            scores,
            wdl_model: (scores == ScoreUnit::Raw).then(|| WdlModel::CURRENT.into()),
            tables: None,
        }
    }

    /// Whether the games come from a PGN file. Games of our own have a node limit.
    #[must_use]
    pub fn is_imported(&self) -> bool {
        self.nodes == 0
    }
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
    fn from(model: WdlModel) -> ModelEntry {
        ModelEntry { half: model.half(), spread: model.spread() }
    }
}

/// Files with scores in different units cannot be merged: a game does not record the run it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MixedScores;

impl fmt::Display for MixedScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("some files have raw search values as scores, others displayed centipawns: convert them separately")
    }
}

impl Error for MixedScores {}

impl Header {
    /// A header of the current version.
    pub fn new(origins: Vec<GamesOrigin>) -> Header {
        Header { version: VERSION, origins }
    }

    /// Adds the origins of another file.
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

    /// Writes the header and returns its length.
    pub fn write(&self, magic: [u8; 8], out: &mut impl Write) -> io::Result<u64> {
        let text = serde_json::to_vec(self)?;
        if text.len() > MAX_LENGTH as usize {
            // Nobody could read the file.
            return Err(wrong(
                "the games come from too many runs for one file: the header would be too long",
            ));
        }
        out.write_all(&magic)?;
        out.write_all(&(text.len() as u32).to_le_bytes())?;
        out.write_all(&crc32(&text).to_le_bytes())?;
        out.write_all(&text)?;
        Ok(16 + text.len() as u64)
    }

    /// Reads a header. Returns also the magic bytes and the length.
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
            return Err(wrong(&format!("unknown format version {}", header.version)));
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

    /// What cannot be read again is not written.
    #[test]
    fn headers_are_written_as_long_as_they_can_be_read() {
        let (_, mut header, _) = Header::read(&mut &file(FIRST_VERSION)[..]).expect("a header");
        for (note, is_readable) in [(1_000_000, true), (1_100_000, false)] {
            header.origins[0].note = "x".repeat(note);
            let mut bytes = Vec::new();
            assert_eq!(header.write(GAMES, &mut bytes).is_ok(), is_readable);
            assert_eq!(Header::read(&mut &bytes[..]).is_ok(), is_readable);
        }
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
        assert_eq!(all.origins.len(), 1, "no origin was added");
    }
}
