//! Why a library cannot be used.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use rusqlite::ErrorCode;

use crate::GameId;
use crate::query::BadQuery;

/// Why a library cannot be opened, read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum LibraryError {
    /// The file is not a library of Ferz.
    Foreign(PathBuf),
    /// A newer version of Ferz has written the file.
    Newer(PathBuf),
    /// The file is damaged.
    Damaged(String),
    /// The path does not name a plain file.
    NotAFile(PathBuf),
    /// The file cannot be opened, and why.
    Unusable(PathBuf, Box<LibraryError>),
    /// The disk is full.
    Full,
    /// The library is read-only.
    ReadOnly,
    /// A different program uses the library for too long.
    Busy,
    /// There is no such game.
    NoGame(GameId),
    /// There is no such folder.
    NoFolder(u64),
    /// The request is not allowed: a sentence says why.
    Refused(&'static str),
    /// A query that cannot be understood.
    Query(BadQuery),
    /// The file system reports an error.
    Io(io::Error),
    /// SQLite reports an error.
    Sql(rusqlite::Error),
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LibraryError::Foreign(path) => write!(f, "{}: not a library of Ferz", path.display()),
            LibraryError::Newer(path) => {
                write!(f, "{}: written by a newer version of Ferz", path.display())
            }
            LibraryError::Damaged(what) => {
                write!(f, "the library is damaged ({what}): replace it by a copy of an earlier day")
            }
            LibraryError::NotAFile(path) => write!(f, "{}: not a plain file", path.display()),
            LibraryError::Unusable(path, why) => write!(f, "{}: {why}", path.display()),
            LibraryError::Full => f.write_str("the disk is full"),
            LibraryError::ReadOnly => f.write_str("the library is read-only"),
            LibraryError::Busy => f.write_str("a different program is using the library; try again later"),
            LibraryError::NoGame(game) => write!(f, "the library has no game {game}"),
            LibraryError::NoFolder(folder) => write!(f, "the library has no folder {folder}"),
            LibraryError::Refused(why) => f.write_str(why),
            LibraryError::Query(bad) => bad.fmt(f),
            LibraryError::Io(error) => error.fmt(f),
            LibraryError::Sql(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LibraryError {
    /// What is not in the text of this error.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // The text of the error itself is part of ours.
            LibraryError::Io(error) => error.source(),
            LibraryError::Sql(error) => error.source(),
            _ => None,
        }
    }
}

impl LibraryError {
    /// Names the file in errors that do not.
    pub(crate) fn of_file(self, path: &Path) -> LibraryError {
        match self {
            LibraryError::Damaged(_)
            | LibraryError::Full
            | LibraryError::Busy
            | LibraryError::Io(_)
            | LibraryError::Sql(_) => LibraryError::Unusable(path.to_owned(), Box::new(self)),
            named => named,
        }
    }
}

impl From<rusqlite::Error> for LibraryError {
    fn from(error: rusqlite::Error) -> LibraryError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => LibraryError::Full,
            Some(ErrorCode::ReadOnly) => LibraryError::ReadOnly,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LibraryError::Busy,
            Some(ErrorCode::DatabaseCorrupt) => LibraryError::Damaged(error.to_string()),
            _ => LibraryError::Sql(error),
        }
    }
}

impl From<io::Error> for LibraryError {
    fn from(error: io::Error) -> LibraryError {
        match error.kind() {
            io::ErrorKind::StorageFull => LibraryError::Full,
            _ => LibraryError::Io(error),
        }
    }
}

impl From<BadQuery> for LibraryError {
    fn from(bad: BadQuery) -> LibraryError {
        LibraryError::Query(bad)
    }
}
