//! The grammar of each field. [`Leniency`] decides what [`strict`] refuses and [`super::lenient`] repairs.

use crate::fen::{FenField, FenProblem, FenSyntaxError};
use crate::{Bitboard, Board, CastlingSide, Color, File, Piece, PieceType, Setup, Square};

type Result<T> = core::result::Result<T, FenSyntaxError>;

/// One field and where it starts.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) name: FenField,
    pub(super) text: &'a [u8],
    /// Bytes before it.
    pub(super) start: usize,
}

impl Field<'_> {
    fn error(&self, at: usize, problem: FenProblem) -> FenSyntaxError {
        FenSyntaxError { field: self.name, column: self.start + at + 1, problem }
    }
}

/// Six fields with single spaces between them, nothing else.
pub(super) fn strict(fen: &[u8]) -> Result<Setup> {
    let mut rest = Some(fen);
    let mut next = |name: FenField| {
        let Some(text) = rest else {
            return Err(FenSyntaxError { field: name, column: fen.len() + 1, problem: FenProblem::Missing });
        };
        let start = fen.len() - text.len();
        let (text, after) = match text.iter().position(|&byte| byte == b' ') {
            Some(space) => (&text[..space], Some(&text[space + 1..])),
            None => (text, None),
        };
        rest = after;
        let field = Field { name, text, start };
        match (text.is_empty(), rest) {
            (false, _) => Ok(field),
            (true, Some(_)) => Err(field.error(0, FenProblem::Spacing)),
            (true, None) => Err(field.error(0, FenProblem::Missing)),
        }
    };
    let board = board(next(FenField::Board)?, &mut Strict)?;
    let side_to_move = side_to_move(next(FenField::SideToMove)?)?;
    let castling_rooks = castling(next(FenField::Castling)?, &board, &mut Strict)?;
    let en_passant = en_passant(next(FenField::EnPassant)?)?;
    let halfmove_clock = number(next(FenField::HalfmoveClock)?)?;
    let last = next(FenField::FullmoveNumber)?;
    let fullmove_number = number(last)?;
    if rest.is_some() {
        return Err(last.error(last.text.len(), FenProblem::Trailing));
    }
    Ok(Setup { board, side_to_move, castling_rooks, en_passant, halfmove_clock, fullmove_number })
}

/// Decides about flaws that do not obscure the meaning.
pub(super) trait Leniency {
    /// Whether to read on.
    fn forgives(&mut self, flaw: Flaw) -> bool;
}

/// What a lenient reader may forgive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flaw {
    AdjacentDigits,
    PromotedMark,
    RepeatedRight,
}

struct Strict;

impl Leniency for Strict {
    fn forgives(&mut self, _: Flaw) -> bool {
        false
    }
}

pub(super) fn board(field: Field<'_>, leniency: &mut impl Leniency) -> Result<Board> {
    /// What a byte of the field means.
    const PIECES: [Option<Piece>; 256] = {
        let mut table = [None; 256];
        let mut i = 0;
        while i < 12 {
            table[Piece::ALL[i].to_char() as usize] = Some(Piece::ALL[i]);
            i += 1;
        }
        table
    };
    let mut board = Board::empty();
    let (mut rank, mut file) = (7, 0);
    let mut after_digit = false;
    for (at, &byte) in field.text.iter().enumerate() {
        if let Some(piece) = PIECES[usize::from(byte)] {
            if file >= 8 {
                return Err(field.error(at, FenProblem::RankLength));
            }
            let square = Square::wrapping(rank * 8 + file);
            board.put(square, piece);
            file += 1;
            after_digit = false;
        } else if byte == b'/' {
            if file != 8 {
                return Err(field.error(at, FenProblem::RankLength));
            }
            if rank == 0 {
                return Err(field.error(at, FenProblem::RankCount));
            }
            (rank, file) = (rank - 1, 0);
            after_digit = false;
        } else if matches!(byte, b'1'..=b'8') {
            if after_digit && !leniency.forgives(Flaw::AdjacentDigits) {
                return Err(field.error(at, FenProblem::AdjacentDigits));
            }
            file += u32::from(byte - b'0');
            if file > 8 {
                return Err(field.error(at, FenProblem::RankLength));
            }
            after_digit = true;
        } else {
            let follows_piece = at > 0 && PIECES[usize::from(field.text[at - 1])].is_some();
            if !(byte == b'~' && follows_piece && leniency.forgives(Flaw::PromotedMark)) {
                return Err(field.error(at, FenProblem::NotAPiece(byte)));
            }
        }
    }
    if rank != 0 {
        return Err(field.error(field.text.len(), FenProblem::RankCount));
    }
    if file != 8 {
        return Err(field.error(field.text.len(), FenProblem::RankLength));
    }
    Ok(board)
}

pub(super) fn side_to_move(field: Field<'_>) -> Result<Color> {
    match field.text {
        b"w" => Ok(Color::White),
        b"b" => Ok(Color::Black),
        _ => Err(field.error(0, FenProblem::NotASide)),
    }
}

/// The squares of the rooks meant by the letters, whether or not rooks stand there.
pub(super) fn castling(field: Field<'_>, board: &Board, leniency: &mut impl Leniency) -> Result<Bitboard> {
    let mut rooks = Bitboard::EMPTY;
    if field.text == b"-" {
        return Ok(rooks);
    }
    for (at, &letter) in field.text.iter().enumerate() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let file = match letter.to_ascii_lowercase() {
            b'k' => outermost_rook(board, color, CastlingSide::King),
            b'q' => outermost_rook(board, color, CastlingSide::Queen),
            file @ b'a'..=b'h' => File::ALL[usize::from(file - b'a')],
            _ => return Err(field.error(at, FenProblem::NotACastlingRight(letter))),
        };
        let rook = Square::from_coords(file, color.back_rank());
        let too_many = at >= 4;
        if too_many || (rooks.contains(rook) && !leniency.forgives(Flaw::RepeatedRight)) {
            return Err(field.error(at, FenProblem::RepeatedRight));
        }
        rooks.insert(rook);
    }
    Ok(rooks)
}

/// The file of the outermost rook on one side of the king; that of standard chess if there is none.
pub(super) fn outermost_rook(board: &Board, color: Color, side: CastlingSide) -> File {
    let back_rank = Bitboard::from_rank(color.back_rank());
    let rooks = board.pieces(PieceType::Rook.of(color)) & back_rank;
    let Some(king) = (board.pieces(PieceType::King.of(color)) & back_rank).first() else {
        return side.standard_rook_file();
    };
    let outermost = match side {
        CastlingSide::King => rooks.last().filter(|&rook| rook > king),
        CastlingSide::Queen => rooks.first().filter(|&rook| rook < king),
    };
    outermost.map_or(side.standard_rook_file(), Square::file)
}

pub(super) fn en_passant(field: Field<'_>) -> Result<Option<Square>> {
    match field.text {
        b"-" => Ok(None),
        text => Square::from_ascii(text).map(Some).ok_or_else(|| field.error(0, FenProblem::NotASquare)),
    }
}

pub(super) fn number(field: Field<'_>) -> Result<u32> {
    let mut value: u32 = 0;
    for (at, &byte) in field.text.iter().enumerate() {
        if !byte.is_ascii_digit() {
            return Err(field.error(at, FenProblem::NotANumber));
        }
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u32::from(byte - b'0')))
            .ok_or_else(|| field.error(0, FenProblem::NumberTooLarge))?;
    }
    Ok(value)
}
