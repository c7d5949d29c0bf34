//! Moves in sixteen bits, and lists of them on the stack.

mod blocks;

use core::fmt;
use core::iter::FusedIterator;
use core::mem::MaybeUninit;
use core::num::NonZeroU16;
use core::ops::{Deref, DerefMut, Range};
use core::slice;

use crate::{CastlingMode, CastlingSide, PieceType, Square, UciMove};

/// The kind of a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// A piece goes from one square to another, capturing what stands there.
    Normal,
    /// A pawn goes two squares.
    DoubleStep,
    /// The king castles; the move's target is the *rook's* square.
    Castling,
    /// A pawn captures the pawn that has just passed it.
    EnPassant,
    /// A pawn reaches the last rank and becomes this.
    Promotion(PieceType),
}

/// A move in 16 bits: from (6), to (6), kind (4). `Option<Move>` has 16 bits too.
///
/// Castling is stored as king takes own rook, which is unambiguous in Chess960. [`Move::uci`] takes the
/// [`CastlingMode`] that decides how it is *written*.
///
/// A move does not depend on a position. [`Position::is_legal`](crate::Position::is_legal) checks any move,
/// from any source.
#[doc(alias("next_move", "Mv", "encoding moves"))]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Move(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 2);

const KIND_NORMAL: u16 = 0;
const KIND_DOUBLE_STEP: u16 = 1;
const KIND_CASTLING: u16 = 2;
const KIND_EN_PASSANT: u16 = 3;
/// Promotions to knight, bishop, rook and queen are 4 to 7.
const KIND_PROMOTION: u16 = 4;

impl Move {
    /// A move between two squares; `None` if they are the same or a pawn would become a pawn or king.
    #[inline]
    #[must_use]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Option<Move> {
        let kind = match kind {
            MoveKind::Normal => KIND_NORMAL,
            MoveKind::DoubleStep => KIND_DOUBLE_STEP,
            MoveKind::Castling => KIND_CASTLING,
            MoveKind::EnPassant => KIND_EN_PASSANT,
            MoveKind::Promotion(PieceType::Pawn | PieceType::King) => return None,
            MoveKind::Promotion(piece_type) => KIND_PROMOTION + piece_type as u16 - 1,
        };
        Move::from_bits(from as u16 | (to as u16) << 6 | kind << 12)
    }

    /// The move with these bits, e.g. from a hash table; `None` for encodings without a meaning.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u16) -> Option<Move> {
        if bits >> 12 > 7 || bits & 63 == bits >> 6 & 63 {
            return None;
        }
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Move(bits)),
            None => None,
        }
    }

    /// A move from two squares that the caller knows to differ.
    #[inline(always)]
    const fn assemble(from: Square, to: Square, kind: u16) -> Move {
        let bits = from as u16 | (to as u16) << 6 | kind << 12;
        match NonZeroU16::new(bits) {
            Some(bits) => Move(bits),
            None => panic!("a move goes from one square to another"),
        }
    }

    #[inline(always)]
    pub(crate) const fn normal(from: Square, to: Square) -> Move {
        Move::assemble(from, to, KIND_NORMAL)
    }

    #[inline(always)]
    pub(crate) const fn double_step(from: Square, to: Square) -> Move {
        Move::assemble(from, to, KIND_DOUBLE_STEP)
    }

    #[inline(always)]
    pub(crate) const fn castling(king: Square, rook: Square) -> Move {
        Move::assemble(king, rook, KIND_CASTLING)
    }

    #[inline(always)]
    pub(crate) const fn en_passant(from: Square, to: Square) -> Move {
        Move::assemble(from, to, KIND_EN_PASSANT)
    }

    #[inline(always)]
    pub(crate) const fn promoting(from: Square, to: Square, piece_type: PieceType) -> Move {
        Move::assemble(from, to, KIND_PROMOTION + piece_type as u16 - 1)
    }

    /// The sixteen bits.
    #[inline(always)]
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// Where the piece comes from.
    #[inline(always)]
    #[must_use]
    pub const fn from(self) -> Square {
        Square::wrapping(self.bits() as u32)
    }

    /// Where it goes; the rook's square if the move castles.
    #[inline(always)]
    #[must_use]
    pub const fn to(self) -> Square {
        Square::wrapping((self.bits() >> 6) as u32)
    }

    /// Its kind.
    #[inline(always)]
    #[must_use]
    pub const fn kind(self) -> MoveKind {
        match self.bits() >> 12 {
            KIND_NORMAL => MoveKind::Normal,
            KIND_DOUBLE_STEP => MoveKind::DoubleStep,
            KIND_CASTLING => MoveKind::Castling,
            KIND_EN_PASSANT => MoveKind::EnPassant,
            4 => MoveKind::Promotion(PieceType::Knight),
            5 => MoveKind::Promotion(PieceType::Bishop),
            6 => MoveKind::Promotion(PieceType::Rook),
            _ => MoveKind::Promotion(PieceType::Queen),
        }
    }

    /// What a pawn becomes by this move.
    #[inline]
    #[must_use]
    pub const fn promotion(self) -> Option<PieceType> {
        match self.kind() {
            MoveKind::Promotion(piece_type) => Some(piece_type),
            _ => None,
        }
    }

    /// Whether the move castles.
    #[inline]
    #[must_use]
    pub const fn is_castling(self) -> bool {
        self.bits() >> 12 == KIND_CASTLING
    }

    /// Whether the move captures en passant.
    #[inline]
    #[must_use]
    pub const fn is_en_passant(self) -> bool {
        self.bits() >> 12 == KIND_EN_PASSANT
    }

    /// The side to which a castling move castles.
    #[inline]
    #[must_use]
    pub const fn castling_side(self) -> Option<CastlingSide> {
        if self.is_castling() { Some(CastlingSide::of_rook(self.from(), self.to())) } else { None }
    }

    /// Where the moving piece stands afterwards: the target, or the king's new square if the move castles.
    #[inline]
    #[must_use]
    pub const fn destination(self) -> Square {
        match self.castling_side() {
            Some(CastlingSide::King) => Square::wrapping(self.from() as u32 & 56 | 6),
            Some(CastlingSide::Queen) => Square::wrapping(self.from() as u32 & 56 | 2),
            None => self.to(),
        }
    }

    /// The move as UCI writes it (`e2e4`, `e7e8q`), castling according to the mode: `e1g1` in standard
    /// chess, `e1h1` in Chess960. Standard algebraic notation (SAN) is in the crate `ferz-notation`.
    ///
    /// ```
    /// use ferz_board::{CastlingMode, Position};
    /// let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")?;
    /// let castles = position.parse_uci("e1g1")?;
    /// assert_eq!(castles, position.parse_uci("e1h1")?);
    /// assert_eq!(castles.uci(CastlingMode::Standard).to_string(), "e1g1");
    /// assert_eq!(castles.uci(CastlingMode::Chess960).to_string(), "e1h1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "to_uci")]
    #[doc(alias = "san")]
    #[inline]
    #[must_use]
    pub const fn uci(self, mode: CastlingMode) -> UciMove {
        let to = match mode {
            CastlingMode::Standard => self.destination(),
            CastlingMode::Chess960 => self.to(),
        };
        UciMove::Normal { from: self.from(), to, promotion: self.promotion() }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Move({} {:?})", self.uci(CastlingMode::Chess960), self.kind())
    }
}

/// The legal moves of one position, on the stack.
///
/// No position can overflow it: with eight promoted queens a side has at most 9 queens of 27 moves, 2 rooks
/// of 14, 2 bishops of 13, 2 knights of 8, a king of 8 and 2 castlings, and a pawn, four promotions on each
/// of three squares, has fewer than a queen: [`MoveList::BOUND`] in all. (The most that is known is 218.)
///
/// It is a slice of moves, and iterates like one:
///
/// ```
/// use ferz_board::{Move, Position};
/// let moves = Position::start().legal_moves();
/// let double_steps = moves.iter().filter(|mv| mv.from().distance(mv.to()) == 2).count();
/// for &mv in &moves {
///     assert!(moves.contains(&mv));
/// }
/// let owned: Vec<Move> = moves.into_iter().collect();
/// assert_eq!((owned.len(), double_steps), (20, 12)); // eight by pawns and four by knights
/// ```
#[derive(Clone)]
pub struct MoveList {
    len: usize,
    moves: [MaybeUninit<Move>; MoveList::CAPACITY],
}

impl MoveList {
    /// More moves than any position has.
    pub const BOUND: usize = 9 * 27 + 2 * 14 + 2 * 13 + 2 * 8 + 8 + 2;

    /// The bound, and room for one block of 32 moves written at once.
    const CAPACITY: usize = MoveList::BOUND + 32;

    /// An empty list.
    #[inline(always)]
    #[must_use]
    pub const fn new() -> MoveList {
        MoveList { len: 0, moves: [MaybeUninit::uninit(); MoveList::CAPACITY] }
    }

    /// Appends a move. A list that is filled to its capacity stays as it is; no legal position gets there.
    #[inline(always)]
    pub fn push(&mut self, mv: Move) {
        debug_assert!(self.len < MoveList::CAPACITY);
        if let Some(place) = self.moves.get_mut(self.len) {
            place.write(mv);
            self.len += 1;
        }
    }

    /// Empties the list.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// The moves.
    #[inline(always)]
    #[must_use]
    pub fn as_slice(&self) -> &[Move] {
        // SAFETY: `push` and `push_targets` write a place before they count it, so the first `len` are
        // initialised. Initialising all of them instead costs 5 % of the walk over lists.
        unsafe { self.moves.get_unchecked(..self.len).assume_init_ref() }
    }

    /// The moves as a mutable slice, for sorting.
    #[inline(always)]
    pub fn as_mut_slice(&mut self) -> &mut [Move] {
        // SAFETY: as in `as_slice`.
        unsafe { self.moves.get_unchecked_mut(..self.len).assume_init_mut() }
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline(always)]
    fn deref(&self) -> &[Move] {
        self.as_slice()
    }
}

/// For sorting and shuffling.
impl DerefMut for MoveList {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Move] {
        self.as_mut_slice()
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = slice::Iter<'a, Move>;

    #[inline(always)]
    fn into_iter(self) -> slice::Iter<'a, Move> {
        self.as_slice().iter()
    }
}

impl<'a> IntoIterator for &'a mut MoveList {
    type Item = &'a mut Move;
    type IntoIter = slice::IterMut<'a, Move>;

    #[inline(always)]
    fn into_iter(self) -> slice::IterMut<'a, Move> {
        self.as_mut_slice().iter_mut()
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = IntoMoves;

    #[inline]
    fn into_iter(self) -> IntoMoves {
        IntoMoves { left: 0..self.len, list: self }
    }
}

/// An iterator that owns its moves; made by iterating over a [`MoveList`] by value.
#[derive(Clone, Debug)]
pub struct IntoMoves {
    list: MoveList,
    left: Range<usize>,
}

impl Iterator for IntoMoves {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        self.left.next().map(|place| self.list[place])
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl DoubleEndedIterator for IntoMoves {
    #[inline]
    fn next_back(&mut self) -> Option<Move> {
        self.left.next_back().map(|place| self.list[place])
    }
}

impl ExactSizeIterator for IntoMoves {}
impl FusedIterator for IntoMoves {}

impl Extend<Move> for MoveList {
    fn extend<I: IntoIterator<Item = Move>>(&mut self, moves: I) {
        moves.into_iter().for_each(|mv| self.push(mv));
    }
}
