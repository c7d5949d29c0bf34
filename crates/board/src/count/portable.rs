//! The counter for every processor, and the definition the vector one is tested against.

use crate::movegen::count_castling;
use crate::movegen::placement::Placement;
use crate::movegen::side::Side;
use crate::{Bitboard, attacks};

/// The number of legal moves of the side to move.
#[inline(always)]
pub(crate) fn count<S: Side>(node: &Placement) -> u64 {
    let threats = node.threats::<S>();
    let king = node.king();
    let (us, them, occupied) = (node.us, node.them, node.occupied());
    let danger = node.danger::<S>();

    let mut total = (attacks::king(king) & !(us | danger)).len();
    if threats.checkers.is_several() {
        return u64::from(total);
    }
    let answers = threats.answers(king);
    let targets = answers & !us;
    let (straight, diagonal) = (threats.pins_straight, threats.pins_diagonal);
    let pinned = straight | diagonal;

    for from in node.knights & us & !pinned {
        total += (attacks::knight(from) & targets).len();
    }
    // A queen is counted twice: its diagonal moves here, its straight ones below.
    for from in node.diagonal & us & !straight {
        let mut reached = attacks::bishop(from, occupied) & targets;
        if diagonal.contains(from) {
            reached &= diagonal;
        }
        total += reached.len();
    }
    for from in node.straight & us & !diagonal {
        let mut reached = attacks::rook(from, occupied) & targets;
        if straight.contains(from) {
            reached &= straight;
        }
        total += reached.len();
    }

    let pawns = node.pawns & us;
    let free = pawns & !pinned;
    let on_diagonal = pawns & diagonal;
    let steps = (S::forward(free) | S::forward(pawns & straight) & straight) & !occupied;
    let double_steps = S::forward(steps & S::THIRD_RANK) & !occupied & answers;
    let steps = steps & answers;
    let west = (S::capture_west(free) | S::capture_west(on_diagonal) & diagonal) & them & answers;
    let east = (S::capture_east(free) | S::capture_east(on_diagonal) & diagonal) & them & answers;
    total += steps.len() + double_steps.len() + west.len() + east.len();
    if pawns.intersects(S::backward(S::PROMOTION_RANK)) {
        // Each move to the last rank is four; one of them is counted already.
        let promotions = |targets: Bitboard| 3 * (targets & S::PROMOTION_RANK).len();
        total += promotions(steps) + promotions(west) + promotions(east);
    }
    if node.en_passant.any() {
        let mut capturers = S::Them::pawn_attacks(node.en_passant) & pawns;
        while capturers.any() {
            let from = capturers.pop_lowest();
            total += u32::from(node.en_passant_is_safe::<S>(from, threats.checkers));
        }
    }
    let rooks = node.castling & us;
    if rooks.any() && threats.checkers.is_empty() {
        total += count_castling::<S>(king, rooks, occupied, danger, || straight);
    }
    u64::from(total)
}
