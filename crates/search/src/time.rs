//! How much time a move gets.

use std::time::{Duration, Instant};

use crate::{Clock, Limits, Options};

/// Time for one move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    started: Instant,
    /// What the move should take, if it is neither easy nor hard.
    soft: Option<Duration>,
    /// What it must not exceed.
    hard: Option<Duration>,
}

/// Even if no time is left for it, something must be played.
const LEAST: Duration = Duration::from_millis(1);
/// With hardly anything on the clock that is some hundred nodes: who gets any increment at all, recovers.
const AT_ONCE: Duration = Duration::from_micros(200);

impl Budget {
    /// `moves_played` is the number of moves the side to move has behind it.
    pub(crate) fn new(limits: &Limits, options: &Options, moves_played: u32) -> Budget {
        let started = limits.started.unwrap_or_else(Instant::now);
        let clock = limits.clock.map(|clock| share(&clock, options.move_overhead, moves_played));
        let fixed = limits.move_time.map(|time| time.saturating_sub(options.move_overhead).max(LEAST));
        let hard = match (clock, fixed) {
            (Some((_, hard)), Some(fixed)) => Some(hard.min(fixed)),
            (clock, fixed) => clock.map(|(_, hard)| hard).or(fixed),
        };
        Budget { started, soft: clock.map(|(soft, _)| soft), hard }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether the search must end now.
    pub(crate) fn is_used_up(&self) -> bool {
        self.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Whether a move of this difficulty (1 is average) has had its time.
    pub(crate) fn is_enough(&self, difficulty: f64) -> bool {
        self.soft.is_some_and(|soft| self.elapsed() >= soft.mul_f64(difficulty))
    }
}

/// The soft and the hard share of a clock.
fn share(clock: &Clock, overhead: Duration, moves_played: u32) -> (Duration, Duration) {
    // As much again as a move may lose on its way stays in reserve, or one that loses more would lose the game.
    let remaining = clock.remaining.saturating_sub(overhead.saturating_mul(2));
    let (soft, hard) = match clock.moves_to_go {
        // The last move before the control may use nearly all; the clock is then filled up.
        Some(moves) => {
            let moves = f64::from(moves.clamp(1, 50));
            let soft = remaining.mul_f64(0.95 / moves) + clock.increment.mul_f64(0.75);
            (soft, soft.mul_f64(4.0).min(remaining.mul_f64(if moves < 2.0 { 0.9 } else { 0.6 })))
        }
        // Openings are played a little faster: later moves have fewer successors to provide for.
        None => {
            let fraction = 0.028 + 0.017 * f64::from(moves_played.min(40)) / 40.0;
            let soft = remaining.mul_f64(fraction) + clock.increment.mul_f64(0.75);
            (soft, soft.mul_f64(5.0).min(remaining.mul_f64(0.6)))
        }
    };
    let most = remaining.mul_f64(0.9);
    (soft.min(most).max(AT_ONCE), hard.min(most).max(AT_ONCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Clock {
        let (remaining, increment) = (Duration::from_millis(remaining), Duration::from_millis(increment));
        Clock { remaining, increment, moves_to_go }
    }

    #[test]
    fn no_share_exceeds_the_clock() {
        for remaining in [0, 1, 5, 20, 100, 1_000, 60_000, 10_000_000] {
            for increment in [0, 1, 100, 60_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    for overhead in [0, 10, 5_000, u64::MAX] {
                        let clock = clock(remaining, increment, moves_to_go);
                        let (soft, hard) = share(&clock, Duration::from_millis(overhead), 10);
                        assert!(soft >= AT_ONCE && hard >= AT_ONCE);
                        let most =
                            Duration::from_millis(remaining.saturating_sub(overhead.saturating_mul(2)))
                                .max(AT_ONCE);
                        assert!(soft <= most && hard <= most, "{clock:?} {soft:?} {hard:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_long_game_is_provided_for() {
        // At 8+0.08, eighty moves of average difficulty leave time on the clock.
        let mut left = Duration::from_secs(8);
        for played in 0..80 {
            let (soft, _) =
                share(&clock(left.as_millis() as u64, 80, None), Duration::from_millis(10), played);
            left = left - soft + Duration::from_millis(80);
        }
        assert!(left > Duration::from_millis(300), "{left:?}");
    }

    /// Nobody who gets a tenth of a second for every move has to play at once.
    #[test]
    fn in_time_trouble_the_increment_is_spent() {
        for remaining in [110, 150, 300, 1_000] {
            let (soft, hard) = share(&clock(remaining, 100, None), Duration::from_millis(10), 60);
            let least = Duration::from_millis(50);
            assert!(soft >= least && hard >= least, "{remaining}: {soft:?}, {hard:?}");
        }
    }

    /// Each move loses half of the increment on its way, and yet the clock does not run down to nothing.
    #[test]
    fn a_reserve_is_kept() {
        for mut left in [100_000, 15_000, 3_000] {
            for played in 0..200 {
                let clock = Clock {
                    remaining: Duration::from_micros(left),
                    increment: Duration::from_millis(2),
                    moves_to_go: None,
                };
                let (soft, hard) = share(&clock, Duration::from_millis(10), played);
                assert!(hard.as_micros() + 1_000 < u128::from(left), "{left}: {hard:?}");
                left = left + 2_000 - soft.as_micros() as u64 - 1_000;
            }
            assert!(left > 18_000, "{left}");
        }
    }

    #[test]
    fn a_time_for_the_move_is_kept_whatever_the_clock_says() {
        let limits = Limits {
            move_time: Some(Duration::from_millis(100)),
            clock: Some(clock(60_000, 0, None)),
            ..Limits::default()
        };
        let budget = Budget::new(&limits, &Options::default(), 0);
        assert_eq!(budget.hard, Some(Duration::from_millis(90)));
    }
}
