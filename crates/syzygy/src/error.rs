//! Why there is no answer.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Material, TableKind};

/// Why a position could not be probed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ProbeError {
    /// The position has more men than any table.
    TooManyMen {
        /// The men of the position, kings included.
        men: u32,
        /// The men of the largest table.
        max: u32,
    },
    /// Tables know no castling.
    CastlingRights,
    /// A table is needed that no directory has.
    MissingTable {
        /// The material of the table.
        material: Material,
        /// Which of its two files.
        kind: TableKind,
    },
    /// A file is not a table, or not what it was.
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: Damage,
    },
    /// A file could not be read.
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The reason the system gave.
        source: Arc<io::Error>,
    },
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProbeError::TooManyMen { men, max: 0 } => {
                write!(f, "no tables for {men} men: no tables are loaded")
            }
            ProbeError::TooManyMen { men, max } => write!(f, "{men} men, but the tables end at {max}"),
            ProbeError::CastlingRights => f.write_str("castling rights: tables know no castling"),
            ProbeError::MissingTable { material, kind } => {
                write!(f, "table {material}.{} is missing", kind.extension())
            }
            ProbeError::Damaged { file, problem } => {
                write!(f, "{}: damaged table: {problem}", file.display())
            }
            ProbeError::Unreadable { file, source } => write!(f, "{}: {source}", file.display()),
        }
    }
}

impl Error for ProbeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ProbeError::Unreadable { source, .. } => Some(source.as_ref()),
            ProbeError::Damaged { problem, .. } => Some(problem),
            _ => None,
        }
    }
}

/// What is wrong with a table file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Damage {
    /// The file does not have the name of a table, such as `KQvKR.rtbw`.
    Name,
    /// The first four bytes are not those of a table of this kind.
    Magic,
    /// The file is a table of different material than its name says.
    Material,
    /// The list of men is impossible.
    Pieces,
    /// The order of the men is impossible.
    Order,
    /// The head ends before it is complete.
    Truncated,
    /// The file is shorter or longer than its head says.
    Length {
        /// The bytes that a file with this head has.
        expected: u64,
        /// The bytes that this file has.
        found: u64,
    },
    /// The Huffman code is impossible, or a code has no symbol.
    Code,
    /// A symbol contains itself, or is not one of the table.
    Symbols,
    /// The blocks do not have the values that the index says.
    Blocks,
    /// A value is not one of the table.
    Value,
    /// The checksum at the end is not that of the contents.
    Checksum,
    /// The file was changed or cut short after it was opened.
    Changed,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Damage::Name => "not the name of a table, such as KQvKR.rtbw",
            Damage::Magic => "not a Syzygy table of this kind",
            Damage::Material => "its material is not that of its name",
            Damage::Pieces => "impossible list of men",
            Damage::Order => "impossible order of men",
            Damage::Truncated => "the file ends within its head",
            Damage::Length { expected, found } => return write!(f, "{found} bytes instead of {expected}"),
            Damage::Code => "invalid Huffman code",
            Damage::Symbols => "invalid symbol",
            Damage::Blocks => "blocks and index disagree",
            Damage::Value => "impossible value",
            Damage::Checksum => "wrong checksum",
            Damage::Changed => "the file has changed since it was opened",
        })
    }
}

impl Error for Damage {}

/// A directory could not be listed.
#[derive(Debug)]
#[non_exhaustive]
pub struct OpenError {
    /// The directory.
    pub directory: PathBuf,
    /// The reason the system gave.
    pub source: io::Error,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.directory.display(), self.source)
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

/// Why a table was not added.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AddError {
    /// Not the name of a table, such as `KQvKR.rtbw`.
    Name(String),
    /// The bytes are not this table.
    Damaged(Damage),
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddError::Name(name) => write!(f, "{name:?} is not the name of a table, such as KQvKR.rtbw"),
            AddError::Damaged(problem) => write!(f, "damaged table: {problem}"),
        }
    }
}

impl Error for AddError {}
