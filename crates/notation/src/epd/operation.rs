//! Opcodes and operands.

use std::fmt;

use ferz_board::{Move, Position};

use super::EpdProblem;
use crate::san::{San, ShortText};

/// The name of an operation: a letter, then letters, digits and underscores.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opcode(ShortText<{ Opcode::MAX_LEN }>);

impl Opcode {
    /// The standard allows a letter and fourteen more characters.
    pub const MAX_LEN: usize = 15;

    pub(super) const HALFMOVE_CLOCK: Opcode = Opcode::known("hmvc");
    pub(super) const FULLMOVE_NUMBER: Opcode = Opcode::known("fmvn");

    const fn known(name: &'static str) -> Opcode {
        let mut text = ShortText::new();
        text.push_str(name);
        Opcode(text)
    }

    /// The opcode of this name, if it can be one.
    ///
    /// ```
    /// use ferz_notation::epd::Opcode;
    /// assert_eq!(Opcode::new("draw_offer").unwrap().as_str(), "draw_offer");
    /// assert_eq!(Opcode::new("_x"), None);
    /// assert_eq!(Opcode::new("averyverylongopcode"), None);
    /// ```
    pub fn new(name: &str) -> Option<Opcode> {
        let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic());
        let goes_on_well = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if starts_well && goes_on_well { ShortText::of(name).map(Opcode) } else { None }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The kind of operand that the standard prescribes.
    pub(super) fn kind(self) -> Kind {
        match self.as_str().as_bytes() {
            b"acd" | b"acn" | b"acs" | b"dm" | b"fmvn" | b"hmvc" | b"rc" | b"tcgs" => Kind::Count,
            b"am" | b"bm" => Kind::Moves,
            b"ce" => Kind::Evaluation,
            b"draw_accept" | b"draw_claim" | b"draw_offer" | b"draw_reject" | b"resign" => Kind::Nothing,
            b"eco" | b"id" | b"nic" | [b'c' | b'v', b'0'..=b'9'] => Kind::Text,
            b"pm" | b"sm" => Kind::Move,
            b"pv" => Kind::Variation,
            b"tcri" | b"tcsi" => Kind::Texts,
            _ => Kind::Verbatim,
        }
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Opcode({})", self.0)
    }
}

/// The kinds of operands; each has its [`Operand`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Nothing,
    Count,
    Evaluation,
    Move,
    Moves,
    Variation,
    Text,
    Texts,
    Verbatim,
}

/// How the side to move stands. (A [comment in PGN](crate::pgn::annotation::EvalScore) has White's point of view.)
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Evaluation {
    /// In hundredths of a pawn.
    Centipawns(i32),
    /// It mates in this number of moves, or is mated if negative.
    Mate(i32),
}

impl Evaluation {
    /// Reads `#3`, `#-3`, `M3`, `+M3` or `-M3`.
    pub(super) fn read_mate(text: &str) -> Option<Evaluation> {
        let (is_lost, text) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let text = text.strip_prefix(['#', 'M'])?;
        let (is_lost, digits) = match text.strip_prefix('-') {
            Some(digits) => (!is_lost, digits),
            None => (is_lost, text.strip_prefix('+').unwrap_or(text)),
        };
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let moves: i64 = digits.parse().ok()?;
        i32::try_from(if is_lost { -moves } else { moves }).ok().map(Evaluation::Mate)
    }
}

/// As `ce` writes it: `25`, `-110`, `+M3`, `-M2`.
impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Evaluation::Centipawns(centipawns) => write!(f, "{centipawns}"),
            Evaluation::Mate(moves) => {
                write!(f, "{}M{}", if moves < 0 { '-' } else { '+' }, moves.unsigned_abs())
            }
        }
    }
}

/// What stands behind an opcode.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Operand {
    /// Nothing: `resign`, the `draw_…` opcodes, and others without an operand.
    Nothing,
    /// A number: `acd acn acs dm fmvn hmvc rc tcgs`.
    Count(u64),
    /// An evaluation: `ce`. A mate may also stand where the best moves are asked for: `bm #3`.
    Evaluation(Evaluation),
    /// One legal move: `pm sm`.
    Move(Move),
    /// Legal moves to choose from, at least one: `am bm`.
    Moves(Vec<Move>),
    /// The legal moves of a variation, possibly empty: `pv`.
    Variation(Vec<Move>),
    /// A text: `c0`–`c9 eco id nic v0`–`v9`.
    Text(String),
    /// Several texts: `tcri tcsi`.
    Texts(Vec<String>),
    /// What follows an opcode that is not in the standard, or `noop`, as it is written.
    Verbatim(String),
}

impl Operand {
    /// The moves, alternative or successive; empty for other kinds of operands.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        match self {
            Operand::Moves(moves) | Operand::Variation(moves) => moves,
            Operand::Move(mv) => std::slice::from_ref(mv),
            _ => &[],
        }
    }

    /// The text, read or verbatim, if the operand is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Operand::Text(text) | Operand::Verbatim(text) => Some(text),
            _ => None,
        }
    }
}

/// Whether an operand fits its opcode and the position.
pub(super) fn check(position: &Position, opcode: Opcode, operand: &Operand) -> Result<(), EpdProblem> {
    let is_line = |text: &str| !text.contains(['\n', '\r']);
    let suits = match (opcode.kind(), operand) {
        (Kind::Nothing | Kind::Verbatim, Operand::Nothing) => true,
        (Kind::Count, Operand::Count(_)) | (Kind::Evaluation, Operand::Evaluation(_)) => true,
        (Kind::Moves, Operand::Evaluation(evaluation)) => matches!(evaluation, Evaluation::Mate(_)),
        (Kind::Move, Operand::Move(mv)) => position.is_legal(*mv),
        (Kind::Moves, Operand::Moves(moves)) => {
            !moves.is_empty() && moves.iter().all(|&mv| position.is_legal(mv))
        }
        (Kind::Variation, Operand::Variation(moves)) => {
            let mut position = *position;
            moves.iter().all(|&mv| position.play(mv).is_ok())
        }
        (Kind::Text, Operand::Text(text)) => is_line(text),
        (Kind::Texts, Operand::Texts(texts)) => !texts.is_empty() && texts.iter().all(|text| is_line(text)),
        (Kind::Verbatim, Operand::Verbatim(text)) => is_line(text) && super::read::is_operand(text),
        _ => false,
    };
    if suits { Ok(()) } else { Err(EpdProblem::WrongOperand) }
}

/// An opcode with its operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    opcode: Opcode,
    operand: Operand,
}

impl Operation {
    pub(super) fn new(opcode: Opcode, operand: Operand) -> Operation {
        Operation { opcode, operand }
    }

    /// The opcode.
    #[must_use]
    pub fn opcode(&self) -> Opcode {
        self.opcode
    }

    /// The operand.
    #[must_use]
    pub fn operand(&self) -> &Operand {
        &self.operand
    }

    /// Writes it with its semicolon; moves need the position.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>, position: &Position) -> fmt::Result {
        write!(f, "{}", self.opcode)?;
        match &self.operand {
            Operand::Nothing => {}
            Operand::Count(count) => write!(f, " {count}")?,
            Operand::Evaluation(Evaluation::Mate(moves)) if self.opcode.kind() == Kind::Moves => {
                write!(f, " #{moves}")?;
            }
            Operand::Evaluation(evaluation) => write!(f, " {evaluation}")?,
            Operand::Move(mv) => write!(f, " {}", San::new(position, *mv))?,
            Operand::Moves(moves) => {
                for &mv in moves {
                    write!(f, " {}", San::new(position, mv))?;
                }
            }
            Operand::Variation(moves) => {
                let mut position = *position;
                for &mv in moves {
                    write!(f, " {}", San::new(&position, mv))?;
                    position.play_unchecked(mv);
                }
            }
            Operand::Text(text) => write_string(f, text)?,
            Operand::Texts(texts) => texts.iter().try_for_each(|text| write_string(f, text))?,
            Operand::Verbatim(text) => write!(f, " {text}")?,
        }
        f.write_str(";")
    }
}

/// A blank and the text in quotes; quotes and backslashes in it are escaped by a backslash.
fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str(" \"")?;
    for part in text.split_inclusive(['"', '\\']) {
        match part.strip_suffix(['"', '\\']) {
            Some(plain) => write!(f, "{plain}\\{}", &part[plain.len()..])?,
            None => f.write_str(part)?,
        }
    }
    f.write_str("\"")
}
