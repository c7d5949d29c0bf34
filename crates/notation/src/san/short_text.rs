//! Short texts on the stack.

use std::fmt;

use ferz_board::{PieceType, Square};

/// At most `N` bytes of ASCII. The rest is cut off, so `N` must be large enough for all texts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ShortText<const N: usize> {
    bytes: [u8; N],
    len: u8,
}

impl<const N: usize> ShortText<N> {
    pub(crate) const fn new() -> ShortText<N> {
        const { assert!(N <= u8::MAX as usize) };
        ShortText { bytes: [0; N], len: 0 }
    }

    /// The whole text, if it is ASCII and fits.
    pub(crate) const fn of(text: &str) -> Option<ShortText<N>> {
        if !text.is_ascii() || text.len() > N {
            return None;
        }
        let mut short = ShortText::new();
        short.push_str(text);
        Some(short)
    }

    #[inline]
    pub(crate) const fn push(&mut self, byte: u8) {
        debug_assert!(byte.is_ascii());
        if (self.len as usize) < N {
            self.bytes[self.len as usize] = byte;
            self.len += 1;
        }
    }

    pub(crate) const fn push_str(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while let [byte, after @ ..] = rest {
            self.push(*byte);
            rest = after;
        }
    }

    #[inline]
    pub(crate) fn push_square(&mut self, square: Square) {
        self.push(square.file().to_char() as u8);
        self.push(square.rank().to_char() as u8);
    }

    /// The capital letter of a piece.
    #[inline]
    pub(crate) fn push_piece(&mut self, piece_type: PieceType) {
        self.push(piece_type.to_char().to_ascii_uppercase() as u8);
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

impl<const N: usize> fmt::Display for ShortText<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
