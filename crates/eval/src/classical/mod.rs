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

use crate::VALUE_LIMIT;

pub use explain::{Explanation, Row, explain};
pub use increments::{phase, piece_square};
pub use params::Term;
pub use score::Score;

pub(crate) use increments::Increments;

use endgame::FULL_SCALE;
use increments::FULL_PHASE;
use params::weigh;
use pawns::{PawnCache, Pawns};
use side::{Black, Side, White};
use survey::Survey;
use tracer::Tracer;

/// The classical evaluation of one thread: what it remembers between positions.
#[derive(Clone, Debug)]
pub(crate) struct Classical {
    pawns: PawnCache,
}

impl Classical {
    pub(crate) fn new() -> Classical {
        Classical { pawns: PawnCache::new() }
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.pawns.clear();
    }

    /// The value of the position for the side to move, in centipawns; `increments` are those of the position.
    #[inline]
    pub(crate) fn evaluate(&mut self, position: &Position, increments: &Increments) -> i32 {
        bare_king(position).unwrap_or_else(|| {
            let pawns = self.pawns.probe(position);
            let score = increments.score() + pawns.score() + board_terms(position, pawns, &mut ());
            let value = blend(score, increments.phase(), endgame::scale(position, score.eg()));
            for_mover(position, value)
        })
    }
}

/// What a position is worth to the side to move in which a side has nothing but its king, unless pawns decide it.
#[inline]
pub(crate) fn bare_king(position: &Position) -> Option<i32> {
    endgame::bare_king(position).map(|value| for_mover(position, value))
}

/// White's value as the side to move sees it.
#[inline(always)]
fn for_mover(position: &Position, value: i32) -> i32 {
    match position.side_to_move() {
        Color::White => value,
        Color::Black => -value,
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
