//! The masks of the move generator and the sixteen bits of each legal move.

use ferz_board::{CastlingMode, Move, MoveKind, MoveMasks, MoveSet, MoveSetKind, PieceType, Position};
use ferz_notation::san::San;
use serde::Serialize;

use super::word::Word;
use crate::protocol::SquareName;

/// What the generator knows before the first move, and the sets that unite to the legal moves.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Masks {
    own: Word,
    checkers: Word,
    check_mask: Word,
    straight_pins: Word,
    diagonal_pins: Word,
    danger: Word,
    sets: Vec<TargetSet>,
    moves: u32,
}

/// Moves of one kind, as the generator finds them.
#[derive(Clone, Debug, Serialize)]
struct TargetSet {
    kind: TargetKind,
    from: Word,
    targets: Word,
    moves: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum TargetKind {
    King,
    Knight,
    Bishop,
    Rook,
    Queen,
    Step,
    DoubleStep,
    CaptureWest,
    CaptureEast,
    EnPassant,
    Castling,
}

impl Masks {
    pub(super) fn of(position: &Position) -> Masks {
        let MoveMasks { checkers, check_mask, straight_pins, diagonal_pins, danger, sets, .. } =
            position.move_masks();
        Masks {
            own: position.by_color(position.side_to_move()).into(),
            checkers: checkers.into(),
            check_mask: check_mask.into(),
            straight_pins: straight_pins.into(),
            diagonal_pins: diagonal_pins.into(),
            danger: danger.into(),
            moves: sets.iter().map(MoveSet::count).sum(),
            sets: sets.iter().filter_map(TargetSet::of).collect(),
        }
    }
}

impl TargetSet {
    fn of(set: &MoveSet) -> Option<TargetSet> {
        let kind = match set.kind {
            MoveSetKind::Piece(PieceType::King) => TargetKind::King,
            MoveSetKind::Piece(PieceType::Knight) => TargetKind::Knight,
            MoveSetKind::Piece(PieceType::Bishop) => TargetKind::Bishop,
            MoveSetKind::Piece(PieceType::Rook) => TargetKind::Rook,
            MoveSetKind::Piece(PieceType::Queen) => TargetKind::Queen,
            MoveSetKind::Step => TargetKind::Step,
            MoveSetKind::DoubleStep => TargetKind::DoubleStep,
            MoveSetKind::CaptureWest => TargetKind::CaptureWest,
            MoveSetKind::CaptureEast => TargetKind::CaptureEast,
            MoveSetKind::EnPassant => TargetKind::EnPassant,
            MoveSetKind::Castling => TargetKind::Castling,
            // Pawns come as steps and captures.
            _ => return None,
        };
        Some(TargetSet { kind, from: set.from.into(), targets: set.targets.into(), moves: set.count() })
    }
}

/// A move in sixteen bits.
#[derive(Clone, Debug, Serialize)]
pub(super) struct MoveBits {
    pub(super) uci: String,
    pub(super) san: String,
    bits: u16,
    from: SquareName,
    to: SquareName,
    kind: KindName,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum KindName {
    Normal,
    DoubleStep,
    Castling,
    EnPassant,
    PromoteKnight,
    PromoteBishop,
    PromoteRook,
    PromoteQueen,
}

impl MoveBits {
    pub(super) fn of(position: &Position, mv: Move, mode: CastlingMode) -> MoveBits {
        MoveBits {
            uci: mv.uci(mode).to_string(),
            san: San::new(position, mv).to_string(),
            bits: mv.bits(),
            from: SquareName(mv.from()),
            to: SquareName(mv.to()),
            kind: match mv.kind() {
                MoveKind::Normal => KindName::Normal,
                MoveKind::DoubleStep => KindName::DoubleStep,
                MoveKind::Castling => KindName::Castling,
                MoveKind::EnPassant => KindName::EnPassant,
                MoveKind::Promotion(PieceType::Knight) => KindName::PromoteKnight,
                MoveKind::Promotion(PieceType::Bishop) => KindName::PromoteBishop,
                MoveKind::Promotion(PieceType::Rook) => KindName::PromoteRook,
                MoveKind::Promotion(_) => KindName::PromoteQueen,
            },
        }
    }

    /// All legal moves.
    pub(super) fn all(position: &Position, mode: CastlingMode) -> Vec<MoveBits> {
        position.legal_moves().iter().map(|&mv| MoveBits::of(position, mv, mode)).collect()
    }
}
