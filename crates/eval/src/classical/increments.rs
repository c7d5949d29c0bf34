//! Material, piece squares and phase, kept from move to move.

use ferz_board::{Color, Observer, Piece, PieceType, Position, Square};

use super::params::{Weights, weigh};
use super::score::Score;
use super::tracer::Tracer;
use super::weights::WEIGHTS;

/// The phase with all pieces on the board. It falls as they are exchanged; at 0 only the end-game values count.
pub(super) const FULL_PHASE: i32 = 24;

/// What each type of piece adds to the phase: pawns and kings tell nothing about it.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// What the evaluation keeps from move to move: an observer of the moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Increments {
    /// Material and piece squares, White's minus Black's.
    score: Score,
    phase: i32,
}

impl Increments {
    /// The values of a position, from scratch.
    pub(crate) fn new(position: &Position) -> Increments {
        let mut increments = Increments::default();
        position.board().iter().for_each(|(square, piece)| increments.placed(piece, square));
        increments
    }

    /// Material and piece squares, White's minus Black's.
    #[inline(always)]
    pub(super) fn score(&self) -> Score {
        self.score
    }

    /// The phase, at most [`FULL_PHASE`] even with promoted pieces on the board.
    #[inline(always)]
    pub(super) fn phase(&self) -> i32 {
        self.phase.min(FULL_PHASE)
    }
}

/// What a piece on a square adds to the value: material and square together, negative for Black.
pub fn piece_square(piece: Piece, square: Square) -> Score {
    PIECE_SQUARES[piece.index()][square.index()]
}

/// What a type of piece adds to the [phase](crate::Explanation::phase).
pub const fn phase(piece_type: PieceType) -> i32 {
    PHASE[piece_type.index()]
}

impl Observer for Increments {
    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        self.score += PIECE_SQUARES[piece.index()][square.index()];
        self.phase += PHASE[piece.piece_type().index()];
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.score -= PIECE_SQUARES[piece.index()][square.index()];
        self.phase -= PHASE[piece.piece_type().index()];
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        let squares = &PIECE_SQUARES[piece.index()];
        self.score += squares[to.index()] - squares[from.index()];
    }
}

/// Material and square of every piece together, Black's negative and mirrored.
/// Indexed by [`Piece::index`], which leaves gaps.
static PIECE_SQUARES: [[Score; 64]; 16] = piece_squares(&WEIGHTS);

const fn piece_squares(weights: &Weights) -> [[Score; 64]; 16] {
    let mut table = [[Score::ZERO; 64]; 16];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        let squares = squares(weights, piece.piece_type());
        let material = match piece.piece_type() {
            PieceType::King => Score::ZERO,
            other => weights.material[other.index()],
        };
        let mut square = 0;
        while square < 64 {
            let relative = Square::ALL[square].relative_to(piece.color()).index();
            let value = material.plus(squares[relative]);
            table[piece.index()][square] = match piece.color() {
                Color::White => value,
                Color::Black => value.negated(),
            };
            square += 1;
        }
        i += 1;
    }
    table
}

const fn squares(weights: &Weights, piece_type: PieceType) -> &[Score; 64] {
    match piece_type {
        PieceType::Pawn => &weights.pawn_squares,
        PieceType::Knight => &weights.knight_squares,
        PieceType::Bishop => &weights.bishop_squares,
        PieceType::Rook => &weights.rook_squares,
        PieceType::Queen => &weights.queen_squares,
        PieceType::King => &weights.king_squares,
    }
}

/// Material and piece squares once more, for a tracer to hear of.
pub(super) fn trace<T: Tracer>(position: &Position, tracer: &mut T) -> Score {
    let mut score = Score::ZERO;
    for (square, piece) in position.board().iter() {
        let (color, at) = (piece.color(), square.relative_to(piece.color()).index());
        let mut value = match piece.piece_type() {
            PieceType::Pawn => weigh!(tracer, color, pawn_squares[at]),
            PieceType::Knight => weigh!(tracer, color, knight_squares[at]),
            PieceType::Bishop => weigh!(tracer, color, bishop_squares[at]),
            PieceType::Rook => weigh!(tracer, color, rook_squares[at]),
            PieceType::Queen => weigh!(tracer, color, queen_squares[at]),
            PieceType::King => weigh!(tracer, color, king_squares[at]),
        };
        if piece.piece_type() != PieceType::King {
            value += weigh!(tracer, color, material[piece.piece_type().index()]);
        }
        match color {
            Color::White => score += value,
            Color::Black => score -= value,
        }
    }
    score
}
