//! Threats: pieces that could be won next move.

use ferz_board::PieceType;

use super::eval_info::EvalInfo;
use super::params::weigh;
use super::score::TaperedScore;
use super::side::Side;
use super::tracer::Tracer;

/// Threats: enemy pieces that are attacked by a cheaper piece, or not defended well enough, must move or be lost. Two such
/// threats at once often win.
#[inline(always)]
pub(super) fn threats<Us: Side, T: Tracer>(info: &EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    let position = info.position;
    let (ours, theirs) = (info.attacks::<Us>(), info.attacks::<Us::Them>());
    let targets = position.by_color(Us::Them::COLOR) - position.king(Us::Them::COLOR).bitboard();
    let pieces = targets - position.by_type(PieceType::Pawn);
    let well_defended = theirs.by(PieceType::Pawn) | (theirs.twice - ours.twice);
    let weak = (ours.all & targets) - well_defended;
    // The piece type by its index: a match on the piece would become an unpredictable jump.
    let victim = |square| position.piece_at(square).map_or(0, |piece| piece.code() % 8);

    let mut score = TaperedScore::ZERO;
    let pawns = info.pieces::<Us>(PieceType::Pawn);
    let safe_pawns = pawns & (ours.all | !theirs.all);
    for square in pieces & Us::pawn_attacks(safe_pawns) {
        score += weigh!(tracer, Us::COLOR, threat_by_pawn[victim(square) - 1]);
    }
    let by_minors = ours.by(PieceType::Knight) | ours.by(PieceType::Bishop);
    for square in (pieces | weak) & by_minors {
        score += weigh!(tracer, Us::COLOR, threat_by_minor[victim(square)]);
    }
    for square in weak & ours.by(PieceType::Rook) {
        score += weigh!(tracer, Us::COLOR, threat_by_rook[victim(square)]);
    }
    if weak.intersects(ours.by(PieceType::King)) {
        score += weigh!(tracer, Us::COLOR, threat_by_king[0]);
    }
    let hanging = weak & (!theirs.all | (pieces & ours.twice));
    score += weigh!(tracer, Us::COLOR, hanging[0], hanging.len());
    let contested = (theirs.all & ours.all) - well_defended;
    score += weigh!(tracer, Us::COLOR, restricted[0], contested.len());

    // A pawn that can safely advance to attack a piece threatens to gain time.
    let free = !position.occupied();
    let one_step = Us::forward(pawns) & free;
    let steps = one_step | (Us::forward(one_step & Us::ranks(2, 2)) & free);
    let safe_steps = (steps & (ours.all | !theirs.all)) - theirs.by(PieceType::Pawn);
    let pushed_at = Us::pawn_attacks(safe_steps) & pieces;
    score + weigh!(tracer, Us::COLOR, threat_by_push[0], pushed_at.len())
}
