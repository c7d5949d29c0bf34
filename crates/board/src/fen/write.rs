//! Writing FEN.

use core::fmt::{self, Write};

use crate::fen::parse;
use crate::{Bitboard, Board, CastlingSide, Color, PieceType, Position, Setup, Square};

/// When the en-passant square is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum EnPassantMode {
    /// After every double step, as the FEN standard requires.
    Always,
    /// If an enemy pawn stands next to the pawn, pinned or not.
    PseudoLegal,
    /// If the capture is legal: the same text for the same position. The usual choice.
    Legal,
}

/// How castling rights are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum CastlingStyle {
    /// `KQkq`, with a file letter only where another rook stands further out. Standard FEN for standard
    /// chess.
    XFen,
    /// The files of the rooks: `HAha`.
    Shredder,
}

/// The FEN of a position; made by [`Position::fen`].
#[derive(Clone, Copy)]
pub struct Fen {
    text: [u8; Fen::MAX_LEN],
    len: usize,
}

impl Fen {
    /// 71 bytes of board, 1 side, 4 rights, 2 square, 5 and 10 digits, 5 spaces.
    const MAX_LEN: usize = 71 + 1 + 4 + 2 + 5 + 10 + 5;

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.text[..self.len]).unwrap_or_default()
    }

    fn push(&mut self, byte: u8) {
        self.text[self.len] = byte;
        self.len += 1;
    }

    fn push_number(&mut self, number: u32) {
        let mut digits = [0; 10];
        let mut at = digits.len();
        let mut rest = number;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        digits[at..].iter().for_each(|&digit| self.push(digit));
    }

    fn push_board(&mut self, board: &Board) {
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                let Some(piece) = board.piece_at(Square::wrapping(rank * 8 + file)) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    self.push(b'0' + empty);
                    empty = 0;
                }
                self.push(piece.to_char() as u8);
            }
            if empty > 0 {
                self.push(b'0' + empty);
            }
            if rank > 0 {
                self.push(b'/');
            }
        }
    }

    fn push_castling(&mut self, position: &Position, style: CastlingStyle) {
        if position.castling_rooks().is_empty() {
            return self.push(b'-');
        }
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                if let Some(rook) = position.castling_rook(color, side) {
                    let letter = castling_letter(position, color, side, rook, style);
                    self.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
                }
            }
        }
    }
}

fn castling_letter(
    position: &Position,
    color: Color,
    side: CastlingSide,
    rook: Square,
    style: CastlingStyle,
) -> u8 {
    let rooks = position.pieces(PieceType::Rook.of(color));
    let further_out = match side {
        CastlingSide::King => rook.index() + 1..color.back_rank().index() * 8 + 8,
        CastlingSide::Queen => color.back_rank().index() * 8..rook.index(),
    };
    let hidden = further_out.into_iter().any(|index| rooks.contains(Square::wrapping(index as u32)));
    match (style, side) {
        (CastlingStyle::XFen, CastlingSide::King) if !hidden => b'k',
        (CastlingStyle::XFen, CastlingSide::Queen) if !hidden => b'q',
        _ => rook.file().to_char() as u8,
    }
}

impl Position {
    /// The position as FEN.
    ///
    /// ```
    /// use ferz_board::{CastlingStyle, EnPassantMode, Position};
    /// let mut position = Position::start();
    /// position.play(position.parse_uci("e2e4")?)?;
    /// let always = position.fen(EnPassantMode::Always, CastlingStyle::Shredder);
    /// assert_eq!(always.as_str(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b HAha e3 0 1");
    /// // `to_string` writes the square only if the capture is legal, and X-FEN castling rights.
    /// assert_eq!(position.to_string(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn fen(&self, en_passant: EnPassantMode, castling: CastlingStyle) -> Fen {
        let mut fen = Fen { text: [0; Fen::MAX_LEN], len: 0 };
        fen.push_board(&self.board);
        fen.push(b' ');
        fen.push(self.side_to_move().to_char() as u8);
        fen.push(b' ');
        fen.push_castling(self, castling);
        fen.push(b' ');
        let square = match en_passant {
            EnPassantMode::Always => self.double_step(),
            EnPassantMode::PseudoLegal => self.en_passant(),
            EnPassantMode::Legal => self.legal_en_passant(),
        };
        match square {
            Some(square) => {
                fen.push(square.file().to_char() as u8);
                fen.push(square.rank().to_char() as u8);
            }
            None => fen.push(b'-'),
        }
        fen.push(b' ');
        fen.push_number(self.halfmove_clock());
        fen.push(b' ');
        fen.push_number(self.fullmove_number());
        fen
    }
}

impl fmt::Display for Fen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Fen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fen({})", self.as_str())
    }
}

/// The FEN with [legal](EnPassantMode::Legal) en-passant square and [X-FEN](CastlingStyle::XFen) rights.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fen(EnPassantMode::Legal, CastlingStyle::XFen).fmt(f)
    }
}

/// The set-up as FEN, legal or not, with castling rights in [X-FEN](CastlingStyle::XFen). [`Setup::from_fen`]
/// reads the same set-up from it, with two exceptions: castling rights off the back ranks are left out, and
/// more than four rights cannot be read back.
///
/// ```
/// use ferz_board::{Color, Setup, Square};
/// let mut setup = Setup::start();
/// setup.board.set(Square::E8, None);
/// setup.side_to_move = Color::Black;
/// assert_eq!(setup.to_string(), "rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
/// assert_eq!(Setup::from_fen(&setup.to_string())?, setup);
/// # Ok::<(), ferz_board::FenSyntaxError>(())
/// ```
impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", BoardField(&self.board), self.side_to_move.to_char())?;
        if !self.castling_rooks.intersects(Bitboard::BACK_RANKS) {
            f.write_char('-')?;
        }
        for color in Color::ALL {
            // From the h-file on, so that the king's side comes first.
            for rook in (self.castling_rooks & Bitboard::from_rank(color.back_rank())).into_iter().rev() {
                let means_rook = |&(side, _): &(CastlingSide, char)| {
                    parse::outermost_rook(&self.board, color, side) == rook.file()
                };
                let letters = [(CastlingSide::King, 'k'), (CastlingSide::Queen, 'q')];
                let letter =
                    letters.iter().find(|it| means_rook(it)).map_or(rook.file().to_char(), |it| it.1);
                f.write_char(if color == Color::White { letter.to_ascii_uppercase() } else { letter })?;
            }
        }
        match self.en_passant {
            Some(square) => write!(f, " {square}")?,
            None => f.write_str(" -")?,
        }
        write!(f, " {} {}", self.halfmove_clock, self.fullmove_number)
    }
}

/// The first field of a FEN.
pub(crate) struct BoardField<'a>(pub(crate) &'a Board);

impl fmt::Display for BoardField<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fen = Fen { text: [0; Fen::MAX_LEN], len: 0 };
        fen.push_board(self.0);
        f.write_str(fen.as_str())
    }
}
