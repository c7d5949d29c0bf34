//! Zobrist keys and their parts.

use ferz_board::{CastlingRights, Color, Position, SearchKeys, Square, zobrist};
use serde::Serialize;

use super::word::Word;
use crate::protocol::SquareName;

/// A key and its parts: their exclusive or is the key.
#[derive(Clone, Debug, Serialize)]
pub(super) struct KeyParts {
    value: Word,
    parts: Vec<Part>,
}

/// One random number of a key, and its meaning.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Part {
    #[serde(flatten)]
    what: What,
    pub(super) value: Word,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum What {
    Piece { piece: char, square: SquareName },
    Castling { right: String },
    EnPassant { file: char },
    Turn,
}

impl KeyParts {
    pub(super) fn of(position: &Position) -> KeyParts {
        KeyParts { value: Word(position.key()), parts: parts(position) }
    }
}

/// The parts of the key of a position.
pub(super) fn parts(position: &Position) -> Vec<Part> {
    let pieces = position.board().iter().map(|(square, piece)| Part {
        what: What::Piece { piece: piece.to_char(), square: SquareName(square) },
        value: Word(zobrist::piece(piece, square)),
    });
    let bits = position.castling_rights().bits();
    let single = (0..4).map(|bit| bits & 1 << bit).filter_map(CastlingRights::from_bits);
    let rights = single.filter(|right| !right.is_empty()).map(|right| Part {
        what: What::Castling { right: right.to_string() },
        value: Word(zobrist::castling(right)),
    });
    let en_passant = position.en_passant().map(Square::file).map(|file| Part {
        what: What::EnPassant { file: file.to_char() },
        value: Word(zobrist::en_passant(file)),
    });
    let is_white = position.side_to_move() == Color::White;
    let turn = is_white.then_some(Part { what: What::Turn, value: Word(zobrist::WHITE_TO_MOVE) });
    pieces.chain(rights).chain(en_passant).chain(turn).collect()
}

/// The other keys of a position.
#[derive(Clone, Debug, Serialize)]
pub(super) struct OtherKeys {
    pawns: Word,
    repetition: Word,
    minor: Word,
    white_non_pawn: Word,
    black_non_pawn: Word,
}

impl OtherKeys {
    pub(super) fn of(position: &Position) -> OtherKeys {
        let SearchKeys { minor, non_pawn, .. } = SearchKeys::new(position);
        OtherKeys {
            pawns: Word(position.pawn_key()),
            repetition: Word(position.repetition_key()),
            minor: Word(minor),
            white_non_pawn: Word(non_pawn[Color::White]),
            black_non_pawn: Word(non_pawn[Color::Black]),
        }
    }
}
