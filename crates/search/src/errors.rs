//! Why a setting of an engine was refused.

use std::fmt;

/// There is not enough memory for a transposition table or for the tables of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct OutOfMemory {
    /// The amount that was asked for, in MiB.
    pub mebibytes: usize,
}

impl OutOfMemory {
    /// There is not enough memory for this amount.
    #[must_use]
    pub const fn new(mebibytes: usize) -> OutOfMemory {
        OutOfMemory { mebibytes }
    }
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not enough memory for {} MiB", self.mebibytes)
    }
}

impl std::error::Error for OutOfMemory {}

/// Why an engine cannot have this number of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ThreadsError {
    /// There is not enough memory for their tables.
    Memory(OutOfMemory),
    /// The system refuses to start them.
    Refused {
        /// The number of threads that could be started.
        possible: usize,
    },
}

impl fmt::Display for ThreadsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ThreadsError::Memory(error) => error.fmt(f),
            ThreadsError::Refused { possible } => write!(f, "the system gives no more than {possible}"),
        }
    }
}

impl std::error::Error for ThreadsError {}

impl From<OutOfMemory> for ThreadsError {
    fn from(error: OutOfMemory) -> ThreadsError {
        ThreadsError::Memory(error)
    }
}
