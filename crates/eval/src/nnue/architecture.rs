//! What the accumulators have to know of a net, whatever its kind.

use ferz_board::{Color, Piece, Square};

use super::block::Block;
use super::kernels::Sink;
use super::rows::Rows;
use super::simd::Best;

/// A net whose first layer sees the pieces on their squares, once as White does and once as Black does.
pub(super) trait Architecture {
    /// How many zones there are for the king.
    const ZONES: usize;

    /// Where the king stands, as far as it matters to how its side sees the pieces. Accumulators of different zones
    /// have nothing in common.
    fn zone(perspective: Color, king: Square) -> usize;
    /// Whether the net sees the kings among the pieces.
    const SEES_KINGS: bool;
    /// The number of the row of weights of a piece that the net sees on a square.
    fn row(perspective: Color, zone: usize, piece: Piece, square: Square) -> u32;

    /// The width of an accumulator in blocks.
    fn width(&self) -> usize;
    /// An accumulator without pieces.
    fn biases(&self) -> &[Block];
    /// How rows of weights are stored.
    type Rows: Rows;
    fn rows(&self) -> &Self::Rows;

    /// What the layers behind the accumulators want of one of them.
    type Sink<'a>: Sink<Best>
    where
        Self: 'a;
    /// For the accumulator of the side to move or of the other side, with so many pieces on the board.
    fn sink(&self, whose: Whose, pieces: u32) -> Self::Sink<'_>;
    /// The value for the side to move, from all blocks of its accumulator and of the other side's.
    fn value(&self, own: Self::Sink<'_>, other: Self::Sink<'_>, pieces: u32) -> i32;
}

/// Whose accumulator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Whose {
    /// That of the side to move.
    Own,
    Other,
}
