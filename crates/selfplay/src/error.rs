//! Errors of this crate.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use ferz_search::OutOfMemory;
use ferz_syzygy::ProbeError;

use crate::data::header::MixedScores;

/// Why games could not be played, read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to open, read or write a file.
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file is damaged.
    Damaged(Damaged),
    /// Another process is writing to the file.
    InUse(PathBuf),
    /// A packed file cannot grow.
    Packed(PathBuf),
    /// The games of the file come from more than one run, so no run can be resumed.
    SeveralRuns(PathBuf),
    /// The file belongs to a different run.
    OtherRun {
        /// The file.
        path: PathBuf,
        /// The first setting that differs.
        difference: String,
    },
    /// Another process has changed the file since the last game was written.
    Changed {
        /// The file.
        path: PathBuf,
        /// The bytes written so far.
        written: u64,
        /// The bytes found.
        found: u64,
    },
    /// Files to merge have scores in different units.
    MixedScores(MixedScores),
    /// There is not enough memory for the engines.
    OutOfMemory(OutOfMemory),
    /// The system refused a thread.
    Thread(io::Error),
    /// A game could not be finished; later games cannot be written without it.
    GivenUp {
        /// The number of the game.
        game: u64,
    },
    /// An endgame table is damaged or cannot be read.
    Table(ProbeError),
    /// A pair of games could not be finished; later pairs do not count without it.
    PairGivenUp {
        /// The number of the pair.
        pair: u64,
    },
    /// A file of tuning is damaged, or belongs to a different run.
    #[cfg(feature = "tune")]
    TuneFile {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// What is wrong with a file, and where.
#[derive(Debug)]
pub struct Damaged {
    /// The file.
    pub path: PathBuf,
    /// The offset of the damaged game or block.
    pub offset: u64,
    /// What is wrong.
    pub reason: String,
}

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        |source| Error::Io { path, source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Error::Damaged(damaged) => damaged.fmt(f),
            Error::InUse(path) => write!(f, "{}: another process is writing to it", path.display()),
            Error::Packed(path) => write!(f, "{}: a packed file cannot grow", path.display()),
            Error::SeveralRuns(path) => {
                write!(
                    f,
                    "{}: the games come from more than one run, so it cannot be resumed",
                    path.display()
                )
            }
            Error::OtherRun { path, difference } => {
                write!(f, "{}: cannot resume this run: {difference}", path.display())
            }
            Error::Changed { path, written, found } => write!(
                f,
                "{}: another process has changed it: {written} bytes were written, {found} were found",
                path.display()
            ),
            Error::MixedScores(error) => error.fmt(f),
            Error::OutOfMemory(error) => error.fmt(f),
            Error::Thread(error) => write!(f, "cannot start a thread: {error}"),
            Error::GivenUp { game } => write!(f, "game {game} could not be finished"),
            Error::Table(error) => error.fmt(f),
            Error::PairGivenUp { pair } => write!(f, "pair {pair} could not be finished"),
            #[cfg(feature = "tune")]
            Error::TuneFile { path, line, reason } => {
                write!(f, "{}: line {line}: {reason}", path.display())
            }
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            // Their texts are already part of this error's text.
            Error::Io { source, .. } | Error::Thread(source) => source.source(),
            _ => None,
        }
    }
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: at byte {}: {}", self.path.display(), self.offset, self.reason)
    }
}

impl StdError for Damaged {}

impl From<Damaged> for Error {
    fn from(damaged: Damaged) -> Error {
        Error::Damaged(damaged)
    }
}

impl From<OutOfMemory> for Error {
    fn from(error: OutOfMemory) -> Error {
        Error::OutOfMemory(error)
    }
}

impl From<MixedScores> for Error {
    fn from(error: MixedScores) -> Error {
        Error::MixedScores(error)
    }
}
