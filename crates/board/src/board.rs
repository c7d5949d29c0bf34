//! Pieces on squares: bitboards and piece list side by side.

use core::fmt;

use crate::{Bitboard, Color, File, Piece, PieceType, Rank, Square, attacks};

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
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C, align(64))]
pub struct Board {
    pub(crate) types: [Bitboard; 6],
    pub(crate) colors: [Bitboard; 2],
    pub(crate) list: [Option<Piece>; 64],
}

const _: () = assert!(size_of::<Board>() == 128);

impl Board {
    /// A board without pieces.
    #[inline]
    pub const fn empty() -> Board {
        Board { types: [Bitboard::EMPTY; 6], colors: [Bitboard::EMPTY; 2], list: [None; 64] }
    }

    /// What stands on a square: one load from the piece list.
    #[inline(always)]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        self.list[square as usize]
    }

    /// Puts a piece on a square, or takes away what stands there.
    #[inline]
    pub fn set(&mut self, square: Square, piece: Option<Piece>) {
        if let Some(old) = self.list[square.index()] {
            self.types[old.piece_type().index()].remove(square);
            self.colors[old.color().index()].remove(square);
        }
        if let Some(new) = piece {
            self.types[new.piece_type().index()].insert(square);
            self.colors[new.color().index()].insert(square);
        }
        self.list[square.index()] = piece;
    }

    /// The squares of a piece: one of the twelve piece bitboards.
    #[inline(always)]
    pub const fn pieces(&self, piece: Piece) -> Bitboard {
        Bitboard(self.types[piece.piece_type().index()].0 & self.colors[piece.color().index()].0)
    }

    /// The squares of a type of piece, both colours.
    #[inline(always)]
    pub const fn by_type(&self, piece_type: PieceType) -> Bitboard {
        self.types[piece_type.index()]
    }

    /// The squares of a colour.
    #[inline(always)]
    pub const fn by_color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The squares on which anything stands.
    #[inline(always)]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.colors[0].0 | self.colors[1].0)
    }

    /// The pieces of both colours that attack a square, if exactly these squares are occupied.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let [pawns, knights, bishops, rooks, queens, kings] = self.types;
        let [white, black] = self.colors;
        (attacks::pawn(Color::White, square) & pawns & black)
            | (attacks::pawn(Color::Black, square) & pawns & white)
            | (attacks::knight(square) & knights)
            | (attacks::bishop(square, occupied) & (bishops | queens))
            | (attacks::rook(square, occupied) & (rooks | queens))
            | (attacks::king(square) & kings)
    }

    /// Every occupied square with its piece, from `a1` to `h8`.
    pub fn iter(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        self.occupied().into_iter().filter_map(|square| Some((square, self.piece_at(square)?)))
    }
}

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
        write!(f, "Board({})", crate::fen::Placement(self))
    }
}
