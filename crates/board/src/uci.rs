//! Moves in UCI notation, with and without a position.

use core::fmt;
use core::str::FromStr;

use crate::{CastlingSide, Color, File, IllegalReason, Move, MoveKind, PieceType, Position, Square};

/// A move in UCI notation, which is read and written without a position. [`UciMove::to_move`] finds the legal move that
/// it means.
///
/// ```
/// use ferz_board::{CastlingMode, Position, Square, UciMove};
/// let uci: UciMove = "e7e8q".parse()?;
/// assert_eq!(uci.to_string(), "e7e8q");
/// assert_eq!("0000".parse(), Ok(UciMove::Null));
///
/// let position = Position::start();
/// let mv = "e2e4".parse::<UciMove>()?.to_move(&position)?;
/// assert_eq!(mv.uci(CastlingMode::Standard).to_string(), "e2e4");
/// let error = uci.to_move(&position).unwrap_err();
/// assert_eq!(error.to_string(), "e7e8q is not legal: the pawn on e7 is the opponent's");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum UciMove {
    /// From one square to another, as in `e2e4` or `e7e8q`. Castling goes to the king's new square or to the rook's.
    Normal {
        /// The square before the move.
        from: Square,
        /// The square after the move.
        to: Square,
        /// The promotion piece.
        promotion: Option<PieceType>,
    },
    /// The null move, `0000`.
    Null,
}

impl UciMove {
    /// The legal move of a position that this means. Castling may be written either way, `e1g1` or `e1h1`. In a
    /// Chess960 position where `e1g1` is also a plain king move, it means that move.
    pub fn to_move(self, position: &Position) -> Result<Move, UciError> {
        let illegal = |reason| UciError::Illegal { mv: self, reason };
        let UciMove::Normal { from, to, promotion } = self else {
            return Err(illegal(IllegalReason::NullMove));
        };
        let found = position.find_move(from, to, promotion);
        found.ok_or_else(|| illegal(position.reason(from, to, promotion)))
    }
}

impl FromStr for UciMove {
    type Err = UciSyntaxError;

    fn from_str(text: &str) -> Result<UciMove, UciSyntaxError> {
        let bytes = text.as_bytes();
        if text == "0000" {
            return Ok(UciMove::Null);
        }
        if !matches!(bytes.len(), 4 | 5) {
            return Err(UciSyntaxError::Length);
        }
        if bytes[1] == b'@' {
            return Err(UciSyntaxError::Drop);
        }
        let from = Square::from_ascii(&bytes[..2]).ok_or(UciSyntaxError::From)?;
        let to = Square::from_ascii(&bytes[2..4]).ok_or(UciSyntaxError::To)?;
        let promotion = match bytes.get(4).map(|&letter| PieceType::from_char(char::from(letter))) {
            Some(Some(PieceType::Pawn | PieceType::King) | None) => return Err(UciSyntaxError::Promotion),
            promotion => promotion.flatten(),
        };
        Ok(UciMove::Normal { from, to, promotion })
    }
}

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UciMove::Normal { from, to, promotion } = *self else { return f.pad("0000") };
        let mut text = [0; 5];
        for (place, square) in [(0, from), (2, to)] {
            text[place] = square.file().to_char() as u8;
            text[place + 1] = square.rank().to_char() as u8;
        }
        let mut length = 4;
        if let Some(piece_type) = promotion {
            text[4] = piece_type.to_char() as u8;
            length = 5;
        }
        f.pad(core::str::from_utf8(&text[..length]).unwrap_or_default())
    }
}

/// The error of reading a move in UCI notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum UciError {
    /// The text is not of the form `e2e4` or `e7e8q`.
    Syntax(UciSyntaxError),
    /// The text is of that form, but it is not a legal move here.
    Illegal {
        /// The move.
        mv: UciMove,
        /// The reason.
        reason: IllegalReason,
    },
}

/// The part of a text that keeps it from being a move in UCI notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum UciSyntaxError {
    /// The text does not have four or five characters.
    Length,
    /// It does not start with a square.
    From,
    /// Its third and fourth character are not a square.
    To,
    /// Its fifth character is not a promotion piece.
    Promotion,
    /// It drops a piece on the board, as in Crazyhouse: `N@f3`.
    Drop,
}

impl fmt::Display for UciError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UciError::Syntax(error) => error.fmt(f),
            UciError::Illegal { mv, reason } => write!(f, "{mv} is not legal: {reason}"),
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
            UciSyntaxError::Drop => "not a move of chess: pieces are dropped only in Crazyhouse",
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

impl Position {
    /// Reads a legal move in UCI notation. Castling may be written either way, `e1g1` or `e1h1`. In a Chess960
    /// position where `e1g1` is also a plain king move, it is read as that move.
    ///
    /// ```
    /// use ferz_board::{IllegalReason, Position, UciError, UciSyntaxError};
    /// let position = Position::start();
    /// assert_eq!(position.parse_uci("e2e9"), Err(UciSyntaxError::To.into()));
    /// let error = position.parse_uci("e2e5").unwrap_err();
    /// assert!(matches!(error, UciError::Illegal { reason: IllegalReason::Unreachable { .. }, .. }));
    /// assert_eq!(error.to_string(), "e2e5 is not legal: the pawn on e2 does not move to e5");
    /// ```
    #[doc(alias = "from_uci")]
    pub fn parse_uci(&self, text: &str) -> Result<Move, UciError> {
        text.parse::<UciMove>()?.to_move(self)
    }

    /// The legal move between two squares, if there is one. The target of castling is either the rook's
    /// square or the king's new one.
    #[must_use]
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
