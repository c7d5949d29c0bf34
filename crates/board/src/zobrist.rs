//! Zobrist keys: the exclusive or of random numbers, one for each feature of a position. The numbers are those of the
//! Polyglot book format, so a position's key is its Polyglot key.

use crate::polyglot_random::RANDOM;
use crate::{Bitboard, Board, CastlingRights, File, Piece, PieceType, Square};

/// By piece byte and square. The rows of no piece (6, 7, 14, 15) are zero, so that "nothing captured" needs
/// no branch.
static PIECES: [[u64; 64]; 16] = {
    let mut table = [[0; 64]; 16];
    let mut i = 0;
    while i < 12 {
        let piece = Piece::ALL[i];
        // Polyglot counts black pawn, white pawn, black knight, white knight …
        let row = piece.piece_type() as usize * 2 + (piece.color() as usize ^ 1);
        let mut square = 0;
        while square < 64 {
            table[piece.index()][square] = RANDOM[row * 64 + square];
            square += 1;
        }
        i += 1;
    }
    table
};

/// By the four bits of the rights.
static CASTLING: [u64; 16] = {
    let mut table = [0; 16];
    let mut rights = 0;
    while rights < 16 {
        let mut bit = 0;
        while bit < 4 {
            if rights >> bit & 1 != 0 {
                table[rights] ^= RANDOM[768 + bit];
            }
            bit += 1;
        }
        rights += 1;
    }
    table
};

/// The part of White being to move.
pub const WHITE_TO_MOVE: u64 = RANDOM[780];

/// The part of a piece standing on a square.
#[inline(always)]
pub const fn piece(piece: Piece, square: Square) -> u64 {
    PIECES[piece.index()][square.index()]
}

/// The part of what stands on a square, zero for nothing.
#[inline(always)]
pub(crate) const fn content(content: Option<Piece>, square: Square) -> u64 {
    // `None` is the byte after the last piece: this match compiles to nothing.
    let row = match content {
        Some(piece) => piece as u8,
        None => 14,
    };
    PIECES[row as usize & 15][square.index()]
}

/// The part of the castling rights.
#[inline(always)]
pub const fn castling(rights: CastlingRights) -> u64 {
    CASTLING[rights.bits() as usize & 15]
}

/// The part of an en-passant square on this file.
#[inline(always)]
pub const fn en_passant(file: File) -> u64 {
    RANDOM[772 + file.index()]
}

/// The part of all pieces together.
pub const fn board(board: &Board) -> u64 {
    of_squares(board, board.occupied())
}

/// The part of the pawns alone: the pawn key.
pub const fn pawns(board: &Board) -> u64 {
    of_squares(board, board.by_type(PieceType::Pawn))
}

const fn of_squares(board: &Board, mut squares: Bitboard) -> u64 {
    let mut key = 0;
    while let Some(square) = squares.first() {
        key ^= content(board.piece_at(square), square);
        squares = squares.without(square);
    }
    key
}
