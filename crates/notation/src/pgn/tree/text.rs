//! All text of a game in one piece of memory.

use std::borrow::Cow;

use crate::pgn;

/// The bytes of tags and comments, as they came. Text that is replaced stays until the tree is compacted.
#[derive(Clone, Debug, Default)]
pub(super) struct TextStore {
    bytes: Vec<u8>,
    is_truncated: bool,
}

/// Where in the store a text is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// A part of it.
    #[inline]
    pub(super) fn part(self, from: usize, to: usize) -> Span {
        let at = |place: usize| self.start.saturating_add(place as u32).min(self.end);
        Span { start: at(from), end: at(to) }
    }
}

impl TextStore {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.is_truncated = false;
    }

    pub(super) fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Appends a text, or as much of it as there is room for.
    #[inline]
    pub(super) fn push(&mut self, text: &[u8]) -> Span {
        let start = self.end();
        self.extend(text);
        self.span_from(start)
    }

    /// Appends a block whose size is known beforehand, which is faster than copying a few bytes of it.
    #[inline]
    pub(super) fn push_block(&mut self, block: &[u8; 64]) -> Span {
        self.push(block)
    }

    /// Where the next text will start.
    #[inline]
    pub(super) fn end(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Everything from a place on.
    #[inline]
    pub(super) fn span_from(&self, start: u32) -> Span {
        Span { start, end: self.end() }
    }

    /// Appends a part of a text.
    #[inline]
    pub(super) fn extend(&mut self, part: &[u8]) {
        let room = u32::MAX as usize - self.bytes.len();
        self.is_truncated |= part.len() > room;
        self.bytes.extend_from_slice(&part[..part.len().min(room)]);
    }

    #[inline]
    pub(super) fn bytes(&self, span: Span) -> &[u8] {
        self.bytes.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    pub(super) fn text(&self, span: Span) -> Cow<'_, str> {
        decode(self.bytes(span))
    }

    /// Movetext: UTF-8, with bytes that are not read as Latin-1. (So words that are UTF-8 stay what they are.)
    pub(super) fn unread(&self, span: Span) -> Cow<'_, str> {
        let bytes = self.bytes(span);
        str::from_utf8(bytes).map_or_else(
            |_| {
                let mut text = String::with_capacity(bytes.len());
                for chunk in bytes.utf8_chunks() {
                    text.push_str(chunk.valid());
                    text.extend(chunk.invalid().iter().map(|&byte| char::from(byte)));
                }
                Cow::Owned(text)
            },
            Cow::Borrowed,
        )
    }

    /// Appends a copy of texts, with a blank between them and brackets around.
    pub(super) fn push_in_brackets(&mut self, texts: &[Span]) -> Span {
        let start = self.end();
        let mut before: &[u8] = b"(";
        for text in texts {
            self.extend(before);
            let copy = self.bytes(*text).to_vec();
            self.extend(&copy);
            before = b" ";
        }
        self.extend(b")");
        self.span_from(start)
    }

    /// A tag's value, which is stored with its escapes.
    pub(super) fn tag_value(&self, span: Span) -> Cow<'_, str> {
        let bytes = self.bytes(span);
        if bytes.contains(&b'\\') { Cow::Owned(pgn::tag_value(bytes)) } else { decode(bytes) }
    }
}

/// UTF-8, or else Latin-1.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(pgn::text(bytes)),
    }
}
