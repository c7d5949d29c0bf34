//! Best-thread voting: which thread of a lazy SMP search has the best move.

use ferz_board::Move;

use crate::value::{Value, is_decisive};
use crate::worker::Worker;

/// Added to every thread's lead over the lowest value, so that the thread with the lowest value has a vote too.
const VOTE_OFFSET: Value = 14;

/// The index of the thread to believe. Each votes for its move; a vote counts more the deeper the thread searched and
/// the better it found the move.
pub(crate) fn best_thread(workers: &[Worker<'_>], depths: &[i32]) -> usize {
    let depth = |index: usize| depths.get(index).copied().unwrap_or(0);
    let value = |index: usize| workers[index].root_moves[0].last_value();
    let lowest = (0..workers.len()).filter_map(value).min().unwrap_or(0);
    let weight = |index: usize| {
        value(index).map_or(0, |value| i64::from(value - lowest + VOTE_OFFSET) * i64::from(depth(index)))
    };
    let votes = |mv: Move| -> i64 {
        (0..workers.len()).filter(|&index| workers[index].root_moves[0].mv == mv).map(weight).sum()
    };
    let mut best = 0;
    for index in 1..workers.len() {
        let is_better = match (value(index), value(best)) {
            (None, _) => false,
            (Some(_), None) => depth(index) > 0,
            // Proven results are not voted on: the shortest mate, or the longest defence.
            (Some(candidate), Some(champion)) if is_decisive(candidate) || is_decisive(champion) => {
                candidate > champion && depth(index) > 0
            }
            (Some(_), Some(_)) => {
                let [ours, theirs] = [index, best].map(|it| votes(workers[it].root_moves[0].mv));
                ours > theirs || ours == theirs && weight(index) > weight(best)
            }
        };
        if is_better {
            best = index;
        }
    }
    best
}
