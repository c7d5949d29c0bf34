//! Extended position descriptions (EPD): a position and operations on it, on one line.
//!
//! ```text
//! 4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 Kd2; id "an example";
//! ```
//!
//! The first four fields are those of a FEN. Operations follow: an opcode, its operands, a semicolon. Standard
//! operations are read into their types ([`Operand`]), others are kept as written. The order is kept, too, so that
//! [`Epd::parse`] gives back what `Display` writes.
//!
//! One reader has three degrees of strictness. [`Epd::parse`] accepts lines as found in test suites and rejects
//! operations without meaning; [`Epd::parse_strict`] accepts only the standard; [`Epd::parse_lenient`] accepts every
//! line with a legal position, and lists what was wrong.
//!
//! ```
//! use ferz_notation::epd::{Epd, Operand};
//!
//! let epd: Epd = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e2-e4; c0 \"push; go\"; hmvc 7".parse()?;
//! assert_eq!(epd.best_moves().len(), 1);
//! assert_eq!(epd.comment(0), Some("push; go"));
//! assert_eq!(epd.position().halfmove_clock(), 7);
//! assert_eq!(epd.to_string(), "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; c0 \"push; go\"; hmvc 7;");
//! # Ok::<(), ferz_notation::epd::EpdError>(())
//! ```

mod error;
mod operands;
mod operation;
mod read;

use std::fmt;
use std::str::FromStr;

use ferz_board::{CastlingStyle, EnPassantMode, Move, Position};

pub use error::{EpdError, EpdProblem, Severity};
pub use operation::{Evaluation, Opcode, Operand, Operation};

/// A position and the operations on it, which always fit each other: moves are legal, operands suit their
/// opcodes, and the clocks of the position are those of `hmvc` and `fmvn`.
///
/// The standard forbids an opcode to occur twice. Here all operations are kept, and queries use the last one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epd {
    position: Position,
    operations: Vec<Operation>,
}

impl Epd {
    /// Lines with more bytes are refused.
    pub const MAX_LINE_LEN: usize = 65_535;

    /// A position with no operations but `hmvc` and `fmvn`, unless both clocks are at their start.
    ///
    /// ```
    /// use ferz_board::Position;
    /// use ferz_notation::epd::Epd;
    /// let position = Position::from_fen("4k3/8/8/8/8/8/8/4K3 b - - 3 40")?;
    /// assert_eq!(Epd::new(position).to_string(), "4k3/8/8/8/8/8/8/4K3 b - - hmvc 3; fmvn 40;");
    /// # Ok::<(), ferz_board::FenError>(())
    /// ```
    #[must_use]
    pub fn new(position: Position) -> Epd {
        let (halfmove_clock, fullmove_number) = (position.halfmove_clock(), position.fullmove_number());
        let mut operations = Vec::new();
        if (halfmove_clock, fullmove_number) != (0, 1) {
            operations.extend([
                Operation::new(Opcode::HALFMOVE_CLOCK, Operand::Count(halfmove_clock.into())),
                Operation::new(Opcode::FULLMOVE_NUMBER, Operand::Count(fullmove_number.into())),
            ]);
        }
        Epd { position, operations }
    }

    /// Reads a line as people and programs write it.
    ///
    /// The position may need the repairs of `Position::from_fen_lenient`, the clocks of a FEN may stand
    /// behind it, moves may be written in any way [`parse_lenient`](crate::san::parse_lenient) reads, strings
    /// without quotes, and the last semicolon may be missing. `bm #3` announces a mate. But every operation
    /// must be valid: an illegal best move is an error, and so is a number out of range.
    ///
    /// ```
    /// use ferz_notation::epd::Epd;
    /// let error = Epd::parse("4k3/8/8/8/8/8/4P3/4K3 w - - id \"x\"; bm e4 e5;").unwrap_err();
    /// assert_eq!(error.to_string(), "column 43, bm: 'e5' is not legal: the pawn on e2 does not move to e5");
    /// ```
    pub fn parse(line: &str) -> Result<Epd, EpdError> {
        let reading = read::read(line)?;
        match reading.problems.into_iter().find(|error| error.problem.severity() > Severity::Form) {
            Some(error) => Err(error),
            None => Ok(reading.epd),
        }
    }

    /// Reads a line that keeps to the standard: a position that needs no repair, moves in export-format SAN,
    /// strings in quotes, a semicolon behind every operation and no opcode twice.
    ///
    /// ```
    /// use ferz_notation::epd::Epd;
    /// let error = Epd::parse_strict("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4").unwrap_err();
    /// assert_eq!(error.to_string(), "column 34, bm: the semicolon is missing");
    /// ```
    pub fn parse_strict(line: &str) -> Result<Epd, EpdError> {
        let reading = read::read(line)?;
        match reading.problems.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(reading.epd),
        }
    }

    /// Reads as much as possible and returns what was wrong: deviations that [`Epd::parse`] accepts silently, and
    /// invalid operations, which are left out. Only a line without a legal position is an error.
    ///
    /// ```
    /// use ferz_notation::epd::Epd;
    /// let (epd, problems) = Epd::parse_lenient("4k3/8/8/8/8/8/4P3/4K3 w - - bm e5; id \"x\";")?;
    /// assert_eq!(epd.id(), Some("x"));
    /// assert_eq!(problems[0].to_string(), "column 32, bm: 'e5' is not legal: the pawn on e2 does not move to e5");
    /// # Ok::<(), ferz_notation::epd::EpdError>(())
    /// ```
    pub fn parse_lenient(line: &str) -> Result<(Epd, Vec<EpdError>), EpdError> {
        let reading = read::read(line)?;
        Ok((reading.epd, reading.problems))
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The operations in their order.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The operand of the last operation with this opcode.
    pub fn get(&self, opcode: &str) -> Option<&Operand> {
        let found = self.operations.iter().rev().find(|operation| operation.opcode().as_str() == opcode);
        found.map(Operation::operand)
    }

    /// Replaces the operations with this opcode, or appends a new one.
    ///
    /// ```
    /// use ferz_board::Position;
    /// use ferz_notation::epd::{Epd, Operand};
    /// let mut epd = Epd::new(Position::start());
    /// epd.set("id", Operand::Text("start".into()))?;
    /// epd.set("acd", Operand::Count(30))?;
    /// epd.set("id", Operand::Text("the start".into()))?;
    /// assert!(epd.to_string().ends_with(" - id \"the start\"; acd 30;"));
    /// assert!(epd.set("bm", Operand::Count(1)).is_err());
    /// # Ok::<(), ferz_notation::epd::EpdError>(())
    /// ```
    pub fn set(&mut self, opcode: &str, operand: Operand) -> Result<(), EpdError> {
        let Some(known) = Opcode::new(opcode) else {
            return Err(EpdError::without_column(None, EpdProblem::bad_opcode(opcode)));
        };
        let fails = |problem| EpdError::without_column(Some(known), problem);
        operation::check(&self.position, known, &operand).map_err(fails)?;
        self.set_clock(known, &operand).map_err(fails)?;
        let place = self.operations.iter().position(|operation| operation.opcode() == known);
        self.operations.retain(|operation| operation.opcode() != known);
        let place = place.unwrap_or(self.operations.len());
        self.operations.insert(place, Operation::new(known, operand));
        Ok(())
    }

    /// Removes all operations with an opcode; a clock goes back to its start.
    pub fn remove(&mut self, opcode: &str) {
        self.operations.retain(|operation| operation.opcode().as_str() != opcode);
        if let Some(opcode) = Opcode::new(opcode) {
            let start = u64::from(opcode == Opcode::FULLMOVE_NUMBER);
            // Fails only if the other clock is beyond all limits, and then there is nothing better to do.
            let _ = self.set_clock(opcode, &Operand::Count(start));
        }
    }

    /// Appends an operation that is known to suit the position.
    fn push(&mut self, opcode: Opcode, operand: Operand) -> Result<(), EpdProblem> {
        self.set_clock(opcode, &operand)?;
        self.operations.push(Operation::new(opcode, operand));
        Ok(())
    }

    /// Lets `hmvc` and `fmvn` set the clocks of the position.
    fn set_clock(&mut self, opcode: Opcode, operand: &Operand) -> Result<(), EpdProblem> {
        let &Operand::Count(value) = operand else { return Ok(()) };
        let number = u32::try_from(value).map_err(|_| EpdProblem::out_of_range(value));
        let (halfmove_clock, fullmove_number) = match opcode {
            Opcode::HALFMOVE_CLOCK => (number?, self.position.fullmove_number()),
            Opcode::FULLMOVE_NUMBER => (self.position.halfmove_clock(), number?),
            _ => return Ok(()),
        };
        let position = self.position.with_clocks(halfmove_clock, fullmove_number);
        self.position = position.ok_or_else(|| EpdProblem::out_of_range(value))?;
        Ok(())
    }

    /// The best moves (`bm`); empty without the operation, or if it announces a mate instead.
    pub fn best_moves(&self) -> &[Move] {
        self.get("bm").map_or(&[], Operand::moves)
    }

    /// The moves to be avoided (`am`).
    pub fn avoid_moves(&self) -> &[Move] {
        self.get("am").map_or(&[], Operand::moves)
    }

    /// The predicted variation (`pv`).
    pub fn variation(&self) -> &[Move] {
        self.get("pv").map_or(&[], Operand::moves)
    }

    /// The name of the position (`id`).
    pub fn id(&self) -> Option<&str> {
        self.get("id").and_then(Operand::text)
    }

    /// A comment by its number (`c0` to `c9`).
    pub fn comment(&self, number: u8) -> Option<&str> {
        let digit = *b"0123456789".get(usize::from(number))?;
        self.get(str::from_utf8(&[b'c', digit]).ok()?).and_then(Operand::text)
    }

    /// The number of moves in which the side to move mates, or is mated if negative (`dm`, `bm #3` or `ce +M3`).
    #[must_use]
    pub fn mate_in(&self) -> Option<i32> {
        match (self.get("dm"), self.get("bm"), self.get("ce")) {
            (Some(&Operand::Count(moves)), _, _) => i32::try_from(moves).ok(),
            (_, Some(&Operand::Evaluation(Evaluation::Mate(moves))), _)
            | (_, _, Some(&Operand::Evaluation(Evaluation::Mate(moves)))) => Some(moves),
            _ => None,
        }
    }
}

/// A line as people and programs write it, as [`Epd::parse`].
impl FromStr for Epd {
    type Err = EpdError;

    fn from_str(line: &str) -> Result<Epd, EpdError> {
        Epd::parse(line)
    }
}

/// The line, in the standard's format. The en-passant square is written after every double step, as the
/// standard has it, so that nothing is lost.
impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fen = self.position.fen(EnPassantMode::Always, CastlingStyle::XFen);
        // All but the two clocks at the end.
        f.write_str(fen.as_str().rsplitn(3, ' ').last().unwrap_or_default())?;
        self.operations.iter().try_for_each(|operation| {
            f.write_str(" ")?;
            operation.write(f, &self.position)
        })
    }
}
