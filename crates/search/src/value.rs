//! Values inside the search: units of the evaluation, and mates by their distance.

use ferz_eval::VALUE_LIMIT;

/// The value of a position for the side to move. From [`LONGEST_MATE`] on it is the distance of a proven mate.
pub(crate) type Value = i32;

/// The maximum ply: no line is searched further.
pub(crate) const MAX_PLY: usize = 240;

pub(crate) const DRAW: Value = 0;
pub(crate) const MATE: Value = 32_000;
/// Larger than every value.
pub(crate) const INFINITE: Value = 32_001;
/// The value of the longest mate that a search can find.
pub(crate) const LONGEST_MATE: Value = MATE - MAX_PLY as Value;

/// The side to move mates at this ply.
#[inline]
pub(crate) const fn mate_at(ply: usize) -> Value {
    MATE - ply as Value
}

/// The side to move is mated at this ply.
#[inline]
pub(crate) const fn mated_at(ply: usize) -> Value {
    ply as Value - MATE
}

/// A proven win or loss.
#[inline]
pub(crate) const fn is_decisive(value: Value) -> bool {
    value >= LONGEST_MATE || value <= -LONGEST_MATE
}

#[inline]
pub(crate) const fn is_win(value: Value) -> bool {
    value >= LONGEST_MATE
}

#[inline]
pub(crate) const fn is_loss(value: Value) -> bool {
    value <= -LONGEST_MATE
}

/// Clamps an evaluation to its range, far from proven mates.
#[inline]
pub(crate) fn clamp_estimate(value: Value) -> Value {
    value.clamp(-VALUE_LIMIT, VALUE_LIMIT)
}
