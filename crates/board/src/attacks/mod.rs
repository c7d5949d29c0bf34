//! Where pieces attack: leaper and ray tables made at compile time, sliders by PEXT or magic lookup.
//!
//! ```
//! use ferz_board::{attacks, bitboard, Square};
//!
//! let occupied = bitboard! {
//!     . . . . . . . .
//!     . . . X . . . .
//!     . . . . . . . .
//!     . . . . . . . .
//!     . X . . . . . .
//!     . . . . . . . .
//!     . . . . . . . .
//!     . . . . . . . .
//! };
//! assert_eq!(attacks::rook(Square::D4, occupied), bitboard! {
//!     . . . . . . . .
//!     . . . X . . . .
//!     . . . X . . . .
//!     . . . X . . . .
//!     . X X . X X X X
//!     . . . X . . . .
//!     . . . X . . . .
//!     . . . X . . . .
//! });
//! ```

pub mod magic;
mod magic_numbers;
mod sliders;
mod tables;

pub use sliders::{Slider, USES_PEXT};

use crate::{Bitboard, Color, Piece, PieceType, Square};

/// Where a knight on this square attacks.
#[doc(alias("get_knight_attacks", "knight_moves"))]
#[inline(always)]
#[must_use]
pub const fn knight(square: Square) -> Bitboard {
    tables::KNIGHT[square.index()]
}

/// Where a king on this square attacks.
#[doc(alias("get_king_attacks", "king_moves"))]
#[inline(always)]
#[must_use]
pub const fn king(square: Square) -> Bitboard {
    tables::KING[square.index()]
}

/// Where a pawn of this colour on this square attacks.
#[doc(alias("get_pawn_attacks", "pawn_captures"))]
#[inline(always)]
#[must_use]
pub const fn pawn(color: Color, square: Square) -> Bitboard {
    tables::PAWN[color.index()][square.index()]
}

/// Where a rook on this square attacks, blockers included.
#[doc(alias("get_rook_attacks", "rook_moves", "sliding"))]
#[inline(always)]
#[must_use]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    sliders::rook(square, occupied)
}

/// Where a bishop on this square attacks, blockers included.
#[doc(alias("get_bishop_attacks", "bishop_moves"))]
#[inline(always)]
#[must_use]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    sliders::bishop(square, occupied)
}

/// Where a queen on this square attacks, blockers included.
#[doc(alias("get_queen_attacks", "queen_moves"))]
#[inline(always)]
#[must_use]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    rook(square, occupied) | bishop(square, occupied)
}

/// Where this piece on this square attacks.
#[must_use]
pub fn of(piece: Piece, square: Square, occupied: Bitboard) -> Bitboard {
    match piece.piece_type() {
        PieceType::Pawn => pawn(piece.color(), square),
        PieceType::Knight => knight(square),
        PieceType::Bishop => bishop(square, occupied),
        PieceType::Rook => rook(square, occupied),
        PieceType::Queen => queen(square, occupied),
        PieceType::King => king(square),
    }
}

/// The squares strictly between two squares on one line; empty if they are on none.
///
/// ```
/// use ferz_board::{attacks, Bitboard, Square};
/// assert_eq!(attacks::between(Square::A1, Square::D4), Bitboard::from_iter([Square::B2, Square::C3]));
/// assert_eq!(attacks::between(Square::A1, Square::B3), Bitboard::EMPTY);
/// ```
#[doc(alias("in_between", "squares_between", "rectangular lookup"))]
#[inline(always)]
#[must_use]
pub const fn between(a: Square, b: Square) -> Bitboard {
    tables::BETWEEN[a.index()][b.index()]
}

/// The whole line, from edge to edge, through two squares; empty if they are on none or the same.
#[inline(always)]
#[must_use]
pub const fn line(a: Square, b: Square) -> Bitboard {
    tables::LINE[a.index()][b.index()]
}

/// Whether three squares lie on one rank, file or diagonal.
#[inline]
#[must_use]
pub const fn aligned(a: Square, b: Square, c: Square) -> bool {
    line(a, b).contains(c)
}

/// For each of the eight directions (opposites side by side) the ray *towards* this square.
#[cfg(target_arch = "x86_64")]
pub(crate) use tables::{Lanes, RAYS_TOWARDS};
