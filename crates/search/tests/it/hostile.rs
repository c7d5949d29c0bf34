//! Limits and options at their extremes, in any combination. The clock is the test's, so that nothing depends on the
//! speed of the machine. The fuzz target `search_limits` tries many more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use fastrand::Rng;
use ferz_board::Move;
use ferz_search::{Host, Limits, SearchOptions, Signals, TimeControl};

use crate::options::some_games;
use crate::referee::check;
use crate::runs::{engine, run_with, shared};

/// The clock advances by this with every look.
const STEP: Duration = Duration::from_millis(1);
/// When the clock is first looked at.
const BEGIN: Duration = Duration::from_secs(100);
/// The number of polls after which a search that goes on is stopped.
const PATIENCE: u64 = 6;

fn time(random: &mut Rng) -> Duration {
    let extremes = [Duration::ZERO, Duration::MAX, Duration::from_nanos(1), BEGIN, 2 * BEGIN, STEP, 3 * STEP];
    extremes[random.usize(..extremes.len())]
}

fn number(random: &mut Rng) -> u64 {
    let extremes = [0, 1, 2, 100, 1_000, u32::MAX.into(), i64::MAX as u64, u64::MAX];
    extremes[random.usize(..extremes.len())]
}

fn limits(legal: &[Move], random: &mut Rng) -> Limits {
    let mut limits = Limits::new();
    limits.depth = random.bool().then(|| number(random) as u32);
    limits.nodes = random.bool().then(|| number(random));
    limits.soft_nodes = random.bool().then(|| number(random));
    limits.mate = random.bool().then(|| number(random) as u32);
    limits.move_time = random.bool().then(|| time(random));
    limits.time_control = random.bool().then(|| {
        let mut clock = TimeControl::new(time(random)).increment(time(random));
        clock.moves_to_go = random.bool().then(|| number(random) as u32);
        clock
    });
    limits.infinite = random.u8(..8) == 0;
    limits.ponder = random.u8(..8) == 0;
    limits.started = random.bool().then(|| time(random));
    for _ in 0..random.usize(..6) {
        // Duplicates, and any encoding.
        let mv = if random.bool() { random.choice(legal).copied() } else { Move::from_bits(random.u16(..)) };
        limits.search_moves.extend(mv);
    }
    limits
}

#[test]
fn searches_end_in_time_with_a_legal_move_whatever_the_limits() {
    let _shared = shared();
    let mut random = Rng::with_seed(16);
    let mut engine = engine();
    let games = some_games(16, 40);
    for index in 0..1_000 {
        let game = &games[index % games.len()];
        let legal = game.position().legal_moves();
        let limits = limits(&legal, &mut random);
        let mut options = SearchOptions::new().lines([0, 1, 2, usize::MAX][random.usize(..4)]);
        options.move_overhead = time(&mut random);
        options.elo = (random.u8(..4) == 0).then(|| number(&mut random) as u32);
        options.seed = Some(number(&mut random));
        let what = format!("{limits:?} {options:?} {}", game.position());

        let signals = Arc::new(Signals::new());
        let (looks, polls) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU64::new(0)));
        let (look, poll) = (Arc::clone(&looks), Arc::clone(&polls));
        let ended = Arc::clone(&signals);
        engine.set_host(
            Host::default().now(move || BEGIN + STEP * look.fetch_add(1, Ordering::Relaxed)).poll(
                move || match poll.fetch_add(1, Ordering::Relaxed) {
                    0 => ended.ponder_hit(),
                    polls if polls >= PATIENCE => ended.stop(),
                    _ => {}
                },
            ),
        );
        let run = run_with(&mut engine, game, &limits, &options, &signals);

        let lines = options.lines.max(1);
        check(game, &run, &options.lines(lines), &what);
        let polls = polls.load(Ordering::Relaxed);
        assert!(polls <= PATIENCE + 1 && run.conclusion.nodes <= 512 * (polls + 1), "{polls} polls, {what}");
        if !limits.infinite && !limits.ponder {
            assert!(run.conclusion.nodes <= limits.nodes.unwrap_or(u64::MAX).max(1), "{what}");
            // A poll looks at the clock, and so do reports; none of the times is longer than the patience unless it
            // is much longer.
            let time =
                limits.move_time.into_iter().chain(limits.time_control.map(|clock| clock.remaining)).min();
            assert!(time.is_none_or(|time| time > 3 * STEP || polls <= 4), "{polls} polls, {what}");
        }
        let is_legal = |mv: &Move| legal.iter().any(|it| it == mv);
        if limits.search_moves.iter().any(is_legal) {
            assert!(run.conclusion.best.is_some_and(|best| limits.search_moves.contains(&best)), "{what}");
        }
    }
}
