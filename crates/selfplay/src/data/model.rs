//! The model of packed games: the probabilities of positions, moves and scores.

use ferz_board::{Bitboard, CastlingMode, Color, Move, PieceType, Position, Setup, Square};

use super::coder::{Bit, Coder, Number};
use super::game_file::Reason;
use super::move_order::{self, Candidate, GAINS, Habits, KINDS};
use super::{GameScore, Ply, ScoredGame, verdict, verdict_byte};

/// Ranks in the move order are distinguished up to here.
const RANKS: usize = 20;
/// Classes of the number of remaining moves.
const REMAINING: usize = 5;
/// Classes of score differences.
const SWINGS: usize = 9;
const MAGNITUDES: usize = 6;

/// The statistics learnt from the games of a block.
#[derive(Debug)]
pub(super) struct Model {
    plies: Number,
    verdict: Vec<Bit>,
    /// The pieces of start positions, by square.
    squares: Vec<Bit>,
    black_to_move: Bit,
    has_double_step: Bit,
    double_step: Vec<Bit>,
    halfmove_clock: Number,
    fullmove_number: Number,
    /// "This is the move", by rank, moves left, kind and gain.
    moves: Vec<Bit>,
    habits: Habits,
    /// The difference of a score from the expected one.
    distances: Vec<Number>,
    signs: Vec<Bit>,
    candidates: Vec<Candidate>,
}

impl Model {
    pub(super) fn new() -> Model {
        Model {
            plies: Number::new(),
            verdict: vec![Bit::new(); 32],
            squares: vec![Bit::new(); 64 * 16],
            black_to_move: Bit::new(),
            has_double_step: Bit::new(),
            double_step: vec![Bit::new(); 8],
            halfmove_clock: Number::new(),
            fullmove_number: Number::new(),
            moves: vec![Bit::new(); RANKS * REMAINING * KINDS * GAINS],
            habits: Habits::new(),
            distances: vec![Number::new(); SWINGS * MAGNITUDES],
            signs: vec![Bit::new(); SWINGS * 3],
            candidates: Vec::new(),
        }
    }

    /// Writes a game. Every move must be legal.
    pub(super) fn write(&mut self, coder: &mut impl Coder, game: &ScoredGame) {
        coder.code_number(&mut self.plies, game.plies.len() as u32);
        coder.code_tree(&mut self.verdict, 5, verdict_byte(game.result, game.ending).into());
        self.code_setup(coder, &Setup::from(&game.start));
        let mut position = game.start;
        let mut before = Before::default();
        for &ply in &game.plies {
            self.code_move(coder, &position, before.mv, Some(ply.mv));
            self.code_score(coder, &before, ply.score);
            before.push(ply);
            position.play_unchecked(ply.mv);
        }
    }

    /// Reads a game back, if there is one.
    pub(super) fn read(&mut self, coder: &mut impl Coder) -> Result<ScoredGame, Reason> {
        let count = coder.code_number(&mut self.plies, 0) as usize;
        if count > ScoredGame::MAX_PLIES {
            return Err("a game is too long");
        }
        let byte = coder.code_tree(&mut self.verdict, 5, 0) as u8;
        let (result, ending) = verdict(byte).ok_or("invalid result")?;
        let setup = self.code_setup(coder, &Setup::empty());
        let start = Position::from_setup(&setup, CastlingMode::Chess960)
            .map_err(|_| "the start of a game is not a legal position")?;
        let mut plies = Vec::with_capacity(count);
        let mut position = start;
        let mut before = Before::default();
        for _ in 0..count {
            let mv = self.code_move(coder, &position, before.mv, None).ok_or("a move is illegal")?;
            let ply = Ply { mv, score: self.code_score(coder, &before, GameScore(0)) };
            before.push(ply);
            plies.push(ply);
            position.play_unchecked(mv);
        }
        Ok(ScoredGame { start, plies, result, ending })
    }

    fn code_setup(&mut self, coder: &mut impl Coder, given: &Setup) -> Setup {
        let mut setup = Setup::empty();
        for square in Square::ALL {
            let tree = &mut self.squares[16 * square.index()..][..16];
            put(&mut setup, square, coder.code_tree(tree, 4, content(given, square)));
        }
        let is_black = coder.code(&mut self.black_to_move, given.side_to_move == Color::Black);
        setup.side_to_move = if is_black { Color::Black } else { Color::White };
        if coder.code(&mut self.has_double_step, given.en_passant.is_some()) {
            let file = given.en_passant.map_or(0, |square| square.file().index() as u32);
            let file = coder.code_tree(&mut self.double_step, 3, file);
            let rank = setup.side_to_move.en_passant_rank();
            setup.en_passant = Some(Square::wrapping(8 * rank.index() as u32 + file));
        }
        setup.halfmove_clock = coder.code_number(&mut self.halfmove_clock, given.halfmove_clock);
        setup.fullmove_number = coder.code_number(&mut self.fullmove_number, given.fullmove_number);
        setup
    }

    /// Codes for one candidate after the other whether it is the move; `None` if there is no legal move.
    fn code_move(
        &mut self,
        coder: &mut impl Coder,
        position: &Position,
        last: Option<Move>,
        given: Option<Move>,
    ) -> Option<Move> {
        let mut list = std::mem::take(&mut self.candidates);
        move_order::candidates(position, last, &self.habits, &mut list);
        let mut found = None;
        for (rank, candidate) in list.iter().enumerate() {
            let left = list.len() - rank;
            let is_it = left == 1 || {
                let remaining = (usize::BITS - left.leading_zeros()) as usize - 2;
                let context =
                    [rank.min(RANKS - 1), remaining.min(REMAINING - 1), candidate.kind, candidate.gain];
                let place = context
                    .into_iter()
                    .zip([RANKS, REMAINING, KINDS, GAINS])
                    .fold(0, |place, (value, size)| place * size + value);
                coder.code(&mut self.moves[place], given == Some(candidate.mv))
            };
            self.habits.learn(position, candidate.mv, is_it);
            if is_it {
                found = Some(candidate.mv);
                break;
            }
        }
        self.candidates = list;
        found
    }

    /// Codes a score as the difference to the one before.
    fn code_score(&mut self, coder: &mut impl Coder, before: &Before, given: GameScore) -> GameScore {
        let expected = before.expected();
        let swing = before.swing();
        let place = swing * MAGNITUDES + before.magnitude();
        let difference = i32::from(given.0) - expected;
        let distance = coder.code_number(&mut self.distances[place], difference.unsigned_abs()) as i32;
        if distance == 0 {
            return clamp(expected);
        }
        let is_up = coder.code(&mut self.signs[swing * 3 + before.trend()], difference > 0);
        clamp(if is_up { expected + distance } else { expected - distance })
    }
}

/// Limits a score from a file to the valid range.
fn clamp(score: i32) -> GameScore {
    GameScore(score.clamp(i16::MIN.into(), i16::MAX.into()) as i16)
}

/// The moves and scores before.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    mv: Option<Move>,
    /// The latest first.
    scores: [i32; 3],
}

impl Before {
    fn push(&mut self, ply: Ply) {
        self.mv = Some(ply.mv);
        self.scores = [ply.score.0.into(), self.scores[0], self.scores[1]];
    }

    fn expected(&self) -> i32 {
        self.scores[0]
    }

    /// How much scores have changed recently.
    fn swing(&self) -> usize {
        let [last, before, earlier] = self.scores;
        let swing = (last - before).abs() + (before - earlier).abs();
        ((32 - swing.leading_zeros()) as usize).min(SWINGS - 1)
    }

    fn magnitude(&self) -> usize {
        let steps = [30, 100, 250, 600, 1500];
        steps.iter().filter(|&&step| self.scores[0].abs() >= step).count()
    }

    /// Whether the score went up or down.
    fn trend(&self) -> usize {
        (1 + (self.scores[0] - self.scores[1]).signum()) as usize
    }
}

/// The code of a square: 0 empty, 1 to 6 and 9 to 14 a white and black piece, 7 and 15 a rook that may castle.
fn content(setup: &Setup, square: Square) -> u32 {
    let Some(piece) = setup.board.piece_at(square) else { return 0 };
    let color = if piece.color() == Color::Black { 8 } else { 0 };
    let is_castling_rook = setup.castling_rooks.contains(square);
    color + if is_castling_rook { 7 } else { 1 + piece.piece_type().index() as u32 }
}

fn put(setup: &mut Setup, square: Square, content: u32) {
    let color = if content & 8 == 0 { Color::White } else { Color::Black };
    let piece_type = match content & 7 {
        0 => return,
        7 => PieceType::Rook,
        kind => PieceType::ALL[kind as usize - 1],
    };
    if content & 7 == 7 {
        setup.castling_rooks |= Bitboard::from_square(square);
    }
    setup.board.set(square, Some(piece_type.of(color)));
}
