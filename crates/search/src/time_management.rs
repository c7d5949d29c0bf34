//! Time management: how long to think about a move.

use std::time::Duration;

use ferz_board::Move;

use crate::root_move::RootMove;
use crate::value::{Value, is_decisive};
use crate::{Host, Limits, SearchOptions, TimeControl};

/// The time limits of one search.
#[derive(Clone, Debug)]
pub(crate) struct TimeManager<'a> {
    host: &'a Host,
    started: Duration,
    /// The soft limit: what a move of average difficulty should take. No iteration begins beyond it.
    soft: Option<Duration>,
    /// The hard limit: the search stops there in any case.
    hard: Option<Duration>,
}

/// The least time for a move with `move_time`: some move must be found.
const MIN_MOVE_TIME: Duration = Duration::from_millis(1);
/// The least time for a move with a time control: some hundred nodes. With any increment the clock recovers.
const MIN_THINKING_TIME: Duration = Duration::from_micros(200);

impl<'a> TimeManager<'a> {
    /// `moves_played` is the number of moves that the side to move has made.
    pub(crate) fn new(
        host: &'a Host,
        limits: &Limits,
        options: &SearchOptions,
        moves_played: u32,
    ) -> TimeManager<'a> {
        let now = (host.now)();
        // A start in the future would postpone the limits.
        let started = limits.started.map_or(now, |started| started.min(now));
        let clock = limits.time_control.map(|it| allocate(&it, options.move_overhead, moves_played));
        let fixed =
            limits.move_time.map(|time| time.saturating_sub(options.move_overhead).max(MIN_MOVE_TIME));
        let hard = match (clock, fixed) {
            (Some((_, hard)), Some(fixed)) => Some(hard.min(fixed)),
            (clock, fixed) => clock.map(|(_, hard)| hard).or(fixed),
        };
        TimeManager { host, started, soft: clock.map(|(soft, _)| soft), hard }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        (self.host.now)().saturating_sub(self.started)
    }

    /// Whether the hard limit is reached.
    pub(crate) fn is_hard_limit_reached(&self) -> bool {
        self.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Whether the soft limit is reached, scaled by the difficulty of the move (1 is average).
    pub(crate) fn is_soft_limit_reached(&self, scale: f64) -> bool {
        self.soft.is_some_and(|soft| self.elapsed() >= scaled(soft, scale))
    }
}

/// A duration times a factor; the longest one where that overflows.
fn scaled(duration: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

/// The soft and the hard limit for a move.
fn allocate(clock: &TimeControl, overhead: Duration, moves_played: u32) -> (Duration, Duration) {
    // A second overhead stays in reserve, so that one slow move does not lose on time.
    let remaining = clock.remaining.saturating_sub(overhead.saturating_mul(2));
    let increment = scaled(clock.increment, 0.75);
    let (soft, hard) = match clock.moves_to_go {
        // The last move before the time control may use nearly all: time is added afterwards.
        Some(moves) => {
            let moves = f64::from(moves.clamp(1, 50));
            let soft = scaled(remaining, 0.95 / moves).saturating_add(increment);
            (soft, scaled(soft, 4.0).min(scaled(remaining, if moves < 2.0 { 0.9 } else { 0.6 })))
        }
        // The opening is played a little faster: later moves must provide for fewer successors.
        None => {
            let fraction = 0.028 + 0.017 * f64::from(moves_played.min(40)) / 40.0;
            let soft = scaled(remaining, fraction).saturating_add(increment);
            (soft, scaled(soft, 5.0).min(scaled(remaining, 0.6)))
        }
    };
    let max = scaled(remaining, 0.9);
    (soft.min(max).max(MIN_THINKING_TIME), hard.min(max).max(MIN_THINKING_TIME))
}

/// How difficult the move is, judged by the iterations so far: the factor of the soft limit.
#[derive(Debug, Default)]
pub(crate) struct TimeScale {
    best: Option<Move>,
    /// Best move stability: the number of iterations since the best move changed.
    stability: u32,
    /// The values of the iterations.
    values: Vec<Value>,
    /// The fraction of the nodes spent on the best move.
    node_fraction: f64,
}

impl TimeScale {
    /// Takes in a completed iteration.
    pub(crate) fn update(&mut self, root_moves: &[RootMove], nodes: u64) {
        let best = &root_moves[0];
        self.stability = if self.best == Some(best.mv) { self.stability + 1 } else { 0 };
        self.best = Some(best.mv);
        self.values.extend(best.value);
        self.node_fraction = best.nodes as f64 / nodes.max(1) as f64;
    }

    /// The factor of the soft limit; 1 is average.
    pub(crate) fn factor(&self) -> f64 {
        // Node time management: if one move took all the effort, there is nothing to choose.
        let effort = (2.15 - 1.55 * self.node_fraction).clamp(0.5, 2.0);
        // Best move stability: a move that has been best for long is unlikely to change.
        let stability = 1.3 - 0.055 * f64::from(self.stability.min(10));
        // Falling evaluation: bad news is worth more thought.
        let trend = match self.values[..] {
            [.., before, _, _, now] if !is_decisive(now) && !is_decisive(before) => {
                (1.0 + f64::from(before - now) / 120.0).clamp(0.8, 1.5)
            }
            _ => 1.0,
        };
        effort * stability * trend
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> TimeControl {
        let (remaining, increment) = (Duration::from_millis(remaining), Duration::from_millis(increment));
        TimeControl { remaining, increment, moves_to_go }
    }

    #[test]
    fn no_share_exceeds_the_clock() {
        for remaining in [0, 1, 5, 20, 100, 1_000, 60_000, 10_000_000] {
            for increment in [0, 1, 100, 60_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    for overhead in [0, 10, 5_000, u64::MAX] {
                        let clock = clock(remaining, increment, moves_to_go);
                        let (soft, hard) = allocate(&clock, Duration::from_millis(overhead), 10);
                        assert!(soft >= MIN_THINKING_TIME && hard >= MIN_THINKING_TIME);
                        let most =
                            Duration::from_millis(remaining.saturating_sub(overhead.saturating_mul(2)))
                                .max(MIN_THINKING_TIME);
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
                allocate(&clock(left.as_millis() as u64, 80, None), Duration::from_millis(10), played);
            left = left - soft + Duration::from_millis(80);
        }
        assert!(left > Duration::from_millis(300), "{left:?}");
    }

    /// With a tenth of a second for every move no move is instant.
    #[test]
    fn in_time_trouble_the_increment_is_spent() {
        for remaining in [110, 150, 300, 1_000] {
            let (soft, hard) = allocate(&clock(remaining, 100, None), Duration::from_millis(10), 60);
            let least = Duration::from_millis(50);
            assert!(soft >= least && hard >= least, "{remaining}: {soft:?}, {hard:?}");
        }
    }

    /// Every move loses half of the increment outside the search, and yet the clock does not run down.
    #[test]
    fn a_reserve_is_kept() {
        for mut left in [100_000, 15_000, 3_000] {
            for played in 0..200 {
                let clock = TimeControl::new(Duration::from_micros(left)).increment(Duration::from_millis(2));
                let (soft, hard) = allocate(&clock, Duration::from_millis(10), played);
                assert!(hard.as_micros() + 1_000 < u128::from(left), "{left}: {hard:?}");
                left = left + 2_000 - soft.as_micros() as u64 - 1_000;
            }
            assert!(left > 18_000, "{left}");
        }
    }

    #[test]
    fn a_time_for_the_move_is_kept_whatever_the_clock_says() {
        let limits =
            Limits::default().move_time(Duration::from_millis(100)).time_control(clock(60_000, 0, None));
        let host = Host::default();
        let time = TimeManager::new(&host, &limits, &SearchOptions::default(), 0);
        assert_eq!(time.hard, Some(Duration::from_millis(90)));
    }

    /// A host whose clock stands still.
    fn host_at(now: Duration) -> Host {
        Host::default().now(move || now)
    }

    #[test]
    fn the_clock_is_that_of_the_host() {
        let limits = Limits::default().move_time(Duration::from_secs(5)).started(Duration::from_secs(100));
        let options = SearchOptions::default().move_overhead(Duration::ZERO);
        for (now, is_reached) in [(100, false), (104, false), (105, true), (9_999, true)] {
            let host = host_at(Duration::from_secs(now));
            let time = TimeManager::new(&host, &limits, &options, 0);
            assert_eq!(time.elapsed(), Duration::from_secs(now - 100));
            assert_eq!(time.is_hard_limit_reached(), is_reached, "{now}");
        }
    }

    #[test]
    fn a_start_in_the_future_is_the_present() {
        let limits = Limits::default().started(Duration::MAX);
        let host = host_at(Duration::from_secs(7));
        let time = TimeManager::new(&host, &limits, &SearchOptions::default(), 0);
        assert_eq!(time.started, Duration::from_secs(7));
        assert_eq!(time.elapsed(), Duration::ZERO);
    }

    #[test]
    fn the_longest_times_do_not_overflow() {
        let times = [Duration::ZERO, Duration::from_secs(1), Duration::MAX];
        for remaining in times {
            for increment in times {
                for overhead in times {
                    for moves_to_go in [None, Some(0), Some(1), Some(u32::MAX)] {
                        let control = TimeControl { remaining, increment, moves_to_go };
                        let limits =
                            Limits::default().move_time(remaining).time_control(control).started(increment);
                        let options = SearchOptions::default().move_overhead(overhead);
                        for now in times {
                            let host = host_at(now);
                            let time = TimeManager::new(&host, &limits, &options, u32::MAX);
                            assert!(time.hard.is_some() && time.soft.is_some());
                            time.is_soft_limit_reached(3.0);
                            time.is_hard_limit_reached();
                        }
                    }
                }
            }
        }
    }
}
