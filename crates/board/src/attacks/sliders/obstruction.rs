//! Sliders by obstruction difference: a few instructions for each line and no table but that of the rays.

use crate::attacks::tables::RAYS_TOWARDS;
use crate::{Bitboard, Square};

#[cfg(feature = "small-tables")]
pub(super) const USES_PEXT: bool = false;

/// The squares of one line up to and including the nearest blockers on both sides: the rays of the lanes `LANE`
/// (towards lower squares) and `LANE + 1` (towards higher ones).
#[inline(always)]
const fn line<const LANE: usize>(square: Square, occupied: Bitboard) -> u64 {
    let rays = &RAYS_TOWARDS[square.index()].0;
    let (down, up) = (rays[LANE], rays[LANE + 1]);
    // The nearest blocker below, or a1 for none.
    let lower = 1 << (63 - (occupied.0 & down | 1).leading_zeros());
    // All bits from there to the nearest blocker above. Without one, the subtraction borrows to the top.
    let higher = occupied.0 & up;
    (higher ^ higher.wrapping_sub(lower)) & (down | up)
}

#[inline]
pub(crate) const fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(line::<0>(square, occupied) | line::<2>(square, occupied))
}

#[inline]
pub(crate) const fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(line::<4>(square, occupied) | line::<6>(square, occupied))
}
