//! What a move changes on the board, as accumulators want to know it.

use ferz_board::{Color, Observer, Piece, PieceType, Square};

use super::architecture::Architecture;

/// A piece on a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Feature {
    pub(super) piece: Piece,
    pub(super) square: Square,
}

/// What never counts, because there are fewer.
const NOTHING: Feature = Feature { piece: Piece::WhitePawn, square: Square::A1 };

/// What one move changed: at most two pieces placed and two removed (castling). More than a move can change is not
/// kept, only that it was more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Changes {
    placed: [Feature; 2],
    removed: [Feature; 2],
    placed_count: u8,
    removed_count: u8,
}

impl Changes {
    /// Of a null move.
    pub(crate) const NONE: Changes =
        Changes { placed: [NOTHING; 2], removed: [NOTHING; 2], placed_count: 0, removed_count: 0 };

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.placed_count | self.removed_count == 0
    }

    /// More than can be kept.
    #[inline(always)]
    fn is_too_much(&self) -> bool {
        self.placed_count > 2 || self.removed_count > 2
    }

    #[inline(always)]
    pub(super) fn placed(&self) -> &[Feature] {
        &self.placed[..usize::from(self.placed_count.min(2))]
    }

    #[inline(always)]
    pub(super) fn removed(&self) -> &[Feature] {
        &self.removed[..usize::from(self.removed_count.min(2))]
    }

    /// Whether a side's accumulator after these changes has nothing in common with the one before.
    #[inline(always)]
    pub(super) fn needs_refresh<A: Architecture>(&self, perspective: Color) -> bool {
        let king = PieceType::King.of(perspective);
        let zone = |features: &[Feature]| {
            let king = features.iter().find(|feature| feature.piece == king);
            king.map(|king| A::zone(perspective, king.square))
        };
        self.is_too_much() || zone(self.removed()) != zone(self.placed())
    }
}

impl Observer for Changes {
    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        if let Some(place) = self.placed.get_mut(usize::from(self.placed_count)) {
            *place = Feature { piece, square };
        }
        self.placed_count = self.placed_count.saturating_add(1);
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        if let Some(place) = self.removed.get_mut(usize::from(self.removed_count)) {
            *place = Feature { piece, square };
        }
        self.removed_count = self.removed_count.saturating_add(1);
    }
}
