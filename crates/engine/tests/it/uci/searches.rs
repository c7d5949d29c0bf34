//! Searches: every `go` prints one best move, and no other command waits for it.

use std::thread;
use std::time::{Duration, Instant};

use super::driver::{PATIENCE, Session};

#[test]
fn stop_without_a_search_says_nothing() {
    let mut session = Session::ready();
    assert_eq!(session.answer("stop\nstop\nponderhit"), [""; 0]);
    session.quit();
}

#[test]
fn two_stops_are_one() {
    let mut session = Session::ready();
    session.send("go infinite\nstop\nstop");
    session.expect("bestmove ");
    session.synchronize();
    assert_eq!(session.count("bestmove"), 1);
    session.quit();
}

#[test]
fn a_storm_of_searches() {
    let mut session = Session::ready();
    for _ in 0..200 {
        session.send("go infinite\nstop");
    }
    for _ in 0..200 {
        session.expect("bestmove ");
    }
    session.synchronize();
    assert_eq!(session.count("bestmove"), 200);
    session.quit();
}

#[test]
fn a_search_ends_where_the_next_begins() {
    let mut session = Session::ready();
    session.send("go infinite");
    session.send("position fen 4k3/8/8/8/8/8/8/K7 b - - 0 1");
    session.send("go infinite");
    // The first one's move is White's, the second one's Black's.
    let first = session.expect("bestmove ");
    assert!(matches!(first.as_bytes()["bestmove e".len()], b'1' | b'2'), "{first}");
    session.synchronize();
    assert_eq!(session.count("bestmove"), 1);
    session.send("stop");
    assert!(session.expect("bestmove ").starts_with("bestmove e8"));
    assert_eq!(session.count("bestmove"), 2);
    session.quit();
}

#[test]
fn searches_that_end_by_themselves_wait_for_each_other() {
    let mut session = Session::ready();
    session.send("go depth 6\ngo depth 7\nposition startpos moves e2e4\ngo nodes 5000");
    for _ in 0..3 {
        session.expect("bestmove ");
    }
    session.synchronize();
    assert_eq!(session.count("bestmove"), 3);
    assert!(session.count("info depth 6 ") >= 2, "both searches got there");
    assert!(session.count("info depth 7 ") >= 1, "and the second went on");
    session.quit();
}

#[test]
fn the_engine_is_ready_while_it_searches() {
    let mut session = Session::ready();
    session.send("go infinite");
    for line in [
        "isready",
        "ucinewgame\nisready",
        "setoption name Hash value 8\nisready",
        "position startpos\nisready",
    ] {
        session.send(line);
        session.expect_within("readyok", Duration::from_secs(1));
    }
    assert_eq!(session.count("bestmove"), 0);
    session.send("stop");
    session.expect_within("bestmove ", Duration::from_secs(1));
    // Changes that had to wait for the search are done.
    session.synchronize();
    assert!(session.complaint("setoption name Hash value 33554432").ends_with("; still 8 MiB"));
    assert_eq!(session.count("bestmove"), 1);
    session.quit();
}

#[test]
fn one_clock_is_enough() {
    let mut session = Session::ready();
    for position in ["position startpos", "position startpos moves e2e4"] {
        session.send(position);
        for go in
            ["go wtime 100", "go btime 100", "go wtime 100 winc 100 btime 100 binc 100", "go wtime 0 btime 0"]
        {
            let start = Instant::now();
            session.best_move(go);
            assert!(start.elapsed() < Duration::from_secs(2), "{position}, {go}");
        }
    }
    session.quit();
}

#[test]
fn numbers_that_are_too_large_or_none() {
    let mut session = Session::ready();
    for go in [
        "go wtime 2147483648 btime 2147483648",
        "go wtime 9223372036854775807 btime 9223372036854775807 winc 4611686018427387904 binc 4611686018427387904",
        "go movetime 99999999999999999999999999 depth 99999999999999999999999",
        "go nodes 18446744073709551615 mate 4294967296",
    ] {
        session.send(go);
        thread::sleep(Duration::from_millis(20));
        session.send("stop");
        session.expect("bestmove ");
    }
    for go in [
        "go depth x",
        "go movetime",
        "go depth 0",
        "go nodes 0",
        "go movetime -1",
        "go wtime -5 btime -5 movestogo 0",
    ] {
        let best = session.best_move(go);
        assert_eq!(best.len(), 4, "{go}: {best}");
    }
    assert_eq!(session.count("info string error: go: depth needs a number"), 1);
    session.quit();
}

#[test]
fn pondering() {
    let mut session = Session::ready();
    session.send("go ponder wtime 100 btime 100");
    thread::sleep(Duration::from_millis(200));
    session.synchronize();
    assert_eq!(session.count("bestmove"), 0);
    session.send("ponderhit");
    session.expect_within("bestmove ", Duration::from_secs(1));
    session.send("go ponder wtime 100000 btime 100000\nstop");
    session.expect_within("bestmove ", Duration::from_secs(1));
    session.synchronize();
    assert_eq!(session.count("bestmove"), 2);
    session.quit();
}

#[test]
fn moves_to_search_are_checked() {
    let mut session = Session::ready();
    session.send("go depth 1 searchmoves e2e5 zzzz E2E4");
    let complaint = session.expect("info string error: ");
    assert!(
        complaint.contains("go: searchmoves 'e2e5': e2e5 is not legal: the pawn on e2 does not move to e5"),
        "{complaint}"
    );
    assert!(session.expect("info string error: ").contains("'zzzz': not a move"));
    session.expect_within("bestmove ", PATIENCE);
    session.quit();
}

#[test]
fn every_limit_ends() {
    let mut session = Session::ready();
    for go in [
        "go depth 2",
        "go nodes 100",
        "go movetime 1",
        "go wtime 50 btime 50 movestogo 1",
        "go infinite depth 1\nstop",
    ] {
        let best = session.best_move(go);
        assert_eq!(best.len(), 4, "{go}: {best}");
    }
    assert_eq!(session.count("bestmove"), 5);
    session.quit();
}

/// Random commands: one best move per search, one answer per `isready`.
#[test]
fn a_storm_of_everything() {
    const LINES: [&str; 20] = [
        "go infinite",
        "go depth 1",
        "go nodes 50",
        "go ponder wtime 10 btime 10",
        "go movetime 1",
        "stop",
        "ponderhit",
        "isready",
        "ucinewgame",
        "position startpos moves e2e4",
        "position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
        "position fen nonsense",
        "position startpos moves e2e5",
        "setoption name Hash value 1",
        "setoption name Threads value 2",
        "setoption name MultiPV value 3",
        "setoption name Clear Hash",
        "go perft 2",
        "d",
        "xyzzy",
    ];
    for seed in 1..=5u64 {
        let mut session = Session::ready();
        let (mut searches, mut questions) = (0, 1);
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..300 {
            let line = LINES[random.usize(..LINES.len())];
            searches += usize::from(line.starts_with("go ") && !line.starts_with("go perft"));
            questions += usize::from(line == "isready");
            session.send(line);
        }
        session.send("stop");
        for _ in 0..searches {
            session.expect("bestmove ");
        }
        session.send("quit");
        let (code, lines) = session.end();
        let count = |start| lines.iter().filter(|line| line.starts_with(start)).count();
        assert_eq!((count("bestmove "), count("readyok")), (searches, questions), "seed {seed}");
        assert_eq!(code, Some(0));
    }
}
