//! What the accumulators have to know of a net, whatever its kind.

use ferz_board::{Color, Piece, Square};

use super::block::Block;
use super::kernels::Sink;
use super::simd::Best;

/// A net whose first layer sees the pieces on their squares, once as White does and once as Black does.
pub(super) trait Architecture {
    /// How many zones there are for the king.
    const ZONES: usize;

    /// Where the king stands, as far as it matters to how its side sees the pieces. Accumulators of different zones
    /// have nothing in common.
    fn zone(perspective: Color, king: Square) -> usize;
    /// The number of the row of weights of a piece on a square; none if the net does not see it.
    fn row(perspective: Color, zone: usize, piece: Piece, square: Square) -> Option<u32>;

    /// The width of an accumulator in blocks.
    fn width(&self) -> usize;
    /// An accumulator without pieces.
    fn biases(&self) -> &[Block];
    /// Row after row.
    fn weights(&self) -> &[Block];
    /// The layers behind the accumulators, for so many pieces on the board.
    fn head(&self, pieces: u32) -> impl Head;
}

/// What makes a value of two accumulators, whose blocks it takes as they are computed.
pub(super) trait Head {
    /// Where the accumulator of the side to move goes, or that of the other side.
    fn sink(&mut self, half: Half) -> impl Sink<Best>;
    /// The value for the side to move, after all blocks of both were taken.
    fn value(self) -> i32;
}

/// Whose accumulator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Half {
    /// Of the side to move.
    Own,
    Other,
}
