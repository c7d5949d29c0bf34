//! Reading moves in UCI notation.

use core::fmt;

use crate::{CastlingSide, Color, File, IllegalMove, Move, MoveKind, PieceType, Position, Square};

/// The error of reading a move in UCI notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UciError {
    /// The text is not of the form `e2e4` or `e7e8q`.
    Syntax(UciSyntaxError),
    /// The text is of that form, but it is not a legal move here.
    Illegal {
        /// The square before the move.
        from: Square,
        /// The square after the move.
        to: Square,
        /// The promotion piece.
        promotion: Option<PieceType>,
    },
}

/// The part of a text that keeps it from being a move in UCI notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UciSyntaxError {
    /// The text does not have four or five characters.
    Length,
    /// It does not start with a square.
    From,
    /// Its third and fourth character are not a square.
    To,
    /// Its fifth character is not a promotion piece.
    Promotion,
}

impl fmt::Display for UciError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UciError::Syntax(error) => error.fmt(f),
            UciError::Illegal { from, to, promotion } => {
                write!(f, "no legal move from {from} to {to}")?;
                promotion.map_or(Ok(()), |piece_type| write!(f, " with promotion to a {piece_type}"))
            }
        }
    }
}

impl fmt::Display for UciSyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UciSyntaxError::Length => "not a move: expected two squares, such as e2e4 or e7e8q",
            UciSyntaxError::From => "not a move: the first two characters are not a square",
            UciSyntaxError::To => "not a move: the third and fourth character are not a square",
            UciSyntaxError::Promotion => "not a move: the promotion piece is not one of q, r, b, n",
        })
    }
}

impl core::error::Error for UciError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            UciError::Syntax(error) => Some(error),
            UciError::Illegal { .. } => None,
        }
    }
}

impl core::error::Error for UciSyntaxError {}

impl From<UciSyntaxError> for UciError {
    fn from(error: UciSyntaxError) -> UciError {
        UciError::Syntax(error)
    }
}

impl From<IllegalMove> for UciError {
    fn from(IllegalMove(mv): IllegalMove) -> UciError {
        UciError::Illegal { from: mv.from(), to: mv.to(), promotion: mv.promotion() }
    }
}

impl Position {
    /// Reads a legal move in UCI notation. Castling may be written either way, `e1g1` or `e1h1`. In a Chess960
    /// position where `e1g1` is also a plain king move, it is read as that move.
    ///
    /// ```
    /// use ferz_board::{Position, Square, UciError, UciSyntaxError};
    /// let position = Position::start();
    /// assert_eq!(position.parse_uci("e2e9"), Err(UciSyntaxError::To.into()));
    /// let illegal = UciError::Illegal { from: Square::E2, to: Square::E5, promotion: None };
    /// assert_eq!(position.parse_uci("e2e5"), Err(illegal));
    /// assert_eq!(illegal.to_string(), "no legal move from e2 to e5");
    /// ```
    pub fn parse_uci(&self, text: &str) -> Result<Move, UciError> {
        let bytes = text.as_bytes();
        if !matches!(bytes.len(), 4 | 5) {
            return Err(UciSyntaxError::Length.into());
        }
        let from = Square::from_ascii(&bytes[..2]).ok_or(UciSyntaxError::From)?;
        let to = Square::from_ascii(&bytes[2..4]).ok_or(UciSyntaxError::To)?;
        let promotion = match bytes.get(4).map(|&letter| PieceType::from_char(char::from(letter))) {
            Some(Some(PieceType::Pawn | PieceType::King) | None) => {
                return Err(UciSyntaxError::Promotion.into());
            }
            promotion => promotion.flatten(),
        };
        self.find_move(from, to, promotion).ok_or(UciError::Illegal { from, to, promotion })
    }

    /// The legal move between two squares, if there is one. The target of castling is either the rook's
    /// square or the king's new one.
    pub fn find_move(&self, from: Square, to: Square, promotion: Option<PieceType>) -> Option<Move> {
        let legal = |to, kind| Move::new(from, to, kind).filter(|&mv| self.is_legal(mv));
        if let Some(piece_type) = promotion {
            return legal(to, MoveKind::Promotion(piece_type));
        }
        let piece = self.piece_at(from)?;
        match piece.piece_type() {
            PieceType::Pawn => legal(to, MoveKind::Normal)
                .or_else(|| legal(to, MoveKind::DoubleStep))
                .or_else(|| legal(to, MoveKind::EnPassant)),
            PieceType::King => {
                legal(to, MoveKind::Normal).or_else(|| legal(to, MoveKind::Castling)).or_else(|| {
                    let side = match to.file() {
                        File::G => CastlingSide::King,
                        File::C => CastlingSide::Queen,
                        _ => return None,
                    };
                    let rook = self.castling_rook(self.side_to_move(), side)?;
                    let on_back_rank = to.rank() == Color::back_rank(self.side_to_move());
                    if on_back_rank { legal(rook, MoveKind::Castling) } else { None }
                })
            }
            _ => legal(to, MoveKind::Normal),
        }
    }
}
