//! Which of the legal moves are wanted.

use crate::{Bitboard, Square};

/// The classes in which a staged search asks for moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum MoveClass {
    /// Every legal move.
    All,
    /// Captures (en passant included) and promotions.
    Tactical,
    /// Everything else, castling included.
    Quiet,
}

/// Narrows the generator down; each answer is a constant or a mask, so an unused filter costs nothing.
pub(crate) trait Filter: Copy {
    /// The squares pieces may go to and pawns may capture on.
    fn targets(self, them: Bitboard, occupied: Bitboard) -> Bitboard;
    /// The squares pawns may go straight to.
    fn push_targets(self, promotion_rank: Bitboard) -> Bitboard;
    /// Whether an en-passant capture on this square is wanted.
    fn en_passant(self, square: Bitboard) -> bool;
    /// Whether castling with the king going to this square is wanted.
    fn castling(self, king_to: Square) -> bool;
}

/// Everything.
#[derive(Clone, Copy)]
pub(crate) struct All;

impl Filter for All {
    #[inline(always)]
    fn targets(self, _: Bitboard, _: Bitboard) -> Bitboard {
        Bitboard::ALL
    }

    #[inline(always)]
    fn push_targets(self, _: Bitboard) -> Bitboard {
        Bitboard::ALL
    }

    #[inline(always)]
    fn en_passant(self, _: Bitboard) -> bool {
        true
    }

    #[inline(always)]
    fn castling(self, _: Square) -> bool {
        true
    }
}

/// Captures and promotions.
#[derive(Clone, Copy)]
pub(super) struct Tactical;

impl Filter for Tactical {
    #[inline(always)]
    fn targets(self, them: Bitboard, _: Bitboard) -> Bitboard {
        them
    }

    #[inline(always)]
    fn push_targets(self, promotion_rank: Bitboard) -> Bitboard {
        promotion_rank
    }

    #[inline(always)]
    fn en_passant(self, _: Bitboard) -> bool {
        true
    }

    #[inline(always)]
    fn castling(self, _: Square) -> bool {
        false
    }
}

/// Neither captures nor promotions.
#[derive(Clone, Copy)]
pub(super) struct Quiet;

impl Filter for Quiet {
    #[inline(always)]
    fn targets(self, _: Bitboard, occupied: Bitboard) -> Bitboard {
        !occupied
    }

    #[inline(always)]
    fn push_targets(self, promotion_rank: Bitboard) -> Bitboard {
        !promotion_rank
    }

    #[inline(always)]
    fn en_passant(self, _: Bitboard) -> bool {
        false
    }

    #[inline(always)]
    fn castling(self, _: Square) -> bool {
        true
    }
}

/// Moves that end on one of these squares.
#[derive(Clone, Copy)]
pub(super) struct To(pub(super) Bitboard);

impl Filter for To {
    #[inline(always)]
    fn targets(self, _: Bitboard, _: Bitboard) -> Bitboard {
        self.0
    }

    #[inline(always)]
    fn push_targets(self, _: Bitboard) -> Bitboard {
        self.0
    }

    #[inline(always)]
    fn en_passant(self, square: Bitboard) -> bool {
        self.0.intersects(square)
    }

    #[inline(always)]
    fn castling(self, king_to: Square) -> bool {
        self.0.contains(king_to)
    }
}
