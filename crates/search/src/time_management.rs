//! Time management: how long to think about a move.
//!
//! A clock gives two limits. The *soft* limit is what an average move should take: a share of the clock, which grows
//! during the game, and three quarters of the increment. It is checked after each iteration, multiplied by the
//! difficulty of the move ([`TimeScale`]). The *hard* limit is a share of the clock and ends the search within an
//! iteration. The move overhead is subtracted from the clock twice before anything is shared out.
//!
//! | sign of a difficult move | factor |
//! |---|---|
//! | other moves took much of the effort (node time management) | 0.5 to 2.0 |
//! | the best move has not been the best for long (best move stability) | 0.75 to 1.3 |
//! | moves took turns at the top | 0.97 to 2.0 |
//! | the value fell since the previous move or in this search | 0.75 to 1.5 |
//! | it is a recapture | 0.8 |

use std::time::Duration;

use ferz_board::{Game, Move, Square};

use crate::parameters::params;
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
    context: MoveContext,
}

/// What the time for a move depends on besides the clock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MoveContext {
    /// The number of moves that the side to move has made.
    moves_played: u32,
    /// The value of the engine's search for its previous move in this game.
    previous_value: Option<Value>,
    /// The square of the opponent's last move, if that was a capture.
    recapture_square: Option<Square>,
}

impl MoveContext {
    /// `last_search` is the repetition key of the position that the engine searched last, and its value.
    pub(crate) fn new(game: &Game, last_search: Option<(u64, Value)>) -> MoveContext {
        let mut before = game.clone();
        let last_move = before.undo();
        let is_capture = |mv: &Move| before.position().captured(*mv).is_some();
        let recapture_square = last_move.filter(is_capture).map(Move::to);
        before.undo();
        let key = before.position().repetition_key();
        MoveContext {
            moves_played: game.position().fullmove_number().saturating_sub(1),
            previous_value: last_search.filter(|it| it.0 == key).map(|it| it.1),
            recapture_square,
        }
    }
}

/// The hard limit is this share of the clock, whatever the soft one is: there is time for an iteration in which the best
/// move fails.
const HARD_SHARE: f64 = 0.6;

/// The least time for a move with `move_time`: some move must be found.
const MIN_MOVE_TIME: Duration = Duration::from_millis(1);
/// The least time for a move with a time control: some hundred nodes. With any increment the clock recovers.
const MIN_THINKING_TIME: Duration = Duration::from_micros(200);

impl<'a> TimeManager<'a> {
    pub(crate) fn new(
        host: &'a Host,
        limits: &Limits,
        options: &SearchOptions,
        context: MoveContext,
    ) -> TimeManager<'a> {
        let now = (host.now)();
        // A start in the future would postpone the limits.
        let started = limits.started.map_or(now, |started| started.min(now));
        let clock = limits.time_control.map(|it| allocate(&it, options.move_overhead, context.moves_played));
        let fixed =
            limits.move_time.map(|time| time.saturating_sub(options.move_overhead).max(MIN_MOVE_TIME));
        let hard = match (clock, fixed) {
            (Some((_, hard)), Some(fixed)) => Some(hard.min(fixed)),
            (clock, fixed) => clock.map(|(_, hard)| hard).or(fixed),
        };
        TimeManager { host, started, soft: clock.map(|(soft, _)| soft), hard, context }
    }

    /// The factor of the soft limit before the first iteration.
    pub(crate) fn scale(&self) -> TimeScale {
        TimeScale { context: self.context, ..TimeScale::default() }
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

fn percent(number: i32) -> f64 {
    f64::from(number) / 100.0
}

fn thousandths(number: i32) -> f64 {
    f64::from(number) / 1000.0
}

/// The soft and the hard limit for a move.
fn allocate(clock: &TimeControl, overhead: Duration, moves_played: u32) -> (Duration, Duration) {
    // A second overhead stays in reserve, so that one slow move does not lose on time.
    let remaining = clock.remaining.saturating_sub(overhead.saturating_mul(2));
    let increment = scaled(clock.increment, percent(params::time_increment()));
    let (soft, hard) = match clock.moves_to_go {
        // The last move before the time control may use nearly all: time is added afterwards.
        Some(moves) => {
            let moves = f64::from(moves.clamp(1, 50));
            let soft = scaled(remaining, 0.95 / moves).saturating_add(increment);
            (soft, scaled(soft, 4.0).min(scaled(remaining, if moves < 2.0 { 0.9 } else { HARD_SHARE })))
        }
        // The opening is played a little faster: later moves must provide for fewer successors.
        None => {
            let late = thousandths(params::time_share_late()) * f64::from(moves_played.min(40)) / 40.0;
            let fraction = thousandths(params::time_share()) + late;
            let soft = scaled(remaining, fraction).saturating_add(increment);
            (soft, scaled(remaining, HARD_SHARE))
        }
    };
    let max = scaled(remaining, 0.9);
    (soft.min(max).max(MIN_THINKING_TIME), hard.min(max).max(MIN_THINKING_TIME))
}

/// How difficult the move is, judged by the iterations so far: the factor of the soft limit.
#[derive(Debug, Default)]
pub(crate) struct TimeScale {
    context: MoveContext,
    best: Option<Move>,
    /// Best move stability: the number of iterations since the best move changed.
    stability: u32,
    /// How often a move beat the best one during the iterations, those before the last counting half, a quarter and so
    /// on.
    best_move_changes: f64,
    /// The values of the iterations.
    values: Vec<Value>,
    /// The fraction of the nodes spent on the best move.
    node_fraction: f64,
}

impl TimeScale {
    /// Takes in a completed iteration. During it, a move beat the best one `best_move_changes` times.
    pub(crate) fn update(&mut self, root_moves: &[RootMove], nodes: u64, best_move_changes: u32) {
        let best = &root_moves[0];
        self.stability = if self.best == Some(best.mv) { self.stability + 1 } else { 0 };
        self.best = Some(best.mv);
        self.best_move_changes = self.best_move_changes / 2.0 + f64::from(best_move_changes);
        self.values.extend(best.value);
        self.node_fraction = best.nodes as f64 / nodes.max(1) as f64;
    }

    /// The factor of the soft limit; 1 is average.
    pub(crate) fn factor(&self) -> f64 {
        // Node time management: if one move took all the effort, there is nothing to choose.
        let (base, slope) = (percent(params::time_effort_base()), percent(params::time_effort_slope()));
        let effort = (base - slope * self.node_fraction).clamp(0.5, 2.0);
        // Best move stability: a move that has been best for long is unlikely to change.
        let slope = thousandths(params::time_stability_slope());
        let stability = percent(params::time_stability_base()) - slope * f64::from(self.stability.min(10));
        // Parameters that are being tuned may go below zero.
        let stability = stability.max(0.2);
        // Moves that take turns at the top are worth a decision.
        let slope = percent(params::time_changes_slope());
        let instability = percent(params::time_changes_base()) + slope * self.best_move_changes.ln_1p();
        let instability = instability.min(2.0);
        // Most recaptures are forced.
        let recapture = match (self.best, self.context.recapture_square) {
            (Some(best), Some(square)) if best.to() == square => percent(params::time_recapture()),
            _ => 1.0,
        };
        effort * stability * instability * self.trend() * recapture
    }

    /// Falling evaluation: bad news since the previous move, or within this search, is worth more thought. An
    /// evaluation that holds needs less.
    fn trend(&self) -> f64 {
        let Some(&now) = self.values.last() else { return 1.0 };
        let loss = |before: Option<Value>| {
            let before = before.filter(|&it| !is_decisive(it) && !is_decisive(now));
            before.map(|before| f64::from(before - now))
        };
        // Without a previous move, or after a mate, something is lost on average.
        let since_previous = loss(self.context.previous_value).unwrap_or(3.0);
        let within = loss(self.values.iter().rev().nth(3).copied()).unwrap_or(0.0);
        (0.92 + thousandths(params::time_loss()) * (since_previous + within / 2.0)).clamp(0.75, 1.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root_move::root_moves;
    use ferz_board::Position;

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

    /// Every move takes its hard limit and a few milliseconds more, and yet there is always time for a delay.
    #[test]
    fn the_hard_limit_leaves_a_reserve() {
        for (mut left, increment) in [(8_000, 80), (4_000, 40), (1_000, 10), (60_000, 1_000)] {
            for played in 0..200 {
                let (_, hard) = allocate(&clock(left, increment, None), Duration::from_millis(10), played);
                let hard = hard.as_millis() as u64;
                assert!(hard + 20 <= left, "{left}: {hard}");
                left = left + increment - hard - 5;
            }
        }
    }

    #[test]
    fn a_time_for_the_move_is_kept_whatever_the_clock_says() {
        let limits =
            Limits::default().move_time(Duration::from_millis(100)).time_control(clock(60_000, 0, None));
        let host = Host::default();
        let time = TimeManager::new(&host, &limits, &SearchOptions::default(), MoveContext::default());
        assert_eq!(time.hard, Some(Duration::from_millis(90)));
    }

    /// A scale after iterations with these values, all with the same best move, which took this part of the nodes.
    fn scale_after(context: MoveContext, values: &[Value], node_fraction: f64) -> TimeScale {
        let mut root_moves = root_moves(&Position::start(), &[]);
        let mut scale = TimeScale { context, ..TimeScale::default() };
        for &value in values {
            root_moves[0].value = Some(value);
            root_moves[0].nodes = (1000.0 * node_fraction) as u64;
            scale.update(&root_moves, 1000, 0);
        }
        scale
    }

    /// Nothing that can happen in a search makes an instant move or uses up the clock.
    #[test]
    fn the_factor_stays_within_bounds() {
        let mut random = fastrand::Rng::with_seed(1);
        let square = root_moves(&Position::start(), &[])[0].mv.to();
        for _ in 0..1_000 {
            let context = MoveContext {
                moves_played: 20,
                previous_value: random.bool().then(|| random.i32(-32_000..=32_000)),
                recapture_square: random.bool().then_some(square),
            };
            let values: Vec<_> = (0..random.usize(0..40)).map(|_| random.i32(-32_000..=32_000)).collect();
            let mut scale = scale_after(context, &values, random.f64());
            scale.best_move_changes = f64::from(random.u32(0..500));
            assert!((0.15..8.0).contains(&scale.factor()), "{scale:?}: {}", scale.factor());
        }
    }

    /// Whatever values tuning tries, a move that has been best for long gets some time, and a limit remains.
    #[cfg(feature = "tune")]
    #[test]
    fn the_factor_is_positive_at_the_ends_of_the_ranges() {
        use crate::parameters::{SearchParameter, SearchParameters};
        let indices = ["time_stability_base", "time_stability_slope"]
            .map(|name| SearchParameter::all().iter().position(|it| it.name == name).expect("it exists"));
        for ends in 0..4 {
            let mut parameters = SearchParameters::default();
            for (bit, index) in indices.into_iter().enumerate() {
                let range = &SearchParameter::all()[index].range;
                parameters.set(index, if ends >> bit & 1 == 0 { *range.start() } else { *range.end() });
            }
            parameters.install();
            let factor = scale_after(MoveContext::default(), &[30; 20], 0.7).factor();
            assert!(factor > 0.05, "{parameters:?}: {factor}");
        }
        SearchParameters::default().install();
    }

    #[test]
    fn difficult_moves_get_more_time() {
        let context = |previous_value| MoveContext { previous_value, ..MoveContext::default() };
        let factor =
            |previous, values: &[Value], fraction| scale_after(context(previous), values, fraction).factor();
        let calm = factor(Some(30), &[30; 8], 0.7);
        assert!(factor(Some(30), &[30; 20], 0.7) < calm, "stable for longer");
        assert!(factor(Some(30), &[30; 8], 0.95) < calm, "hardly anything else was searched");
        assert!(factor(Some(30), &[30, 30, 30, 30, 30, 10, 10, 10], 0.7) > calm, "falling in this search");
        assert!(factor(Some(50), &[30; 8], 0.7) > calm, "falling since the previous move");
        let mut unstable = scale_after(context(Some(30)), &[30; 8], 0.7);
        unstable.best_move_changes = 2.0;
        assert!(unstable.factor() > calm, "the best move changes");
        // Mates and evaluations are not compared.
        assert_eq!(factor(Some(31_990), &[30; 8], 0.7), factor(None, &[30; 8], 0.7));
    }

    #[test]
    fn recaptures_get_less_time() {
        let mut game = Game::default();
        for mv in ["e2e4", "d7d5", "b1c3", "d5e4"] {
            game.play_uci(mv).expect("legal");
        }
        let context = MoveContext::new(&game, None);
        assert_eq!((context.recapture_square, context.moves_played), (Some(Square::E4), 2));
        let factor = |context, mv: &str| {
            let mv = game.position().parse_uci(mv).expect("legal");
            let mut scale = TimeScale { context, ..TimeScale::default() };
            scale.update(&root_moves(game.position(), &[mv]), 1, 0);
            scale.factor()
        };
        assert!(factor(context, "c3e4") < factor(MoveContext::default(), "c3e4"));
        assert_eq!(factor(context, "d2d4"), factor(MoveContext::default(), "d2d4"));
    }

    /// The value of the last search counts only if it was for the previous move of this game.
    #[test]
    fn the_previous_value_is_of_the_same_game() {
        let mut game = Game::default();
        let last_search = Some((game.position().repetition_key(), 17));
        for mv in ["e2e4", "e7e5"] {
            game.play_uci(mv).expect("legal");
        }
        assert_eq!(MoveContext::new(&game, last_search).previous_value, Some(17));
        game.play_uci("g1f3").expect("legal");
        assert_eq!(MoveContext::new(&game, last_search).previous_value, None);
        assert_eq!(MoveContext::new(&Game::default(), None).previous_value, None);
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
            let time = TimeManager::new(&host, &limits, &options, MoveContext::default());
            assert_eq!(time.elapsed(), Duration::from_secs(now - 100));
            assert_eq!(time.is_hard_limit_reached(), is_reached, "{now}");
        }
    }

    #[test]
    fn a_start_in_the_future_is_the_present() {
        let limits = Limits::default().started(Duration::MAX);
        let host = host_at(Duration::from_secs(7));
        let time = TimeManager::new(&host, &limits, &SearchOptions::default(), MoveContext::default());
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
                            let context = MoveContext { moves_played: u32::MAX, ..MoveContext::default() };
                            let time = TimeManager::new(&host, &limits, &options, context);
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
