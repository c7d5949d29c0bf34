//! The pace of a human. The engine finds the move of a weaker level in a moment, which no opponent of flesh and blood
//! does: the move waits until a human could have found it.

use std::time::Duration;

use ferz_search::TimeControl;

/// The least time for a move without a clock.
const LEAST: Duration = Duration::from_millis(600);
/// The most time for a move without a clock.
const MOST: Duration = Duration::from_secs(3);
/// The most time for a move with a clock.
const MOST_BY_CLOCK: Duration = Duration::from_secs(15);
/// How many more moves a player expects to make.
const MOVES_TO_GO: u32 = 60;

/// A move of the engine, as a human would see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MoveEffort {
    /// The only legal move, a move of the book, or a recapture.
    Obvious,
    /// A choice between this many legal moves.
    Choice(usize),
}

impl MoveEffort {
    /// From 0 to 1.
    fn share(self) -> f64 {
        match self {
            MoveEffort::Obvious => 0.1,
            MoveEffort::Choice(moves) => 0.3 + 0.5 * (moves.min(40) as f64 / 40.0),
        }
    }
}

/// How long a human takes for a move. The seed decides the random part.
pub(super) fn think_time(effort: MoveEffort, clock: Option<TimeControl>, seed: u64) -> Duration {
    let luck = fastrand::Rng::with_seed(seed).f64();
    let share = effort.share() * (0.5 + 0.75 * luck);
    let Some(clock) = clock else { return LEAST + (MOST - LEAST).mul_f64(share) };
    let usual = clock.remaining / MOVES_TO_GO + clock.increment / 2;
    usual.mul_f64(0.2 + 1.6 * share).min(clock.remaining / 10).min(MOST_BY_CLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEDS: std::ops::Range<u64> = 0..200;

    #[test]
    fn a_human_takes_up_to_three_seconds_and_less_for_the_obvious() {
        let hard: Vec<_> = SEEDS.map(|seed| think_time(MoveEffort::Choice(35), None, seed)).collect();
        let easy: Vec<_> = SEEDS.map(|seed| think_time(MoveEffort::Obvious, None, seed)).collect();
        assert!(hard.iter().chain(&easy).all(|time| (LEAST..=MOST).contains(time)));
        assert!(easy.iter().max() < hard.iter().min(), "{easy:?} {hard:?}");
        let (least, most) = (hard.iter().min().unwrap(), hard.iter().max().unwrap());
        assert!(*most - *least > Duration::from_millis(500), "not always the same: {least:?} {most:?}");
    }

    #[test]
    fn a_human_uses_a_share_of_the_clock_and_never_all_of_it() {
        for (seconds, increment) in [(1, 0), (60, 0), (180, 2), (300, 3), (1800, 20)] {
            let left = Duration::from_secs(seconds);
            let clock = TimeControl::new(left).increment(Duration::from_secs(increment));
            for seed in SEEDS {
                let time = think_time(MoveEffort::Choice(30), Some(clock), seed);
                assert!(time <= left / 10 && time <= MOST_BY_CLOCK, "{seconds}+{increment}: {time:?}");
                assert!(time >= left / 200 || time == MOST_BY_CLOCK, "{seconds}+{increment}: {time:?}");
            }
        }
    }
}
