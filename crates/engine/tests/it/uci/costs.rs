//! The cost of options and new games in memory and time.

use std::time::Duration;

use super::driver::Session;

/// After `readyok` the table has its full size; searches need hardly more memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_what_hash_says() {
    let mut session = Session::ready();
    session.answer("setoption name Hash value 1");
    session.best_move("go nodes 1000");
    let rest = session.resident() - 1.0;
    for hash in [128, 256, 64, 200] {
        let assert_as_ordered = |session: &Session| {
            let (table, hash) = (session.resident() - rest, f64::from(hash));
            assert!((table - hash).abs() < 0.05 * hash, "{table:.1} MiB of {hash}, {rest:.1} beside");
        };
        session.answer(&format!("setoption name Hash value {hash}"));
        assert_as_ordered(&session);
        session.answer("ucinewgame");
        session.best_move("go nodes 20000");
        assert_as_ordered(&session);
    }
    session.quit();
}

#[cfg(target_os = "linux")]
#[test]
fn new_games_do_not_pile_up() {
    let mut session = Session::ready();
    session.answer("setoption name Hash value 2\nsetoption name Threads value 2");
    let play = |session: &mut Session, games: usize| {
        for _ in 0..games {
            session.send("ucinewgame\nposition startpos moves e2e4\ngo nodes 200");
        }
        for _ in 0..games {
            session.expect("bestmove ");
        }
        session.synchronize();
    };
    play(&mut session, 20);
    let before = session.resident();
    play(&mut session, 300);
    let after = session.resident();
    assert!(after < before * 1.05, "{before:.1} MiB, after 300 games {after:.1}");
    session.quit();
}

/// Jobs that wait take memory, so their number is limited: a flood stops the search that they wait for.
#[test]
fn a_flood_of_new_games_stops_a_search() {
    let mut session = Session::ready();
    session.answer("setoption name Hash value 1");
    session.send("go infinite");
    session.send_bytes("ucinewgame\n".repeat(1_000).as_bytes());
    session.expect("bestmove ");
    session.synchronize();
    session.quit();
}

/// More counts than the queue holds all have results.
#[test]
fn a_file_of_counts_is_counted() {
    let mut session = Session::ready();
    session.send_bytes("ucinewgame\ngo perft 3\n".repeat(200).as_bytes());
    for _ in 0..200 {
        session.expect("Nodes searched: 8902");
    }
    session.synchronize();
    session.quit();
}

/// After any option or new game the engine is ready at once.
#[test]
fn options_and_new_games_take_no_time() {
    let mut session = Session::ready();
    for (line, times) in [
        ("setoption name MultiPV value 3\nsetoption name MultiPV value 1", 1_000),
        ("setoption name Ponder value true\nsetoption name UCI_Chess960 value false", 1_000),
        ("setoption name UCI_Elo value 1500\nsetoption name Move Overhead value 30", 1_000),
        ("setoption name SyzygyPath value <empty>\nsetoption name Threads value 1", 1_000),
        ("setoption name Hash value 256", 1),
        ("ucinewgame", 1),
        ("setoption name Clear Hash", 1),
    ] {
        session.send_bytes(format!("{line}\n").repeat(times).as_bytes());
        session.send("isready");
        session.expect_within("readyok", Duration::from_secs(2));
    }
    session.quit();
}
