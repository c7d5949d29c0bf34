//! A move in SAN, with or without a position.

use std::fmt;
use std::str::FromStr;

use ferz_board::{CastlingSide, File, Move, PieceType, Position, Rank, Square};

use super::syntax::{self, SanFields, SanSyntax};
use super::write::{as_text, castling, moving_piece, needed_origin, push_check_mark, push_target};
use super::{SanError, ShortText, quoted};

/// A move in standard algebraic notation: `Nbd2`, `exd6`, `e8=Q+`, `O-O`. The text is on the stack.
///
/// There are two ways to get one:
///
/// - [`San::new`] writes a move of a position in the export format of PGN;
/// - `parse` reads a text without a position, in every form that [`parse_lenient`](super::parse_lenient) accepts, and null
///   moves. The spelling becomes that of the export format; the parts stay as they were. So `Ng1xf3` keeps its origin and
///   its `x`, whether or not the position wants them, and all null moves become `--`. Long texts without a piece letter
///   (`g1f3`) are kept, since only the position knows the piece.
///
/// [`to_move`](San::to_move) finds the move of a position.
///
/// ```
/// use ferz_board::{PieceType, Position, Square};
/// use ferz_notation::san::{CheckMark, San};
///
/// let san: San = "ngxf3++!".parse()?;
/// assert_eq!(san.as_str(), "Ngxf3+");
/// assert_eq!((san.piece_type(), san.to()), (Some(PieceType::Knight), Some(Square::F3)));
/// assert_eq!((san.is_capture(), san.check_mark()), (true, Some(CheckMark::Check)));
///
/// let start = Position::start();
/// let mv = san.to_move(&start)?;
/// assert_eq!(San::new(&start, mv).as_str(), "Nf3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct San(ShortText<{ San::MAX_LEN }>);

/// What a move in SAN ends with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CheckMark {
    /// `+`
    Check,
    /// `#`
    Mate,
}

/// A text that is not a move in SAN.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotSan {
    token: String,
}

impl NotSan {
    /// The text, shortened if it is very long.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }
}

impl fmt::Display for NotSan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is not a move", self.token.escape_debug())
    }
}

impl std::error::Error for NotSan {}

impl San {
    /// The longest is like `e7xd8=Q#`. Export format has at most seven bytes.
    pub const MAX_LEN: usize = 8;

    /// The null move: `--`.
    pub const NULL: San = {
        let mut text = ShortText::new();
        text.push_str("--");
        San(text)
    };

    /// The text of a legal move. (An illegal move gives an arbitrary text, never a panic.)
    #[must_use]
    pub fn new(position: &Position, mv: Move) -> San {
        let mut text = ShortText::new();
        let piece_type = moving_piece(position, mv);
        if let Some(side) = mv.castling_side() {
            text.push_str(castling(side));
        } else if piece_type == PieceType::Pawn {
            if position.captured(mv).is_some() {
                text.push(mv.from().file().to_char() as u8);
                text.push(b'x');
            }
            push_target(&mut text, mv);
        } else {
            text.push_piece(piece_type);
            let origin = needed_origin(position, mv, piece_type);
            if origin.file {
                text.push(mv.from().file().to_char() as u8);
            }
            if origin.rank {
                text.push(mv.from().rank().to_char() as u8);
            }
            if position.captured(mv).is_some() {
                text.push(b'x');
            }
            push_target(&mut text, mv);
        }
        push_check_mark(&mut text, position, mv);
        San(text)
    }

    /// The text.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The legal move that this is in a position, found as by [`parse_lenient`](super::parse_lenient): check marks and
    /// superfluous parts do not matter. A null move is [`SanError::NullMove`], see [`is_null`](San::is_null).
    pub fn to_move(&self, position: &Position) -> Result<Move, SanError> {
        if self.is_null() {
            return Err(SanError::NullMove { token: self.as_str().to_owned() });
        }
        super::parse_lenient(position, self.as_str())
    }

    /// Whether it is a null move.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.as_str() == San::NULL.as_str()
    }

    /// The side to which the king castles.
    #[must_use]
    pub fn castling_side(&self) -> Option<CastlingSide> {
        match self.syntax()? {
            SanSyntax::Castling(side) => Some(side),
            SanSyntax::Move(_) => None,
        }
    }

    /// The piece that moves: the king if it castles. `None` for a null move, and for a text with two squares and no letter.
    #[must_use]
    pub fn piece_type(&self) -> Option<PieceType> {
        match self.syntax()? {
            SanSyntax::Castling(_) => Some(PieceType::King),
            SanSyntax::Move(fields) => fields.piece_type,
        }
    }

    /// The file of the origin, if it is given.
    #[must_use]
    pub fn from_file(&self) -> Option<File> {
        self.fields()?.from_file
    }

    /// The rank of the origin, if it is given.
    #[must_use]
    pub fn from_rank(&self) -> Option<Rank> {
        self.fields()?.from_rank
    }

    /// The target. `None` for castling and null moves.
    #[must_use]
    pub fn to(&self) -> Option<Square> {
        Some(self.fields()?.to)
    }

    /// Whether it has an `x`.
    #[must_use]
    pub fn is_capture(&self) -> bool {
        self.fields().is_some_and(|fields| fields.captures)
    }

    /// What a pawn becomes.
    #[must_use]
    pub fn promotion(&self) -> Option<PieceType> {
        self.fields()?.promotion
    }

    /// Whether the text says check or mate.
    #[must_use]
    pub fn check_mark(&self) -> Option<CheckMark> {
        match self.0.as_bytes().last()? {
            b'+' => Some(CheckMark::Check),
            b'#' => Some(CheckMark::Mate),
            _ => None,
        }
    }

    fn syntax(&self) -> Option<SanSyntax> {
        syntax::parse_ascii(self.0.as_bytes())
    }

    fn fields(&self) -> Option<SanFields> {
        match self.syntax()? {
            SanSyntax::Castling(_) => None,
            SanSyntax::Move(fields) => Some(fields),
        }
    }

    /// The export spelling of a text that was taken apart.
    fn spell(syntax: &SanSyntax, check_mark: Option<CheckMark>) -> San {
        let mut text = ShortText::new();
        match syntax {
            SanSyntax::Castling(side) => text.push_str(castling(*side)),
            SanSyntax::Move(fields) => {
                if let Some(piece_type) = fields.piece_type.filter(|&it| it != PieceType::Pawn) {
                    text.push_piece(piece_type);
                }
                if let Some(file) = fields.from_file {
                    text.push(file.to_char() as u8);
                }
                if let Some(rank) = fields.from_rank {
                    text.push(rank.to_char() as u8);
                }
                if fields.captures {
                    text.push(b'x');
                }
                text.push_square(fields.to);
                if let Some(promotion) = fields.promotion {
                    text.push(b'=');
                    text.push_piece(promotion);
                }
            }
        }
        match check_mark {
            Some(CheckMark::Check) => text.push(b'+'),
            Some(CheckMark::Mate) => text.push(b'#'),
            None => {}
        }
        San(text)
    }
}

/// Reads a move or null move without a position, in any form that [`parse_or_null`](super::parse_or_null) accepts.
impl FromStr for San {
    type Err = NotSan;

    fn from_str(text: &str) -> Result<San, NotSan> {
        if syntax::is_null_move(text) {
            return Ok(San::NULL);
        }
        match syntax::parse(text) {
            Some(syntax) => Ok(San::spell(&syntax, syntax::check_mark(text))),
            None => Err(NotSan { token: quoted(text) }),
        }
    }
}

as_text!(San);
