//! Passed pawns: what depends on the other pieces.

use ferz_board::{Bitboard, PieceType, Position, Square};

use super::eval_info::EvalInfo;
use super::params::weigh;
use super::score::TaperedScore;
use super::side::Side;
use super::tracer::Tracer;

/// A passed pawn ties the enemy down, the more the further it is and the less stands between it and promotion: pieces
/// in its way, a near enemy king, no own rook or king to help.
#[inline(always)]
pub(super) fn passed_pawns<Us: Side, T: Tracer>(info: &EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    let mut score = TaperedScore::ZERO;
    for pawn in info.structure.passed & info.pieces::<Us>(PieceType::Pawn) {
        score += passed_pawn::<Us, T>(info, pawn, tracer);
    }
    score
}

#[inline]
fn passed_pawn<Us: Side, T: Tracer>(info: &EvalInfo<'_>, pawn: Square, tracer: &mut T) -> TaperedScore {
    let position = info.position;
    let rank = Us::rank(pawn);
    let path = Us::ahead(pawn.bitboard());
    let next = Us::forward(pawn.bitboard());
    let theirs = info.attacks::<Us::Them>();
    let mut score = TaperedScore::ZERO;

    if next.intersects(position.occupied()) {
        score += weigh!(tracer, Us::COLOR, passed_blocked[rank]);
    } else if !path.intersects(position.occupied() | theirs.all) {
        score += weigh!(tracer, Us::COLOR, passed_free_path[rank]);
    } else if !next.intersects(theirs.all) {
        score += weigh!(tracer, Us::COLOR, passed_safe_step[rank]);
    }

    // Beyond five steps a king is simply far away.
    if let Some(next) = next.first() {
        let steps = |king: Square| i32::from(king.distance(next)).min(5);
        score += weigh!(tracer, Us::COLOR, passed_own_king[rank], steps(position.king(Us::COLOR)));
        score += weigh!(tracer, Us::COLOR, passed_enemy_king[rank], steps(position.king(Us::Them::COLOR)));
    }

    let behind = Us::Them::ahead(pawn.bitboard());
    if behind.intersects(info.pieces::<Us>(PieceType::Rook)) {
        score += weigh!(tracer, Us::COLOR, passed_rook_behind[0]);
    }
    if behind.intersects(info.pieces::<Us::Them>(PieceType::Rook)) {
        score += weigh!(tracer, Us::COLOR, passed_rook_behind[1]);
    }
    if is_unstoppable::<Us>(position, pawn, path) {
        score += weigh!(tracer, Us::COLOR, passed_unstoppable[0]);
    }
    score
}

/// The rule of the square: the enemy has only king and pawns, and the king cannot reach the promotion square in time.
#[inline(always)]
fn is_unstoppable<Us: Side>(position: &Position, pawn: Square, path: Bitboard) -> bool {
    let them = position.by_color(Us::Them::COLOR);
    if !them.is_subset(position.by_type(PieceType::Pawn) | position.by_type(PieceType::King)) {
        return false;
    }
    // A pawn on its first square can advance two squares at once, so it is as good as one rank further.
    let steps = path.len().min(5) as i32;
    let goal = Square::from_coords(pawn.file(), Us::COLOR.promotion_rank());
    let head_start = i32::from(position.side_to_move() != Us::COLOR);
    let enemy_king = i32::from(position.king(Us::Them::COLOR).distance(goal));
    !path.intersects(position.occupied()) && enemy_king - head_start > steps
}
