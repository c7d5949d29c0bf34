#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "arbitrary")]
mod arbitrary_impls;
pub mod attacks;
mod bitboard;
mod board;
mod castling;
mod color;
mod count;
mod dead;
mod fen;
mod game;
mod illegal_reason;
mod make;
mod maps;
mod movegen;
mod moves;
mod outcome;
mod packed;
mod parse_error;
pub mod perft;
mod piece;
mod polyglot_random;
mod position;
#[cfg(feature = "serde")]
mod serde_impls;
mod setup;
mod square;
mod uci;
pub mod zobrist;

pub use bitboard::{Bitboard, Squares, Subsets};
pub use board::{Board, PiecesOnSquares};
pub use castling::{CastlingMode, CastlingRights, CastlingSide, SingleRights};
pub use color::Color;
pub use dead::{DeadPositionSearch, DeadPositionVerdict, Helpmate, Winnability};
pub use fen::{
    CastlingStyle, EnPassantMode, Fen, FenError, FenField, FenProblem, FenSyntaxError, Repair, START_FEN,
};
pub use game::{Game, GameMoves, RepetitionKeys};
pub use illegal_reason::{IllegalReason, PlacedPiece};
pub use make::{IllegalMove, Observer, SearchKeys, Undo};
pub use maps::{ByColor, ByPieceType};
pub use movegen::{MoveClass, MoveMasks, MoveSet, MoveSetKind};
pub use moves::{IntoMoves, Move, MoveKind, MoveList};
pub use outcome::{DrawClaim, DrawReason, Outcome};
pub use packed::{PackedPosition, UnpackError};
pub use parse_error::ParseError;
pub use piece::{Piece, PieceType};
pub use position::Position;
pub use setup::{Rule, Setup, SetupError, Violation};
pub use square::{Direction, File, Rank, Square};
pub use uci::{UciError, UciMove, UciSyntaxError};
