//! What is wrong with a line.

use std::error::Error;
use std::fmt;

use ferz_board::{FenError, Repair};

use super::{Epd, Opcode};
use crate::san::{SanError, quoted};

/// Something wrong with an EPD line, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EpdError {
    /// The operation it is about, if it is about one with a name.
    pub opcode: Option<Opcode>,
    /// The byte in the line, counted from 1; `None` for operations that were not read from a line.
    pub column: Option<usize>,
    /// What is wrong.
    pub problem: EpdProblem,
}

impl EpdError {
    pub(super) fn without_column(opcode: Option<Opcode>, problem: EpdProblem) -> EpdError {
        EpdError { opcode, column: None, problem }
    }
}

/// What can be wrong with an EPD line.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EpdProblem {
    /// The line is longer than [`Epd::MAX_LINE_LEN`].
    LineTooLong,
    /// The text has more than one line.
    SeveralLines,
    /// The first four fields are not a legal position.
    Position(FenError),

    /// This is not an opcode.
    BadOpcode(String),
    /// A string is not closed.
    OpenString,
    /// The operand is missing.
    MissingOperand,
    /// The opcode takes fewer operands.
    TooManyOperands,
    /// This is not a number.
    NotANumber(String),
    /// This number is too large, or too small.
    OutOfRange(String),
    /// This is not a move of the position.
    Move(SanError),
    /// The operand is not of the kind the opcode takes, or a move is not legal.
    WrongOperand,

    /// The position had to be repaired.
    Repaired(Repair),
    /// The clocks of a FEN follow the position; they are read as `hmvc` and `fmvn`.
    FenClocks,
    /// The last semicolon is missing.
    MissingSemicolon,
    /// There is nothing before a semicolon.
    EmptyOperation,
    /// The opcode occurred before; the last one counts.
    RepeatedOpcode,
    /// A string without quotes.
    Unquoted,
    /// A move that is not in export-format SAN.
    MoveForm(SanError),
    /// A mate that is not in the standard form.
    MateForm,
}

/// How bad a problem is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Severity {
    /// Not the standard form, but the meaning is clear.
    Form,
    /// An operation is invalid.
    Operation,
    /// The position is missing or illegal.
    Line,
}

impl EpdProblem {
    /// A short name for scripts, e.g. `missing-semicolon`. For moves and positions see also the names of their errors.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            EpdProblem::LineTooLong => "line-too-long",
            EpdProblem::SeveralLines => "several-lines",
            EpdProblem::Position(_) => "position",
            EpdProblem::BadOpcode(_) => "bad-opcode",
            EpdProblem::OpenString => "open-string",
            EpdProblem::MissingOperand => "missing-operand",
            EpdProblem::TooManyOperands => "too-many-operands",
            EpdProblem::NotANumber(_) => "not-a-number",
            EpdProblem::OutOfRange(_) => "out-of-range",
            EpdProblem::Move(_) => "move",
            EpdProblem::WrongOperand => "wrong-operand",
            EpdProblem::Repaired(_) => "repaired",
            EpdProblem::FenClocks => "fen-clocks",
            EpdProblem::MissingSemicolon => "missing-semicolon",
            EpdProblem::EmptyOperation => "empty-operation",
            EpdProblem::RepeatedOpcode => "repeated-opcode",
            EpdProblem::Unquoted => "unquoted",
            EpdProblem::MoveForm(_) => "move-form",
            EpdProblem::MateForm => "mate-form",
        }
    }

    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            EpdProblem::LineTooLong | EpdProblem::SeveralLines | EpdProblem::Position(_) => Severity::Line,
            EpdProblem::BadOpcode(_)
            | EpdProblem::OpenString
            | EpdProblem::MissingOperand
            | EpdProblem::TooManyOperands
            | EpdProblem::NotANumber(_)
            | EpdProblem::OutOfRange(_)
            | EpdProblem::Move(_)
            | EpdProblem::WrongOperand => Severity::Operation,
            EpdProblem::Repaired(_)
            | EpdProblem::FenClocks
            | EpdProblem::MissingSemicolon
            | EpdProblem::EmptyOperation
            | EpdProblem::RepeatedOpcode
            | EpdProblem::Unquoted
            | EpdProblem::MoveForm(_)
            | EpdProblem::MateForm => Severity::Form,
        }
    }

    pub(super) fn bad_opcode(text: &str) -> EpdProblem {
        EpdProblem::BadOpcode(quoted(text))
    }

    pub(super) fn not_a_number(text: &str) -> EpdProblem {
        EpdProblem::NotANumber(quoted(text))
    }

    pub(super) fn out_of_range(number: impl fmt::Display) -> EpdProblem {
        EpdProblem::OutOfRange(quoted(&number.to_string()))
    }
}

impl fmt::Display for EpdProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EpdProblem::LineTooLong => write!(f, "the line is longer than {} bytes", Epd::MAX_LINE_LEN),
            EpdProblem::SeveralLines => f.write_str("more than one line"),
            EpdProblem::Position(error) => error.fmt(f),
            EpdProblem::BadOpcode(text) => write!(f, "'{}' is not an opcode", text.escape_debug()),
            EpdProblem::OpenString => f.write_str("the string is not closed"),
            EpdProblem::MissingOperand => f.write_str("the operand is missing"),
            EpdProblem::TooManyOperands => f.write_str("there are too many operands"),
            EpdProblem::NotANumber(text) => write!(f, "'{}' is not a number", text.escape_debug()),
            EpdProblem::OutOfRange(text) => write!(f, "the number {text} is out of range"),
            EpdProblem::Move(error) | EpdProblem::MoveForm(error) => error.fmt(f),
            EpdProblem::WrongOperand => f.write_str("the operand does not fit the opcode and the position"),
            EpdProblem::Repaired(repair) => repair.fmt(f),
            EpdProblem::FenClocks => f.write_str("clocks of a FEN, read as hmvc and fmvn"),
            EpdProblem::MissingSemicolon => f.write_str("the semicolon is missing"),
            EpdProblem::EmptyOperation => f.write_str("nothing before the semicolon"),
            EpdProblem::RepeatedOpcode => f.write_str("the opcode occurs twice"),
            EpdProblem::Unquoted => f.write_str("the string is not in quotes"),
            EpdProblem::MateForm => f.write_str("the mate is not in the standard form"),
        }
    }
}

impl fmt::Display for EpdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The position's own errors contain the column.
        let column = self.column.filter(|_| !matches!(self.problem, EpdProblem::Position(_)));
        match (column, self.opcode) {
            (Some(column), Some(opcode)) => write!(f, "column {column}, {opcode}: ")?,
            (Some(column), None) => write!(f, "column {column}: ")?,
            (None, Some(opcode)) => write!(f, "{opcode}: ")?,
            (None, None) => {}
        }
        self.problem.fmt(f)
    }
}

impl Error for EpdError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.problem {
            EpdProblem::Position(error) => Some(error),
            EpdProblem::Move(error) | EpdProblem::MoveForm(error) => Some(error),
            _ => None,
        }
    }
}
