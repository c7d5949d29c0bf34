//! FEN: reading (strictly, or leniently with a list of repairs) and writing.

mod lenient;
mod parse;
mod write;

use core::fmt;
use core::str::FromStr;

pub use lenient::Repair;
pub(crate) use lenient::repaired;
pub(crate) use write::BoardField;
pub use write::{CastlingStyle, EnPassantMode, Fen};

use crate::{CastlingMode, Position, Setup, SetupError};

/// The start position of standard chess as FEN. [`Position::start`] is that position without reading.
///
/// ```
/// use ferz_board::{Position, START_FEN};
/// assert_eq!(Position::from_fen(START_FEN)?, Position::start());
/// # Ok::<(), ferz_board::FenError>(())
/// ```
#[doc(alias("FEN_START_POSITION", "STARTPOS", "STARTING_FEN"))]
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

impl Setup {
    /// Reads the six fields of a FEN as they are written, without checking that the position is legal.
    ///
    /// Castling rights may be written as in standard FEN (`KQkq`), X-FEN (the same letters for the outermost
    /// rooks) or Shredder-FEN (`HAha`), in any order.
    pub fn from_fen(fen: &str) -> Result<Setup, FenSyntaxError> {
        parse::strict(fen.as_bytes())
    }
}

impl Position {
    /// Reads a FEN strictly: six fields, single spaces, and a legal position of standard chess.
    ///
    /// ```
    /// use ferz_board::{FenError, Position};
    /// let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")?;
    /// assert_eq!(position.legal_moves().len(), 15);
    ///
    /// let error = Position::from_fen("4k3/8/8/9/8/8/8/4K2R w K - 0 1").unwrap_err();
    /// assert_eq!(error.to_string(), "board, column 9: '9' is neither a piece nor a digit from 1 to 8");
    /// let error = Position::from_fen("4k3/8/8/8/8/8/8/4K3 w K - 0 1").unwrap_err();
    /// assert_eq!(error.to_string(), "castling right without a rook (h1)");
    /// # Ok::<(), FenError>(())
    /// ```
    #[doc(alias("fen_setup", "fen_read", "parse_fen", "set_fen"))]
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        Position::from_fen_in(fen, CastlingMode::Standard)
    }

    /// Reads a FEN strictly, under the castling rules given.
    ///
    /// ```
    /// use ferz_board::{CastlingMode, Position};
    /// let fen = "4k3/8/8/8/8/8/8/R2K3R w HA - 0 1";
    /// assert!(Position::from_fen(fen).is_err());
    /// assert!(Position::from_fen_in(fen, CastlingMode::Chess960).is_ok());
    /// ```
    pub fn from_fen_in(fen: &str, mode: CastlingMode) -> Result<Position, FenError> {
        Ok(Position::from_setup(&Setup::from_fen(fen)?, mode)?)
    }

    /// Reads a FEN as programs and people write it, and lists the repairs: missing fields, castling rights
    /// without rooks, impossible en-passant squares … What cannot be repaired is an error.
    ///
    /// ```
    /// use ferz_board::{FenField, Position, Repair};
    /// let (position, repairs) = Position::from_fen_lenient("4k3/8/8/8/8/8/8/4K3 b KQ")?;
    /// assert_eq!(position.to_string(), "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
    /// assert!(repairs.contains(&Repair::Missing(FenField::HalfmoveClock)));
    /// # Ok::<(), ferz_board::FenError>(())
    /// ```
    pub fn from_fen_lenient(fen: &str) -> Result<(Position, alloc::vec::Vec<Repair>), FenError> {
        lenient::read(fen)
    }
}

/// The same as [`Setup::from_fen`].
impl FromStr for Setup {
    type Err = FenSyntaxError;

    fn from_str(fen: &str) -> Result<Setup, FenSyntaxError> {
        Setup::from_fen(fen)
    }
}

/// Reads what `to_string` writes: every position equals its text read back.
///
/// The syntax is that of [`Position::from_fen`], but castling rights of Chess960 are accepted, and so is the check that
/// [`Position::from_fen_lenient`] accepts, which no last move can have given.
///
/// ```
/// use ferz_board::Position;
/// let position = Position::chess960_start(17).unwrap();
/// assert_eq!(position.to_string().parse(), Ok(position));
/// ```
impl FromStr for Position {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Position, FenError> {
        Ok(Position::from_any_setup(&Setup::from_fen(fen)?)?)
    }
}

/// The six fields of a FEN.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[allow(missing_docs)] // the names say it all
pub enum FenField {
    Board,
    SideToMove,
    Castling,
    EnPassant,
    HalfmoveClock,
    FullmoveNumber,
}

impl FenField {
    /// All six in their order.
    pub const ALL: [FenField; 6] = [
        FenField::Board,
        FenField::SideToMove,
        FenField::Castling,
        FenField::EnPassant,
        FenField::HalfmoveClock,
        FenField::FullmoveNumber,
    ];
}

impl fmt::Display for FenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            FenField::Board => "board",
            FenField::SideToMove => "side to move",
            FenField::Castling => "castling rights",
            FenField::EnPassant => "en-passant square",
            FenField::HalfmoveClock => "half-move clock",
            FenField::FullmoveNumber => "move number",
        })
    }
}

/// A syntax error in a FEN, and where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FenSyntaxError {
    /// The field.
    pub field: FenField,
    /// The byte in the text, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: FenProblem,
}

/// The kinds of syntax errors in a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FenProblem {
    /// The text ends before this field.
    Missing,
    /// There is more text after the last field.
    Trailing,
    /// Two spaces in a row, or one at the start or end.
    Spacing,
    /// A byte that is neither a piece letter nor a digit from 1 to 8.
    NotAPiece(u8),
    /// Two adjacent digits.
    AdjacentDigits,
    /// A rank with too few or too many squares.
    RankLength,
    /// Not eight ranks.
    RankCount,
    /// Neither `w` nor `b`.
    NotASide,
    /// A byte that is not a castling letter.
    NotACastlingRight(u8),
    /// The same right twice.
    RepeatedRight,
    /// Neither `-` nor a square.
    NotASquare,
    /// Not a number of plain digits.
    NotANumber,
    /// A number that is too large.
    NumberTooLarge,
}

impl FenProblem {
    /// The name for programs, which never changes: `rank-length`, `not-a-square` …
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FenProblem::Missing => "missing",
            FenProblem::Trailing => "trailing",
            FenProblem::Spacing => "spacing",
            FenProblem::NotAPiece(_) => "not-a-piece",
            FenProblem::AdjacentDigits => "adjacent-digits",
            FenProblem::RankLength => "rank-length",
            FenProblem::RankCount => "rank-count",
            FenProblem::NotASide => "not-a-side",
            FenProblem::NotACastlingRight(_) => "not-a-castling-right",
            FenProblem::RepeatedRight => "repeated-right",
            FenProblem::NotASquare => "not-a-square",
            FenProblem::NotANumber => "not-a-number",
            FenProblem::NumberTooLarge => "number-too-large",
        }
    }
}

impl fmt::Display for FenSyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, column {}: ", self.field, self.column)?;
        match self.problem {
            FenProblem::Missing => f.write_str("the field is missing"),
            FenProblem::Trailing => f.write_str("text after the last field"),
            FenProblem::Spacing => f.write_str("expected a single space between fields"),
            FenProblem::NotAPiece(byte) => {
                write!(f, "'{}' is neither a piece nor a digit from 1 to 8", byte.escape_ascii())
            }
            FenProblem::AdjacentDigits => f.write_str("two adjacent digits"),
            FenProblem::RankLength => f.write_str("the rank does not have eight squares"),
            FenProblem::RankCount => f.write_str("the board does not have eight ranks"),
            FenProblem::NotASide => f.write_str("expected 'w' or 'b'"),
            FenProblem::NotACastlingRight(byte) => {
                write!(f, "'{}' is not a castling right", byte.escape_ascii())
            }
            FenProblem::RepeatedRight => f.write_str("repeated castling right"),
            FenProblem::NotASquare => f.write_str("expected '-' or a square"),
            FenProblem::NotANumber => f.write_str("not a number"),
            FenProblem::NumberTooLarge => f.write_str("the number is too large"),
        }
    }
}

impl core::error::Error for FenSyntaxError {}

/// The error of reading a FEN.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FenError {
    /// The text is not a FEN.
    Syntax(FenSyntaxError),
    /// The FEN is not a legal position.
    Position(SetupError),
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FenError::Syntax(error) => error.fmt(f),
            FenError::Position(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for FenError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            FenError::Syntax(error) => Some(error),
            FenError::Position(error) => Some(error),
        }
    }
}

impl From<FenSyntaxError> for FenError {
    fn from(error: FenSyntaxError) -> FenError {
        FenError::Syntax(error)
    }
}

impl From<SetupError> for FenError {
    fn from(error: SetupError) -> FenError {
        FenError::Position(error)
    }
}
