//! The attack on the enemy king.

use ferz_board::{Bitboard, PieceType, attacks};

use super::params::{Term, weigh};
use super::score::Score;
use super::side::{FLANKS, Side};
use super::survey::Survey;
use super::tracer::Tracer;

/// What an attack of this strength is worth.
///
/// One attacker is a nuisance, three are mate: in the middle game the value grows with the square of the sum.
/// With few pieces left it only grows with the sum.
#[inline(always)]
pub(super) fn attack_value(sum: Score) -> Score {
    let (mg, eg) = (sum.mg().clamp(0, MAX_ATTACK), sum.eg().clamp(0, MAX_ATTACK));
    Score::new(mg * mg / ATTACK_UNIT, eg / ATTACK_EG_UNIT)
}

/// Above this an attack counts as mate; the bound keeps scores within their 16 bits.
pub(super) const MAX_ATTACK: i32 = 1600;
/// An attack of twice this sum is worth four times this many centipawns.
pub(super) const ATTACK_UNIT: i32 = 1024;
pub(super) const ATTACK_EG_UNIT: i32 = 16;

/// The attack on the enemy king: the pawns he lacks, the pieces that joined it, the weak squares around him and
/// the checks at hand.
#[inline(always)]
pub(super) fn attack<Us: Side, T: Tracer>(survey: &mut Survey<'_>, tracer: &mut T) -> Score {
    let mut sum = *survey.king_attack::<Us>();
    sum += weigh!(tracer, Us::COLOR, attack_base[0]);
    sum += weak_squares_and_checks::<Us, T>(survey, tracer);
    sum += flank_control::<Us, T>(survey, tracer);
    sum += defenders::<Us, T>(survey, tracer);
    if survey.pieces::<Us>(PieceType::Queen).is_empty() {
        sum += weigh!(tracer, Us::COLOR, attack_without_queen[0]);
    }
    let value = attack_value(sum);
    tracer.combined(Us::COLOR, Term::KingAttack, value);
    value
}

/// Squares near the king that only he or the queen defends are where an attack breaks through, and a check from
/// a square where the checking piece cannot be taken wins time for it.
#[inline(always)]
fn weak_squares_and_checks<Us: Side, T: Tracer>(survey: &Survey<'_>, tracer: &mut T) -> Score {
    let (ours, theirs) = (survey.attacks::<Us>(), survey.attacks::<Us::Them>());
    let by_last_defenders = theirs.by(PieceType::King) | theirs.by(PieceType::Queen);
    let weak = (ours.all & (by_last_defenders | !theirs.all)) - theirs.twice;
    let near = weak & survey.king_zone::<Us::Them>();
    let mut sum = weigh!(tracer, Us::COLOR, attack_weak_square[0], near.len());

    let safe = (!theirs.all | (weak & ours.twice)) - survey.position.by_color(Us::COLOR);
    let king = survey.position.king(Us::Them::COLOR);
    let (on_lines, on_diagonals) = survey.king_lines::<Us::Them>();
    let checks: [Bitboard; 4] = [
        attacks::knight(king) & ours.by(PieceType::Knight),
        on_diagonals & ours.by(PieceType::Bishop),
        on_lines & ours.by(PieceType::Rook),
        (on_lines | on_diagonals) & ours.by(PieceType::Queen),
    ];
    for (piece, squares) in checks.into_iter().enumerate() {
        let safe_squares = squares & safe;
        if safe_squares.any() {
            let several = usize::from(safe_squares.is_several());
            sum += weigh!(tracer, Us::COLOR, attack_safe_check[2 * piece + several]);
        } else if (squares - survey.position.by_color(Us::COLOR)).any() {
            sum += weigh!(tracer, Us::COLOR, attack_unsafe_check[piece]);
        }
    }
    sum
}

/// Whoever controls more of the king's side of the board brings up pieces faster.
#[inline(always)]
fn flank_control<Us: Side, T: Tracer>(survey: &Survey<'_>, tracer: &mut T) -> Score {
    let king = survey.position.king(Us::Them::COLOR);
    let camp = FLANKS[king.file().index()] & Us::ranks(3, 7);
    let (ours, theirs) = (survey.attacks::<Us>(), survey.attacks::<Us::Them>());
    weigh!(tracer, Us::COLOR, attack_flank[0], (ours.all & camp).len())
        + weigh!(tracer, Us::COLOR, attack_flank[1], (ours.twice & camp).len())
        + weigh!(tracer, Us::COLOR, attack_flank[2], (theirs.all & camp).len())
}

/// A knight near the king is his best guard; a pinned piece guards nothing.
#[inline(always)]
fn defenders<Us: Side, T: Tracer>(survey: &Survey<'_>, tracer: &mut T) -> Score {
    let mut sum = weigh!(tracer, Us::COLOR, attack_pinned[0], survey.pinned::<Us::Them>().len());
    if survey.attacks::<Us::Them>().by(PieceType::Knight).intersects(survey.king_zone::<Us::Them>()) {
        sum += weigh!(tracer, Us::COLOR, attack_knight_guard[0]);
    }
    sum
}
