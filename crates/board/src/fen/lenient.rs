//! FEN as programs and people write it.

use alloc::vec::Vec;
use core::fmt;

use crate::fen::parse::{self, Field, Flaw, Leniency};
use crate::fen::{FenError, FenField, FenProblem, FenSyntaxError};
use crate::setup::SetupError;
use crate::{Bitboard, CastlingMode, Position, Rule, Setup, Square};

/// A repair or a tolerated flaw of a leniently read position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Repair {
    /// A byte-order mark at the start was skipped.
    ByteOrderMark,
    /// White space at the ends, several spaces in a row, or tabs.
    Whitespace,
    /// A field was missing and got its default value.
    Missing(FenField),
    /// Adjacent digits were added up.
    AdjacentDigits,
    /// Marks of promoted pieces (`~`) were skipped.
    PromotedMark,
    /// A castling right was written twice.
    RepeatedRight,
    /// These castling rights were dropped: no king or rook stands ready.
    CastlingDropped(#[cfg_attr(feature = "serde", serde(with = "crate::serde_impls::squares"))] Bitboard),
    /// The castling rights are those of Chess960.
    Chess960,
    /// The en-passant square was dropped: no pawn can have skipped it.
    EnPassantDropped(Square),
    /// The move number 0 was read as 1.
    MoveNumberZero,
    /// No last move can have given the check by these pieces; it was accepted.
    ImpossibleCheck(#[cfg_attr(feature = "serde", serde(with = "crate::serde_impls::squares"))] Bitboard),
}

impl Repair {
    /// The name for programs, which never changes, without field and squares: `missing`, `castling-dropped` …
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Repair::ByteOrderMark => "byte-order-mark",
            Repair::Whitespace => "whitespace",
            Repair::Missing(_) => "missing",
            Repair::AdjacentDigits => "adjacent-digits",
            Repair::PromotedMark => "promoted-mark",
            Repair::RepeatedRight => "repeated-right",
            Repair::CastlingDropped(_) => "castling-dropped",
            Repair::Chess960 => "chess960",
            Repair::EnPassantDropped(_) => "en-passant-dropped",
            Repair::MoveNumberZero => "move-number-zero",
            Repair::ImpossibleCheck(_) => "impossible-check",
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut squares = |text: &str, squares: Bitboard| {
            f.write_str(text)?;
            squares.into_iter().try_for_each(|square| write!(f, " {square}"))
        };
        match *self {
            Repair::ByteOrderMark => f.write_str("byte-order mark skipped"),
            Repair::Whitespace => f.write_str("extra white space skipped"),
            Repair::Missing(field) => write!(f, "{field} missing, default used"),
            Repair::AdjacentDigits => f.write_str("adjacent digits added up"),
            Repair::PromotedMark => f.write_str("marks of promoted pieces skipped"),
            Repair::RepeatedRight => f.write_str("repeated castling right counted once"),
            Repair::CastlingDropped(rooks) => squares("impossible castling right dropped:", rooks),
            Repair::Chess960 => f.write_str("castling rights of Chess960"),
            Repair::EnPassantDropped(square) => write!(f, "impossible en-passant square dropped: {square}"),
            Repair::MoveNumberZero => f.write_str("move number 0 read as 1"),
            Repair::ImpossibleCheck(checkers) => squares("impossible check accepted:", checkers),
        }
    }
}

/// Collects the repairs, each one once.
struct Forgiving(Vec<Repair>);

impl Forgiving {
    fn note(&mut self, repair: Repair) {
        if !self.0.contains(&repair) {
            self.0.push(repair);
        }
    }
}

impl Leniency for Forgiving {
    fn forgives(&mut self, flaw: Flaw) -> bool {
        self.note(match flaw {
            Flaw::AdjacentDigits => Repair::AdjacentDigits,
            Flaw::PromotedMark => Repair::PromotedMark,
            Flaw::RepeatedRight => Repair::RepeatedRight,
        });
        true
    }
}

pub(super) fn read(fen: &str) -> Result<(Position, Vec<Repair>), FenError> {
    let mut forgiving = Forgiving(Vec::new());
    let setup = read_fields(fen, &mut forgiving).map_err(FenError::Syntax)?;
    let position = repair(setup, &mut forgiving)?;
    Ok((position, forgiving.0))
}

pub(crate) fn repaired(setup: &Setup) -> Result<(Position, Vec<Repair>), SetupError> {
    let mut forgiving = Forgiving(Vec::new());
    let position = repair(setup.clone(), &mut forgiving)?;
    Ok((position, forgiving.0))
}

fn repair(mut setup: Setup, forgiving: &mut Forgiving) -> Result<Position, SetupError> {
    repair_state(&mut setup, forgiving);
    let (tolerated, broken): (Vec<_>, Vec<_>) = setup
        .violations(CastlingMode::Chess960)
        .into_iter()
        .partition(|violation| violation.rule == Rule::ImpossibleCheck);
    if !broken.is_empty() {
        return Err(SetupError::new(broken));
    }
    tolerated.iter().for_each(|violation| forgiving.note(Repair::ImpossibleCheck(violation.squares)));
    let position = Position::derive(&setup);
    if !position.has_standard_castling() {
        forgiving.note(Repair::Chess960);
    }
    Ok(position)
}

fn read_fields(fen: &str, forgiving: &mut Forgiving) -> Result<Setup, FenSyntaxError> {
    let text = match fen.strip_prefix('\u{feff}') {
        Some(text) => {
            forgiving.note(Repair::ByteOrderMark);
            text
        }
        None => fen,
    };
    let offset = fen.len() - text.len();
    let text = text.as_bytes();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let mut words = text
        .split(is_blank)
        .filter(|word| !word.is_empty())
        .map(|word| (word, offset + (word.as_ptr() as usize - text.as_ptr() as usize)));
    let count = words.clone().count();
    let blanks = text.iter().filter(|byte| is_blank(byte)).count();
    if blanks + 1 != count.max(1) || text.contains(&b'\t') {
        forgiving.note(Repair::Whitespace);
    }
    let mut field = |name| words.next().map(|(text, start)| Field { name, text, start });
    let mut setup = Setup::empty();

    let board = field(FenField::Board).ok_or(FenSyntaxError {
        field: FenField::Board,
        column: fen.len() + 1,
        problem: FenProblem::Missing,
    })?;
    setup.board = parse::board(board, forgiving)?;
    match field(FenField::SideToMove) {
        Some(field) => setup.side_to_move = parse::side_to_move(field)?,
        None => forgiving.note(Repair::Missing(FenField::SideToMove)),
    }
    match field(FenField::Castling) {
        Some(field) => setup.castling_rooks = parse::castling(field, &setup.board, forgiving)?,
        None => forgiving.note(Repair::Missing(FenField::Castling)),
    }
    match field(FenField::EnPassant) {
        Some(field) => setup.en_passant = parse::en_passant(field)?,
        None => forgiving.note(Repair::Missing(FenField::EnPassant)),
    }
    match field(FenField::HalfmoveClock) {
        Some(field) => setup.halfmove_clock = parse::number(field)?,
        None => forgiving.note(Repair::Missing(FenField::HalfmoveClock)),
    }
    match field(FenField::FullmoveNumber) {
        Some(field) => setup.fullmove_number = parse::number(field)?,
        None => forgiving.note(Repair::Missing(FenField::FullmoveNumber)),
    }
    match field(FenField::FullmoveNumber) {
        Some(extra) => Err(FenSyntaxError {
            field: FenField::FullmoveNumber,
            column: extra.start + 1,
            problem: FenProblem::Trailing,
        }),
        None => Ok(setup),
    }
}

/// Drops castling rights and en-passant squares that validation rejects.
fn repair_state(setup: &mut Setup, forgiving: &mut Forgiving) {
    if setup.fullmove_number == 0 {
        setup.fullmove_number = 1;
        forgiving.note(Repair::MoveNumberZero);
    }
    let mut dropped = Bitboard::EMPTY;
    for violation in setup.violations(CastlingMode::Chess960) {
        match violation.rule {
            Rule::CastlingWithoutKing | Rule::CastlingWithoutRook | Rule::CastlingTwice => {
                dropped |= violation.squares;
            }
            Rule::EnPassantRank | Rule::EnPassantPawn | Rule::EnPassantCheck => {
                if let Some(square) = setup.en_passant.take() {
                    forgiving.note(Repair::EnPassantDropped(square));
                }
            }
            _ => {}
        }
    }
    if dropped.any() {
        setup.castling_rooks -= dropped;
        forgiving.note(Repair::CastlingDropped(dropped));
    }
}
