//! The lenient SAN grammar: takes the text of a move apart without a position.

use ferz_board::{CastlingSide, File, PieceType, Rank, Square};

use super::{CheckMark, ShortText};

/// The text of a move taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SanSyntax {
    Castling(CastlingSide),
    Move(SanFields),
}

/// The parts of the text of any move but castling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SanFields {
    /// `None` if the text has both squares instead.
    pub(crate) piece_type: Option<PieceType>,
    pub(crate) from_file: Option<File>,
    pub(crate) from_rank: Option<Rank>,
    pub(crate) captures: bool,
    pub(crate) to: Square,
    pub(crate) promotion: Option<PieceType>,
}

/// More characters than any move text has, marks and blanks included.
const MAX_CHARS: usize = 24;

pub(super) fn parse(text: &str) -> Option<SanSyntax> {
    if text.is_ascii() {
        parse_ascii(text.as_bytes())
    } else {
        parse_ascii(without_figurines(text)?.as_bytes())
    }
}

/// The text with letters for figurines and ASCII for what typesetters put in its place.
fn without_figurines(text: &str) -> Option<ShortText<MAX_CHARS>> {
    if text.chars().nth(MAX_CHARS).is_some() {
        return None;
    }
    let mut plain = ShortText::new();
    for c in text.chars() {
        plain.push(match c {
            '♔' | '♚' => b'K',
            '♕' | '♛' => b'Q',
            '♖' | '♜' => b'R',
            '♗' | '♝' => b'B',
            '♘' | '♞' => b'N',
            '♙' | '♟' => b'P',
            '×' => b'x',
            '\u{2010}'..='\u{2014}' | '−' => b'-',
            '±' | '∓' | '∞' => b'!', // any mark will do: they are skipped
            c if c.is_ascii() => c as u8,
            _ => return None,
        });
    }
    Some(plain)
}

/// The same of a text without figurines.
pub(crate) fn parse_ascii(text: &[u8]) -> Option<SanSyntax> {
    let text = without_marks(text);
    match text {
        b"O-O" | b"0-0" | b"o-o" => Some(SanSyntax::Castling(CastlingSide::King)),
        b"O-O-O" | b"0-0-0" | b"o-o-o" => Some(SanSyntax::Castling(CastlingSide::Queen)),
        _ => parse_move(text).map(SanSyntax::Move),
    }
}

/// Assessments and remarks that may follow a move, the longer ones first.
const MARKS: [&[u8]; 13] =
    [b"e.p.", b"+/-", b"-/+", b"+/=", b"=/+", b"+-", b"-+", b"ep", b"!", b"?", b"+", b"#", b"="];

/// The text without blanks around it and marks behind it.
fn without_marks(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii();
    while let Some(&last) = text.last()
        && !last.is_ascii_digit() // nearly all
        && last != b'O' // castling
        && let Some(rest) = MARKS.iter().find_map(|mark| text.strip_suffix(*mark))
    {
        text = rest.trim_ascii_end();
    }
    text
}

/// The check or mate sign among the marks: the stronger one, but none of assessments such as `+-`.
pub(super) fn check_mark(text: &str) -> Option<CheckMark> {
    let mut text = text.as_bytes().trim_ascii();
    let mut found = None;
    while let Some(mark) = MARKS.iter().find(|mark| text.ends_with(mark)) {
        found = match *mark {
            b"#" => Some(CheckMark::Mate),
            b"+" => found.or(Some(CheckMark::Check)),
            _ => found,
        };
        text = text[..text.len() - mark.len()].trim_ascii_end();
    }
    found
}

/// Whether a word of its own is only a mark after the move before.
pub(crate) fn is_en_passant_mark(word: &str) -> bool {
    matches!(word, "e.p." | "ep")
}

pub(super) fn is_null_move(text: &str) -> bool {
    matches!(without_marks(text.as_bytes()), b"--" | b"Z0" | b"0000" | b"null" | b"@@@@")
}

/// Piece letter, origin, `x` or `-`, target, promotion: all but the target may be missing.
fn parse_move(text: &[u8]) -> Option<SanFields> {
    let (text, promotion) = split_promotion(text)?;
    let (text, target) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let to = Square::from_ascii(target)?;
    let (text, captures) = match text {
        [text @ .., b'x' | b'X' | b':'] => (text, true),
        [text @ .., b'-'] if !text.is_empty() => (text, false),
        _ => (text, false),
    };
    let (piece_type, origin) = split_piece(text, to);
    let (from_file, from_rank) = match *origin {
        [] => (None, None),
        [file @ b'a'..=b'h'] => (File::from_char(file.into()), None),
        [rank @ b'1'..=b'8'] => (None, Rank::from_char(rank.into())),
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            (File::from_char(file.into()), Rank::from_char(rank.into()))
        }
        _ => return None,
    };
    let piece_type = match (piece_type, from_file, from_rank) {
        (Some(piece_type), _, _) => Some(piece_type),
        (None, Some(_), Some(_)) => None,
        (None, None, Some(_)) => return None,
        (None, _, None) => Some(PieceType::Pawn),
    };
    let is_piece = piece_type.is_some_and(|piece_type| piece_type != PieceType::Pawn);
    if promotion.is_some() && is_piece {
        return None;
    }
    Some(SanFields { piece_type, from_file, from_rank, captures, to, promotion })
}

/// `=Q`, `(Q)`, `/Q` or `Q` at the end.
fn split_promotion(text: &[u8]) -> Option<(&[u8], Option<PieceType>)> {
    let (text, letter) = match text {
        [text @ .., b'(', letter, b')'] | [text @ .., b'=' | b'/', letter] => (text, *letter),
        [text @ .., letter] if letter.is_ascii_alphabetic() => (text, *letter),
        _ => return Some((text, None)),
    };
    let piece_type = PieceType::from_char(letter.into())?;
    PieceType::PROMOTIONS.contains(&piece_type).then_some((text, Some(piece_type)))
}

/// The letter of the piece and the origin behind it.
fn split_piece(text: &[u8], to: Square) -> (Option<PieceType>, &[u8]) {
    let [letter, origin @ ..] = text else { return (None, text) };
    let is_letter = match (letter, origin) {
        // The b-file, unless a pawn there cannot do this.
        (b'b', []) => to.file() > File::C,
        (b'b', [next, ..]) => next.is_ascii_alphabetic(),
        _ => true,
    };
    match PieceType::from_char((*letter).into()) {
        Some(piece_type) if is_letter => (Some(piece_type), origin),
        _ => (None, text),
    }
}
