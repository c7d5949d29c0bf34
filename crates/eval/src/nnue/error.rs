//! Why a net is refused.

use std::error::Error;
use std::fmt;

/// Why bytes are not a net that can be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetworkError {
    /// There are none.
    Empty,
    /// They begin like no net that is known.
    Unknown {
        /// How: the first bytes, or all and then zeros.
        first: [u8; 8],
        /// How many there are.
        length: usize,
    },
    /// A field of the header has a value that it must not have.
    Field {
        /// Which one.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: u64,
    },
    /// There are too few or too many bytes.
    Length {
        /// How many there must be.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The bytes are not those that were written: their SHA-256 is another than the header says.
    Hash,
    /// A weight or bias is so great that sums could overflow.
    Range {
        /// Of which layer.
        layer: &'static str,
        /// The greatest size it may have.
        limit: i64,
        /// What it is.
        found: i64,
    },
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::Empty => f.write_str("no net: there are no bytes"),
            NetworkError::Unknown { first, length } => {
                let first = first[..first.len().min(*length)].escape_ascii();
                write!(f, "no net of a known kind: it begins with \"{first}\"")
            }
            NetworkError::Field { name, expected, found } => {
                write!(f, "{name}: {expected} is expected, not {found} ({found:#x})")
            }
            NetworkError::Length { expected, found } => {
                write!(f, "length: {expected} bytes are expected, not {found}")
            }
            NetworkError::Hash => f.write_str("hash: the weights are not those the SHA-256 was made of"),
            NetworkError::Range { layer, limit, found } => {
                write!(f, "{layer}: a size of at most {limit} is expected, not {found}: sums could overflow")
            }
        }
    }
}

impl Error for NetworkError {}
