//! Errors of an index.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::LibraryError;

/// Why an index cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum IndexError {
    /// A file cannot be read or written.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file is damaged, or was written by a different version. The index must be built again.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A different process is writing to the index.
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The games cannot be read.
    Games(io::Error),
    /// The library of the games cannot be read.
    Library(LibraryError),
}

impl IndexError {
    /// Whether building the index again helps.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(self, IndexError::Damaged { .. })
    }

    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> IndexError {
        let path = path.to_owned();
        |error| IndexError::Io { path, error }
    }

    pub(super) fn damaged(path: &Path, reason: &'static str) -> IndexError {
        IndexError::Damaged { path: path.to_owned(), reason }
    }
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexError::Io { path, error } => write!(f, "{}: {error}", path.display()),
            IndexError::Damaged { path, reason } => write!(f, "{}: damaged: {reason}", path.display()),
            IndexError::Locked { path } => write!(f, "{}: in use by a different process", path.display()),
            IndexError::Games(error) => write!(f, "cannot read the games: {error}"),
            IndexError::Library(error) => error.fmt(f),
        }
    }
}

impl Error for IndexError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            IndexError::Io { error, .. } | IndexError::Games(error) => Some(error),
            IndexError::Library(error) => Some(error),
            IndexError::Damaged { .. } | IndexError::Locked { .. } => None,
        }
    }
}

/// The games are what is read from outside.
impl From<io::Error> for IndexError {
    fn from(error: io::Error) -> IndexError {
        IndexError::Games(error)
    }
}

impl From<LibraryError> for IndexError {
    fn from(error: LibraryError) -> IndexError {
        IndexError::Library(error)
    }
}
