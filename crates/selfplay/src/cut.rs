//! Removing the end of a file.

use std::fs::File;
use std::io;
use std::path::Path;

/// Shortens a file to this length. A handle that appends may not do that on Windows.
pub(crate) fn cut(path: &Path, length: u64) -> io::Result<()> {
    File::options().write(true).open(path)?.set_len(length)
}
