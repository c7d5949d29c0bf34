//! One tag pair.

use std::ops::Range;

use super::byte_masks::Block;
use super::vectors::Vectors;

/// Where the parts of a tag are in its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tag {
    name: (usize, usize),
    value: (usize, usize),
    /// The whole tag, from `[` to behind `]`.
    pub(super) len: usize,
    /// Whether the value ends with a quote and the tag with a bracket.
    pub(super) is_closed: bool,
}

impl Tag {
    /// Reads a tag of the usual form that ends, with its line, inside the block.
    #[inline(always)]
    pub(super) fn parse_common(vectors: impl Vectors, block: &Block) -> Option<Tag> {
        let quotes = vectors.places_of(block, b'"');
        let opening = quotes.trailing_zeros() as usize;
        let closing = (quotes & quotes.wrapping_sub(1)).trailing_zeros() as usize;
        if closing > 61 {
            return None;
        }
        let odd = vectors.places_of_controls(block) | vectors.places_of(block, b'\\');
        let blanks = vectors.places_of(block, b' ');
        // Exactly `[Name "` and `"]` and the end of the line; no line ends before, no tabs, nothing escaped.
        let usual = block[0] == b'['
            && block[1].is_ascii_alphabetic()
            && blanks.trailing_zeros() as usize + 1 == opening
            && odd & ((1 << closing) - 1) == 0
            && block[closing + 1] == b']'
            && matches!(block[closing + 2], b'\n' | b'\r');
        usual.then(|| Tag {
            name: (1, opening - 1),
            value: (opening + 1, closing),
            len: closing + 2,
            is_closed: true,
        })
    }

    /// Reads `[Name "value"]` at the start of a line.
    ///
    /// The value ends at the first quote that is not escaped and has the bracket behind it. If there is none
    /// because the value contains bare quotes or ends in a backslash, it ends at the last quote of the line:
    /// the game is kept, and nothing beyond the line is swallowed. A tag that is not closed ends with its line.
    pub(super) fn parse(line: &[u8]) -> Option<Tag> {
        let start = 1 + blanks(line.get(1..)?);
        let name_len = line[start..].iter().take_while(|byte| is_name_byte(**byte)).count();
        let name = (start, start + name_len);
        let quote = name.1 + blanks(&line[name.1..]);
        if name_len == 0 || line.get(quote) != Some(&b'"') {
            return None;
        }
        let value_start = quote + 1;
        let closes = |at: usize| {
            let bracket = at + 1 + blanks(&line[at + 1..]);
            (line.get(bracket) == Some(&b']')).then_some(bracket + 1)
        };
        let mut at = value_start;
        while at < line.len() {
            match line[at] {
                b'\\' => at += 2,
                b'"' => {
                    if let Some(len) = closes(at) {
                        return Some(Tag { name, value: (value_start, at), len, is_closed: true });
                    }
                    at += 1;
                }
                _ => at += 1,
            }
        }
        let last = line.iter().rposition(|&byte| byte == b'"').filter(|&at| at >= value_start);
        let end = last.unwrap_or(line.len());
        let is_closed = last.and_then(closes).is_some();
        Some(Tag { name, value: (value_start, end), len: line.len(), is_closed })
    }

    #[inline(always)]
    pub(super) fn name<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        line.get(self.name.0..self.name.1).unwrap_or_default()
    }

    #[inline(always)]
    pub(super) fn value<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        line.get(self.value.0..self.value.1).unwrap_or_default()
    }
}

/// A tag `[Name "value"]` without escapes or extra blanks that lies, with the end of its line, within 64 bytes.
///
/// Public because it is in the signature of a hidden method of [`Visitor`](super::Visitor), but not exported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShortTag<'a> {
    block: &'a Block,
    name_end: usize,
    value_end: usize,
}

impl<'a> ShortTag<'a> {
    /// A tag found by [`Tag::parse_common`].
    #[inline(always)]
    pub(super) fn new(block: &'a Block, tag: &Tag) -> ShortTag<'a> {
        ShortTag { block, name_end: tag.name.1, value_end: tag.value.1 }
    }

    /// The name.
    #[inline]
    pub fn name(&self) -> &'a [u8] {
        &self.block[self.name_range()]
    }

    /// The value, which contains no escapes.
    #[inline]
    pub fn value(&self) -> &'a [u8] {
        &self.block[self.value_range()]
    }

    /// The tag and the text behind it: 64 bytes that begin with `[`. Copying a number of bytes known to the compiler
    /// is faster than copying the few that are needed.
    #[inline]
    pub fn block(&self) -> &'a [u8; 64] {
        self.block
    }

    /// Where in the block the name is.
    #[inline]
    pub fn name_range(&self) -> Range<usize> {
        1..self.name_end
    }

    /// Where in the block the value is.
    #[inline]
    pub fn value_range(&self) -> Range<usize> {
        self.name_end + 2..self.value_end
    }
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn is_name_byte(byte: u8) -> bool {
    byte > b' ' && byte != b'"'
}
