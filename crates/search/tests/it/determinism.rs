//! The same question has the same answer.

use std::thread;

use fastrand::Rng;
use ferz_board::{Game, Position};
use ferz_search::{Engine, Limits, SearchOptions};

use crate::runs::{depth, engine, lines, nodes, run, shared};
use crate::sample::{at, chess960_start, game, random_game};

fn games() -> Vec<Game> {
    let mut random = Rng::with_seed(1);
    let mut games = vec![
        Game::default(),
        game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[]),
        game("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &["b4b1", "h4g5", "b1b4", "g5h4"]),
        game("8/8/8/8/2k5/8/2K5/3Q4 w - - 30 40", &[]),
    ];
    for plies in [10, 40, 90] {
        games.push(random_game(Position::start(), plies, &mut random));
        let start = chess960_start(&mut random);
        games.push(random_game(start, plies, &mut random));
    }
    games
}

fn questions() -> [(Limits, SearchOptions); 3] {
    [
        (nodes(30_000), SearchOptions::default()),
        (nodes(15_000), lines(3)),
        (depth(12).soft_nodes(10_000), lines(2)),
    ]
}

#[test]
fn a_cleared_engine_is_as_good_as_new() {
    let _shared = shared();
    let mut used = engine();
    for (index, game) in games().iter().enumerate() {
        for (limits, options) in &questions() {
            let expected = run(&mut engine(), game, limits, options).essence();
            // Whatever the engine has seen by now.
            used.clear();
            assert_eq!(run(&mut used, game, limits, options).essence(), expected, "game {index}");
            used.clear();
            assert_eq!(run(&mut used, game, limits, options).essence(), expected, "game {index} again");
        }
    }
}

#[test]
fn changes_of_threads_and_table_leave_no_trace_after_clearing() {
    let _shared = shared();
    let game = Game::default();
    let expected = run(&mut engine(), &game, &nodes(40_000), &SearchOptions::default()).essence();
    let mut used = engine();
    used.set_hash(1).unwrap();
    used.set_threads(3).unwrap();
    run(&mut used, &game, &nodes(20_000), &lines(2));
    used.set_hash(4).unwrap();
    run(&mut used, &game, &nodes(20_000), &SearchOptions::default());
    used.set_threads(1).unwrap();
    used.clear();
    assert_eq!(run(&mut used, &game, &nodes(40_000), &SearchOptions::default()).essence(), expected);
}

/// Without clearing, too: what an engine answers depends on nothing but what it was asked before.
#[test]
fn two_engines_with_the_same_past_have_the_same_future() {
    let _shared = shared();
    let (mut first, mut second) = (engine(), engine());
    let mut answers_differ_from_fresh_ones = false;
    for game in &games() {
        let answer = run(&mut first, game, &nodes(10_000), &SearchOptions::default()).essence();
        assert_eq!(run(&mut second, game, &nodes(10_000), &SearchOptions::default()).essence(), answer);
        answers_differ_from_fresh_ones |=
            run(&mut engine(), game, &nodes(10_000), &SearchOptions::default()).essence() != answer;
    }
    assert!(answers_differ_from_fresh_ones, "an engine remembers");
}

#[test]
fn engines_on_two_threads_do_not_disturb_each_other() {
    let _shared = shared();
    let games = games();
    let alone: Vec<_> = games
        .iter()
        .map(|game| run(&mut engine(), game, &nodes(30_000), &SearchOptions::default()).essence())
        .collect();
    let beside = |reversed: bool| {
        let mut order: Vec<usize> = (0..games.len()).collect();
        if reversed {
            order.reverse();
        }
        let mut engine = engine();
        for index in order {
            engine.clear();
            let essence =
                run(&mut engine, &games[index], &nodes(30_000), &SearchOptions::default()).essence();
            assert_eq!(essence, alone[index], "game {index}");
        }
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| beside(true));
        beside(false);
        other.join().expect("the other thread found no difference");
    });
}

#[test]
fn node_limits_are_exact() {
    let _shared = shared();
    let mut engine = engine();
    for (index, game) in games().iter().enumerate() {
        for limit in [1, 2, 3, 17, 511, 512, 513, 1000, 1024, 4097, 10_000] {
            let run = run(&mut engine, game, &nodes(limit), &SearchOptions::default());
            assert_eq!(run.conclusion.nodes, limit, "game {index}");
        }
    }
}

/// A stop can come anywhere: in a search that decides whether another is worth while, too.
#[test]
fn node_limits_are_exact_wherever_the_search_is() {
    let _shared = shared();
    for fen in [
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 0 1",
        "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 1",
        "4k3/8/8/3q4/8/8/PPP2PPP/RN2K1NR w - - 0 1",
    ] {
        let game = Game::new(at(fen));
        let mut engine = Engine::new(1).unwrap();
        for limit in 100..400 {
            engine.clear();
            let run = run(&mut engine, &game, &nodes(limit), &SearchOptions::default());
            assert_eq!(run.conclusion.nodes, limit, "{fen}");
        }
    }
}

#[test]
fn a_soft_node_limit_ends_with_an_iteration() {
    let _shared = shared();
    for game in &games() {
        let limits = Limits::default().soft_nodes(5_000);
        let soft = run(&mut engine(), game, &limits, &SearchOptions::default());
        assert!(soft.conclusion.nodes >= 5_000);
        let reached = soft.conclusion.lines[0].depth;
        let fixed = run(&mut engine(), game, &depth(reached), &SearchOptions::default());
        assert_eq!(fixed.essence(), soft.essence(), "as if the depth had been asked for");
    }
}
