//! A search ends when a signal or a limit ends it, and not before.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use ferz_board::Game;
use ferz_search::{Conclusion, Engine, Limits, Report, SearchOptions, Signals, TimeControl, monotonic_now};

use crate::referee::check;
use crate::runs::{alone, lines, run, run_with, timed_engine};
use crate::sample::game;

const MIDDLEGAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn infinite() -> Limits {
    Limits::default().infinite()
}

/// Searches, and after some time does something about it. Returns how long the search took from then on;
/// `None` if it was over before.
fn interrupted(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
    after: Duration,
    interrupt: impl FnOnce(&Signals),
) -> (Option<Duration>, Conclusion) {
    let signals = Signals::new();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let search = scope.spawn(|| {
            let run = run_with(engine, game, limits, &SearchOptions::default(), &signals);
            over.store(true, Ordering::SeqCst);
            let end = Instant::now();
            check(game, &run, &SearchOptions::default(), "interrupted");
            (end, run.conclusion)
        });
        thread::sleep(after);
        let was_over = over.load(Ordering::SeqCst);
        let begin = Instant::now();
        interrupt(&signals);
        let (end, conclusion) = search.join().expect("the search does not panic");
        ((!was_over).then(|| end.saturating_duration_since(begin)), conclusion)
    })
}

/// Nearly all of the times are below the limit. A processor that is busy elsewhere gets more chances: what is
/// slow by itself is slow every time.
fn assert_mostly_below(limit: Duration, mut measure: impl FnMut() -> Vec<Duration>) {
    let mut slowest = Vec::new();
    for _ in 0..5 {
        let mut times = measure();
        times.sort();
        let slow = times[(times.len() - 1) * 19 / 20];
        if slow < limit {
            return;
        }
        slowest.push(slow);
    }
    panic!("{slowest:?}, not below {limit:?}");
}

#[test]
fn a_stop_is_obeyed_at_once() {
    let _alone = alone();
    let mut random = Rng::with_seed(73);
    let mut engine = timed_engine();
    let games = [Game::default(), game(MIDDLEGAME, &[]), game("8/8/8/4k3/8/8/3QK3/8 w - - 0 1", &[])];
    assert_mostly_below(ms(20), || {
        let stopped = |index: usize| {
            let after = Duration::from_micros(1_000 + random.usize(..14_000) as u64);
            let game = &games[index % games.len()];
            let (time, conclusion) = interrupted(&mut engine, game, &infinite(), after, Signals::stop);
            assert!(conclusion.best.is_some());
            time.expect("an infinite search goes on")
        };
        (0..200).map(stopped).collect()
    });
}

#[test]
fn a_stop_before_the_search_begins_still_yields_a_move() {
    let _alone = alone();
    let signals = Signals::new();
    signals.stop();
    let begin = Instant::now();
    let conclusion = timed_engine().search(&Game::default(), &infinite(), &lines(3), &signals, &mut |_| {});
    assert!(begin.elapsed() < ms(100));
    assert!(conclusion.best.is_some());
}

/// Even with nothing to look at, or nothing left.
#[test]
fn an_infinite_search_waits_for_the_stop() {
    let _alone = alone();
    let mut engine = timed_engine();
    for fen in [
        "8/8/3k4/8/8/3K4/8/8 w - - 0 1",
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
    ] {
        for limits in [
            infinite(),
            infinite().depth(2),
            infinite().nodes(100).mate(1).move_time(ms(1)),
            Limits::default().ponder(),
        ] {
            let game = game(fen, &[]);
            assert_mostly_below(ms(30), || {
                let (time, conclusion) = interrupted(&mut engine, &game, &limits, ms(40), Signals::stop);
                assert_eq!(conclusion.best.is_some(), game.position().has_legal_moves());
                vec![time.unwrap_or_else(|| panic!("{fen}: {limits:?} ended by itself"))]
            });
        }
    }
}

/// A ponder hit does not end an infinite search.
#[test]
fn an_infinite_search_ignores_the_ponder_hit() {
    let _alone = alone();
    let limits = infinite().ponder().depth(2);
    let (time, _) = interrupted(&mut timed_engine(), &Game::default(), &limits, ms(20), |signals| {
        signals.ponder_hit();
        thread::sleep(ms(60));
        signals.stop();
    });
    assert!(time.expect("not before the hit") >= ms(60));
}

fn clock(remaining: u64) -> Limits {
    Limits::default().time_control(TimeControl::new(ms(remaining)))
}

#[test]
fn pondering_ends_some_time_after_the_hit() {
    let _alone = alone();
    let mut engine = timed_engine();
    for limits in [
        clock(400),
        Limits::default().move_time(ms(30)),
        Limits::default().depth(1),
        Limits::default().nodes(1_000),
    ] {
        let limits = limits.ponder();
        assert_mostly_below(ms(240), || {
            let (time, conclusion) =
                interrupted(&mut engine, &Game::default(), &limits, ms(80), Signals::ponder_hit);
            assert!(conclusion.best.is_some());
            vec![time.unwrap_or_else(|| panic!("{limits:?}: over before the hit"))]
        });
    }
}

#[test]
fn a_mated_position_has_no_best_move() {
    let _alone = alone();
    for fen in ["7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
        for limits in [Limits::default(), Limits::default().depth(5)] {
            let run = run(&mut timed_engine(), &game(fen, &[]), &limits, &lines(3));
            assert!(run.lines.is_empty() && run.conclusion.lines.is_empty());
            assert_eq!((run.conclusion.best, run.conclusion.ponder, run.conclusion.nodes), (None, None, 0));
        }
    }
}

/// How long searches take in the middle of a game.
fn times(limits: &Limits, options: &SearchOptions, count: usize) -> Vec<Duration> {
    let mut engine = timed_engine();
    let game = game(MIDDLEGAME, &[]);
    (0..count)
        .map(|_| {
            let begin = Instant::now();
            let run = run(&mut engine, &game, limits, options);
            let time = begin.elapsed();
            check(&game, &run, options, "by the clock");
            time
        })
        .collect()
}

#[test]
fn the_time_for_a_move_is_used_and_kept() {
    let _alone = alone();
    let options = SearchOptions::default().move_overhead(Duration::ZERO);
    for time in [20, 100] {
        let limits = Limits::default().move_time(ms(time));
        assert_mostly_below(ms(time + 30), || {
            let taken = times(&limits, &options, 5);
            assert!(taken.iter().all(|&it| it >= ms(time)), "{taken:?}");
            taken
        });
    }
}

#[test]
fn an_empty_clock_gets_an_answer_at_once() {
    let _alone = alone();
    for limits in [clock(1), clock(0), Limits::default().move_time(Duration::ZERO)] {
        assert_mostly_below(ms(30), || times(&limits, &SearchOptions::default(), 20));
    }
}

/// What has passed before the search is called counts.
#[test]
fn a_clock_that_runs_already_is_not_started_again() {
    let _alone = alone();
    assert_mostly_below(ms(40), || {
        let started = monotonic_now();
        thread::sleep(ms(60));
        let limits = Limits::default().move_time(ms(70)).started(started);
        times(&limits, &SearchOptions::default(), 2)
    });
}

/// However long the clock, never all of it.
#[test]
fn a_clock_is_not_used_up() {
    let _alone = alone();
    let clock = TimeControl::new(ms(300)).increment(ms(10));
    for clock in [clock, clock.moves_to_go(1), clock.moves_to_go(5)] {
        let limits = Limits::default().time_control(clock);
        assert_mostly_below(ms(300), || times(&limits, &SearchOptions::default(), 2));
    }
}

#[test]
fn a_paused_search_holds_still_until_it_is_resumed_or_stopped() {
    let (signals, nodes) = (Signals::new(), AtomicU64::new(0));
    let start = game(MIDDLEGAME, &[]);
    thread::scope(|scope| {
        let search = scope.spawn(|| {
            let mut engine = timed_engine();
            let options = SearchOptions::default().lines(5);
            engine.search(&start, &infinite(), &options, &signals, &mut |report| {
                if let Report::Line(line) = report {
                    nodes.store(line.nodes, Ordering::SeqCst);
                }
            })
        });
        let count = || nodes.load(Ordering::SeqCst);
        let grows_beyond = |known: u64| {
            let deadline = Instant::now() + ms(60_000);
            while count() <= known {
                assert!(Instant::now() < deadline, "the search does not go on");
                thread::sleep(ms(1));
            }
        };
        grows_beyond(0);
        signals.pause();
        // It looks at signals every few hundred nodes.
        thread::sleep(ms(100));
        let paused = count();
        thread::sleep(ms(300));
        assert_eq!(count(), paused);
        signals.resume();
        grows_beyond(paused);
        signals.pause();
        thread::sleep(ms(50));
        signals.stop();
        assert!(search.join().expect("the search does not panic").best.is_some());
    });
}

/// When the thread that reports breaks down, the others do not go on for ever.
#[test]
fn a_breakdown_ends_all_threads() {
    let _alone = alone();
    let mut engine = timed_engine();
    engine.set_threads(3).unwrap();
    let (signals, over, rescued) = (Signals::new(), AtomicBool::new(false), AtomicBool::new(false));
    let broken = thread::scope(|scope| {
        scope.spawn(|| {
            let deadline = Instant::now() + ms(10_000);
            while !over.load(Ordering::SeqCst) {
                if Instant::now() > deadline {
                    rescued.store(true, Ordering::SeqCst);
                    signals.stop();
                }
                thread::sleep(ms(5));
            }
        });
        let search = || {
            let mut report = |_: &Report| panic!("this test breaks down on purpose");
            engine.search(
                &Game::default(),
                &Limits::default(),
                &SearchOptions::default(),
                &signals,
                &mut report,
            )
        };
        let broken = panic::catch_unwind(AssertUnwindSafe(search)).is_err();
        over.store(true, Ordering::SeqCst);
        broken
    });
    assert!(broken && !rescued.load(Ordering::SeqCst));
}

#[test]
fn most_cutoffs_come_from_the_first_move() {
    let start = game(MIDDLEGAME, &[]);
    let limits = Limits::default().depth(10);
    let conclusion =
        timed_engine().search(&start, &limits, &SearchOptions::default(), &Signals::new(), &mut |_| {});
    let cutoffs = conclusion.lines[0].cutoffs;
    assert!(cutoffs.all > 1000 && cutoffs.all < conclusion.nodes, "{cutoffs:?}");
    assert!(cutoffs.first > cutoffs.all * 7 / 10 && cutoffs.first < cutoffs.all, "{cutoffs:?}");
}
