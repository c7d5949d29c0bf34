//! Keeping the text that the reader has consumed, so that games can be copied unchanged.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The maximum size of a game. A larger one is not a real game and must not fill the memory.
const MAX_LEN: usize = 32 << 20;

/// The recent text of a file. One thread reads the file, another copies games from here.
#[derive(Default)]
pub(super) struct Tape(Mutex<Recording>);

#[derive(Default)]
struct Recording {
    bytes: VecDeque<u8>,
    /// The number of bytes dropped before.
    start: u64,
}

impl Tape {
    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts to record a new file.
    pub(super) fn record<R: Read>(&self, file: R) -> Recorder<'_, R> {
        *self.recording() = Recording::default();
        Recorder { file, tape: self }
    }

    /// A range of the text that has not been dropped.
    pub(super) fn text(&self, range: Range<u64>) -> Vec<u8> {
        let recording = self.recording();
        let index = |byte: u64| {
            let index = usize::try_from(byte.saturating_sub(recording.start)).unwrap_or(usize::MAX);
            index.min(recording.bytes.len())
        };
        recording.bytes.range(index(range.start)..index(range.end)).copied().collect()
    }

    /// Drops the text before a byte.
    pub(super) fn drop_before(&self, byte: u64) {
        let Recording { bytes, start } = &mut *self.recording();
        let count = usize::try_from(byte.saturating_sub(*start)).unwrap_or(usize::MAX).min(bytes.len());
        bytes.drain(..count);
        *start += count as u64;
    }
}

/// Records everything that is read through it.
pub(super) struct Recorder<'a, R> {
    file: R,
    tape: &'a Tape,
}

impl<R: Read> Read for Recorder<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let bytes = &mut self.tape.recording().bytes;
        if bytes.len() > MAX_LEN {
            return Err(io::Error::other(format!("a game is longer than {} MiB", MAX_LEN >> 20)));
        }
        bytes.extend(&buffer[..count]);
        Ok(count)
    }
}

/// A game without surrounding white space and byte-order mark.
pub(super) fn trim(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii()
}

/// What ends the lines of a game. A lone carriage return inside a comment is not a line end.
pub(super) fn line_end(text: &[u8]) -> &'static [u8] {
    match text.iter().position(|&byte| byte == b'\n') {
        Some(at) if text[..at].ends_with(b"\r") => b"\r\n",
        Some(_) => b"\n",
        None if text.contains(&b'\r') => b"\r",
        None => b"\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_was_not_dropped_can_be_copied() {
        let tape = Tape::default();
        let mut read = Vec::new();
        tape.record(&b"0123456789"[..]).read_to_end(&mut read).expect("slices can be read");
        assert_eq!(tape.text(2..5), b"234");
        tape.drop_before(4);
        assert_eq!(tape.text(4..12), b"456789");
        tape.drop_before(100);
        assert_eq!(tape.text(4..5), b"");
        tape.record(&b"abc"[..]).read_to_end(&mut read).expect("slices can be read");
        assert_eq!(tape.text(0..1), b"a");
    }

    #[test]
    fn games_keep_their_line_ends() {
        assert_eq!(line_end(b"[Event \"a\"]\n\n1. e4 {a\rb} *"), b"\n");
        assert_eq!(line_end(b"[Event \"a\"]\r\n\r\n1. e4 {a\nb} *"), b"\r\n");
        assert_eq!(line_end(b"[Event \"a\"]\r\r1. e4 *"), b"\r");
        assert_eq!(line_end(b"1. e4 *"), b"\n");
    }
}
