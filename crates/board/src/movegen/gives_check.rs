//! Whether a move gives check, answered without making it.

use crate::make::victim_of_en_passant;
use crate::{Bitboard, CastlingSide, Move, MoveKind, Piece, PieceType, Position, attacks};

impl Position {
    /// Whether a legal move gives check.
    ///
    /// ```
    /// use ferz_board::Position;
    /// let position = Position::from_fen("4k3/8/8/8/8/4N3/8/K3R3 w - - 0 1")?;
    /// assert!(position.gives_check(position.parse_uci("e3d5")?)); // by uncovering the rook
    /// assert!(!position.gives_check(position.parse_uci("a1a2")?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn gives_check(&self, mv: Move) -> bool {
        let us = self.side_to_move();
        let king = self.king(!us);
        let (from, to) = (mv.from(), mv.to());
        let ours = self.by_color(us);
        let queens = self.by_type(PieceType::Queen);
        // Where our sliders would attack the king with these squares occupied.
        let slider_checks = |occupied: Bitboard, straight: Bitboard, diagonal: Bitboard| {
            attacks::rook(king, occupied).intersects(straight)
                || attacks::bishop(king, occupied).intersects(diagonal)
        };
        let straight = (self.by_type(PieceType::Rook) | queens) & ours;
        let diagonal = (self.by_type(PieceType::Bishop) | queens) & ours;
        let mut occupied = self.occupied().without(from).with(to);
        match mv.kind() {
            MoveKind::Castling => {
                let side = CastlingSide::of_rook(from, to);
                let rook = side.rook_target(us);
                let occupied = occupied.without(to).with(side.king_target(us)).with(rook);
                return slider_checks(occupied, straight.without(to).with(rook), diagonal);
            }
            MoveKind::EnPassant => occupied.remove(victim_of_en_passant(from, to)),
            _ => {}
        }
        let placed = match mv.promotion() {
            Some(piece_type) => piece_type,
            None => self.piece_at(from).map_or(PieceType::Pawn, Piece::piece_type),
        };
        let direct = match placed {
            PieceType::Pawn => attacks::pawn(us, to).contains(king),
            PieceType::Knight => attacks::knight(to).contains(king),
            PieceType::Bishop => attacks::bishop(to, occupied).contains(king),
            PieceType::Rook => attacks::rook(to, occupied).contains(king),
            PieceType::Queen => attacks::queen(to, occupied).contains(king),
            PieceType::King => false,
        };
        direct || slider_checks(occupied, straight.without(from), diagonal.without(from))
    }
}
