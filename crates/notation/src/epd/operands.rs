//! Reads operands of the kind that their opcode takes.

use ferz_board::{Move, Position};

use super::operation::Kind;
use super::{EpdError, EpdProblem, Evaluation, Opcode, Operand};
use crate::san::{self, San, SanError};

/// The operands of an operation as they are written, without blanks around them.
#[derive(Clone, Copy)]
pub(super) struct Operands<'a> {
    pub(super) opcode: Opcode,
    pub(super) text: &'a str,
    /// Bytes before them in the line.
    pub(super) at: usize,
}

impl<'a> Operands<'a> {
    pub(super) fn error(&self, offset: usize, problem: EpdProblem) -> EpdError {
        EpdError { opcode: Some(self.opcode), column: Some(self.at + offset + 1), problem }
    }

    /// The parts between blanks, with their offsets.
    fn words(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let text = self.text;
        text.split([' ', '\t'])
            .filter(|word| !word.is_empty())
            .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
    }
}

/// Interprets operands. What is wrong but clear is noted.
pub(super) fn read(
    operands: &Operands<'_>,
    position: &Position,
    notes: &mut Vec<EpdError>,
) -> Result<Operand, EpdError> {
    let fails = |problem| operands.error(0, problem);
    let text = operands.text;
    let kind = operands.opcode.kind();
    if text.is_empty() {
        return match kind {
            Kind::Nothing | Kind::Verbatim => Ok(Operand::Nothing),
            Kind::Variation => Ok(Operand::Variation(Vec::new())),
            _ => Err(fails(EpdProblem::MissingOperand)),
        };
    }
    if let (Kind::Evaluation | Kind::Moves, Some(mate)) = (kind, Evaluation::read_mate(text)) {
        notes.push(fails(EpdProblem::MateForm));
        return Ok(Operand::Evaluation(mate));
    }
    match kind {
        Kind::Nothing => Err(fails(EpdProblem::TooManyOperands)),
        Kind::Count => number(text).map(Operand::Count).map_err(fails),
        Kind::Evaluation => {
            let centipawns = centipawns(text).map_err(fails)?;
            Ok(Operand::Evaluation(Evaluation::Centipawns(centipawns)))
        }
        Kind::Move => match moves(operands, position, notes)?[..] {
            [mv] => Ok(Operand::Move(mv)),
            _ => Err(fails(EpdProblem::TooManyOperands)),
        },
        Kind::Moves => moves(operands, position, notes).map(Operand::Moves),
        Kind::Variation => moves(operands, position, notes).map(Operand::Variation),
        Kind::Text => string(operands, notes).map(Operand::Text),
        Kind::Texts => Ok(Operand::Texts(strings(operands, notes))),
        Kind::Verbatim => Ok(Operand::Verbatim(text.to_owned())),
    }
}

fn number(text: &str) -> Result<u64, EpdProblem> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().map_err(|_| EpdProblem::out_of_range(text))
    } else {
        Err(EpdProblem::not_a_number(text))
    }
}

fn centipawns(text: &str) -> Result<i32, EpdProblem> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(EpdProblem::not_a_number(text));
    }
    text.parse().map_err(|_| EpdProblem::out_of_range(text))
}

/// Alternative moves, or the successive moves of a variation.
fn moves(
    operands: &Operands<'_>,
    position: &Position,
    notes: &mut Vec<EpdError>,
) -> Result<Vec<Move>, EpdError> {
    let mut position = *position;
    let mut moves = Vec::new();
    for (offset, word) in operands.words() {
        if san::is_en_passant_mark(word) && !moves.is_empty() {
            let error = SanError::Syntax { token: word.to_owned() };
            notes.push(operands.error(offset, EpdProblem::MoveForm(error)));
            continue;
        }
        let text = word.strip_suffix(',').unwrap_or(word);
        let mv = san::parse_lenient(&position, text)
            .map_err(|error| operands.error(offset, EpdProblem::Move(error)))?;
        let expected = San::new(&position, mv);
        if expected.as_str() != word {
            let error = SanError::NotExport { token: san::quoted(word), expected };
            notes.push(operands.error(offset, EpdProblem::MoveForm(error)));
        }
        moves.push(mv);
        if operands.opcode.kind() == Kind::Variation {
            position.play_unchecked(mv);
        }
    }
    Ok(moves)
}

/// One string; without quotes it is the whole text.
fn string(operands: &Operands<'_>, notes: &mut Vec<EpdError>) -> Result<String, EpdError> {
    match string_len(operands.text) {
        Some(len) if len == operands.text.len() => Ok(unescaped(&operands.text[1..len - 1])),
        Some(len) => Err(operands.error(len, EpdProblem::TooManyOperands)),
        None => {
            notes.push(operands.error(0, EpdProblem::Unquoted));
            Ok(operands.text.to_owned())
        }
    }
}

/// Several strings; those without quotes are single words.
fn strings(operands: &Operands<'_>, notes: &mut Vec<EpdError>) -> Vec<String> {
    let mut strings = Vec::new();
    let mut rest = operands.text;
    while !rest.is_empty() {
        if let Some(len) = string_len(rest) {
            strings.push(unescaped(&rest[1..len - 1]));
            rest = &rest[len..];
        } else {
            notes.push(operands.error(operands.text.len() - rest.len(), EpdProblem::Unquoted));
            let (word, after) = rest.split_at(rest.find([' ', '\t']).unwrap_or(rest.len()));
            strings.push(word.to_owned());
            rest = after;
        }
        rest = rest.trim_start_matches([' ', '\t']);
    }
    strings
}

/// The length of the string a text starts with, quotes included; `None` if it does not start with one.
pub(super) fn string_len(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate().peekable();
    bytes.next_if(|&(_, byte)| byte == b'"')?;
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at + 1),
            b'\\' => _ = bytes.next_if(|&(_, next)| is_escaped(next.into())),
            _ => {}
        }
    }
    None
}

/// A backslash before one of these stands for just it; any other backslash is one.
fn is_escaped(c: char) -> bool {
    matches!(c, '"' | '\\')
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = (c == '\\').then(|| chars.next_if(|&next| is_escaped(next))).flatten();
        plain.push(escaped.unwrap_or(c));
    }
    plain
}
