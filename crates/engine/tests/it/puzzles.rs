//! `ferz puzzles`.

use crate::{ferz, ferz_reading};

const GAMES: &str = r#"1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

[Event "x"]
[White "Légal"]

1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0
"#;

fn puzzles(extra: &[&str]) -> String {
    let nodes = ["puzzles", "-", "--look-nodes", "4000", "--proof-nodes", "15000"];
    let run = ferz_reading([&nodes[..], extra].concat(), GAMES.as_bytes());
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    run.out
}

#[test]
fn puzzles_are_games_whose_moves_are_the_solution() {
    let out = puzzles(&[]);
    for part in [
        "[Goal \"mate in 1\"]\n[Source \"game 1, after 3... Nf6\"]\n\n4. Qxf7# *\n",
        "[White \"Légal\"]",
        "[Source \"game 2, after 5... Bxd1\"]\n\n6. Bxf7+ Ke7 7. Nd5# *\n",
    ] {
        assert!(out.contains(part), "{part} in\n{out}");
    }
    assert_eq!(puzzles(&["--threads", "2"]), out, "the number of threads changes nothing");
    let longer = puzzles(&["--min-moves", "2"]);
    assert!(!longer.contains("Qxf7#") && longer.contains("Nd5#"), "{longer}");
    // The output is PGN.
    let check = ferz_reading(["pgn", "check", "-"], out.as_bytes());
    assert_eq!(check.code, Some(0), "{}{}", check.out, check.err);
}

#[test]
fn puzzles_as_epd() {
    let out = puzzles(&["--epd"]);
    let first = out.lines().next().unwrap_or_default();
    assert!(first.ends_with("bm Qxf7#; dm 1; pv Qxf7#; id \"game 1, after 3... Nf6\";"), "{first}");
}

#[test]
fn problems_are_reported() {
    let run = ferz_reading(["puzzles", "-", "--look-nodes", "100"], b"1. e4 e5 2. Ke3 *\n");
    assert_eq!((run.code, &run.out[..]), (Some(1), ""));
    assert!(run.err.contains("Ke3"), "{}", run.err);
    let missing = ferz(["puzzles", "no/such/file"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.starts_with("error: no/such/file"), "{}", missing.err);
}
