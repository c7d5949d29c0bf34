//! The two sides.

use core::fmt;
use core::ops::Not;

use crate::Rank;
use crate::parse_error::from_str;

/// One of the two sides.
#[doc(alias("Side", "Sides", "Player"))]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Color {
    /// The side that moves first and whose pawns go up the board.
    White = 0,
    /// The other one.
    Black = 1,
}

impl Color {
    /// Both colours, White first.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// 0 for White, 1 for Black: the index into per-colour tables.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether this is White.
    #[inline]
    #[must_use]
    pub const fn is_white(self) -> bool {
        matches!(self, Color::White)
    }

    /// Whether this is Black.
    #[inline]
    #[must_use]
    pub const fn is_black(self) -> bool {
        matches!(self, Color::Black)
    }

    /// `w` or `b`, as in FEN.
    #[inline]
    #[must_use]
    pub const fn to_char(self) -> char {
        match self {
            Color::White => 'w',
            Color::Black => 'b',
        }
    }

    /// Reads `w` or `b`.
    #[inline]
    #[must_use]
    pub const fn from_char(c: char) -> Option<Color> {
        match c {
            'w' => Some(Color::White),
            'b' => Some(Color::Black),
            _ => None,
        }
    }

    /// The rank the pieces start on.
    ///
    /// ```
    /// use ferz_board::{Color, Rank};
    /// assert_eq!(Color::Black.back_rank(), Rank::Eighth);
    /// ```
    #[inline]
    #[must_use]
    pub const fn back_rank(self) -> Rank {
        match self {
            Color::White => Rank::First,
            Color::Black => Rank::Eighth,
        }
    }

    /// The rank on which this side's pawns promote.
    #[inline]
    #[must_use]
    pub const fn promotion_rank(self) -> Rank {
        match self {
            Color::White => Rank::Eighth,
            Color::Black => Rank::First,
        }
    }

    /// The rank this side's pawns start on.
    #[inline]
    #[must_use]
    pub const fn pawn_rank(self) -> Rank {
        match self {
            Color::White => Rank::Second,
            Color::Black => Rank::Seventh,
        }
    }

    /// The rank of the square an enemy pawn skips with a double step, where this side captures en passant.
    #[inline]
    #[must_use]
    pub const fn en_passant_rank(self) -> Rank {
        match self {
            Color::White => Rank::Sixth,
            Color::Black => Rank::Third,
        }
    }
}

impl Not for Color {
    type Output = Color;

    #[inline]
    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Color::White => "White",
            Color::Black => "Black",
        })
    }
}

from_str! {
    /// Reads `w` or `b`, or the name in lower case or with a capital.
    ///
    /// ```
    /// use ferz_board::Color;
    /// assert_eq!("w".parse(), Ok(Color::White));
    /// assert_eq!("Black".parse(), Ok(Color::Black));
    /// assert!("WHITE".parse::<Color>().is_err());
    /// ```
    Color, "a colour: w, b, white or black", |text| match text {
        "w" | "white" | "White" => Some(Color::White),
        "b" | "black" | "Black" => Some(Color::Black),
        _ => None,
    }
}
