//! `ferz explain`.

use serde_json::{Value, json};

use crate::ferz;

const FORK: &str = "3q3k/6pp/8/4N3/8/8/6PP/6K1 w - - 0 1";
const NODES: [&str; 2] = ["--nodes", "20000"];

#[test]
fn the_best_move_is_explained() {
    let run = ferz([&["explain", FORK][..], &NODES].concat());
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    assert!(run.out.starts_with("The best move is Nf7+ (+"), "{}", run.out);
    for part in [
        "It gives check and forks the queen on d8 and the king on h8.",
        "The expected line is 1. Nf7+ Kg8 2. Nxd8",
    ] {
        assert!(run.out.contains(part), "{part} in\n{}", run.out);
    }
    let again = ferz([&["explain", FORK][..], &NODES].concat());
    assert_eq!(again.out, run.out);
}

#[test]
fn another_move_is_compared_with_it() {
    let run = ferz([&["explain", FORK, "Nd7"][..], &NODES].concat());
    assert!(run.out.contains("\n\nNd7 is a blunder ("), "{}", run.out);
    assert!(run.out.contains("Black's best answer is Q"), "{}", run.out);
    // Moves in several notations.
    for text in ["e5f7", "Nf7", "Nf7+!"] {
        let run = ferz([&["explain", FORK, text][..], &NODES].concat());
        assert!(run.out.contains("\n\nNf7+ is the best move.\n"), "{}", run.out);
    }
}

#[test]
fn facts_as_json() {
    let run = ferz([&["explain", FORK, "Nd7", "--json"][..], &NODES].concat());
    let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}", run.out));
    assert_eq!(
        (&report["fen"], &report["best"]["san"], &report["best"]["uci"]),
        (&json!(FORK), &json!("Nf7+"), &json!("e5f7"))
    );
    let targets = json!([{ "piece": "queen", "square": "d8" }, { "piece": "king", "square": "h8" }]);
    let text = "forks the queen on d8 and the king on h8";
    assert_eq!(report["best"]["facts"][1], json!({ "kind": "forks", "targets": targets, "text": text }));
    assert_eq!(report["best"]["settled"]["material"]["queen"], 1);
    assert!(report["best"]["cp"].as_i64() > Some(100) && report["best"]["wdl"].is_array());
    assert_eq!(report["asked"]["judgement"], "blunder");
    assert!(report["asked"]["loss"].as_f64() > Some(0.3));
    assert_eq!(report["threat"]["facts"][0]["kind"], "check");
    assert_eq!(report["text"].as_array().map(Vec::len), Some(3));
}

#[test]
fn what_cannot_be_explained_is_told() {
    for (args, reason) in [
        (&["8/8"][..], "error: bad FEN"),
        (&[FORK, "Ke4"], "error: bad move: 'Ke4' is not legal: the king on"),
        (&[FORK, "nonsense"], "error: bad move: 'nonsense'"),
        (&["7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"], "error: the game is over: White wins by checkmate"),
        (&["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"], "error: the game is over: draw by stalemate"),
    ] {
        let run = ferz([&["explain"], args].concat());
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert!(run.err.starts_with(reason), "{args:?}: {}", run.err);
    }
}

/// Castling by rook files, a bare king, a single legal move, a move number at its limit.
#[test]
fn odd_positions() {
    for (fen, extra) in [
        ("4k3/8/8/8/8/8/8/R2K3R w HA - 0 1", &["--chess960"][..]),
        ("4k3/8/8/8/8/8/8/4K2R w K - 99 4000", &[]),
        ("7k/8/8/8/8/8/6q1/7K w - - 0 1", &[]),
        ("k7/8/8/8/8/8/8/K5Q1 w - - 0 1", &[]),
    ] {
        let run = ferz([&["explain", fen, "--depth", "4"], extra].concat());
        assert_eq!((run.code, &run.err[..]), (Some(0), ""), "{fen}");
        // What is known of the ending comes first.
        let sentences = run.out.strip_prefix("Known win: mate against a bare king. ").unwrap_or(&run.out);
        assert!(sentences.starts_with("The best move is "), "{fen}: {}", run.out);
    }
}
