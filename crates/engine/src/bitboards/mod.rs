//! Bitboards as text: numbers in any layout, drawings and expressions. Nothing here reads files or prints.

pub(crate) mod expression;
mod layout;
mod picture;

use std::fmt;

use ferz_board::{Bitboard, Position};

pub(crate) use layout::Layout;

/// What the names in an expression refer to.
#[derive(Clone, Copy, Default)]
pub(crate) struct Context<'a> {
    /// Without one, pieces are those of the start position, and single pieces attack on an empty board.
    pub(crate) position: Option<&'a Position>,
    /// How numbers are read.
    pub(crate) layout: Layout,
}

/// Why a text is not a bitboard, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BitboardError {
    /// From 1; only in texts of several lines.
    line: Option<usize>,
    /// From 1, in characters.
    column: usize,
    message: String,
}

impl BitboardError {
    fn new(column: usize, message: impl Into<String>) -> BitboardError {
        BitboardError { line: None, column, message: message.into() }
    }
}

impl fmt::Display for BitboardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}, ")?;
        }
        write!(f, "column {}: {}", self.column, self.message)
    }
}

impl std::error::Error for BitboardError {}

/// Reads a drawing, a number or an expression.
pub(crate) fn read(text: &str, context: Context<'_>) -> Result<Bitboard, BitboardError> {
    if picture::is_drawing(text) { picture::read(text) } else { expression::evaluate(text, context) }
}
