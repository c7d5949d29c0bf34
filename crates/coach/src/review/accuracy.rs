//! How good moves were, as a number from 0 to 100.
//!
//! A move that loses the expected score *d* has the accuracy 100 (1 − *d*)⁴: 66 for an inaccuracy of 0.1, 41 for a
//! mistake of 0.2, 24 for a blunder of 0.3, 0 for throwing away a win.
//!
//! That of a side is half the plain mean of its moves and half a mean in which moves count by what was at stake: how
//! far the expected score swung in the moves around. With the plain mean alone fifty quiet moves would hide any
//! blunder; with the other alone they would not count at all. Theory and forced moves are nobody's merit and left out.

use ferz_board::Color;

use super::{Judgement, ReviewedMove};

/// What a move counts if nothing is at stake.
const LEAST_STAKE: f64 = 0.02;
/// How many plies before and after a move show what is at stake.
const AROUND: usize = 2;

/// The accuracy of a move that lost so much expected score.
pub(super) fn of_loss(loss: f64) -> f64 {
    100.0 * (1.0 - loss.clamp(0.0, 1.0)).powi(4)
}

/// The accuracy of a side; `None` if it made no move of its own.
pub(super) fn of_side(moves: &[ReviewedMove], color: Color) -> Option<f64> {
    let (mut count, mut sum) = (0.0, 0.0);
    let (mut stakes, mut weighted) = (0.0, 0.0);
    for (place, reviewed) in moves.iter().enumerate() {
        let is_own = !matches!(reviewed.judgement, Judgement::Book | Judgement::Forced);
        if reviewed.color() == color && is_own {
            let (accuracy, stake) = (reviewed.accuracy(), stake(moves, place));
            count += 1.0;
            sum += accuracy;
            stakes += stake;
            weighted += stake * accuracy;
        }
    }
    (count > 0.0).then(|| (sum / count + weighted / stakes) / 2.0)
}

/// How far the expected score swung around a move.
fn stake(moves: &[ReviewedMove], place: usize) -> f64 {
    let around = &moves[place.saturating_sub(AROUND)..moves.len().min(place + AROUND + 1)];
    let scores = around.iter().flat_map(|it| [&it.before, &it.after]);
    let (least, most) = scores.fold((1.0_f64, 0.0_f64), |(least, most), assessment| {
        let score = assessment.expected_score(Color::White);
        (least.min(score), most.max(score))
    });
    (most - least).max(LEAST_STAKE)
}
