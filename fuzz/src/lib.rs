//! Turns the fuzzer's bytes into chess positions and games. All bytes are valid, and small changes of them are small
//! changes of the position.

pub mod pgn;

use std::borrow::Cow;

use ferz_board::{Bitboard, CastlingMode, Color, Move, Piece, PieceType, Position, Setup, Square};

/// Input of the fuzzer; zeros after its end.
#[derive(Debug)]
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// Wraps the input.
    pub fn new(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes(bytes)
    }

    /// Whether the input is used up.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let (&byte, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        byte
    }

    /// The next bytes, at most this number.
    pub fn part(&mut self, len: usize) -> Bytes<'a> {
        let (part, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        Bytes(part)
    }

    /// All bytes that are left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// All bytes that are left, as text.
    pub fn text(&mut self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.rest())
    }

    /// The next two bytes as a number.
    pub fn number(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    fn square(&mut self) -> Square {
        Square::wrapping(u32::from(self.byte()))
    }

    /// A setup, legal or not: two kings, the other fields, and the pieces.
    pub fn setup(&mut self) -> Setup {
        let mut setup = Setup::empty();
        setup.board.set(self.square(), Some(Piece::WhiteKing));
        setup.board.set(self.square(), Some(Piece::BlackKing));
        let flags = self.byte();
        setup.side_to_move = if flags & 1 == 0 { Color::White } else { Color::Black };
        setup.en_passant = (flags & 2 != 0).then(|| self.square());
        // Each bit of a byte is a file of a back rank.
        let (white, black) = (u64::from(self.byte()), u64::from(self.byte()));
        setup.castling_rooks = Bitboard(white | (black << 56));
        setup.halfmove_clock = u32::from(self.number());
        setup.fullmove_number = u32::from(self.number()) << (flags >> 6);
        while !self.is_empty() {
            let piece = Piece::ALL[usize::from(self.byte()) % Piece::ALL.len()];
            setup.board.set(self.square(), Some(piece));
        }
        if flags & 4 != 0 {
            // Random rights hardly ever match rooks.
            setup.castling_rooks &= setup.board.by_type(PieceType::Rook);
        }
        setup
    }

    /// A start position of standard chess, Chess960 or double Chess960.
    pub fn start(&mut self) -> Position {
        let (white, black) = (self.number(), self.number());
        Setup::chess960(white % 960, black % 960)
            .and_then(|setup| Position::from_setup(&setup, CastlingMode::Chess960).ok())
            .unwrap_or_default()
    }

    /// The positions of a game; every byte is a move.
    pub fn game(&mut self) -> Vec<Position> {
        let mut positions = vec![self.start()];
        while let Some(position) = positions.last().filter(|_| !self.is_empty()) {
            let mut next = *position;
            let Some(mv) = self.legal_move(&next) else { break };
            next.play_unchecked(mv);
            positions.push(next);
        }
        positions
    }

    /// The last position of a game, or a legal setup. There may be bytes left.
    pub fn position(&mut self) -> Option<Position> {
        let is_set_up = self.byte() & 1 != 0;
        let len = usize::from(self.byte());
        let mut part = self.part(len);
        if is_set_up {
            Position::from_setup(&part.setup(), CastlingMode::Chess960).ok()
        } else {
            part.game().pop()
        }
    }

    /// One of the legal moves, if there is one.
    pub fn legal_move(&mut self, position: &Position) -> Option<Move> {
        let moves = position.legal_moves();
        if moves.is_empty() { None } else { Some(moves[usize::from(self.byte()) % moves.len()]) }
    }
}
