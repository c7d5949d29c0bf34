//! Values from the bytes of a fuzzer.

use arbitrary::{Arbitrary, Error, Result, Unstructured};

use crate::{
    Bitboard, Board, CastlingMode, CastlingRights, Color, File, Move, Piece, PieceType, Position, Rank,
    Setup, Square,
};

macro_rules! chosen_from {
    ($($type:ident)*) => {$(
        impl Arbitrary<'_> for $type {
            fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<$type> {
                bytes.choose(&$type::ALL).copied()
            }
        }
    )*};
}

chosen_from!(Color File Rank Square PieceType Piece);

impl Arbitrary<'_> for Bitboard {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<Bitboard> {
        bytes.arbitrary().map(Bitboard)
    }
}

impl Arbitrary<'_> for CastlingMode {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<CastlingMode> {
        bytes.choose(&[CastlingMode::Standard, CastlingMode::Chess960]).copied()
    }
}

impl Arbitrary<'_> for CastlingRights {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<CastlingRights> {
        CastlingRights::from_bits(bytes.arbitrary::<u8>()? & 15).ok_or(Error::IncorrectFormat)
    }
}

/// Any move that has an encoding.
impl Arbitrary<'_> for Move {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<Move> {
        Move::from_bits(bytes.arbitrary()?).ok_or(Error::IncorrectFormat)
    }
}

/// Any pieces anywhere.
impl Arbitrary<'_> for Board {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<Board> {
        let mut board = Board::empty();
        for _ in 0..bytes.int_in_range(0..=64)? {
            board.set(bytes.arbitrary()?, bytes.arbitrary()?);
        }
        Ok(board)
    }
}

/// Any values in all fields, legal or not.
impl Arbitrary<'_> for Setup {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<Setup> {
        Ok(Setup {
            board: bytes.arbitrary()?,
            side_to_move: bytes.arbitrary()?,
            castling_rooks: bytes.arbitrary()?,
            en_passant: bytes.arbitrary()?,
            halfmove_clock: bytes.arbitrary()?,
            fullmove_number: bytes.arbitrary()?,
        })
    }
}

/// A position reached by legal moves from a (double) Chess960 start.
impl Arbitrary<'_> for Position {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<Position> {
        let (white, black) = (bytes.int_in_range(0..=959)?, bytes.int_in_range(0..=959)?);
        let setup = Setup::chess960(white, black).ok_or(Error::IncorrectFormat)?;
        let mut position =
            Position::from_setup(&setup, CastlingMode::Chess960).map_err(|_| Error::IncorrectFormat)?;
        while !bytes.is_empty() {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play_unchecked(*bytes.choose(&moves)?);
        }
        Ok(position)
    }
}
