//! Material, piece-square tables (PSQT) and game phase, updated incrementally.

use ferz_board::{Color, Observer, Piece, PieceType, Position, Square};

use super::params::{Weights, weigh};
use super::score::TaperedScore;
use super::tracer::Tracer;
use super::weights::WEIGHTS;

/// The game phase with all pieces on the board. It falls with every exchange; at 0 only endgame scores count.
pub(super) const FULL_PHASE: i32 = 24;

/// What each piece type adds to the game phase: nothing for pawns and kings.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// The incrementally updated part of the classical evaluation: an observer of the moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PsqtState {
    /// Material and piece-square score, White's minus Black's.
    score: TaperedScore,
    phase: i32,
}

impl PsqtState {
    /// The state of a position, from scratch.
    pub(crate) fn new(position: &Position) -> PsqtState {
        let mut psqt = PsqtState::default();
        position.board().iter().for_each(|(square, piece)| psqt.placed(piece, square));
        psqt
    }

    /// Material and piece-square score, White's minus Black's.
    #[inline(always)]
    pub(super) fn score(&self) -> TaperedScore {
        self.score
    }

    /// The game phase, at most [`FULL_PHASE`] even with promoted pieces on the board.
    #[inline(always)]
    pub(super) fn phase(&self) -> i32 {
        self.phase.min(FULL_PHASE)
    }
}

/// The piece-square score of a piece on a square, material included, negative for Black.
///
/// ```
/// use ferz_board::{Piece, Square};
/// use ferz_eval::piece_square;
///
/// // A knight in the centre is better than one in the corner.
/// let (centre, corner) = (piece_square(Piece::WhiteKnight, Square::E5), piece_square(Piece::WhiteKnight, Square::A1));
/// assert!(centre.mg() > corner.mg() && centre.eg() > corner.eg());
/// assert_eq!(piece_square(Piece::BlackKnight, Square::E4), -centre);
/// ```
#[doc(alias("psqt", "psqt_apply", "piece-square tables"))]
#[must_use]
pub fn piece_square(piece: Piece, square: Square) -> TaperedScore {
    PSQT[piece.code()][square.index()]
}

/// What a piece type adds to the [game phase](crate::EvalBreakdown::phase).
#[doc(alias("count_phase", "game phase"))]
#[must_use]
pub const fn phase(piece_type: PieceType) -> i32 {
    PHASE[piece_type.index()]
}

impl Observer for PsqtState {
    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        self.score += PSQT[piece.code()][square.index()];
        self.phase += PHASE[piece.piece_type().index()];
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.score -= PSQT[piece.code()][square.index()];
        self.phase -= PHASE[piece.piece_type().index()];
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        let squares = &PSQT[piece.code()];
        self.score += squares[to.index()] - squares[from.index()];
    }
}

/// The piece-square tables with material, Black's negative and mirrored.
/// Indexed by [`Piece::code`], which leaves gaps.
static PSQT: [[TaperedScore; 64]; 16] = piece_squares(&WEIGHTS);

const fn piece_squares(weights: &Weights) -> [[TaperedScore; 64]; 16] {
    let mut table = [[TaperedScore::ZERO; 64]; 16];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        let squares = squares(weights, piece.piece_type());
        let material = match piece.piece_type() {
            PieceType::King => TaperedScore::ZERO,
            other => weights.material[other.index()],
        };
        let mut square = 0;
        while square < 64 {
            let relative = Square::ALL[square].relative_to(piece.color()).index();
            let value = material.plus(squares[relative]);
            table[piece.code()][square] = match piece.color() {
                Color::White => value,
                Color::Black => value.negated(),
            };
            square += 1;
        }
        i += 1;
    }
    table
}

const fn squares(weights: &Weights, piece_type: PieceType) -> &[TaperedScore; 64] {
    match piece_type {
        PieceType::Pawn => &weights.pawn_squares,
        PieceType::Knight => &weights.knight_squares,
        PieceType::Bishop => &weights.bishop_squares,
        PieceType::Rook => &weights.rook_squares,
        PieceType::Queen => &weights.queen_squares,
        PieceType::King => &weights.king_squares,
    }
}

/// Computes material and piece-square scores from scratch and reports them to a tracer.
pub(super) fn trace<T: Tracer>(position: &Position, tracer: &mut T) -> TaperedScore {
    let mut score = TaperedScore::ZERO;
    for (square, piece) in position.board() {
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
