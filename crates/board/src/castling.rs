//! Castling: sides, rights and the two sets of rules.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Sub, SubAssign};

use crate::parse_error::from_str;
use crate::{Color, File, Square};

/// Which way the king goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[repr(u8)]
pub enum CastlingSide {
    /// To the g-file (`O-O`).
    King = 0,
    /// To the c-file (`O-O-O`).
    Queen = 1,
}

impl CastlingSide {
    /// Both sides, the king's first.
    pub const ALL: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];

    /// Where the king of this colour lands.
    #[inline]
    #[must_use]
    pub const fn king_target(self, color: Color) -> Square {
        let file = match self {
            CastlingSide::King => File::G,
            CastlingSide::Queen => File::C,
        };
        Square::from_coords(file, color.back_rank())
    }

    /// Where the rook of this colour lands.
    #[inline]
    #[must_use]
    pub const fn rook_target(self, color: Color) -> Square {
        let file = match self {
            CastlingSide::King => File::F,
            CastlingSide::Queen => File::D,
        };
        Square::from_coords(file, color.back_rank())
    }

    /// The file the rook of standard chess starts on.
    #[inline]
    #[must_use]
    pub const fn standard_rook_file(self) -> File {
        match self {
            CastlingSide::King => File::H,
            CastlingSide::Queen => File::A,
        }
    }

    /// The side of a king on which a rook on the same rank stands.
    #[inline]
    #[must_use]
    pub const fn of_rook(king: Square, rook: Square) -> CastlingSide {
        if rook as u8 > king as u8 { CastlingSide::King } else { CastlingSide::Queen }
    }
}

/// The castling rules and the way castling is written.
///
/// Every position can be played under both. [`CastlingMode::Standard`] differs in two ways: a set-up with
/// castling rights needs its kings and rooks on the squares of standard chess, and castling is written as the
/// king's two-square step (`e1g1`) instead of king takes rook (`e1h1`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum CastlingMode {
    /// Kings on the e-file, rooks on the a- and h-files.
    #[default]
    Standard,
    /// Chess960 (and double Chess960): any back rank with the king between two rooks.
    Chess960,
}

/// Up to four castling rights in four bits: `K` is bit 0, `Q` 1, `k` 2, `q` 3.
///
/// [`Position::castling_rook`] gives the rook that a right belongs to.
///
/// The default is [`CastlingRights::NONE`], as for every other set here. Some boards and tutorials have all four rights
/// as their default; write [`CastlingRights::ALL`] where you mean that.
///
/// ```
/// use ferz_board::{CastlingRights, CastlingSide, Color};
/// let rights = CastlingRights::ALL - CastlingRights::of(Color::Black);
/// assert!(rights.contains(Color::White, CastlingSide::Queen));
/// assert_eq!(rights.to_string(), "KQ");
/// assert_eq!(rights & CastlingRights::of_side(CastlingSide::King), "K".parse()?);
/// assert_eq!(CastlingRights::default(), CastlingRights::NONE);
/// # Ok::<(), ferz_board::ParseError>(())
/// ```
///
/// [`Position::castling_rook`]: crate::Position::castling_rook
#[doc(alias("castling_permissions", "CastleRights"))]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No right at all: the default.
    #[doc(alias("NO_CASTLING", "empty"))]
    pub const NONE: CastlingRights = CastlingRights(0);
    /// All four.
    #[doc(alias("ANY_CASTLING", "all"))]
    pub const ALL: CastlingRights = CastlingRights(15);

    /// The right of one colour to castle to one side.
    #[doc(alias("WHITE_00", "WHITE_000", "BLACK_00", "BLACK_000", "WHITE_OO"))]
    #[inline]
    #[must_use]
    pub const fn single(color: Color, side: CastlingSide) -> CastlingRights {
        CastlingRights(1 << (color as u8 * 2 + side as u8))
    }

    /// Both rights of a colour.
    #[doc(alias("WHITE_CASTLING", "BLACK_CASTLING"))]
    #[inline]
    #[must_use]
    pub const fn of(color: Color) -> CastlingRights {
        CastlingRights(3 << (color as u8 * 2))
    }

    /// The rights of both colours to castle to one side.
    #[doc(alias("KING_SIDE", "QUEEN_SIDE"))]
    #[inline]
    #[must_use]
    pub const fn of_side(side: CastlingSide) -> CastlingRights {
        CastlingRights(0b0101 << side as u8)
    }

    /// The rights of these four bits, if no other bit is set.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u8) -> Option<CastlingRights> {
        if bits < 16 { Some(CastlingRights(bits)) } else { None }
    }

    /// The four bits.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether a colour may castle to a side (now or later).
    #[inline]
    #[must_use]
    pub const fn contains(self, color: Color, side: CastlingSide) -> bool {
        self.0 & CastlingRights::single(color, side).0 != 0
    }

    /// Whether neither side may castle any more.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The single rights in the set, in the order `K Q k q`.
    #[inline]
    #[must_use]
    pub const fn iter(self) -> SingleRights {
        SingleRights(self)
    }
}

impl IntoIterator for CastlingRights {
    type Item = (Color, CastlingSide);
    type IntoIter = SingleRights;

    #[inline]
    fn into_iter(self) -> SingleRights {
        self.iter()
    }
}

/// The single rights in a set of [`CastlingRights`].
#[derive(Clone, Debug)]
pub struct SingleRights(CastlingRights);

impl SingleRights {
    /// Takes out the right with this bit.
    fn take(&mut self, bit: u32) -> (Color, CastlingSide) {
        self.0.0 &= !(1 << bit);
        (Color::ALL[bit as usize / 2], CastlingSide::ALL[bit as usize % 2])
    }
}

impl Iterator for SingleRights {
    type Item = (Color, CastlingSide);

    fn next(&mut self) -> Option<(Color, CastlingSide)> {
        (!self.0.is_empty()).then(|| self.take(self.0.bits().trailing_zeros()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.bits().count_ones() as usize;
        (left, Some(left))
    }
}

impl DoubleEndedIterator for SingleRights {
    fn next_back(&mut self) -> Option<(Color, CastlingSide)> {
        (!self.0.is_empty()).then(|| self.take(self.0.bits().ilog2()))
    }
}

impl ExactSizeIterator for SingleRights {}
impl FusedIterator for SingleRights {}

impl BitOr for CastlingRights {
    type Output = CastlingRights;

    #[inline]
    fn bitor(self, other: CastlingRights) -> CastlingRights {
        CastlingRights(self.0 | other.0)
    }
}

impl BitOrAssign for CastlingRights {
    #[inline]
    fn bitor_assign(&mut self, other: CastlingRights) {
        self.0 |= other.0;
    }
}

impl BitAnd for CastlingRights {
    type Output = CastlingRights;

    #[inline]
    fn bitand(self, other: CastlingRights) -> CastlingRights {
        CastlingRights(self.0 & other.0)
    }
}

impl BitAndAssign for CastlingRights {
    #[inline]
    fn bitand_assign(&mut self, other: CastlingRights) {
        self.0 &= other.0;
    }
}

impl Sub for CastlingRights {
    type Output = CastlingRights;

    #[inline]
    fn sub(self, other: CastlingRights) -> CastlingRights {
        CastlingRights(self.0 & !other.0)
    }
}

impl SubAssign for CastlingRights {
    #[inline]
    fn sub_assign(&mut self, other: CastlingRights) {
        self.0 &= !other.0;
    }
}

impl Not for CastlingRights {
    type Output = CastlingRights;

    #[inline]
    fn not(self) -> CastlingRights {
        CastlingRights(!self.0 & 15)
    }
}

/// The letters of standard FEN, `-` for none.
impl fmt::Display for CastlingRights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("-");
        }
        for (color, side) in *self {
            f.write_str(match (color, side) {
                (Color::White, CastlingSide::King) => "K",
                (Color::White, CastlingSide::Queen) => "Q",
                (Color::Black, CastlingSide::King) => "k",
                (Color::Black, CastlingSide::Queen) => "q",
            })?;
        }
        Ok(())
    }
}

impl fmt::Debug for CastlingRights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CastlingRights({self})")
    }
}

from_str! {
    /// Reads `-` or some of `KQkq` in any order, none of them twice. Letters of files need a board: see
    /// [`Setup::from_fen`](crate::Setup::from_fen).
    ///
    /// ```
    /// use ferz_board::{CastlingRights, Color};
    /// assert_eq!("kq".parse(), Ok(CastlingRights::of(Color::Black)));
    /// assert!("KK".parse::<CastlingRights>().is_err());
    /// ```
    CastlingRights, "castling rights: - or some of KQkq", |text| {
        if text == "-" {
            return Some(CastlingRights::NONE);
        }
        let rights = text.bytes().try_fold(CastlingRights::NONE, |rights, letter| {
            let bit = b"KQkq".iter().position(|&it| it == letter)?;
            let right = CastlingRights(1 << bit);
            (rights & right).is_empty().then_some(rights | right)
        })?;
        (!rights.is_empty()).then_some(rights)
    }
}
