//! The Universal Chess Interface, used and abused. No test depends on playing strength.

mod books;
mod costs;
pub mod driver;
mod ends;
mod lines;
mod options;
mod positions;
mod scripts;
mod searches;

use driver::Session;

#[test]
fn the_introduction() {
    let mut session = Session::new();
    session.send("uci");
    session.expect("id name Ferz ");
    session.expect("id author ");
    session.expect("uciok");
    session.quit();
}

#[test]
fn the_command_has_a_name() {
    let mut session = Session::with_args(&["uci"]);
    session.send("uci");
    session.expect("uciok");
    session.quit();
}

#[test]
fn extras() {
    let mut session = Session::ready();
    assert!(session.answer("help").iter().any(|line| line.contains("go perft DEPTH")));
    let compiler = session.answer("compiler");
    assert!(compiler[0].starts_with("ferz ") && compiler[1].starts_with("target "), "{compiler:?}");
    assert!(!session.answer("eval").is_empty());
    session.send("position fen 4k2r/8/8/8/8/8/8/4K2R b k - 3 9");
    let drawing = session.answer("d");
    assert!(drawing.iter().any(|line| line == "  1 │ · · · · K · · R │"), "{drawing:?}");
    assert!(drawing.iter().any(|line| line.starts_with("Key: ")), "{drawing:?}");
    assert_eq!(drawing.last().map(String::as_str), Some("Checkers:"));
    session.send("flip");
    assert_eq!(session.fen(), "4k2r/8/8/8/8/8/8/4K2R w K - 3 9");
    session.quit();
}

#[test]
fn perft() {
    let mut session = Session::ready();
    session.send("position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    session.send("go perft 2");
    session.expect("a1a2: ");
    session.expect("e1g1: ");
    assert_eq!(session.expect("Nodes searched"), "Nodes searched: 568");
    session.send("setoption name UCI_Chess960 value true");
    session.send("go perft 1");
    session.expect("e1h1: 1");
    assert_eq!(session.expect("Nodes searched"), "Nodes searched: 26");
    session.send("go perft 0");
    assert_eq!(session.expect("Nodes searched"), "Nodes searched: 1");
    // A long perft can be stopped.
    session.send("go perft 4000000000");
    session.synchronize();
    session.send("stop");
    session.expect("info string perft stopped");
    assert_eq!(session.count("bestmove"), 0);
    session.quit();
}

#[test]
fn counts_are_finished_before_the_next_command_and_the_end() {
    let mut session = Session::new();
    session.send("go perft 4\ngo perft 3\nbench 1");
    session.close_input();
    let (code, lines) = session.end();
    assert_eq!(code, Some(0));
    assert!(lines.contains(&"Nodes searched: 197281".to_owned()), "{lines:#?}");
    assert!(lines.contains(&"Nodes searched: 8902".to_owned()), "{lines:#?}");
    let last: Vec<_> = lines.last().expect("some").split(' ').collect();
    assert!(matches!(last[..], [_, "nodes", _, "nps"]), "{last:?}");
}

#[test]
fn bench_inside_and_outside_is_the_same() {
    let run = crate::ferz(["bench", "2"]);
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    let [nodes, "nodes", speed, "nps"] = run.out.trim_end().split(' ').collect::<Vec<_>>()[..] else {
        panic!("{}", run.out)
    };
    assert!(nodes.parse::<u64>().is_ok_and(|nodes| nodes > 0) && speed.parse::<u64>().is_ok());
    let mut session = Session::ready();
    session.send("bench 2");
    session.expect(&format!("{nodes} nodes "));
    session.quit();
}
