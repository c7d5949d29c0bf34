//! The bytes of a file through a buffer of constant size, and where in the file they are.

use std::io::{self, Read};

use super::byte_masks::Block;

/// Bytes read at a time.
const CHUNK: usize = 32 << 10;
/// Zeros behind the last byte, so that a word or a block can be loaded anywhere.
pub(super) const PADDING: usize = 64;
/// The buffer grows up to this size for a piece that must be in it as a whole (a tag).
const MAX_CHUNK: usize = 1 << 20;

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Bytes before it.
    pub byte: u64,
    /// The line, from 1.
    pub line: u64,
    /// The byte in the line, from 1.
    pub column: u64,
}

/// A window that moves over the input.
pub(super) struct Input<R> {
    reader: R,
    /// One byte that has been passed (a line feed at the start of the file), then the window, then zeros.
    buffer: Vec<u8>,
    /// The next byte to look at; at least 1.
    cursor: usize,
    /// Behind the last byte.
    end: usize,
    /// Lines are counted up to this byte.
    counted: usize,
    /// Where it is in the file, if no line begins right there.
    place: Place,
    at_end: bool,
}

impl<R: Read> Input<R> {
    pub(super) fn new(reader: R) -> Input<R> {
        let mut buffer = vec![0; 1 + CHUNK + PADDING];
        buffer[0] = b'\n';
        // The line feed before the file begins line 1.
        let place = Place { byte: 0, line: 0, column: 0 };
        Input { reader, buffer, cursor: 1, end: 1, counted: 1, place, at_end: false }
    }

    /// The bytes in the window from the cursor on.
    #[inline(always)]
    pub(super) fn rest(&self) -> &[u8] {
        &self.buffer[self.cursor..self.end]
    }

    /// The next byte, zero at the end of the input.
    #[inline(always)]
    pub(super) fn byte(&self) -> u8 {
        self.buffer[self.cursor]
    }

    /// The next 64 bytes, zeros behind the end.
    #[inline(always)]
    pub(super) fn block(&self) -> &Block {
        const NOTHING: &Block = &[0; PADDING];
        self.buffer[self.cursor..].first_chunk::<PADDING>().unwrap_or(NOTHING)
    }

    /// The bytes from the cursor on, to be walked through without moving it.
    #[inline(always)]
    pub(super) fn window(&self) -> Window<'_> {
        let padded = &self.buffer[self.cursor..];
        let len = self.end - self.cursor;
        Window { padded, blocks: if self.at_end { len } else { len.saturating_sub(PADDING) } }
    }

    #[inline(always)]
    pub(super) fn is_at_line_start(&self) -> bool {
        matches!(self.buffer[self.cursor - 1], b'\n' | b'\r')
    }

    pub(super) fn is_at_file_start(&self) -> bool {
        self.offset() == 0
    }

    /// Whether the window, from the cursor on, has no room for more.
    pub(super) fn is_full(&self) -> bool {
        self.end - self.cursor == self.buffer.len() - PADDING - 1
    }

    /// Whether the window does not reach the end of the input, as far as is known.
    pub(super) fn has_more(&self) -> bool {
        !self.at_end
    }

    /// Moves the cursor forward, not beyond the window.
    #[inline(always)]
    pub(super) fn advance(&mut self, by: usize) {
        self.cursor = self.cursor.saturating_add(by).min(self.end);
    }

    /// Makes sure that 64 bytes are in the window, or all that are left; whether there is any.
    #[inline(always)]
    pub(super) fn look_ahead(&mut self) -> io::Result<bool> {
        if self.end - self.cursor < PADDING && !self.at_end {
            self.refill(PADDING)?;
        }
        Ok(self.cursor < self.end)
    }

    /// Reads until `wanted` bytes are in the window or the input ends.
    #[cold]
    #[inline(never)]
    fn refill(&mut self, wanted: usize) -> io::Result<()> {
        // The byte before the cursor stays: it decides whether a line starts here.
        self.count_lines();
        self.counted = 1;
        self.buffer.copy_within(self.cursor - 1..self.end, 0);
        self.end -= self.cursor - 1;
        self.cursor = 1;
        while self.end - 1 < wanted && !self.at_end {
            let room = self.buffer.len() - PADDING;
            match self.reader.read(&mut self.buffer[self.end..room]) {
                Ok(0) => self.at_end = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.buffer[self.end..self.end + PADDING].fill(0);
        Ok(())
    }

    /// Brings more of the input into the window while the cursor stays; false at the end of the input, or if the
    /// window cannot grow.
    pub(super) fn extend(&mut self) -> io::Result<bool> {
        let have = self.end - self.cursor;
        if self.at_end {
            return Ok(false);
        }
        if self.is_full() {
            if have >= MAX_CHUNK {
                return Ok(false);
            }
            self.buffer.resize(1 + 2 * have + PADDING, 0);
        }
        self.refill(have + 1)?;
        Ok(self.end - self.cursor > have)
    }

    /// How many bytes of the file are before the cursor.
    #[inline(always)]
    pub(super) fn offset(&self) -> u64 {
        self.place.byte + (self.cursor - self.counted) as u64
    }

    /// Where the cursor is in the file.
    pub(super) fn here(&mut self) -> Place {
        self.count_lines();
        let Place { byte, line, .. } = self.place;
        if begins_line(self.buffer[self.cursor - 1], self.buffer[self.cursor]) {
            Place { byte, line: line + 1, column: 1 }
        } else {
            self.place
        }
    }

    /// Counts the lines that begin before the cursor, each byte once.
    fn count_lines(&mut self) {
        let before = &self.buffer[self.counted - 1..self.cursor - 1];
        let bytes = &self.buffer[self.counted..self.cursor];
        let last = before.iter().zip(bytes).rposition(|(&before, &byte)| begins_line(before, byte));
        self.place = Place {
            byte: self.offset(),
            line: self.place.line + count_lines(before, bytes),
            column: last.map_or(self.place.column, |_| 1) + (bytes.len() - last.unwrap_or(0)) as u64,
        };
        self.counted = self.cursor;
    }
}

/// Whether a line begins with a byte. The one before ends with LF, CR LF or, in very old files, CR.
#[inline(always)]
fn begins_line(before: u8, byte: u8) -> bool {
    (before == b'\n') | (before == b'\r') & (byte != b'\n')
}

/// How many lines begin with one of these bytes, each given with the one before it.
fn count_lines(before: &[u8], bytes: &[u8]) -> u64 {
    // So few that a byte can count them, and a vector 64 at a time.
    const GROUP: usize = 192;
    let count = |before: &[u8], bytes: &[u8]| {
        let begins = before.iter().zip(bytes).map(|(&before, &byte)| u8::from(begins_line(before, byte)));
        u64::from(begins.sum::<u8>())
    };
    before.chunks(GROUP).zip(bytes.chunks(GROUP)).map(|(before, bytes)| count(before, bytes)).sum()
}

/// Bytes of the input and zeros behind them.
#[derive(Clone, Copy)]
pub(super) struct Window<'a> {
    padded: &'a [u8],
    /// Blocks that start before this are whole, or cut off by the end of the input.
    blocks: usize,
}

impl<'a> Window<'a> {
    #[inline(always)]
    pub(super) fn byte(self, at: usize) -> Option<u8> {
        self.padded.get(at).copied()
    }

    /// 64 bytes; `None` if they are not all in the window although the input goes on.
    #[inline(always)]
    pub(super) fn block(self, at: usize) -> Option<&'a Block> {
        if at < self.blocks { self.padded.get(at..)?.first_chunk() } else { None }
    }

    /// Eight bytes, the first one lowest.
    #[inline(always)]
    pub(super) fn word(self, at: usize) -> u64 {
        match self.padded.get(at..).and_then(|bytes| bytes.first_chunk::<8>()) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => 0,
        }
    }

    #[inline(always)]
    pub(super) fn slice(self, at: usize, len: usize) -> &'a [u8] {
        self.padded.get(at..at + len).unwrap_or_default()
    }
}

impl<R> core::fmt::Debug for Input<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Input({:?}, {} bytes in the window)", self.place, self.end - self.cursor)
    }
}
