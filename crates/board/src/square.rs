//! Squares, files, ranks and directions.

use core::fmt;

use crate::parse_error::{from_str, only_char};
use crate::{Bitboard, Color};

/// A column of the board, `a` to `h`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // the names say it all
pub enum File {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
}

impl File {
    /// All eight, from `a` to `h`.
    pub const ALL: [File; 8] = [File::A, File::B, File::C, File::D, File::E, File::F, File::G, File::H];

    /// The file with this index (0 is `a`), if there is one.
    #[inline]
    #[must_use]
    pub const fn new(index: u8) -> Option<File> {
        if index < 8 { Some(File::ALL[index as usize]) } else { None }
    }

    /// 0 for `a`, 7 for `h`.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The lower-case letter.
    #[inline]
    #[must_use]
    pub const fn to_char(self) -> char {
        (b'a' + self as u8) as char
    }

    /// Reads a lower-case letter.
    #[inline]
    #[must_use]
    pub const fn from_char(c: char) -> Option<File> {
        if c.is_ascii() { File::new((c as u8).wrapping_sub(b'a')) } else { None }
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_char())
    }
}

/// A row of the board, `1` to `8`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // the names say it all
pub enum Rank {
    First,
    Second,
    Third,
    Fourth,
    Fifth,
    Sixth,
    Seventh,
    Eighth,
}

impl Rank {
    /// All eight, from `1` to `8`.
    pub const ALL: [Rank; 8] = [
        Rank::First,
        Rank::Second,
        Rank::Third,
        Rank::Fourth,
        Rank::Fifth,
        Rank::Sixth,
        Rank::Seventh,
        Rank::Eighth,
    ];

    /// The rank with this index (0 is the first rank), if there is one.
    #[inline]
    #[must_use]
    pub const fn new(index: u8) -> Option<Rank> {
        if index < 8 { Some(Rank::ALL[index as usize]) } else { None }
    }

    /// 0 for the first rank, 7 for the eighth.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The digit.
    #[inline]
    #[must_use]
    pub const fn to_char(self) -> char {
        (b'1' + self as u8) as char
    }

    /// Reads a digit.
    #[inline]
    #[must_use]
    pub const fn from_char(c: char) -> Option<Rank> {
        if c.is_ascii() { Rank::new((c as u8).wrapping_sub(b'1')) } else { None }
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_char())
    }
}

/// The direction of a step to a neighbouring square, from White's point of view.
#[doc(alias = "compass rose")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // the names say it all
pub enum Direction {
    North,
    South,
    East,
    West,
    NorthEast,
    NorthWest,
    SouthEast,
    SouthWest,
}

impl Direction {
    /// All eight.
    pub const ALL: [Direction; 8] = [
        Direction::North,
        Direction::South,
        Direction::East,
        Direction::West,
        Direction::NorthEast,
        Direction::NorthWest,
        Direction::SouthEast,
        Direction::SouthWest,
    ];

    /// Forward for the pawns of a side.
    #[inline]
    #[must_use]
    pub const fn forward(color: Color) -> Direction {
        match color {
            Color::White => Direction::North,
            Color::Black => Direction::South,
        }
    }

    /// How file and rank change.
    #[inline]
    #[must_use]
    pub const fn delta(self) -> (i8, i8) {
        match self {
            Direction::North => (0, 1),
            Direction::South => (0, -1),
            Direction::East => (1, 0),
            Direction::West => (-1, 0),
            Direction::NorthEast => (1, 1),
            Direction::NorthWest => (-1, 1),
            Direction::SouthEast => (1, -1),
            Direction::SouthWest => (-1, -1),
        }
    }
}

/// One of the 64 squares; `a1` is 0, `h8` is 63. Other values cannot be made.
///
/// ```
/// use ferz_board::{File, Rank, Square};
/// let e4: Square = "e4".parse()?;
/// assert_eq!(e4, Square::E4);
/// assert_eq!(e4, Square::from_coords(File::E, Rank::Fourth));
/// assert_eq!(Square::new(64), None);
/// # Ok::<(), ferz_board::ParseError>(())
/// ```
#[doc(alias("SquareLabels", "LERF", "square mapping"))]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // the names say it all
#[rustfmt::skip]
pub enum Square {
    A1, B1, C1, D1, E1, F1, G1, H1,
    A2, B2, C2, D2, E2, F2, G2, H2,
    A3, B3, C3, D3, E3, F3, G3, H3,
    A4, B4, C4, D4, E4, F4, G4, H4,
    A5, B5, C5, D5, E5, F5, G5, H5,
    A6, B6, C6, D6, E6, F6, G6, H6,
    A7, B7, C7, D7, E7, F7, G7, H7,
    A8, B8, C8, D8, E8, F8, G8, H8,
}

const _: () = assert!(size_of::<Option<Square>>() == 1);

impl Square {
    /// All 64, `a1` to `h8`.
    #[rustfmt::skip]
    pub const ALL: [Square; 64] = [
        Square::A1, Square::B1, Square::C1, Square::D1, Square::E1, Square::F1, Square::G1, Square::H1,
        Square::A2, Square::B2, Square::C2, Square::D2, Square::E2, Square::F2, Square::G2, Square::H2,
        Square::A3, Square::B3, Square::C3, Square::D3, Square::E3, Square::F3, Square::G3, Square::H3,
        Square::A4, Square::B4, Square::C4, Square::D4, Square::E4, Square::F4, Square::G4, Square::H4,
        Square::A5, Square::B5, Square::C5, Square::D5, Square::E5, Square::F5, Square::G5, Square::H5,
        Square::A6, Square::B6, Square::C6, Square::D6, Square::E6, Square::F6, Square::G6, Square::H6,
        Square::A7, Square::B7, Square::C7, Square::D7, Square::E7, Square::F7, Square::G7, Square::H7,
        Square::A8, Square::B8, Square::C8, Square::D8, Square::E8, Square::F8, Square::G8, Square::H8,
    ];

    /// The number of squares.
    #[doc(alias("NrOf::SQUARES", "SQUARE_NB"))]
    pub const COUNT: usize = Square::ALL.len();

    /// The square with this index, if there is one.
    #[inline]
    #[must_use]
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square::wrapping(index as u32)) } else { None }
    }

    /// The square whose index is the low six bits of `index`: total, and free where the index comes out of
    /// a bitboard or a packed move.
    #[doc(alias = "new_unchecked")]
    #[inline(always)]
    #[must_use]
    pub const fn wrapping(index: u32) -> Square {
        // SAFETY: `Square` is `repr(u8)` with exactly the discriminants 0..=63, and the mask leaves no other
        // value. A load from `ALL` instead costs 4 % of the walking perft.
        unsafe { core::mem::transmute::<u8, Square>((index & 63) as u8) }
    }

    /// The square on this file and rank.
    #[doc(alias("from_file_and_rank", "make_square"))]
    #[inline]
    #[must_use]
    pub const fn from_coords(file: File, rank: Rank) -> Square {
        Square::wrapping(rank as u32 * 8 + file as u32)
    }

    /// 0 for `a1` to 63 for `h8`.
    #[inline(always)]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its file.
    #[inline]
    #[must_use]
    pub const fn file(self) -> File {
        File::ALL[self as usize & 7]
    }

    /// Its rank.
    #[inline]
    #[must_use]
    pub const fn rank(self) -> Rank {
        Rank::ALL[self as usize >> 3]
    }

    /// Its file and rank: the inverse of [`Square::from_coords`].
    #[inline]
    #[must_use]
    pub const fn coords(self) -> (File, Rank) {
        (self.file(), self.rank())
    }

    /// The set of just this square.
    #[inline(always)]
    #[must_use]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << self as u8)
    }

    /// The neighbour in a direction, unless that is off the board.
    ///
    /// ```
    /// use ferz_board::{Direction, Square};
    /// assert_eq!(Square::E4.step(Direction::NorthWest), Some(Square::D5));
    /// assert_eq!(Square::H4.step(Direction::East), None);
    /// ```
    #[inline]
    #[must_use]
    pub const fn step(self, direction: Direction) -> Option<Square> {
        let (files, ranks) = direction.delta();
        self.offset(files, ranks)
    }

    /// The square at this distance, in files to the east and ranks to the north, unless it is off the board.
    #[inline]
    #[must_use]
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Square> {
        let file = (self as i8 & 7) as i16 + files as i16;
        let rank = (self as i8 >> 3) as i16 + ranks as i16;
        if file < 0 || file > 7 || rank < 0 || rank > 7 {
            None
        } else {
            Some(Square::wrapping((rank * 8 + file) as u32))
        }
    }

    /// The same file counted from the other side: `e2` ↔ `e7`.
    #[doc(alias("FLIP", "flip_vertical"))]
    #[inline]
    #[must_use]
    pub const fn flip_rank(self) -> Square {
        Square::wrapping(self as u32 ^ 56)
    }

    /// The same rank seen in a mirror: `a2` ↔ `h2`.
    #[inline]
    #[must_use]
    pub const fn flip_file(self) -> Square {
        Square::wrapping(self as u32 ^ 7)
    }

    /// The square after half a turn of the board: `e2` ↔ `d7`.
    ///
    /// To see a square from the other side, as piece-square tables do, use [`Square::flip_rank`].
    ///
    /// ```
    /// use ferz_board::Square;
    /// assert_eq!((Square::E2.rotate_180(), Square::E2.flip_rank()), (Square::D7, Square::E7));
    /// ```
    #[doc(alias = "flipped")]
    #[inline]
    #[must_use]
    pub const fn rotate_180(self) -> Square {
        Square::wrapping(self as u32 ^ 63)
    }

    /// The square as its side sees it: unchanged for White, [flipped](Square::flip_rank) for Black.
    #[inline]
    #[must_use]
    pub const fn relative_to(self, color: Color) -> Square {
        Square::wrapping(self as u32 ^ (56 * color as u32))
    }

    /// Whether it is a light square.
    #[inline]
    #[must_use]
    pub const fn is_light(self) -> bool {
        (self as u8 ^ (self as u8 >> 3)) & 1 == 1
    }

    /// The number of king moves to another square on an empty board.
    #[doc(alias = "Chebyshev distance")]
    #[inline]
    #[must_use]
    pub const fn distance(self, other: Square) -> u8 {
        let files = (self as u8 & 7).abs_diff(other as u8 & 7);
        let ranks = (self as u8 >> 3).abs_diff(other as u8 >> 3);
        if files > ranks { files } else { ranks }
    }

    /// Reads two bytes like `e4`.
    #[inline]
    #[must_use]
    pub const fn from_ascii(text: &[u8]) -> Option<Square> {
        match text {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                Some(Square::wrapping(((*rank - b'1') * 8 + (*file - b'a')) as u32))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = [self.file().to_char() as u8, self.rank().to_char() as u8];
        f.pad(core::str::from_utf8(&text).unwrap_or_default())
    }
}

from_str!(Square, "a square from a1 to h8", |text| Square::from_ascii(text.as_bytes()));
from_str!(File, "a file from a to h", |text| File::from_char(only_char(text)?));
from_str!(Rank, "a rank from 1 to 8", |text| Rank::from_char(only_char(text)?));
