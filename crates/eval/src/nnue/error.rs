//! Errors of net files.

use std::error::Error;
use std::fmt;

/// Why bytes are not a valid net.
///
/// The message names the field, what it must be, and what it is:
///
/// ```
/// use ferz_eval::Network;
///
/// let error = Network::from_bytes(b"<html>404 not found</html>").unwrap_err();
/// assert_eq!(error.to_string(), "unknown net format: the file begins with \"<html>40\"");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NetworkError {
    /// There are no bytes.
    Empty,
    /// The first bytes are not those of a supported format.
    Unknown {
        /// The first bytes; if there are fewer, zeros follow.
        first: [u8; 8],
        /// The number of bytes.
        length: usize,
    },
    /// A field of the header has an invalid value.
    Field {
        /// The name of the field.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: u64,
    },
    /// There are too few or too many bytes.
    Length {
        /// The number of bytes that the header asks for.
        expected: u64,
        /// The number of bytes.
        found: u64,
    },
    /// The SHA-256 in the header is not that of the net: the file is damaged.
    Hash,
    /// A weight or bias is so large that sums could overflow.
    Range {
        /// Which kind of weight or bias.
        layer: &'static str,
        /// The greatest valid size.
        limit: i64,
        /// What it is.
        found: i64,
    },
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::Empty => f.write_str("the net file is empty"),
            NetworkError::Unknown { first, length } => {
                let first = first[..first.len().min(*length)].escape_ascii();
                write!(f, "unknown net format: the file begins with \"{first}\"")
            }
            NetworkError::Field { name, expected, found } => {
                write!(f, "{name}: expected {expected}, found {found} ({found:#x})")
            }
            NetworkError::Length { expected, found } => {
                write!(f, "length: expected {expected} bytes, found {found}")
            }
            NetworkError::Hash => f.write_str("SHA-256 mismatch: the net file is damaged"),
            NetworkError::Range { layer, limit, found } => {
                write!(f, "{layer}: expected a size of at most {limit}, found {found}: sums could overflow")
            }
        }
    }
}

impl Error for NetworkError {}
