//! Values inside the search: units of the evaluation, wins known from tables, and mates by their distance.

use ferz_eval::VALUE_LIMIT;

/// The value of a position for the side to move. From [`LONGEST_MATE`] on it is the distance of a proven
/// mate, from [`LONGEST_TB_WIN`] on that of a win known from endgame tables.
pub(crate) type Value = i32;

/// The maximum ply: no line is searched further.
///
/// The stack of a browser's worker is small, and searches may be nested there.
pub(crate) const MAX_PLY: usize = if cfg!(target_family = "wasm") { 160 } else { 240 };

pub(crate) const DRAW: Value = 0;
pub(crate) const MATE: Value = 32_000;
/// Larger than every value.
pub(crate) const INFINITE: Value = 32_001;
/// The value of the longest mate that a search can find.
pub(crate) const LONGEST_MATE: Value = MATE - MAX_PLY as Value;

/// A win by the endgame tables that is reached at the root. Between evaluations and mates.
pub(crate) const TB_WIN: Value = 30_000;
/// The value of the most distant win by the tables. A stored distance and a ply may add up.
pub(crate) const LONGEST_TB_WIN: Value = TB_WIN - 2 * MAX_PLY as Value;
/// A win by the tables that the 50-move rule makes a draw: better than other draws.
pub(crate) const CURSED_WIN: Value = 2;

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

/// A proven win or loss: a mate, or a result of the tables.
#[inline]
pub(crate) const fn is_decisive(value: Value) -> bool {
    is_win(value) || is_loss(value)
}

#[inline]
pub(crate) const fn is_win(value: Value) -> bool {
    value >= LONGEST_TB_WIN
}

#[inline]
pub(crate) const fn is_loss(value: Value) -> bool {
    value <= -LONGEST_TB_WIN
}

/// A proven mate of either side.
#[inline]
pub(crate) const fn is_mate(value: Value) -> bool {
    value >= LONGEST_MATE || value <= -LONGEST_MATE
}

/// Clamps an evaluation to its range, far from proven results.
#[inline]
pub(crate) fn clamp_estimate(value: Value) -> Value {
    value.clamp(-VALUE_LIMIT, VALUE_LIMIT)
}
