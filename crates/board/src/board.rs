//! Pieces on squares: bitboards and piece list side by side.

use core::fmt;
use core::iter::FusedIterator;

use crate::{Bitboard, Color, File, Observer, Piece, PieceType, Rank, Square, Squares, attacks};

/// Pieces on squares, nothing else: one set of squares for each type and colour, and the list of what stands
/// where. The two always agree.
///
/// ```
/// use ferz_board::{Board, Piece, Square};
/// let mut board = Board::empty();
/// board.set(Square::E4, Some(Piece::WhiteQueen));
/// assert_eq!(board.piece_at(Square::E4), Some(Piece::WhiteQueen));
/// assert_eq!(board.pieces(Piece::WhiteQueen), Square::E4.into());
/// ```
#[doc(alias("Mailbox", "PieceList", "piece-centric"))]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C, align(64))]
pub struct Board {
    /// Six types, then two colours: side by side, so that a move changes them as one vector.
    sets: [Bitboard; 8],
    list: [Option<Piece>; 64],
}

/// Where the colours start among the sets.
const COLORS: usize = PieceType::ALL.len();

/// By piece byte: all ones for the two of the eight sets it is a member of.
static MEMBERSHIP: [[Bitboard; 8]; 16] = {
    let mut table = [[Bitboard::EMPTY; 8]; 16];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        table[piece.code()][piece.piece_type().index()] = Bitboard::ALL;
        table[piece.code()][COLORS + piece.color().index()] = Bitboard::ALL;
        i += 1;
    }
    table
};

const _: () = assert!(size_of::<Board>() == 128);

impl Board {
    /// A board without pieces.
    #[inline]
    #[must_use]
    pub const fn empty() -> Board {
        Board { sets: [Bitboard::EMPTY; 8], list: [None; 64] }
    }

    /// The pieces at the start of standard chess.
    pub(crate) const START: Board = {
        use PieceType::{Bishop, King, Knight, Pawn, Queen, Rook};
        let back_rank = [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook];
        let mut board = Board::empty();
        let mut i = 0;
        while i < 16 {
            let (color, file) = (Color::ALL[i / 8], File::ALL[i % 8]);
            board.put(Square::from_coords(file, color.back_rank()), back_rank[i % 8].of(color));
            board.put(Square::from_coords(file, color.pawn_rank()), Pawn.of(color));
            i += 1;
        }
        board
    };

    /// What stands on a square: one load from the piece list.
    #[inline(always)]
    #[must_use]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        self.list[square as usize]
    }

    /// Puts a piece on a square, or takes away what stands there.
    #[inline]
    pub fn set(&mut self, square: Square, piece: Option<Piece>) {
        if let Some(old) = self.list[square.index()] {
            self.sets[old.piece_type().index()].remove(square);
            self.sets[COLORS + old.color().index()].remove(square);
        }
        self.list[square.index()] = None;
        if let Some(new) = piece {
            self.put(square, new);
        }
    }

    /// Puts a piece on a square known to be empty.
    #[inline(always)]
    pub(crate) const fn put(&mut self, square: Square, piece: Piece) {
        debug_assert!(self.list[square.index()].is_none());
        let (of_type, of_color) = (piece.piece_type().index(), COLORS + piece.color().index());
        self.sets[of_type] = self.sets[of_type].with(square);
        self.sets[of_color] = self.sets[of_color].with(square);
        self.list[square.index()] = Some(piece);
    }

    /// Writes this board over another, but with `from` empty and `placed` standing on `to`.
    #[inline(always)]
    pub(crate) fn relocate_into(&self, child: &mut Board, from: Square, to: Square, placed: Piece) {
        let kept = !(from.bitboard() | to.bitboard());
        let membership = &MEMBERSHIP[placed.code()];
        for ((new, old), member) in child.sets.iter_mut().zip(&self.sets).zip(membership) {
            *new = *old & kept | to.bitboard() & *member;
        }
        child.list = self.list;
        child.list[from.index()] = None;
        child.list[to.index()] = Some(placed);
    }

    /// The squares of a piece: one of the twelve piece bitboards.
    #[doc(alias("bb_pieces", "white_pawns", "get_pieces"))]
    #[inline(always)]
    #[must_use]
    pub const fn pieces(&self, piece: Piece) -> Bitboard {
        Bitboard(self.by_type(piece.piece_type()).0 & self.by_color(piece.color()).0)
    }

    /// The squares of a type of piece, both colours.
    #[doc(alias("roles", "pieces_of_type"))]
    #[inline(always)]
    #[must_use]
    pub const fn by_type(&self, piece_type: PieceType) -> Bitboard {
        self.sets[piece_type.index()]
    }

    /// The squares of a colour.
    #[doc(alias("bb_sides", "bb_side", "colors"))]
    #[inline(always)]
    #[must_use]
    pub const fn by_color(&self, color: Color) -> Bitboard {
        self.sets[COLORS + color.index()]
    }

    /// The squares on which anything stands.
    #[doc(alias("all_pieces", "occupancy"))]
    #[inline(always)]
    #[must_use]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.sets[COLORS].0 | self.sets[COLORS + 1].0)
    }

    /// The six types, from pawns to kings.
    #[inline(always)]
    pub(crate) const fn types(&self) -> [Bitboard; 6] {
        let [pawns, knights, bishops, rooks, queens, kings, _, _] = self.sets;
        [pawns, knights, bishops, rooks, queens, kings]
    }

    /// The pieces of both colours that attack a square, if exactly these squares are occupied.
    #[doc(alias("square_attacked", "attacks_to"))]
    #[inline]
    #[must_use]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let [pawns, knights, bishops, rooks, queens, kings, white, black] = self.sets;
        (attacks::pawn(Color::White, square) & pawns & black)
            | (attacks::pawn(Color::Black, square) & pawns & white)
            | (attacks::knight(square) & knights)
            | (attacks::bishop(square, occupied) & (bishops | queens))
            | (attacks::rook(square, occupied) & (rooks | queens))
            | (attacks::king(square) & kings)
    }

    /// Every occupied square with its piece, from `a1` to `h8`.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> PiecesOnSquares<'_> {
        PiecesOnSquares { board: self, squares: self.occupied().into_iter() }
    }

    /// Tells an observer of every piece, as if all had just been placed: the state of a fresh observer from scratch.
    ///
    /// ```
    /// use ferz_board::{Observer, Piece, Position, Square};
    ///
    /// #[derive(PartialEq, Debug, Default)]
    /// struct Counter(u32);
    ///
    /// impl Observer for Counter {
    ///     fn placed(&mut self, _: Piece, _: Square) { self.0 += 1 }
    ///     fn removed(&mut self, _: Piece, _: Square) { self.0 -= 1 }
    /// }
    ///
    /// let mut counter = Counter::default();
    /// Position::start().board().replay(&mut counter);
    /// assert_eq!(counter, Counter(32));
    /// ```
    pub fn replay<O: Observer>(&self, observer: &mut O) {
        self.iter().for_each(|(square, piece)| observer.placed(piece, square));
    }
}

impl<'a> IntoIterator for &'a Board {
    type Item = (Square, Piece);
    type IntoIter = PiecesOnSquares<'a>;

    #[inline]
    fn into_iter(self) -> PiecesOnSquares<'a> {
        self.iter()
    }
}

/// The occupied squares of a [`Board`] with their pieces; made by [`Board::iter`].
#[derive(Clone, Debug)]
pub struct PiecesOnSquares<'a> {
    board: &'a Board,
    squares: Squares,
}

impl Iterator for PiecesOnSquares<'_> {
    type Item = (Square, Piece);

    #[inline]
    fn next(&mut self) -> Option<(Square, Piece)> {
        let square = self.squares.next()?;
        Some((square, self.board.piece_at(square)?))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.squares.size_hint()
    }
}

impl DoubleEndedIterator for PiecesOnSquares<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<(Square, Piece)> {
        let square = self.squares.next_back()?;
        Some((square, self.board.piece_at(square)?))
    }
}

impl ExactSizeIterator for PiecesOnSquares<'_> {}
impl FusedIterator for PiecesOnSquares<'_> {}

impl Default for Board {
    fn default() -> Board {
        Board::empty()
    }
}

impl FromIterator<(Square, Piece)> for Board {
    fn from_iter<I: IntoIterator<Item = (Square, Piece)>>(pieces: I) -> Board {
        let mut board = Board::empty();
        pieces.into_iter().for_each(|(square, piece)| board.set(square, Some(piece)));
        board
    }
}

/// Draws the board with FEN letters, the eighth rank on top.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            for file in File::ALL {
                let piece = self.piece_at(Square::from_coords(file, rank));
                write!(f, "{}", piece.map_or('.', Piece::to_char))?;
                f.write_str(if file == File::H { "\n" } else { " " })?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({})", crate::fen::BoardField(self))
    }
}
