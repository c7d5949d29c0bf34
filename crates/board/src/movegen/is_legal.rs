//! Whether a single move is legal, from any source: a hash table, a file, a person.

use super::placement::Placement;
use super::side::{Black, Side, White};
use super::{for_side_to_move, may_castle};
use crate::{Color, Move, MoveKind, PieceType, Position, Square, attacks};

impl Position {
    /// Whether a move is legal here: true for exactly the moves in [`legal_moves`](Position::legal_moves). The
    /// move may be any, from any source.
    #[doc(alias("pseudo_legal", "is_pseudo_legal"))]
    #[inline]
    #[must_use]
    pub fn is_legal(&self, mv: Move) -> bool {
        for_side_to_move!(self, S => is_legal::<S>(self, mv))
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
        && may_castle::<S>(from, to, node.occupied(), node.danger::<S>(), node.threats::<S>().pins_straight)
}
