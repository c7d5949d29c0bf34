//! The way out: whole lines, at once.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints a line, or several that belong together. The lock is held for all of it, so that threads do not get
/// into each other's lines, and nothing waits in a buffer.
pub(super) fn print(text: impl Display) -> io::Result<()> {
    let text = format!("{text}\n");
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Says something to whoever reads along.
pub(super) fn remark(text: impl Display) -> io::Result<()> {
    print(format_args!("info string {text}"))
}

/// Says that something was wrong.
pub(super) fn complain(text: impl Display) -> io::Result<()> {
    remark(format_args!("error: {text}"))
}
