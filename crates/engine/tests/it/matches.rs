//! `ferz match`.

use std::fs;

use crate::{Folder, Run, ferz};

/// A match at few nodes.
fn play(more: &[&str]) -> Run {
    ferz([&["match", "--hash", "1", "--net", "classical"], more].concat())
}

/// The figures without the speed.
fn figures(run: &Run) -> Vec<&str> {
    run.out.lines().skip(1).collect()
}

#[test]
fn a_match_depends_on_the_seed_alone() {
    let folder = Folder::new("match");
    let [one, three] = ["one.pgn", "three.pgn"].map(|name| folder.file(name));
    let nodes = ["--nodes", "40", "--nodes-b", "80", "--games", "11", "--seed", "4"];
    let alone = play(&[&nodes[..], &["--out", &one]].concat());
    assert_eq!((alone.code, &alone.err[..]), (Some(0), ""), "{}", alone.out);
    let together = play(&[&nodes[..], &["--out", &three, "--threads", "3"]].concat());
    assert_eq!(figures(&alone), figures(&together));
    let games = fs::read_to_string(&one).expect("written");
    assert!(games == fs::read_to_string(&three).expect("written"));

    // An odd number of games is rounded up.
    assert!(alone.out.starts_with("12 games in "), "{}", alone.out);
    let check = ferz(["pgn", "check", &one]);
    assert!(check.code == Some(0) && check.last_line().starts_with("12 games, "), "{}", check.out);
    let won = |name: &str, result: &str| {
        let player = format!("[{name} \"A classical 40 nodes\"]");
        let result = format!("[Result \"{result}\"]");
        games.split("[Event ").filter(|game| game.contains(&player) && game.contains(&result)).count()
    };
    let score = [
        won("White", "1-0") + won("Black", "0-1"),
        won("White", "1/2-1/2") + won("Black", "1/2-1/2"),
        won("White", "0-1") + won("Black", "1-0"),
    ];
    assert_eq!(score.iter().sum::<usize>(), 12);
    let [won, drawn, lost] = score;
    assert!(figures(&alone)[0].starts_with(&format!("+{won} ={drawn} -{lost}, ")), "{}", alone.out);

    let other = play(&["--nodes", "40", "--nodes-b", "80", "--games", "12", "--seed", "5", "--out", &three]);
    assert_eq!(other.code, Some(0));
    assert!(games != fs::read_to_string(&three).expect("written"));
}

#[test]
fn a_sequential_test_ends_a_match() {
    let strong = play(&["--nodes-a", "600", "--nodes-b", "20", "--sprt", "0,100", "--threads", "2"]);
    assert_eq!(strong.code, Some(0), "{}", strong.err);
    assert!(strong.last_line().ends_with("[0, 100] normalized: H1 accepted"), "{}", strong.out);
    let model = ["--sprt-model", "logistic"];
    let weak = [&["--nodes-a", "20", "--nodes-b", "600", "--sprt", "-5,100"], &model[..]].concat();
    let weak = play(&weak);
    assert_eq!((weak.code, &weak.err[..]), (Some(1), ""));
    assert!(weak.last_line().ends_with("[-5, 100] logistic: H0 accepted"), "{}", weak.out);
    let equal = play(&["--nodes", "20", "--sprt", "0,1", "--games", "4", "--every", "1"]);
    assert_eq!(equal.code, Some(0));
    assert!(equal.last_line().ends_with(": undecided"), "{}", equal.out);
    assert!(equal.err.lines().count() == 2 && equal.err.contains(", LLR "), "{}", equal.err);
}

#[test]
fn openings_come_from_a_file() {
    let folder = Folder::new("match-book");
    let [book, games] = ["book.epd", "games.pgn"].map(|name| folder.file(name));
    let fens = ["4k3/8/8/8/8/8/3PP3/4K3 w - -", "4k3/3pp3/8/8/8/8/8/4K3 b - - 3 20"];
    fs::write(&book, format!("# two\n{} id \"one\";\n\n{}\n", fens[0], fens[1])).expect("written");
    let run = play(&["--book", &book, "--games", "4", "--nodes", "20", "--out", &games]);
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    let pgn = fs::read_to_string(&games).expect("written");
    for fen in fens {
        assert_eq!(pgn.matches(&format!("[FEN \"{fen}")).count(), 2, "{pgn}");
    }
    // With fixed nodes the same games would count again, and with a clock they differ.
    fs::write(&book, format!("{}\n{}\n{}\n", fens[0], fens[1], fens[0])).expect("written");
    let repeated = play(&["--book", &book, "--sprt", "0,1", "--nodes", "20", "--out", &games]);
    assert!(repeated.code == Some(0) && repeated.out.starts_with("4 games in "), "{}", repeated.out);
    assert!(repeated.err.starts_with("note: all 2 openings were played."), "{}", repeated.err);
    assert_eq!(fs::read_to_string(&games).expect("written"), pgn);
    let again = play(&["--book", &book, "--games", "6", "--clock", "0.05+0.001"]);
    assert!(again.out.starts_with("6 games in ") && again.err.is_empty(), "{} {}", again.out, again.err);
    for (text, problem) in [
        ("", "the file has no position"),
        ("8/8 w - -", "book.epd:1: "),
        ("\nR3k3/8/4K3/8/8/8/8/8 b - -", "book.epd:2: the game is over"),
    ] {
        fs::write(&book, text).expect("written");
        let run = play(&["--book", &book, "--games", "2", "--nodes", "20"]);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""));
        assert!(run.err.starts_with("error: ") && run.err.contains(problem), "{}", run.err);
    }
}

#[test]
fn a_match_can_have_a_clock_and_an_end() {
    let run = play(&["--clock", "0.1+0.001", "--games", "2"]);
    assert!(run.code == Some(0) && run.out.starts_with("2 games in "), "{} {}", run.out, run.err);
    let run = play(&["--seconds", "1", "--nodes", "20", "--soft", "--threads", "2"]);
    assert!(run.code == Some(0) && run.out.contains(", LOS "), "{} {}", run.out, run.err);
}

#[test]
fn wrong_options_are_refused() {
    for (args, problem) in [
        (&["--sprt", "8,0"][..], "the smaller first"),
        (&["--sprt", "1"], "two rating differences"),
        (&["--sprt", "0,nan"], "two rating differences"),
        (&["--sprt-model", "logistic"], "--sprt"),
        (&["--clock", "-1"], "'-1'"),
        (&["--clock", "x+1"], "such as 8+0.08"),
        (&["--clock", "8+0.08", "--nodes", "5"], "cannot be used with"),
        (&["--games", "0"], "not in 1.."),
        (&["--nodes-a", "0"], "not in 1.."),
        (&["--net-a", "/no/such/net"], "/no/such/net"),
        (&["--book", "/no/such/book"], "/no/such/book"),
        (&["--out", "/no/such/folder/games.pgn"], "/no/such/folder"),
        (&["--hash", "100000000"], "memory"),
    ] {
        let run = ferz([&["match"], args].concat());
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert!(run.err.starts_with("error: ") && run.err.contains(problem), "{args:?}: {}", run.err);
    }
}
