//! What the search takes from its caller: the clock, the poll hook, and any thread to be called from.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use ferz_board::Game;
use ferz_search::{Engine, Host, Limits, SearchOptions, Signals, TimeControl, monotonic_now};

use crate::referee::check;
use crate::runs::{depth, engine, nodes, run, run_with, shared, timed_engine};
use crate::sample::game;

const MIDDLEGAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Less than the recursion of a deep search takes.
const SMALL_STACK: usize = 128 << 10;

#[test]
fn a_thread_with_a_small_stack_can_search_deeply() {
    let _shared = shared();
    // Nothing can happen in the last one: the search gets to the maximum depth.
    let fens = [MIDDLEGAME, "8/1p1k4/1P1p1p1p/2pPpPpP/2P1P1P1/8/3K4/8 b - - 0 1"];
    let search = move || {
        let mut engine = engine();
        engine.set_threads(2).unwrap();
        fens.map(|fen| {
            let game = game(fen, &[]);
            let limits = depth(1_000).nodes(300_000);
            let result =
                engine.search(&game, &limits, &SearchOptions::default(), &Signals::new(), &mut |_| {});
            result.lines[0].depth
        })
    };
    let thread = thread::Builder::new().stack_size(SMALL_STACK).spawn(search).unwrap();
    let [middlegame, blocked] = thread.join().unwrap();
    assert!(middlegame >= 10, "{middlegame}");
    assert!(blocked >= 100, "{blocked}");
}

/// A clock that advances by a millisecond with every look at it.
fn counting_clock() -> (Host, Arc<AtomicU64>) {
    let looks = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&looks);
    let now = move || Duration::from_millis(count.fetch_add(1, Ordering::Relaxed));
    (Host::default().now(now), looks)
}

#[test]
fn the_clock_of_the_caller_ends_the_search() {
    let _shared = shared();
    let search = || {
        let mut engine = engine();
        let (host, looks) = counting_clock();
        engine.set_host(host);
        let limits = Limits::default().move_time(Duration::from_millis(210));
        let game = game(MIDDLEGAME, &[]);
        let run = run(&mut engine, &game, &limits, &SearchOptions::default());
        check(&game, &run, &SearchOptions::default(), "a clock that counts");
        assert!(looks.load(Ordering::Relaxed) >= 200);
        assert!(run.conclusion.time >= Duration::from_millis(200), "{:?}", run.conclusion.time);
        run.essence()
    };
    // Nothing depends on the speed of the machine.
    assert_eq!(search(), search());
}

#[test]
fn the_poll_hook_is_called_and_may_stop_the_search() {
    let _shared = shared();
    for threads in [1, 3] {
        let signals = Arc::new(Signals::new());
        let calls = Arc::new(AtomicU64::new(0));
        let poll = {
            let (signals, calls) = (Arc::clone(&signals), Arc::clone(&calls));
            move || {
                if calls.fetch_add(1, Ordering::Relaxed) == 50 {
                    signals.stop();
                }
            }
        };
        let mut engine = engine();
        engine.set_threads(threads).unwrap();
        engine.set_host(Host::default().poll(poll));
        let limits = Limits::default().infinite();
        let game = game(MIDDLEGAME, &[]);
        let run = run_with(&mut engine, &game, &limits, &SearchOptions::default(), &signals);
        check(&game, &run, &SearchOptions::default(), "stopped by the hook");
        if threads == 1 {
            // One call every 512 nodes.
            assert!((25_000..27_000).contains(&run.conclusion.nodes), "{}", run.conclusion.nodes);
        }
    }
}

/// A search that has pondered for longer than its move should take ends with the ponder hit, in the middle of an
/// iteration.
#[test]
fn a_search_that_has_had_its_time_ends_with_the_ponder_hit() {
    let _shared = shared();
    let signals = Arc::new(Signals::new());
    let calls = Arc::new(AtomicU64::new(0));
    let poll = {
        let (signals, calls) = (Arc::clone(&signals), Arc::clone(&calls));
        move || {
            if calls.fetch_add(1, Ordering::Relaxed) == 200 {
                signals.ponder_hit();
            }
        }
    };
    let (host, _) = counting_clock();
    let mut engine = engine();
    engine.set_host(host.poll(poll));
    // The move should take a thirtieth of the second; the search is stopped in any case after more than a half.
    let limits = Limits::default().ponder().time_control(TimeControl::new(Duration::from_secs(1)));
    let game = game(MIDDLEGAME, &[]);
    let run = run_with(&mut engine, &game, &limits, &SearchOptions::default(), &signals);
    check(&game, &run, &SearchOptions::default(), "a ponder hit after the time");
    assert_eq!(calls.load(Ordering::Relaxed), 201);
    assert!(run.conclusion.time < Duration::from_millis(500), "{:?}", run.conclusion.time);
}

/// A search that waits has no nodes to count, but the hook may be the only one to end it.
#[test]
fn the_poll_hook_is_called_while_the_search_waits() {
    let _shared = shared();
    let (dead, mated) = ("8/8/3k4/8/8/3K4/8/8 w - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
    for (fen, limits) in
        [(dead, depth(1).infinite()), (dead, depth(1).ponder()), (mated, Limits::default().infinite())]
    {
        let signals = Arc::new(Signals::new());
        let calls = AtomicU64::new(0);
        let poll = {
            let signals = Arc::clone(&signals);
            let is_ponder = limits.ponder;
            move || {
                if calls.fetch_add(1, Ordering::Relaxed) == 20 {
                    if is_ponder { signals.ponder_hit() } else { signals.stop() }
                }
            }
        };
        let mut engine = engine();
        engine.set_host(Host::default().poll(poll));
        engine.search(&game(fen, &[]), &limits, &SearchOptions::default(), &signals, &mut |_| {});
    }
}

#[test]
fn a_paused_search_can_be_resumed_by_the_poll_hook() {
    let _shared = shared();
    let signals = Arc::new(Signals::new());
    let calls = AtomicU64::new(0);
    let poll = {
        let signals = Arc::clone(&signals);
        move || match calls.fetch_add(1, Ordering::Relaxed) {
            5 => signals.pause(),
            15 => signals.resume(),
            _ => {}
        }
    };
    let mut engine = engine();
    engine.set_host(Host::default().poll(poll));
    let limits = nodes(20_000);
    let result = engine.search(&Game::default(), &limits, &SearchOptions::default(), &signals, &mut |_| {});
    assert_eq!(result.nodes, 20_000);
}

/// A process that was held up before the search began still looks at every move: it takes the queen.
#[test]
fn time_that_is_over_leaves_one_iteration() {
    let _shared = shared();
    let game = game("4k3/8/8/3q4/4P3/8/PPPP4/4K3 w - - 0 1", &[]);
    let late = Limits::default().started(Duration::ZERO);
    let clock = TimeControl::new(Duration::from_millis(5));
    for limits in [late.clone().time_control(clock), late.move_time(Duration::from_millis(1))] {
        let mut engine = Engine::new(1).unwrap();
        engine.set_threads(3).unwrap();
        engine.set_host(Host::default().now(|| Duration::from_secs(3600)));
        let found = run(&mut engine, &game, &limits, &SearchOptions::default());
        assert_eq!(found.conclusion.best, game.position().parse_uci("e4d5").ok());
        assert_eq!(found.conclusion.lines.len(), 1);
    }
}

/// Neither a clock that starts in the future nor the longest times do harm.
#[test]
fn extreme_times_neither_hang_nor_panic() {
    let _shared = shared();
    let mut engine = timed_engine();
    let soon = monotonic_now() + Duration::from_secs(3600);
    for started in [soon, Duration::MAX] {
        let limits = Limits::default().started(started).move_time(Duration::from_millis(20));
        let begin = monotonic_now();
        assert!(
            run(&mut engine, &Game::default(), &limits, &SearchOptions::default()).conclusion.best.is_some()
        );
        assert!(monotonic_now() - begin < Duration::from_secs(60));
    }
    let longest = TimeControl::new(Duration::MAX).increment(Duration::MAX);
    for clock in [longest, longest.moves_to_go(1), longest.moves_to_go(40)] {
        for move_overhead in [Duration::ZERO, Duration::MAX] {
            let limits = nodes(3_000).time_control(clock).move_time(Duration::MAX).started(Duration::ZERO);
            let options = SearchOptions::default().move_overhead(move_overhead);
            assert!(run(&mut engine, &Game::default(), &limits, &options).conclusion.best.is_some());
        }
    }
}

#[test]
fn settings_are_what_was_set() {
    let mut engine = Engine::new(3).unwrap();
    assert_eq!((engine.hash(), engine.threads(), engine.network().is_some()), (3, 1, true));
    engine.set_hash(5).unwrap();
    engine.set_threads(2).unwrap();
    engine.set_network(None);
    assert_eq!((engine.hash(), engine.threads(), engine.network().is_some()), (5, 2, false));
    assert!(engine.set_hash(usize::MAX).is_err());
    assert_eq!(engine.hash(), 5);
}
