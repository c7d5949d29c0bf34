//! Standard output: whole lines, flushed at once.

use std::fmt::Display;
use std::io::{self, Write};

use crate::terminal::visible;

/// Prints a line, or several that belong together. The lock is held for the whole text, so the lines of two threads
/// do not mix.
pub(super) fn print(text: impl Display) -> io::Result<()> {
    let text = format!("{text}\n");
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints `info string …`, with control characters made visible: the text may quote a command or a file.
pub(super) fn print_info(text: impl Display) -> io::Result<()> {
    print(format_args!("info string {}", visible(text.to_string().as_bytes()).replace('\n', " ")))
}

/// Prints `info string error: …`.
pub(super) fn print_error(text: impl Display) -> io::Result<()> {
    print_info(format_args!("error: {text}"))
}
