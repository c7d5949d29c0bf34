//! The headers of frames (RFC 8878, section 3.1).

use std::io::{self, BufRead, Read};

use super::{Failure, ZstProblem};

/// How a frame begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Magic {
    Data,
    Skippable,
}

impl Magic {
    pub(super) fn of(first: &[u8]) -> Option<Magic> {
        match u32::from_le_bytes(*first.first_chunk()?) {
            0xfd2f_b528 => Some(Magic::Data),
            // The last four bits are the user's.
            0x184d_2a50..=0x184d_2a5f => Some(Magic::Skippable),
            _ => None,
        }
    }
}

/// The start of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frame {
    Data(FrameHeader),
    Skippable { len: u64 },
}

/// The header of a frame with data.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameHeader {
    bytes: [u8; FrameHeader::MAX_LEN],
    len: usize,
    /// How much text must be kept in memory.
    pub(super) window: u64,
    pub(super) content_len: Option<u64>,
    pub(super) has_dictionary: bool,
}

impl FrameHeader {
    /// Magic, descriptor, window, dictionary, content size.
    const MAX_LEN: usize = 4 + 1 + 1 + 4 + 8;

    /// The header as it is in the file.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Reads some more bytes of the header as one number.
    fn number(&mut self, input: &mut impl Read, len: usize) -> io::Result<u64> {
        let field = &mut self.bytes[self.len..self.len + len];
        input.read_exact(field)?;
        self.len += len;
        Ok(field.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }
}

impl Frame {
    /// Reads the start of the next frame; `None` at the end of the file.
    pub(super) fn read(input: &mut impl BufRead) -> Result<Option<Frame>, Failure> {
        if input.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let mut header = FrameHeader {
            bytes: [0; FrameHeader::MAX_LEN],
            len: 0,
            window: 0,
            content_len: None,
            has_dictionary: false,
        };
        header.number(input, 4)?;
        match Magic::of(&header.bytes) {
            Some(Magic::Data) => {}
            Some(Magic::Skippable) => return Ok(Some(Frame::Skippable { len: header.number(input, 4)? })),
            None => return Err(ZstProblem::NotAFrame.into()),
        }
        let descriptor = header.number(input, 1)?;
        let is_single_segment = descriptor & 0x20 != 0;
        if descriptor & 0x08 != 0 {
            return Err(ZstProblem::Damaged("a reserved bit is set".to_owned()).into());
        }
        if !is_single_segment {
            let window = header.number(input, 1)?;
            let base = 1 << (10 + (window >> 3));
            header.window = base + base / 8 * (window & 7);
        }
        let id_len = [0, 1, 2, 4][(descriptor & 3) as usize];
        header.has_dictionary = header.number(input, id_len)? != 0;
        let content_len = match (descriptor >> 6, is_single_segment) {
            (0, false) => None,
            (0, true) => Some(header.number(input, 1)?),
            (1, _) => Some(header.number(input, 2)? + 256),
            (2, _) => Some(header.number(input, 4)?),
            _ => Some(header.number(input, 8)?),
        };
        header.content_len = content_len;
        if is_single_segment {
            header.window = content_len.unwrap_or(0);
        }
        Ok(Some(Frame::Data(header)))
    }
}
