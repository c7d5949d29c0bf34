//! What the accumulators have to know about a net, whatever its architecture.

use ferz_board::{Color, Piece, Square};

use super::aligned::I16x32;
use super::feature_weights::FeatureWeights;
use super::kernels::Sink;
use super::simd::Vector;

/// A net whose feature transformer sees the pieces on their squares, from White's perspective and from Black's.
pub(super) trait Architecture {
    /// How many king buckets there are.
    fn king_buckets(&self) -> usize;
    /// The king bucket: the part of the king's square that its side's features depend on. Accumulators of different
    /// buckets have nothing in common.
    fn king_bucket(&self, perspective: Color, king: Square) -> usize;
    /// Whether kings have features like all other pieces.
    const HAS_KING_FEATURES: bool;
    /// The feature index of a piece on a square: the row of its weights.
    fn feature(perspective: Color, king_bucket: usize, piece: Piece, square: Square) -> u32;

    /// The length of an accumulator, in vectors.
    fn width(&self) -> usize;
    /// The accumulator of an empty board.
    fn biases(&self) -> &[I16x32];
    /// How the weights of the feature transformer are stored.
    type Weights: FeatureWeights;
    fn weights(&self) -> &Self::Weights;

    /// What the layers behind the accumulators take from one of them.
    type Sink<'a, V: Vector>: Sink<V>
    where
        Self: 'a;
    /// The sink of one perspective's accumulator; the number of pieces on the board selects the output bucket.
    fn sink<V: Vector>(&self, perspective: Perspective, pieces: u32) -> Self::Sink<'_, V>;
    /// Propagates through the layers behind the accumulators: the value for the side to move.
    fn propagate<V: Vector>(&self, us: Self::Sink<'_, V>, them: Self::Sink<'_, V>, pieces: u32) -> i32;
}

/// Whose perspective an accumulator has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Perspective {
    /// That of the side to move.
    Us,
    /// That of the opponent.
    Them,
}
