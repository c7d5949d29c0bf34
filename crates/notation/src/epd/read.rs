//! Reads a line: notes everything that is wrong, and goes on as long as there is a position.

use ferz_board::{FenError, FenField, FenProblem, FenSyntaxError, Position, Repair};

use super::operands::{self, Operands};
use super::{Epd, EpdError, EpdProblem, Opcode, Operand};

/// What was read, and what was wrong with it.
pub(super) struct Reading {
    pub(super) epd: Epd,
    pub(super) problems: Vec<EpdError>,
}

pub(super) fn read(line: &str) -> Result<Reading, EpdError> {
    let fails = |column, problem| EpdError { opcode: None, column: Some(column), problem };
    if line.len() > Epd::MAX_LINE_LEN {
        return Err(fails(Epd::MAX_LINE_LEN + 1, EpdProblem::LineTooLong));
    }
    let line = line.trim_end_matches(['\r', '\n', ' ', '\t']);
    if let Some(end) = line.find(['\r', '\n']) {
        return Err(fails(end + 1, EpdProblem::SeveralLines));
    }
    let mut cursor = Cursor { line, at: 0 };
    let (position, repairs) = read_position(&mut cursor).map_err(|error| match error {
        FenError::Syntax(error) => fails(error.column, EpdProblem::Position(FenError::Syntax(error))),
        error => fails(1, EpdProblem::Position(error)),
    })?;
    let repaired = |repair| fails(1, EpdProblem::Repaired(repair));
    let mut reading = Reading {
        epd: Epd { position, operations: Vec::new() },
        problems: repairs.into_iter().map(repaired).collect(),
    };
    reading.read_fen_clocks(&mut cursor);
    while reading.read_operation(&mut cursor) {}
    Ok(reading)
}

/// The first four fields.
fn read_position(cursor: &mut Cursor<'_>) -> Result<(Position, Vec<Repair>), FenError> {
    for field in [FenField::Board, FenField::SideToMove, FenField::Castling, FenField::EnPassant] {
        cursor.skip_blanks();
        if cursor.word().is_empty() {
            // An error in the fields that are there is more helpful.
            if let Err(error @ FenError::Syntax(_)) = Position::from_fen_lenient(cursor.line) {
                return Err(error);
            }
            let (column, problem) = (cursor.at + 1, FenProblem::Missing);
            return Err(FenError::Syntax(FenSyntaxError { field, column, problem }));
        }
    }
    let (position, mut repairs) = Position::from_fen_lenient(&cursor.line[..cursor.at])?;
    // No clocks are expected, and Chess960 is chess.
    let expected = [
        Repair::Missing(FenField::HalfmoveClock),
        Repair::Missing(FenField::FullmoveNumber),
        Repair::Chess960,
    ];
    repairs.retain(|repair| !expected.contains(repair));
    Ok((position, repairs))
}

impl Reading {
    fn note(&mut self, opcode: Option<Opcode>, at: usize, problem: EpdProblem) {
        self.problems.push(EpdError { opcode, column: Some(at + 1), problem });
    }

    /// Many lines are a whole FEN with operations behind it.
    fn read_fen_clocks(&mut self, cursor: &mut Cursor<'_>) {
        for opcode in [Opcode::HALFMOVE_CLOCK, Opcode::FULLMOVE_NUMBER] {
            cursor.skip_blanks();
            let at = cursor.at;
            let word = cursor.word();
            if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_digit()) {
                cursor.at = at;
                return;
            }
            self.note(Some(opcode), at, EpdProblem::FenClocks);
            // As in a FEN: programs that do not count moves write 0.
            let word = if opcode == Opcode::FULLMOVE_NUMBER && word == "0" { "1" } else { word };
            self.add(&Operands { opcode, text: word, at });
        }
    }

    /// Reads the next operation, or the semicolon of an empty one; whether there was any.
    fn read_operation(&mut self, cursor: &mut Cursor<'_>) -> bool {
        cursor.skip_blanks();
        let start = cursor.at;
        let name = cursor.word();
        let opcode = Opcode::new(name);
        cursor.skip_blanks();
        let at = cursor.at;
        let Some(text) = cursor.operands() else {
            self.note(opcode, start, EpdProblem::OpenString);
            return false;
        };
        let is_closed = cursor.skip_semicolon();
        if name.is_empty() {
            if is_closed {
                self.note(None, start, EpdProblem::EmptyOperation);
            }
            return is_closed;
        }
        if !is_closed {
            self.note(opcode, cursor.at, EpdProblem::MissingSemicolon);
        }
        let Some(opcode) = opcode else {
            self.note(None, start, EpdProblem::bad_opcode(name));
            return true;
        };
        if self.epd.get(opcode.as_str()).is_some() {
            self.note(Some(opcode), start, EpdProblem::RepeatedOpcode);
        }
        self.add(&Operands { opcode, text, at });
        true
    }

    /// Adds an operation if it is valid.
    fn add(&mut self, operands: &Operands<'_>) {
        let operand = operands::read(operands, &self.epd.position, &mut self.problems);
        let mut add = |operand: Operand| {
            self.epd.push(operands.opcode, operand).map_err(|problem| operands.error(0, problem))
        };
        if let Err(error) = operand.and_then(&mut add) {
            self.problems.push(error);
        }
    }
}

/// A place in the line.
struct Cursor<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn skip_semicolon(&mut self) -> bool {
        let is_there = self.peek() == Some(b';');
        self.at += usize::from(is_there);
        is_there
    }

    /// The text up to a blank, a semicolon or the end.
    fn word(&mut self) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(|byte| !matches!(byte, b' ' | b'\t' | b';')) {
            self.at += 1;
        }
        &self.line[start..self.at]
    }

    /// Everything up to the semicolon that ends the operation; `None` if a string is not closed.
    fn operands(&mut self) -> Option<&'a str> {
        let start = self.at;
        let mut end = start;
        loop {
            match self.peek() {
                None | Some(b';') => return Some(&self.line[start..end]),
                Some(b'"') => self.at += operands::string_len(&self.line[self.at..])?,
                Some(_) => _ = self.word(),
            }
            end = self.at;
            self.skip_blanks();
        }
    }
}

/// Whether a text is read back as it is when it stands behind an opcode.
pub(super) fn is_operand(text: &str) -> bool {
    let starts_well = !text.starts_with([' ', '\t']) && !text.is_empty();
    starts_well && Cursor { line: text, at: 0 }.operands() == Some(text)
}
