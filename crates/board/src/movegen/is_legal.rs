//! Judging single moves: from a hash table, a file, a person.

use super::placement::Placement;
use super::side::{Black, Side, White};
use super::{AnyCastling, CastlingRules, for_side_to_move};
use crate::make::victim_of_en_passant;
use crate::{Bitboard, CastlingSide, Color, Move, MoveKind, Piece, PieceType, Position, Square, attacks};

impl Position {
    /// Whether a move is legal here, whatever it is and wherever it comes from: true for exactly the moves in
    /// [`legal_moves`](Position::legal_moves).
    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        for_side_to_move!(self, S => is_legal::<S>(self, mv))
    }

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

fn is_legal<S: Side>(position: &Position, mv: Move) -> bool {
    let node = Placement::of::<S>(position);
    let (from, to) = (mv.from(), mv.to());
    let Some(piece) = position.piece_at(from) else { return false };
    if piece.color() != S::COLOR {
        return false;
    }
    let occupied = node.occupied();
    match mv.kind() {
        MoveKind::Castling => return is_legal_castling::<S>(position, &node, from, to),
        _ if node.us.contains(to) => return false,
        MoveKind::EnPassant => {
            return piece.piece_type() == PieceType::Pawn
                && node.en_passant == to.bitboard()
                && attacks::pawn(S::COLOR, from).contains(to)
                && node.en_passant_is_safe::<S>(from.bitboard(), node.threats::<S>().checkers);
        }
        MoveKind::Normal => {
            let reaches = match piece.piece_type() {
                PieceType::Pawn => !S::PROMOTION_RANK.contains(to) && pawn_reaches::<S>(&node, from, to),
                PieceType::King => return is_legal_king_step::<S>(position, &node, from, to),
                _ => attacks::of(piece, from, occupied).contains(to),
            };
            if !reaches {
                return false;
            }
        }
        MoveKind::Promotion(_) => {
            if piece.piece_type() != PieceType::Pawn
                || !S::PROMOTION_RANK.contains(to)
                || !pawn_reaches::<S>(&node, from, to)
            {
                return false;
            }
        }
        MoveKind::DoubleStep => {
            let single = S::forward(from.bitboard()) & S::THIRD_RANK & !occupied;
            if piece.piece_type() != PieceType::Pawn || S::forward(single) & !occupied != to.bitboard() {
                return false;
            }
        }
    }
    let king = node.king();
    let threats = node.threats::<S>();
    let pinned = (threats.pins_straight | threats.pins_diagonal).contains(from);
    threats.answers(king).contains(to) && (!pinned || attacks::line(king, from).contains(to))
}

/// A single step or a capture, promotion or not.
fn pawn_reaches<S: Side>(node: &Placement, from: Square, to: Square) -> bool {
    if node.them.contains(to) {
        attacks::pawn(S::COLOR, from).contains(to)
    } else {
        S::forward(from.bitboard()) == to.bitboard()
    }
}

fn is_legal_king_step<S: Side>(position: &Position, node: &Placement, from: Square, to: Square) -> bool {
    let without_king = node.occupied().without(from);
    attacks::king(from).contains(to) && !position.board().attackers_to(to, without_king).intersects(node.them)
}

fn is_legal_castling<S: Side>(position: &Position, node: &Placement, from: Square, to: Square) -> bool {
    from == node.king()
        && (node.castling & node.us).contains(to)
        && !position.is_check()
        && AnyCastling::allows::<S>(
            CastlingSide::of_rook(from, to),
            from,
            to,
            node.occupied(),
            node.danger::<S>(),
            node.threats::<S>().pins_straight,
        )
}
