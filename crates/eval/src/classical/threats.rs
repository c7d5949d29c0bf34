//! Threats: what could be won next move.

use ferz_board::PieceType;

use super::params::weigh;
use super::score::Score;
use super::side::Side;
use super::survey::Survey;
use super::tracer::Tracer;

/// Enemy pieces that are attacked by something cheaper, or not defended well enough, must move or be lost; two
/// such threats at once often win.
#[inline(always)]
pub(super) fn threats<Us: Side, T: Tracer>(survey: &Survey<'_>, tracer: &mut T) -> Score {
    let position = survey.position;
    let (ours, theirs) = (survey.attacks::<Us>(), survey.attacks::<Us::Them>());
    let targets = position.by_color(Us::Them::COLOR) - position.king(Us::Them::COLOR).bitboard();
    let pieces = targets - position.by_type(PieceType::Pawn);
    let well_defended = theirs.by(PieceType::Pawn) | (theirs.twice - ours.twice);
    let weak = (ours.all & targets) - well_defended;
    // The type of the piece, by its index: matching on the piece would become an unpredictable jump.
    let victim = |square| position.piece_at(square).map_or(0, |piece| piece.index() % 8);

    let mut score = Score::ZERO;
    let pawns = survey.pieces::<Us>(PieceType::Pawn);
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
