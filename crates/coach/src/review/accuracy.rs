//! Accuracy: how good moves were, from 0 to 100.
//!
//! A move that loses the expected score *d* has the accuracy 100 (1 − *d*)⁴: 66 for an inaccuracy of 0.1, 41 for a
//! mistake of 0.2, 24 for a blunder of 0.3, 0 for throwing away a win.
//!
//! The accuracy of a side is the average of two means over its moves: the plain mean, and a mean weighted by the swing of
//! the expected score in the surrounding moves. With the plain mean alone, fifty quiet moves would hide a blunder; with
//! the weighted mean alone, they would not count at all. Book moves and forced moves are left out.

use ferz_board::Color;

use super::{Judgement, ReviewedMove};

/// The least weight of a move.
const LEAST_STAKE: f64 = 0.02;
/// The plies before and after a move that determine its weight.
const AROUND: usize = 2;

/// The accuracy of a move that lost this much expected score.
pub(super) fn of_loss(loss: f64) -> f64 {
    100.0 * (1.0 - loss.clamp(0.0, 1.0)).powi(4)
}

/// The accuracy of a side; `None` if all its moves were book moves or forced.
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

/// The swing of the expected score around a move.
fn stake(moves: &[ReviewedMove], place: usize) -> f64 {
    let around = &moves[place.saturating_sub(AROUND)..moves.len().min(place + AROUND + 1)];
    let scores = around.iter().flat_map(|it| [&it.before, &it.after]);
    let (least, most) = scores.fold((1.0_f64, 0.0_f64), |(least, most), assessment| {
        let score = assessment.expected_score(Color::White);
        (least.min(score), most.max(score))
    });
    (most - least).max(LEAST_STAKE)
}
