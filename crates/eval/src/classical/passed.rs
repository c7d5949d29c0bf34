//! Passed pawns: how far the pieces let them go.

use ferz_board::{Bitboard, PieceType, Position, Square};

use super::params::weigh;
use super::score::Score;
use super::side::Side;
use super::survey::Survey;
use super::tracer::Tracer;

/// A passed pawn ties the enemy down, the more the further it is and the less stands between it and promotion:
/// pieces on its way, the enemy king near, no rook or king to help it.
#[inline(always)]
pub(super) fn passed_pawns<Us: Side, T: Tracer>(survey: &Survey<'_>, tracer: &mut T) -> Score {
    let mut score = Score::ZERO;
    for pawn in survey.structure.passed & survey.pieces::<Us>(PieceType::Pawn) {
        score += passed_pawn::<Us, T>(survey, pawn, tracer);
    }
    score
}

#[inline]
fn passed_pawn<Us: Side, T: Tracer>(survey: &Survey<'_>, pawn: Square, tracer: &mut T) -> Score {
    let position = survey.position;
    let rank = Us::rank(pawn);
    let path = Us::ahead(pawn.bitboard());
    let next = Us::forward(pawn.bitboard());
    let theirs = survey.attacks::<Us::Them>();
    let mut score = Score::ZERO;

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
    if behind.intersects(survey.pieces::<Us>(PieceType::Rook)) {
        score += weigh!(tracer, Us::COLOR, passed_rook_behind[0]);
    }
    if behind.intersects(survey.pieces::<Us::Them>(PieceType::Rook)) {
        score += weigh!(tracer, Us::COLOR, passed_rook_behind[1]);
    }
    if is_unstoppable::<Us>(position, pawn, path) {
        score += weigh!(tracer, Us::COLOR, passed_unstoppable[0]);
    }
    score
}

/// Whether the enemy has nothing but his king and pawns, and the king cannot reach the square of promotion in
/// time.
#[inline(always)]
fn is_unstoppable<Us: Side>(position: &Position, pawn: Square, path: Bitboard) -> bool {
    let them = position.by_color(Us::Them::COLOR);
    if !them.is_subset(position.by_type(PieceType::Pawn) | position.by_type(PieceType::King)) {
        return false;
    }
    // A pawn on its first square takes two steps at once, so it is as good as one step further.
    let steps = path.len().min(5) as i32;
    let goal = Square::from_coords(pawn.file(), Us::COLOR.promotion_rank());
    let head_start = i32::from(position.side_to_move() != Us::COLOR);
    let enemy_king = i32::from(position.king(Us::Them::COLOR).distance(goal));
    !path.intersects(position.occupied()) && enemy_king - head_start > steps
}
