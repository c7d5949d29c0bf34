//! Reading the head of a table file, field by field.

use crate::Damage;

/// A place in the head of a file.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    pub(crate) fn position(&self) -> u64 {
        self.at as u64
    }

    pub(crate) fn take<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let bytes = self.bytes[self.at..].first_chunk().ok_or(Damage::Truncated)?;
        self.at += N;
        Ok(*bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Damage> {
        self.take().map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Damage> {
        self.take().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Damage> {
        self.take().map(u32::from_le_bytes)
    }

    /// Goes on to a multiple of this.
    pub(crate) fn align(&mut self, to: usize) -> Result<(), Damage> {
        self.at = self.at.next_multiple_of(to);
        if self.at <= self.bytes.len() { Ok(()) } else { Err(Damage::Truncated) }
    }
}
