//! Positions at the limits of what boards and searches hold: as crowded, as blocked, as long as can be.

use std::thread;
use std::time::Duration;

use fastrand::Rng;
use ferz_board::{Color, Game, Piece, PieceType};
use ferz_search::{Limits, Line, Score, SearchOptions, Signals};

use crate::referee::check;
use crate::runs::{depth, engine, lines, nodes, run, run_with, shared, timed_engine};
use crate::sample::{game, random_placement};

/// Trees that explode: promotions by the dozen, queens by the dozen, checks that answer checks.
const CROWDED: [&str; 7] = [
    "8/PPPPPPPP/nr4RN/qb4BQ/kb4BK/nr4RN/pppppppp/8 w - - 0 1",
    "rnbq1bnr/PPPPPPPP/k7/8/8/7K/pppppppp/RNBQ1BNR w - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "r6r/3q4/1q4q1/4q3/2q4q/q4q2/PP1q4/KbnnkB2 b - - 0 1",
    "kqqqqqqq/qq6/8/8/8/8/6QQ/QQQQQQQK w - - 0 1",
    "q2k2q1/2nqn2b/1n1P1n1b/2rnr2Q/1NQ1QN1Q/3Q3B/2RQR2B/Q2K2Q1 w - - 0 1",
    "3qkq2/8/8/8/8/8/8/2QK1Q2 w - - 0 1",
];

#[test]
fn node_limits_hold_in_crowds() {
    let _shared = shared();
    let mut engine = engine();
    for fen in CROWDED {
        let game = game(fen, &[]);
        for limit in [1, 100, 511, 513, 4_000, 20_000] {
            for count in [1, 3] {
                let run = run(&mut engine, &game, &nodes(limit), &lines(count));
                assert_eq!(run.conclusion.nodes, limit, "{fen}");
                check(&game, &run, &lines(count), fen);
            }
        }
    }
}

/// As many lines as there are moves, and there are 218.
#[test]
fn every_move_of_the_richest_position_has_a_line() {
    let _shared = shared();
    let game = game(CROWDED[2], &[]);
    let run = run(&mut engine(), &game, &depth(1), &lines(500));
    check(&game, &run, &lines(500), CROWDED[2]);
    assert_eq!(run.conclusion.lines.len(), 218);
}

/// Nothing but a signal ends these searches, wherever in the tree they are.
#[test]
fn a_stop_is_heard_in_crowds() {
    let _shared = shared();
    for fen in CROWDED {
        let game = game(fen, &[]);
        let signals = Signals::new();
        let run = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(60));
                signals.stop();
            });
            let limits = Limits::default().infinite();
            run_with(&mut timed_engine(), &game, &limits, &SearchOptions::default(), &signals)
        });
        check(&game, &run, &SearchOptions::default(), fen);
        // Minutes if the stop had to wait for quiet positions.
        assert!(run.conclusion.time < Duration::from_secs(5), "{fen}: {:?}", run.conclusion.time);
    }
}

/// Evaluations stay evaluations, however many queens there are.
#[test]
fn a_crowd_of_queens_is_worth_a_bounded_number() {
    let _shared = shared();
    let mut random = Rng::with_seed(544);
    let mut engine = engine();
    for queens in [9, 9, 9, 8, 7] {
        let mut pieces = vec![Piece::WhiteKing, Piece::BlackKing];
        pieces.extend(vec![Piece::WhiteQueen; queens]);
        let game = Game::new(random_placement(&pieces, Color::White, &mut random));
        if !game.position().has_legal_moves() {
            continue;
        }
        let run = run(&mut engine, &game, &depth(3), &lines(2));
        check(&game, &run, &lines(2), &game.position().to_string());
        for line in &run.lines {
            if let Score::Centipawns(value) = line.score {
                assert!(value.abs() <= 12_500, "{line:?}");
            }
        }
    }
}

/// Nothing can happen here, so that iterations cost little and come to the deepest there is.
const BLOCKED: [&str; 6] = [
    "k7/8/8/8/8/8/8/7K w - - 0 1",
    "7k/8/8/p1p1p1p1/P1P1P1P1/8/8/7K w - - 0 1",
    "k1b5/1p1p4/pP1Pp3/K2pPp2/1P1p1P2/3P1P2/5P2/8 w - - 0 1",
    "8/1p1k4/1P1p1p1p/2pPpPpP/2P1P1P1/8/3K4/8 b - - 0 1",
    "8/p7/kpP5/qrp1b3/rpP2b2/pP4b1/P3K3/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/4KB2 b - - 99 120",
];

/// There is an end to depth: the search ends by itself, within its arrays, and says no more than it must.
#[test]
fn iterations_end_where_nothing_happens() {
    let _shared = shared();
    let mut to_the_end = 0;
    for fen in BLOCKED {
        let game = game(fen, &[]);
        for count in [1, 3] {
            // The nodes are for those that have something to look at after all.
            let limits = depth(1_000).nodes(150_000);
            let run = run(&mut engine(), &game, &limits, &lines(count));
            check(&game, &run, &lines(count), fen);
            assert!(run.lines.len() <= 250 * count, "{fen}: {} lines", run.lines.len());
            for line in &run.lines {
                assert!(line.depth < 240 && line.selective_depth <= 241, "{fen}: {line:?}");
            }
            to_the_end += u32::from(run.conclusion.lines[0].depth == 239);
        }
    }
    assert!(to_the_end >= 4, "{to_the_end}");
}

/// The game may be longer than any array.
#[test]
fn the_longest_games_are_searched() {
    let _shared = shared();
    let mut game = Game::default();
    for text in ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().take(6_000) {
        let mv = game.position().parse_uci(text).expect("a legal move");
        game.play(mv).expect("it was just found");
    }
    let run = run(&mut engine(), &game, &nodes(3_000), &lines(3));
    check(&game, &run, &lines(3), "6000 plies");
    let [first, .., last] = &run.conclusion.lines[..] else { panic!("{run:?}") };
    // The fifty moves are long over, but a pawn begins anew.
    let is_pawn_move = |line: &Line| game.position().by_type(PieceType::Pawn).contains(line.moves[0].from());
    assert!(is_pawn_move(first), "{first:?}");
    assert!(is_pawn_move(last) || last.score == Score::Centipawns(0), "{last:?}");
    let knight = game.position().parse_uci("g1f3").expect("a legal move");
    let limits = nodes(3_000).search_moves(vec![knight]);
    let run = crate::runs::run(&mut engine(), &game, &limits, &SearchOptions::default());
    check(&game, &run, &SearchOptions::default(), "a knight's move after 6000 plies");
    assert_eq!(run.score(), Score::Centipawns(0));
}
