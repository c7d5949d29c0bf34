//! Files that grow while games are played.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::Error;

/// Locks a file until it is closed: two processes that write to it would spoil it.
pub(crate) fn lock(file: &File, path: &Path) -> Result<(), Error> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::InUse(path.to_owned())),
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Shortens a file and goes to its end. On Windows a handle that only appends may not do that.
#[cfg(any(feature = "sample", feature = "tune"))]
pub(crate) fn cut(file: &mut File, length: u64) -> std::io::Result<()> {
    use std::io::{Seek, SeekFrom};

    file.set_len(length)?;
    file.seek(SeekFrom::Start(length)).map(drop)
}
