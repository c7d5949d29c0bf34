//! Check info: what decides for all moves of a node whether they give check.

use ferz_board::{Bitboard, Move, MoveKind, Piece, PieceType, Position, Square, attacks};

/// The ways to give check in a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckInfo {
    /// The squares from which a piece of each type gives check.
    squares: [Bitboard; 6],
    /// The pieces that uncover check when they leave the line between their slider and the enemy king.
    blockers: Bitboard,
    king: Square,
}

impl CheckInfo {
    pub(crate) fn new(position: &Position) -> CheckInfo {
        let us = position.side_to_move();
        let king = position.king(!us);
        let (diagonal, straight) =
            (attacks::bishop(king, position.occupied()), attacks::rook(king, position.occupied()));
        // In the order of `PieceType`.
        let squares = [
            attacks::pawn(!us, king),
            attacks::knight(king),
            diagonal,
            straight,
            diagonal | straight,
            Bitboard::EMPTY,
        ];
        CheckInfo { squares, blockers: position.blockers(!us) & position.by_color(us), king }
    }

    /// The squares from which a piece of each type gives check.
    #[inline]
    pub(crate) fn squares(&self) -> &[Bitboard; 6] {
        &self.squares
    }

    /// Whether a legal move of the position gives check.
    #[inline]
    pub(crate) fn gives_check(&self, position: &Position, mv: Move) -> bool {
        if !matches!(mv.kind(), MoveKind::Normal | MoveKind::DoubleStep) {
            return position.gives_check(mv);
        }
        let mover = position.piece_at(mv.from()).map_or(PieceType::Pawn, Piece::piece_type);
        // A slider cannot look through the square it comes from: it would give check from there already.
        self.squares[mover.index()].contains(mv.to())
            || self.blockers.contains(mv.from()) && !attacks::aligned(mv.from(), mv.to(), self.king)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_that_give_check_lead_to_check() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut checks = 0;
        for game in 0..60 {
            let mut position = Position::chess960_start(random.u16(..960)).unwrap();
            if game % 2 == 0 {
                position = Position::start();
            }
            for _ in 0..120 {
                let moves = position.legal_moves();
                let info = CheckInfo::new(&position);
                for &mv in &moves {
                    let mut child = position;
                    child.play_unchecked(mv);
                    assert_eq!(info.gives_check(&position, mv), child.is_check(), "{position} {mv:?}");
                    checks += u32::from(child.is_check());
                }
                let Some(&mv) = moves.get(random.usize(..moves.len().max(1))) else { break };
                position.play_unchecked(mv);
            }
        }
        assert!(checks > 1_000, "{checks}");
    }
}
