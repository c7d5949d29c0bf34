//! A move made and taken back, step by step.

use ferz_board::{CastlingMode, Move, Observer, Piece, Position, Square, Undo, zobrist};
use serde::Serialize;

use super::letters;
use super::masks::MoveBits;
use super::word::Word;
use crate::protocol::{ColorName, SquareName};

/// The steps of making a move and of taking it back, and the record that makes the way back possible.
#[derive(Clone, Debug, Serialize)]
pub struct Timeline {
    #[serde(rename = "move")]
    mv: MoveBits,
    undo: UndoRecord,
    frames: Vec<Frame>,
}

/// What `unmake` needs beside the position after the move.
#[derive(Clone, Debug, Serialize)]
struct UndoRecord {
    bytes: usize,
    bits: u16,
    captured: Option<char>,
    castling_rooks: Word,
    double_step: Option<SquareName>,
    en_passant: Option<SquareName>,
    halfmove: u32,
    key: Word,
    pawn_key: Word,
}

/// One step.
#[derive(Clone, Debug, Serialize)]
struct Frame {
    action: FrameAction,
    piece: Option<char>,
    from: Option<SquareName>,
    to: Option<SquareName>,
    pieces: String,
    key: Word,
    state: Option<FrameState>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum FrameAction {
    Start,
    Removed,
    Placed,
    Moved,
    Made,
    Unmade,
}

/// What a position knows beside its pieces.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct FrameState {
    fen: String,
    turn: ColorName,
    castling: String,
    double_step: Option<SquareName>,
    en_passant: Option<SquareName>,
    halfmove: u32,
    fullmove: u32,
}

impl Timeline {
    /// Makes a legal move and takes it back.
    pub fn new(before: &Position, mv: Move, mode: CastlingMode) -> Timeline {
        let mut position = *before;
        let mut recorder = Recorder::new(before);
        recorder.state(FrameAction::Start, &position);
        let undo = position.make(mv, &mut recorder);
        recorder.state(FrameAction::Made, &position);
        position.unmake(undo, &mut recorder);
        recorder.state(FrameAction::Unmade, &position);
        Timeline { mv: MoveBits::of(before, mv, mode), undo: UndoRecord::of(&undo), frames: recorder.frames }
    }
}

impl UndoRecord {
    fn of(undo: &Undo) -> UndoRecord {
        UndoRecord {
            bytes: size_of::<Undo>(),
            bits: undo.mv().bits(),
            captured: undo.captured().map(Piece::to_char),
            castling_rooks: undo.castling_rooks().into(),
            double_step: undo.double_step().map(SquareName),
            en_passant: undo.en_passant().map(SquareName),
            halfmove: undo.halfmove_clock(),
            key: Word(undo.key()),
            pawn_key: Word(undo.pawn_key()),
        }
    }
}

/// Writes down what the board reports to an observer.
struct Recorder {
    pieces: [Option<Piece>; 64],
    key: u64,
    frames: Vec<Frame>,
}

impl Recorder {
    fn new(position: &Position) -> Recorder {
        Recorder {
            pieces: Square::ALL.map(|square| position.piece_at(square)),
            key: position.key(),
            frames: Vec::new(),
        }
    }

    /// The board is complete, and the rest of the position changes.
    fn state(&mut self, action: FrameAction, position: &Position) {
        self.key = position.key();
        self.frames.push(Frame {
            action,
            piece: None,
            from: None,
            to: None,
            pieces: letters(position),
            key: Word(position.key()),
            state: Some(FrameState {
                fen: position.to_string(),
                turn: position.side_to_move().into(),
                castling: position.castling_rights().to_string(),
                double_step: position.double_step().map(SquareName),
                en_passant: position.en_passant().map(SquareName),
                halfmove: position.halfmove_clock(),
                fullmove: position.fullmove_number(),
            }),
        });
    }

    fn push(&mut self, action: FrameAction, piece: Piece, from: Option<Square>, to: Option<Square>) {
        for (square, content) in [(from, None), (to, Some(piece))] {
            if let Some(square) = square {
                self.pieces[square.index()] = content;
                self.key ^= zobrist::piece(piece, square);
            }
        }
        self.frames.push(Frame {
            action,
            piece: Some(piece.to_char()),
            from: from.map(SquareName),
            to: to.map(SquareName),
            pieces: self.pieces.iter().map(|piece| piece.map_or('.', Piece::to_char)).collect(),
            key: Word(self.key),
            state: None,
        });
    }
}

impl Observer for Recorder {
    fn placed(&mut self, piece: Piece, square: Square) {
        self.push(FrameAction::Placed, piece, None, Some(square));
    }

    fn removed(&mut self, piece: Piece, square: Square) {
        self.push(FrameAction::Removed, piece, Some(square), None);
    }

    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.push(FrameAction::Moved, piece, Some(from), Some(to));
    }
}
