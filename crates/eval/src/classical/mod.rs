//! The classical evaluation: what a chess teacher would count.
//!
//! A position is worth the sum of its [terms](Term), White's minus Black's, each with a value for the middle
//! game and one for the end game. The phase (how many pieces are left) blends the two; the end-game half is
//! scaled down where an advantage is hard to win with. Material and piece squares are
//! [kept from move to move](Increments), pawn structure is remembered, the rest is computed anew.

mod endgame;
mod explain;
mod increments;
mod king;
mod params;
mod passed;
mod pawns;
mod pieces;
mod score;
mod shelter;
mod side;
mod survey;
mod threats;
mod tracer;
pub mod tuning;
mod weights;

use ferz_board::{Color, Position};

pub use explain::{Explanation, Row, explain};
pub use increments::Increments;
pub use params::Term;
pub use score::Score;

use endgame::FULL_SCALE;
use increments::FULL_PHASE;
use params::weigh;
use pawns::{PawnCache, Pawns};
use side::{Black, Side, White};
use survey::Survey;
use tracer::Tracer;

/// No evaluation goes beyond this: whatever does is a mate, and for the search to say.
pub const VALUE_LIMIT: i32 = 10_000;

/// Evaluates positions for one thread of a search, keeping what moves change up to date.
///
/// ```
/// use ferz_board::Position;
/// use ferz_eval::Evaluator;
///
/// let position = Position::start();
/// let mut evaluator = Evaluator::new(&position);
/// let mut child = position;
/// let mv = position.parse_uci("e2e4").unwrap();
/// position.play_into(mv, &mut child, evaluator.push());
/// assert_ne!(evaluator.evaluate(&child), 0);
/// evaluator.pop();
/// ```
#[derive(Clone, Debug)]
pub struct Evaluator {
    /// Of the position the evaluator stands at.
    current: Increments,
    /// Of the positions before it.
    earlier: Vec<Increments>,
    pawns: PawnCache,
}

impl Evaluator {
    /// An evaluator that stands at this position.
    pub fn new(root: &Position) -> Evaluator {
        Evaluator {
            current: Increments::new(root),
            earlier: Vec::with_capacity(256),
            pawns: PawnCache::new(),
        }
    }

    /// Stands at another position, from scratch. What it remembers of pawns stays true.
    pub fn reset(&mut self, root: &Position) {
        self.earlier.clear();
        self.current = Increments::new(root);
    }

    /// Forgets all it remembers of pawns, so that a search afterwards takes exactly as long as the first.
    pub fn clear(&mut self) {
        self.pawns.clear();
    }

    /// Goes one move deeper: the observer returned must see what the move does. Before a null move it is left
    /// alone.
    #[inline]
    pub fn push(&mut self) -> &mut Increments {
        self.earlier.push(self.current);
        &mut self.current
    }

    /// Takes back what was last pushed.
    #[inline]
    pub fn pop(&mut self) {
        debug_assert!(!self.earlier.is_empty(), "more moves taken back than pushed");
        if let Some(before) = self.earlier.pop() {
            self.current = before;
        }
    }

    /// The value of the position for the side to move, in centipawns. The position must be the one the moves
    /// pushed have led to.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        debug_assert_eq!(self.current, Increments::new(position), "the evaluator missed a move");
        let value = endgame::bare_king(position).unwrap_or_else(|| {
            let pawns = self.pawns.probe(position);
            let score = self.current.score() + pawns.score() + board_terms(position, pawns, &mut ());
            blend(score, self.current.phase(), endgame::scale(position, score.eg()))
        });
        match position.side_to_move() {
            Color::White => value,
            Color::Black => -value,
        }
    }
}

/// The terms that are computed for every position, White's minus Black's.
#[inline(always)]
fn board_terms<T: Tracer>(position: &Position, pawns: &Pawns, tracer: &mut T) -> Score {
    let mut survey = Survey::new(position, pawns);
    // The pieces fill in the attack maps of both sides, which all other terms read.
    let mut score = pieces::pieces::<White, T>(&mut survey, tracer);
    score -= pieces::pieces::<Black, T>(&mut survey, tracer);
    score += king::attack::<White, T>(&mut survey, tracer) - king::attack::<Black, T>(&mut survey, tracer);
    score += side_terms::<White, T>(&survey, tracer) - side_terms::<Black, T>(&survey, tracer);
    match position.side_to_move() {
        Color::White => score + weigh!(tracer, Color::White, tempo[0]),
        Color::Black => score - weigh!(tracer, Color::Black, tempo[0]),
    }
}

#[inline(always)]
fn side_terms<Us: Side, T: Tracer>(survey: &Survey<'_>, tracer: &mut T) -> Score {
    threats::threats::<Us, T>(survey, tracer) + passed::passed_pawns::<Us, T>(survey, tracer)
}

/// The score of a position with nothing kept from before, told to a tracer.
fn traced_score<T: Tracer>(position: &Position, tracer: &mut T) -> Score {
    let pawns = Pawns::new(position, tracer);
    increments::trace(position, tracer) + pawns.score() + board_terms(position, &pawns, tracer)
}

/// One value from the two halves of a score: the middle game as far as pieces are left, the end game as far as
/// they are gone.
#[inline(always)]
fn blend(score: Score, phase: i32, scale: i32) -> i32 {
    // Division rounds towards zero, so that exchanging the colours exactly negates the value.
    let value = (score.mg() * phase * FULL_SCALE + score.eg() * scale * (FULL_PHASE - phase))
        / (FULL_PHASE * FULL_SCALE);
    value.clamp(-VALUE_LIMIT, VALUE_LIMIT)
}
