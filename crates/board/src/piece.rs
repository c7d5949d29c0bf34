//! Types of pieces, and pieces with a colour.

use core::fmt;

use crate::Color;
use crate::parse_error::{from_str, only_char};

/// The type of a piece, without its colour.
#[doc(alias("Role", "Kind", "Pieces"))]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum PieceType {
    /// ♙
    Pawn = 0,
    /// ♘
    Knight = 1,
    /// ♗
    Bishop = 2,
    /// ♖
    Rook = 3,
    /// ♕
    Queen = 4,
    /// ♔
    King = 5,
}

impl PieceType {
    /// All six, from pawn to king.
    pub const ALL: [PieceType; 6] = [
        PieceType::Pawn,
        PieceType::Knight,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Queen,
        PieceType::King,
    ];

    /// The promotion pieces, the queen first.
    pub const PROMOTIONS: [PieceType; 4] =
        [PieceType::Queen, PieceType::Rook, PieceType::Bishop, PieceType::Knight];

    /// 0 (pawn) to 5 (king): the index into per-type tables.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The lower-case letter: `p n b r q k`.
    #[inline]
    #[must_use]
    pub const fn to_char(self) -> char {
        match self {
            PieceType::Pawn => 'p',
            PieceType::Knight => 'n',
            PieceType::Bishop => 'b',
            PieceType::Rook => 'r',
            PieceType::Queen => 'q',
            PieceType::King => 'k',
        }
    }

    /// Reads a letter of either case.
    #[inline]
    #[must_use]
    pub const fn from_char(c: char) -> Option<PieceType> {
        match c {
            'p' | 'P' => Some(PieceType::Pawn),
            'n' | 'N' => Some(PieceType::Knight),
            'b' | 'B' => Some(PieceType::Bishop),
            'r' | 'R' => Some(PieceType::Rook),
            'q' | 'Q' => Some(PieceType::Queen),
            'k' | 'K' => Some(PieceType::King),
            _ => None,
        }
    }

    /// The piece of this type and that colour.
    #[inline]
    #[must_use]
    pub const fn of(self, color: Color) -> Piece {
        Piece::new(color, self)
    }
}

impl fmt::Display for PieceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PieceType::Pawn => "pawn",
            PieceType::Knight => "knight",
            PieceType::Bishop => "bishop",
            PieceType::Rook => "rook",
            PieceType::Queen => "queen",
            PieceType::King => "king",
        })
    }
}

from_str! {
    /// Reads a letter of either case, or the name in lower case.
    ///
    /// ```
    /// use ferz_board::PieceType;
    /// assert_eq!("n".parse(), Ok(PieceType::Knight));
    /// assert_eq!("queen".parse(), Ok(PieceType::Queen));
    /// ```
    PieceType, "a type of piece: p, n, b, r, q, k or its name", |text| match text {
        "pawn" => Some(PieceType::Pawn),
        "knight" => Some(PieceType::Knight),
        "bishop" => Some(PieceType::Bishop),
        "rook" => Some(PieceType::Rook),
        "queen" => Some(PieceType::Queen),
        "king" => Some(PieceType::King),
        _ => PieceType::from_char(only_char(text)?),
    }
}

/// A piece in one byte: its type in the low three bits, its colour above them.
///
/// `Option<Piece>` is one byte too, so the piece list of a position is 64 bytes.
///
/// ```
/// use ferz_board::{Color, Piece, PieceType};
/// assert_eq!(Piece::BlackKnight as u8, 0b1_001);
/// assert_eq!(Piece::new(Color::Black, PieceType::Knight), Piece::BlackKnight);
/// assert_eq!(size_of::<Option<Piece>>(), 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // the names say it all
pub enum Piece {
    WhitePawn = 0,
    WhiteKnight = 1,
    WhiteBishop = 2,
    WhiteRook = 3,
    WhiteQueen = 4,
    WhiteKing = 5,
    BlackPawn = 8,
    BlackKnight = 9,
    BlackBishop = 10,
    BlackRook = 11,
    BlackQueen = 12,
    BlackKing = 13,
}

const _: () = assert!(size_of::<Option<Piece>>() == 1);

impl Piece {
    /// All twelve: White's from pawn to king, then Black's.
    pub const ALL: [Piece; 12] = [
        Piece::WhitePawn,
        Piece::WhiteKnight,
        Piece::WhiteBishop,
        Piece::WhiteRook,
        Piece::WhiteQueen,
        Piece::WhiteKing,
        Piece::BlackPawn,
        Piece::BlackKnight,
        Piece::BlackBishop,
        Piece::BlackRook,
        Piece::BlackQueen,
        Piece::BlackKing,
    ];

    /// The piece of that colour and type.
    #[inline]
    #[must_use]
    pub const fn new(color: Color, piece_type: PieceType) -> Piece {
        Piece::ALL[color as usize * 6 + piece_type as usize]
    }

    /// Its type.
    #[inline]
    #[must_use]
    pub const fn piece_type(self) -> PieceType {
        // A table, because the compiler turns a `match` into jumps that are hard to predict.
        const TYPES: [PieceType; 8] = {
            let [pawn, knight, bishop, rook, queen, king] = PieceType::ALL;
            [pawn, knight, bishop, rook, queen, king, king, king]
        };
        TYPES[self as usize & 7]
    }

    /// Its owner.
    #[inline]
    #[must_use]
    pub const fn color(self) -> Color {
        if self as u8 & 8 == 0 { Color::White } else { Color::Black }
    }

    /// Whether it is White's.
    #[inline]
    #[must_use]
    pub const fn is_white(self) -> bool {
        self.color().is_white()
    }

    /// Whether it is Black's.
    #[inline]
    #[must_use]
    pub const fn is_black(self) -> bool {
        self.color().is_black()
    }

    /// 0 to 11, the place in [`Piece::ALL`]: the index into tables of twelve rows.
    ///
    /// ```
    /// use ferz_board::Piece;
    /// assert!(Piece::ALL.into_iter().enumerate().all(|(index, piece)| piece.index() == index));
    /// assert_eq!(Piece::from_index(11), Some(Piece::BlackKing));
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize - (self as usize >> 3) * 2
    }

    /// The piece with this [index](Piece::index), if there is one.
    #[inline]
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Piece> {
        if index < Piece::ALL.len() { Some(Piece::ALL[index]) } else { None }
    }

    /// The byte of the piece: 0 to 5 for White, 8 to 13 for Black. As the index of a table of 16 rows it needs no
    /// arithmetic, unlike [`Piece::index`].
    #[inline(always)]
    #[must_use]
    pub const fn code(self) -> usize {
        self as usize
    }

    /// The FEN letter: upper case for White.
    #[inline]
    #[must_use]
    pub const fn to_char(self) -> char {
        const LETTERS: [u8; 16] = *b"PNBRQK..pnbrqk..";
        LETTERS[self as usize & 15] as char
    }

    /// Reads a FEN letter.
    #[inline]
    #[must_use]
    pub const fn from_char(c: char) -> Option<Piece> {
        match PieceType::from_char(c) {
            Some(piece_type) if c.is_ascii_uppercase() => Some(piece_type.of(Color::White)),
            Some(piece_type) => Some(piece_type.of(Color::Black)),
            None => None,
        }
    }

    /// The figurine, e.g. `♞`.
    #[must_use]
    pub const fn figurine(self) -> char {
        match self {
            Piece::WhitePawn => '♙',
            Piece::WhiteKnight => '♘',
            Piece::WhiteBishop => '♗',
            Piece::WhiteRook => '♖',
            Piece::WhiteQueen => '♕',
            Piece::WhiteKing => '♔',
            Piece::BlackPawn => '♟',
            Piece::BlackKnight => '♞',
            Piece::BlackBishop => '♝',
            Piece::BlackRook => '♜',
            Piece::BlackQueen => '♛',
            Piece::BlackKing => '♚',
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.color() == Color::White { "white" } else { "black" }, self.piece_type())
    }
}

from_str! {
    /// Reads a FEN letter, or the colour and the name as `Display` writes them.
    ///
    /// ```
    /// use ferz_board::Piece;
    /// assert_eq!("n".parse(), Ok(Piece::BlackKnight));
    /// assert_eq!("white queen".parse(), Ok(Piece::WhiteQueen));
    /// ```
    Piece, "a piece: a FEN letter, or a colour and a type of piece", |text| match text.split_once(' ') {
        Some((color, piece_type)) => Some(Piece::new(color.parse().ok()?, piece_type.parse().ok()?)),
        None => Piece::from_char(only_char(text)?),
    }
}
