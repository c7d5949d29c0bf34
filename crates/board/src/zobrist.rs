//! Zobrist keys: the exclusive or of random numbers, one for each feature of a position. The numbers are those of the
//! Polyglot book format, so a position's key is its Polyglot key.

use crate::polyglot_random::RANDOM;
use crate::{Bitboard, Board, CastlingRights, Color, File, Piece, PieceType, Position, Square};

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
            table[piece.code()][square] = RANDOM[row * 64 + square];
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
#[must_use]
pub const fn piece(piece: Piece, square: Square) -> u64 {
    PIECES[piece.code()][square.index()]
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
#[must_use]
pub const fn castling(rights: CastlingRights) -> u64 {
    CASTLING[rights.bits() as usize & 15]
}

/// The part of an en-passant square on this file.
#[inline(always)]
#[must_use]
pub const fn en_passant(file: File) -> u64 {
    RANDOM[772 + file.index()]
}

/// The part of all pieces together.
#[doc(alias("init_zobrist_key", "ZobristRandoms"))]
#[must_use]
pub const fn board(board: &Board) -> u64 {
    of_squares(board, board.occupied())
}

/// The part of the pawns alone: the pawn key.
#[must_use]
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

/// The high half of [`Position::key128`], from scratch. Its numbers are outputs of SplitMix64: it is asked for so
/// rarely that a table of them would not pay.
pub(crate) fn second_key(position: &Position) -> u64 {
    /// The first number of what is not a piece; those of the pieces are below.
    const ROOKS: usize = 16 * 64;
    const EN_PASSANT: usize = ROOKS + 64;
    const BLACK_TO_MOVE: usize = EN_PASSANT + 8;
    let pieces = position.board().iter().map(|(square, piece)| piece.code() * 64 + square.index());
    let rooks = position.castling_rooks().into_iter().map(|rook| ROOKS + rook.index());
    let en_passant = position.legal_en_passant().map(|square| EN_PASSANT + square.file().index());
    let turn = (position.side_to_move() == Color::Black).then_some(BLACK_TO_MOVE);
    pieces.chain(rooks).chain(en_passant).chain(turn).fold(0, |key, number| key ^ split_mix(number as u64))
}

/// The output of SplitMix64 with this number.
const fn split_mix(number: u64) -> u64 {
    let mut z = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
