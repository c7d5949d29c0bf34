//! The scale factor of the endgame half: an advantage is harder to win with few pawns.
//!
//! Rules for particular endings are [endgame knowledge](crate::endgame), which applies to the tapered value.

use ferz_board::{Bitboard, Color, PieceType, Position};

use super::side::{Black, Side, WINGS, White};

/// The scale factor with which the endgame score counts in full.
pub(super) const FULL_SCALE: i32 = crate::endgame::FULL_SCALE;

/// The scale factor of the endgame score, in parts of [`FULL_SCALE`].
#[inline]
pub(super) fn scale(position: &Position, eg: i32) -> i32 {
    if eg > 0 { scale_for::<White>(position) } else { scale_for::<Black>(position) }
}

#[inline(always)]
fn scale_for<Strong: Side>(position: &Position) -> i32 {
    let pawns = position.pieces(PieceType::Pawn.of(Strong::COLOR));
    if pawns.is_empty() {
        return FULL_SCALE;
    }
    // The more pawns, the more ways to win; pawns on both wings stretch the defender.
    let both_wings = WINGS.iter().all(|&wing| pawns.intersects(wing));
    let by_pawns = (38 + 4 * pawns.len() as i32 + 10 * i32::from(both_wings)).min(FULL_SCALE);
    // Opposite-coloured bishops: the defending bishop blocks the pawns, but other pieces can attack with ours.
    if has_opposite_bishops(position) { by_pawns.min(46) } else { by_pawns }
}

/// Opposite-coloured bishops: one for each side, on squares of different colours.
fn has_opposite_bishops(position: &Position) -> bool {
    let bishops = position.by_type(PieceType::Bishop);
    bishops.len() == 2
        && bishops.intersects(Bitboard::LIGHT)
        && bishops.intersects(Bitboard::DARK)
        && bishops.intersects(position.by_color(Color::White))
        && bishops.intersects(position.by_color(Color::Black))
}
