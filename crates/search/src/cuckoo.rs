//! Upcoming repetition: recognises positions from which one reversible move leads back to an earlier position.
//!
//! The keys of all reversible moves are in a cuckoo hash table, after the algorithm of Marcel van Kervinck. The
//! difference between the keys of two positions then tells whether a single move leads from one to the other.

use std::sync::LazyLock;

use ferz_board::{Bitboard, Piece, PieceType, Position, Square, attacks, zobrist};

/// A reversible move of some piece, found by the change of the Zobrist key that it makes.
#[derive(Clone, Copy, Default)]
struct Reversible {
    change: u64,
    squares: (u8, u8),
}

const SLOTS: usize = 8192;

/// The cuckoo table of all reversible moves: each is in one of the two slots that its key selects.
static CUCKOO: LazyLock<Vec<Reversible>> = LazyLock::new(|| {
    let mut table = vec![Reversible::default(); SLOTS];
    for piece in Piece::ALL.into_iter().filter(|piece| piece.piece_type() != PieceType::Pawn) {
        for from in Square::ALL {
            for to in attacks::of(piece, from, Bitboard::EMPTY).into_iter().filter(|&to| to > from) {
                let change = zobrist::piece(piece, from) ^ zobrist::piece(piece, to) ^ zobrist::WHITE_TO_MOVE;
                insert(&mut table, Reversible { change, squares: (from as u8, to as u8) });
            }
        }
    }
    table
});

fn slots(change: u64) -> [usize; 2] {
    [change as usize % SLOTS, (change >> 32) as usize % SLOTS]
}

/// Cuckoo insertion: a move that occupies the slot is moved to its other slot.
fn insert(table: &mut [Reversible], mut entry: Reversible) {
    let mut slot = slots(entry.change)[0];
    while entry.change != 0 {
        std::mem::swap(&mut table[slot], &mut entry);
        let [first, second] = slots(entry.change);
        slot = if slot == first { second } else { first };
    }
}

/// Whether a difference of keys is that of a reversible move whose path is not blocked.
pub(crate) fn is_reversible_move(position: &Position, change: u64) -> bool {
    slots(change).into_iter().any(|slot| {
        let candidate = CUCKOO[slot];
        candidate.change == change && {
            let (from, to) = candidate.squares;
            let (from, to) = (Square::wrapping(from.into()), Square::wrapping(to.into()));
            !attacks::between(from, to).intersects(position.occupied())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_reversible_moves_are_there() {
        assert_eq!(CUCKOO.iter().filter(|it| it.change != 0).count(), 3668);
    }

    #[test]
    fn a_knight_that_can_go_back_is_seen_and_a_blocked_rook_is_not() {
        let position = Position::from_fen("4k3/8/8/8/8/8/P7/R3K1N1 w - - 0 1").unwrap();
        let change = |mv: &str| {
            let mut child = position;
            child.play_unchecked(position.parse_uci(mv).unwrap());
            child.key() ^ position.key()
        };
        assert!(is_reversible_move(&position, change("g1f3")));
        assert!(is_reversible_move(&position, change("a1d1")));
        assert!(!is_reversible_move(&position, change("a2a3")), "pawns do not go back");
        let blocked = zobrist::piece(Piece::WhiteRook, Square::A1)
            ^ zobrist::piece(Piece::WhiteRook, Square::A5)
            ^ zobrist::WHITE_TO_MOVE;
        assert!(!is_reversible_move(&position, blocked));
    }
}
