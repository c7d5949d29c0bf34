//! What has passed between a file and its reader, so that games can be copied as they are.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A longer game is none, and must not fill the memory.
const MAX_LEN: usize = 32 << 20;

/// The text of a file from some byte on. One thread reads the file, another copies from here.
#[derive(Default)]
pub(super) struct Tape(Mutex<Recording>);

#[derive(Default)]
struct Recording {
    bytes: VecDeque<u8>,
    /// How many bytes were before, and are forgotten.
    start: u64,
}

impl Tape {
    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins with another file: everything that is read of it is recorded.
    pub(super) fn record<R: Read>(&self, file: R) -> Recorder<'_, R> {
        *self.recording() = Recording::default();
        Recorder { file, tape: self }
    }

    /// A piece of text that is not forgotten.
    pub(super) fn text(&self, range: Range<u64>) -> Vec<u8> {
        let recording = self.recording();
        let index = |byte: u64| {
            let index = usize::try_from(byte.saturating_sub(recording.start)).unwrap_or(usize::MAX);
            index.min(recording.bytes.len())
        };
        recording.bytes.range(index(range.start)..index(range.end)).copied().collect()
    }

    /// Forgets what is before a byte.
    pub(super) fn forget_up_to(&self, byte: u64) {
        let Recording { bytes, start } = &mut *self.recording();
        let count = usize::try_from(byte.saturating_sub(*start)).unwrap_or(usize::MAX).min(bytes.len());
        bytes.drain(..count);
        *start += count as u64;
    }
}

/// Records what is read through it.
pub(super) struct Recorder<'a, R> {
    file: R,
    tape: &'a Tape,
}

impl<R: Read> Read for Recorder<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let bytes = &mut self.tape.recording().bytes;
        if bytes.len() > MAX_LEN {
            return Err(io::Error::other(format!("a game of more than {} MiB", MAX_LEN >> 20)));
        }
        bytes.extend(&buffer[..count]);
        Ok(count)
    }
}

/// A game without the empty lines around it, and without a byte-order mark.
pub(super) fn trim(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_forgotten_can_be_copied() {
        let tape = Tape::default();
        let mut read = Vec::new();
        tape.record(&b"0123456789"[..]).read_to_end(&mut read).expect("slices can be read");
        assert_eq!(tape.text(2..5), b"234");
        tape.forget_up_to(4);
        assert_eq!(tape.text(4..12), b"456789");
        tape.forget_up_to(100);
        assert_eq!(tape.text(4..5), b"");
        tape.record(&b"abc"[..]).read_to_end(&mut read).expect("slices can be read");
        assert_eq!(tape.text(0..1), b"a");
    }
}
