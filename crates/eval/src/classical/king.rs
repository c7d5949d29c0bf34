//! King safety: the attack on the enemy king.

use ferz_board::{Bitboard, PieceType, attacks};

use super::eval_info::EvalInfo;
use super::params::{Term, weigh};
use super::score::TaperedScore;
use super::side::{FLANKS, Side};
use super::tracer::Tracer;

/// The score of an attack from the sum of its weights ("king danger").
///
/// One attacker is a nuisance, three are mate: in the middlegame the score grows with the square of the sum. With few
/// pieces left it only grows with the sum.
#[inline(always)]
pub(super) fn attack_value(sum: TaperedScore) -> TaperedScore {
    let (mg, eg) = (sum.mg().clamp(0, MAX_ATTACK), sum.eg().clamp(0, MAX_ATTACK));
    TaperedScore::new(mg * mg / ATTACK_UNIT, eg / ATTACK_EG_UNIT)
}

/// Above this an attack counts as mate; the bound keeps scores within their 16 bits.
pub(super) const MAX_ATTACK: i32 = 1600;
/// An attack of twice this sum is worth four times this many centipawns.
pub(super) const ATTACK_UNIT: i32 = 1024;
pub(super) const ATTACK_EG_UNIT: i32 = 16;

/// The attack on the enemy king: missing pawns, attackers of the king zone, weak squares around the king and safe
/// checks.
#[inline(always)]
pub(super) fn attack<Us: Side, T: Tracer>(info: &mut EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    let mut sum = *info.king_attack::<Us>();
    sum += weigh!(tracer, Us::COLOR, attack_base[0]);
    sum += weak_squares_and_checks::<Us, T>(info, tracer);
    sum += flank_control::<Us, T>(info, tracer);
    sum += defenders::<Us, T>(info, tracer);
    if info.pieces::<Us>(PieceType::Queen).is_empty() {
        sum += weigh!(tracer, Us::COLOR, attack_without_queen[0]);
    }
    let value = attack_value(sum);
    tracer.combined(Us::COLOR, Term::KingAttack, value);
    value
}

/// Weak squares and safe checks. Attacks break through on squares near the king that only king or queen defend, and a
/// check by a piece that cannot be captured wins time for them.
#[inline(always)]
fn weak_squares_and_checks<Us: Side, T: Tracer>(info: &EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    let (ours, theirs) = (info.attacks::<Us>(), info.attacks::<Us::Them>());
    let by_last_defenders = theirs.by(PieceType::King) | theirs.by(PieceType::Queen);
    let weak = (ours.all & (by_last_defenders | !theirs.all)) - theirs.twice;
    let near = weak & info.king_zone::<Us::Them>();
    let mut sum = weigh!(tracer, Us::COLOR, attack_weak_square[0], near.len());

    let safe = (!theirs.all | (weak & ours.twice)) - info.position.by_color(Us::COLOR);
    let king = info.position.king(Us::Them::COLOR);
    let (on_lines, on_diagonals) = info.king_lines::<Us::Them>();
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
        } else if (squares - info.position.by_color(Us::COLOR)).any() {
            sum += weigh!(tracer, Us::COLOR, attack_unsafe_check[piece]);
        }
    }
    sum
}

/// Flank control: the side that controls more of the king's flank brings up pieces faster.
#[inline(always)]
fn flank_control<Us: Side, T: Tracer>(info: &EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    let king = info.position.king(Us::Them::COLOR);
    let camp = FLANKS[king.file().index()] & Us::ranks(3, 7);
    let (ours, theirs) = (info.attacks::<Us>(), info.attacks::<Us::Them>());
    weigh!(tracer, Us::COLOR, attack_flank[0], (ours.all & camp).len())
        + weigh!(tracer, Us::COLOR, attack_flank[1], (ours.twice & camp).len())
        + weigh!(tracer, Us::COLOR, attack_flank[2], (theirs.all & camp).len())
}

/// Knight defenders and pins: a knight near the king is the best defender, and a pinned piece defends nothing.
#[inline(always)]
fn defenders<Us: Side, T: Tracer>(info: &EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    let mut sum = weigh!(tracer, Us::COLOR, attack_pinned[0], info.pinned::<Us::Them>().len());
    if info.attacks::<Us::Them>().by(PieceType::Knight).intersects(info.king_zone::<Us::Them>()) {
        sum += weigh!(tracer, Us::COLOR, attack_knight_guard[0]);
    }
    sum
}
