//! Why a book cannot be read.

use std::{fmt, io};

/// Why a book could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum BookError {
    /// The length is not a multiple of 16.
    OddTail {
        /// Where the incomplete record begins.
        offset: u64,
        /// How long it is.
        bytes: usize,
    },
    /// The book is longer than the caller allows.
    TooLong {
        /// What is allowed, in bytes.
        limit: u64,
    },
    /// The records are not in the order of their keys, so a position cannot be looked up.
    Unsorted {
        /// Where a record begins that is out of order.
        offset: u64,
    },
    /// The book became shorter while it was in use.
    Truncated {
        /// Where the record that is missing should begin.
        offset: u64,
    },
    /// The reader failed.
    Io(io::Error),
}

impl BookError {
    /// A short name for scripts, e.g. `odd-tail`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            BookError::OddTail { .. } => "odd-tail",
            BookError::TooLong { .. } => "too-long",
            BookError::Unsorted { .. } => "unsorted",
            BookError::Truncated { .. } => "truncated",
            BookError::Io(_) => "io",
        }
    }
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookError::OddTail { offset, bytes } => {
                write!(
                    f,
                    "the book ends within a record: at offset {offset} there are {bytes} bytes instead of 16"
                )
            }
            BookError::TooLong { limit } => write!(f, "the book is longer than {limit} bytes"),
            BookError::Unsorted { offset } => {
                write!(f, "the book is not sorted: the record at offset {offset} is out of order")
            }
            BookError::Truncated { offset } => {
                write!(f, "the book was truncated: the record at offset {offset} is gone")
            }
            BookError::Io(error) => write!(f, "the book cannot be read: {error}"),
        }
    }
}

impl std::error::Error for BookError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BookError::Io(error) => Some(error),
            BookError::OddTail { .. }
            | BookError::TooLong { .. }
            | BookError::Unsorted { .. }
            | BookError::Truncated { .. } => None,
        }
    }
}

impl From<io::Error> for BookError {
    fn from(error: io::Error) -> BookError {
        BookError::Io(error)
    }
}
