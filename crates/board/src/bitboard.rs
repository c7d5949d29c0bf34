//! Sets of squares.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::{
    BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, ShlAssign, Shr, ShrAssign, Sub,
    SubAssign,
};

use crate::{Direction, File, Rank, Square};

/// A set of squares in one word: `a1` is bit 0, `h8` bit 63.
///
/// The set operations are operators: `|` union, `&` intersection, `^` symmetric difference, `-` difference,
/// `!` complement. `Display` draws the board, `{:#}` with the names of ranks and files. [`bitboard!`](crate::bitboard)
/// reads a drawing without names.
///
/// ```
/// use ferz_board::{bitboard, Bitboard, File, Rank, Square};
///
/// let cross = Bitboard::from(File::D) ^ Bitboard::from(Rank::Fourth);
/// assert_eq!(cross, bitboard! {
///     . . . X . . . .
///     . . . X . . . .
///     . . . X . . . .
///     . . . X . . . .
///     X X X . X X X X
///     . . . X . . . .
///     . . . X . . . .
///     . . . X . . . .
/// });
/// assert!(cross.contains(Square::D1) && !cross.contains(Square::D4));
/// assert_eq!(cross.into_iter().next(), Some(Square::D1));
/// assert!(format!("{cross:#}").starts_with("8  . . . X . . . .\n7  . . . X"));
/// ```
#[doc(alias("BB", "BitSet", "SquareSet", "occupancy"))]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Bitboard(pub u64);

const FILE_A: u64 = 0x0101_0101_0101_0101;
const RANK_1: u64 = 0xff;

impl Bitboard {
    /// No square.
    #[doc(alias("EMPTY_MASK", "empty"))]
    pub const EMPTY: Bitboard = Bitboard(0);
    /// Every square.
    #[doc(alias("FULL_MASK", "FULL", "full", "universe"))]
    pub const ALL: Bitboard = Bitboard(!0);
    /// The light squares.
    pub const LIGHT: Bitboard = Bitboard(0x55aa_55aa_55aa_55aa);
    /// The dark squares.
    pub const DARK: Bitboard = Bitboard(0xaa55_aa55_aa55_aa55);
    /// The first and the eighth rank, where pawns cannot stand.
    pub const BACK_RANKS: Bitboard = Bitboard(0xff00_0000_0000_00ff);
    /// The rim of the board.
    #[doc(alias("border", "rim"))]
    pub const EDGES: Bitboard = Bitboard(0xff81_8181_8181_81ff);

    /// The set of one square.
    #[doc(alias("SINGULAR_MASKS", "BB_SQUARES"))]
    #[inline(always)]
    #[must_use]
    pub const fn from_square(square: Square) -> Bitboard {
        square.bitboard()
    }

    /// The squares of a file.
    #[doc(alias("FILE_MASKS", "BB_FILES", "FILE_BB"))]
    #[inline]
    #[must_use]
    pub const fn from_file(file: File) -> Bitboard {
        Bitboard(FILE_A << file as u8)
    }

    /// The squares of a rank.
    #[doc(alias("RANK_MASKS", "BB_RANKS", "RANK_BB"))]
    #[inline]
    #[must_use]
    pub const fn from_rank(rank: Rank) -> Bitboard {
        Bitboard(RANK_1 << (rank as u8 * 8))
    }

    /// Whether no square is in the set.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether at least one square is in the set.
    #[doc(alias("is_any", "is_not_empty"))]
    #[inline(always)]
    #[must_use]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// The number of squares in the set.
    #[doc(alias("popcount", "count", "count_bits", "cardinality"))]
    #[inline(always)]
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is exactly one square.
    #[doc(alias("has_one", "single_populated"))]
    #[inline]
    #[must_use]
    pub const fn is_singular(self) -> bool {
        self.0.is_power_of_two()
    }

    /// Whether there are two or more squares.
    #[doc(alias("more_than_one", "multiple_populated"))]
    #[inline(always)]
    #[must_use]
    pub const fn is_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Whether a square is in the set.
    #[doc(alias("has_bit", "get_bit", "test_bit", "is_set", "has"))]
    #[inline(always)]
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square as u8 & 1 != 0
    }

    /// Whether the two sets share a square.
    #[inline(always)]
    #[must_use]
    pub const fn intersects(self, other: Bitboard) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether every square of this set is in the other.
    #[inline]
    #[must_use]
    pub const fn is_subset(self, other: Bitboard) -> bool {
        self.0 & !other.0 == 0
    }

    /// This set with one more square.
    #[inline]
    #[must_use]
    pub const fn with(self, square: Square) -> Bitboard {
        Bitboard(self.0 | 1 << square as u8)
    }

    /// This set without a square.
    #[inline]
    #[must_use]
    pub const fn without(self, square: Square) -> Bitboard {
        Bitboard(self.0 & !(1 << square as u8))
    }

    /// Puts a square in.
    #[doc(alias("set_bit", "set"))]
    #[inline]
    pub fn insert(&mut self, square: Square) {
        self.0 |= 1 << square as u8;
    }

    /// Takes a square out.
    #[doc(alias("clear_bit", "pop_bit", "reset_bit", "clear"))]
    #[inline]
    pub fn remove(&mut self, square: Square) {
        self.0 &= !(1 << square as u8);
    }

    /// The square with the lowest index.
    #[doc(alias("lsb", "bitscan_forward", "get_ls1b_index", "trailing_zeros"))]
    #[inline(always)]
    #[must_use]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::wrapping(self.0.trailing_zeros())) }
    }

    /// The square with the highest index.
    #[doc(alias("msb", "bitscan_reverse", "leading_zeros"))]
    #[inline(always)]
    #[must_use]
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::wrapping(63 - self.0.leading_zeros())) }
    }

    /// The only square of the set, if it has exactly one.
    #[doc(alias("from_singular_bitboard", "to_square"))]
    #[inline]
    #[must_use]
    pub const fn single(self) -> Option<Square> {
        if self.is_singular() { self.first() } else { None }
    }

    /// The first square of a set known to be non-empty (of an empty one: `a1`, the wrapped bit 64).
    #[inline(always)]
    pub(crate) const fn first_unchecked(self) -> Square {
        Square::wrapping(self.0.trailing_zeros())
    }

    /// The subset of the lowest square.
    #[inline(always)]
    pub(crate) const fn lowest(self) -> Bitboard {
        Bitboard(self.0 & self.0.wrapping_neg())
    }

    /// Takes out the lowest square and returns it as a set.
    #[inline(always)]
    pub(crate) fn pop_lowest(&mut self) -> Bitboard {
        let lowest = self.lowest();
        self.0 &= self.0.wrapping_sub(1);
        lowest
    }

    /// Every square moved one step; what would leave the board is dropped, nothing wraps around.
    ///
    /// ```
    /// use ferz_board::{Bitboard, Direction, File};
    /// assert_eq!(Bitboard::from(File::H).shift(Direction::East), Bitboard::EMPTY);
    /// assert_eq!(Bitboard::from(File::G).shift(Direction::East), Bitboard::from(File::H));
    /// ```
    #[doc(alias("nort_one", "north_one", "noEaOne", "shift_north"))]
    #[inline(always)]
    #[must_use]
    pub const fn shift(self, direction: Direction) -> Bitboard {
        const NOT_A: u64 = !FILE_A;
        const NOT_H: u64 = !(FILE_A << 7);
        Bitboard(match direction {
            Direction::North => self.0 << 8,
            Direction::South => self.0 >> 8,
            Direction::East => (self.0 & NOT_H) << 1,
            Direction::West => (self.0 & NOT_A) >> 1,
            Direction::NorthEast => (self.0 & NOT_H) << 9,
            Direction::NorthWest => (self.0 & NOT_A) << 7,
            Direction::SouthEast => (self.0 & NOT_H) >> 7,
            Direction::SouthWest => (self.0 & NOT_A) >> 9,
        })
    }

    /// The board turned upside down: `a1` ↔ `a8`.
    #[doc(alias("flip_vertical", "byteswap"))]
    #[inline]
    #[must_use]
    pub const fn flip_ranks(self) -> Bitboard {
        Bitboard(self.0.swap_bytes())
    }

    /// The board in a mirror: `a1` ↔ `h1`.
    #[doc(alias = "mirror_horizontal")]
    #[inline]
    #[must_use]
    pub const fn mirror_files(self) -> Bitboard {
        Bitboard(self.0.reverse_bits().swap_bytes())
    }

    /// The board turned by half a turn: `a1` ↔ `h8`.
    #[inline]
    #[must_use]
    pub const fn rotate_180(self) -> Bitboard {
        Bitboard(self.0.reverse_bits())
    }

    /// The board mirrored in its long diagonal: `a8` ↔ `h1`, files become ranks.
    #[must_use]
    pub const fn flip_diagonal(self) -> Bitboard {
        let mut x = self.0;
        let mut t = 0x0f0f_0f0f_0000_0000 & (x ^ (x << 28));
        x ^= t ^ (t >> 28);
        t = 0x3333_0000_3333_0000 & (x ^ (x << 14));
        x ^= t ^ (t >> 14);
        t = 0x5500_5500_5500_5500 & (x ^ (x << 7));
        x ^= t ^ (t >> 7);
        Bitboard(x)
    }

    /// Every subset of this set, the empty one first: 2ⁿ of them for n squares.
    #[doc(alias("carry_rippler", "blockers", "index_to_uint64"))]
    ///
    /// ```
    /// use ferz_board::{Bitboard, Square};
    /// let three = Bitboard::from_iter([Square::A1, Square::C5, Square::H8]);
    /// assert_eq!(three.subsets().count(), 8);
    /// assert!(three.subsets().all(|subset| subset.is_subset(three)));
    /// ```
    #[inline]
    #[must_use]
    pub const fn subsets(self) -> Subsets {
        Subsets { set: self, next: Some(Bitboard::EMPTY) }
    }

    /// Reads a drawing: eight rows from the eighth rank down, `X` (or `x`, `1`) for a member, `.` (or `0`)
    /// for the rest; white space is ignored.
    #[must_use]
    pub const fn from_drawing(drawing: &str) -> Option<Bitboard> {
        let bytes = drawing.as_bytes();
        let (mut bits, mut seen, mut i) = (0u64, 0u32, 0);
        while i < bytes.len() {
            let member = match bytes[i] {
                b'X' | b'x' | b'1' => true,
                b'.' | b'0' => false,
                b' ' | b'\n' | b'\r' | b'\t' => {
                    i += 1;
                    continue;
                }
                _ => return None,
            };
            if seen == 64 {
                return None;
            }
            if member {
                bits |= 1 << (seen ^ 56);
            }
            seen += 1;
            i += 1;
        }
        if seen == 64 { Some(Bitboard(bits)) } else { None }
    }
}

/// Reads the drawing of a [`Bitboard`] at compile time: eight rows, the eighth rank first, `X` for a member,
/// `.` for the rest.
///
/// ```
/// use ferz_board::{attacks, bitboard, Square};
/// assert_eq!(attacks::knight(Square::B1), bitboard! {
///     . . . . . . . .
///     . . . . . . . .
///     . . . . . . . .
///     . . . . . . . .
///     . . . . . . . .
///     X . X . . . . .
///     . . . X . . . .
///     . . . . . . . .
/// });
/// ```
///
/// Anything else does not compile:
///
/// ```compile_fail
/// let seven_rows = ferz_board::bitboard! { X X X };
/// ```
#[macro_export]
macro_rules! bitboard {
    ($($drawing:tt)*) => {
        const {
            match $crate::Bitboard::from_drawing(stringify!($($drawing)*)) {
                Some(bitboard) => bitboard,
                None => panic!("a bitboard is drawn with 64 characters, X or ."),
            }
        }
    };
}

/// Eight rows of `X` and `.`, the eighth rank first; `{:#}` adds the names of ranks and files.
impl fmt::Display for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            if f.alternate() {
                write!(f, "{rank}  ")?;
            }
            for file in File::ALL {
                let member = self.contains(Square::from_coords(file, rank));
                f.write_str(if member { "X" } else { "." })?;
                f.write_str(if file == File::H { "\n" } else { " " })?;
            }
        }
        if f.alternate() { f.write_str("\n   a b c d e f g h\n") } else { Ok(()) }
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bitboard(0x{:016x})", self.0)
    }
}

impl fmt::LowerHex for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.0, f)
    }
}

impl fmt::UpperHex for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::UpperHex::fmt(&self.0, f)
    }
}

impl fmt::Binary for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Binary::fmt(&self.0, f)
    }
}

macro_rules! set_operator {
    ($trait:ident $method:ident $assign_trait:ident $assign_method:ident |$a:ident, $b:ident| $result:expr) => {
        impl $trait for Bitboard {
            type Output = Bitboard;

            #[inline(always)]
            fn $method(self, other: Bitboard) -> Bitboard {
                let ($a, $b) = (self.0, other.0);
                Bitboard($result)
            }
        }

        impl $assign_trait for Bitboard {
            #[inline(always)]
            fn $assign_method(&mut self, other: Bitboard) {
                *self = $trait::$method(*self, other);
            }
        }
    };
}

set_operator!(BitAnd bitand BitAndAssign bitand_assign |a, b| a & b);
set_operator!(BitOr bitor BitOrAssign bitor_assign |a, b| a | b);
set_operator!(BitXor bitxor BitXorAssign bitxor_assign |a, b| a ^ b);
set_operator!(Sub sub SubAssign sub_assign |a, b| a & !b);

impl Not for Bitboard {
    type Output = Bitboard;

    #[inline(always)]
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

/// Adds a number to the index of every square; bits beyond `h8` are dropped. Files wrap around; see
/// [`Bitboard::shift`] for steps that do not.
impl Shl<u32> for Bitboard {
    type Output = Bitboard;

    #[inline(always)]
    fn shl(self, by: u32) -> Bitboard {
        Bitboard(self.0.checked_shl(by).unwrap_or(0))
    }
}

/// Subtracts a number from the index of every square; bits below `a1` are dropped. Files wrap around.
impl Shr<u32> for Bitboard {
    type Output = Bitboard;

    #[inline(always)]
    fn shr(self, by: u32) -> Bitboard {
        Bitboard(self.0.checked_shr(by).unwrap_or(0))
    }
}

impl ShlAssign<u32> for Bitboard {
    #[inline(always)]
    fn shl_assign(&mut self, by: u32) {
        *self = *self << by;
    }
}

impl ShrAssign<u32> for Bitboard {
    #[inline(always)]
    fn shr_assign(&mut self, by: u32) {
        *self = *self >> by;
    }
}

impl From<Square> for Bitboard {
    #[inline]
    fn from(square: Square) -> Bitboard {
        square.bitboard()
    }
}

impl From<File> for Bitboard {
    #[inline]
    fn from(file: File) -> Bitboard {
        Bitboard::from_file(file)
    }
}

impl From<Rank> for Bitboard {
    #[inline]
    fn from(rank: Rank) -> Bitboard {
        Bitboard::from_rank(rank)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
    }
}

impl Extend<Square> for Bitboard {
    fn extend<I: IntoIterator<Item = Square>>(&mut self, squares: I) {
        squares.into_iter().for_each(|square| self.insert(square));
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

/// The squares of a [`Bitboard`] in ascending order.
#[doc(alias("bits::next", "pop_lsb", "pop_first", "serialization"))]
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(square)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len() as usize, Some(self.0.len() as usize))
    }
}

impl DoubleEndedIterator for Squares {
    #[inline]
    fn next_back(&mut self) -> Option<Square> {
        let square = self.0.last()?;
        self.0.remove(square);
        Some(square)
    }
}

impl ExactSizeIterator for Squares {}
impl FusedIterator for Squares {}

/// The subsets of a [`Bitboard`]; made by [`Bitboard::subsets`].
#[derive(Clone, Debug)]
pub struct Subsets {
    set: Bitboard,
    next: Option<Bitboard>,
}

impl Iterator for Subsets {
    type Item = Bitboard;

    #[inline]
    fn next(&mut self) -> Option<Bitboard> {
        let subset = self.next?;
        // Carry-rippler: counting up in just the bits of the set.
        let following = subset.0.wrapping_sub(self.set.0) & self.set.0;
        self.next = (following != 0).then_some(Bitboard(following));
        Some(subset)
    }
}

impl FusedIterator for Subsets {}
