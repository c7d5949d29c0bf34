//! What the accumulators have to know of a net, whatever its kind.

use ferz_board::{Color, Piece, Square};

use super::block::Block;

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
    /// The value for the side to move, from its accumulator and the other side's.
    fn output(&self, own: &[Block], other: &[Block], pieces: u32) -> i32;
}
