//! `ferz pgn filter`.

use super::{GAMES, TempFile};
use crate::{Run, ferz, ferz_reading};

fn filter(text: &str, options: &[&str]) -> Run {
    ferz_reading([&["pgn", "filter", "-"], options].concat(), text.as_bytes())
}

/// The rounds of the selected games.
fn rounds(options: &[&str]) -> String {
    let run = filter(GAMES, options);
    assert_eq!(run.code, Some(0), "{options:?}: {}", run.err);
    let rounds: String =
        run.out.lines().filter_map(|line| line.strip_prefix("[Round \"")?.chars().next()).collect();
    assert!(run.err.starts_with(&format!("{} of 3 games, ", rounds.len())), "{options:?}: {}", run.err);
    rounds
}

#[test]
fn games_are_selected_by_tags() {
    assert_eq!(rounds(&[]), "12?");
    assert_eq!(rounds(&["--tag", "White=Ada"]), "1");
    assert_eq!(rounds(&["--tag", "White=ada"]), "");
    assert_eq!(rounds(&["--tag", "White=ada", "--ignore-case"]), "1");
    assert_eq!(rounds(&["--tag", "Event~lub"]), "12");
    assert_eq!(rounds(&["--tag", "Black=DÓRA", "--ignore-case"]), "?");
    assert_eq!(rounds(&["--tag", "Event~lub", "--tag", "White=Bob"]), "2");
    assert_eq!(rounds(&["--tag", "Annotator~"]), "");
    assert_eq!(rounds(&["--tag", "ECO~", "--invert"]), "?");
    assert_eq!(rounds(&["--elo", "1900..2100"]), "12");
    assert_eq!(rounds(&["--elo", "2000.."]), "");
}

#[test]
fn games_are_selected_by_what_happened() {
    assert_eq!(rounds(&["--result", "1-0"]), "1");
    assert_eq!(rounds(&["--result", "0-1", "--result", "1/2-1/2"]), "2?");
    assert_eq!(rounds(&["--result", "*"]), "");
    assert_eq!(rounds(&["--length", "5.."]), "1");
    assert_eq!(rounds(&["--length", "4"]), "2?");
    assert_eq!(rounds(&["--moves", "1. d4 d5"]), "2");
    assert_eq!(rounds(&["--moves", "e2e4 1...e5"]), "1");
    assert_eq!(rounds(&["--moves", "d4 d5 c4 Nf6 Nc3"]), "");
    assert_eq!(rounds(&["--limit", "2"]), "12");
}

#[test]
fn positions_are_found_by_whatever_moves() {
    let queens_gambit = "rnbqkb1r/ppp1pppp/5n2/3p4/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 1 3";
    assert_eq!(rounds(&["--position", queens_gambit]), "2?");
    let without_clocks = "rnbqkb1r/ppp1pppp/5n2/3p4/2PP4/8/PP2PPPP/RNBQKBNR w KQkq -";
    assert_eq!(rounds(&["--position", without_clocks, "--result", "0-1"]), "?");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(rounds(&["--position", start]), "12?");
    // Variations do not count.
    let gambit = "rnbqkb1r/pppp1ppp/5n2/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 2 3";
    assert_eq!(rounds(&["--position", gambit]), "");
}

#[test]
fn games_are_copied_unchanged() {
    let sloppy = "\u{feff}\n\n[White \"Ada\"]\n[Event \"x\"]\n1.e2e4!?   e5 ; so\n 2.Ke8 Rubbish 1-0\n\n\n  1. d4 *\n\n\n[A \"b\"]\n\n";
    let run = filter(sloppy, &[]);
    let expected =
        "[White \"Ada\"]\n[Event \"x\"]\n1.e2e4!?   e5 ; so\n 2.Ke8 Rubbish 1-0\n\n1. d4 *\n\n[A \"b\"]\n";
    assert_eq!((&run.out[..], run.code), (expected, Some(0)));

    let latin_1 = b"[White \"M\xfcller\"]\r\n\r\n1. e4 *\r\n\r\n[White \"B\xe4r\"]\r\n\r\n1. d4 *\r\n";
    let file = TempFile::new("latin_1.pgn", latin_1);
    let output = crate::command(["pgn", "filter", file.path()]).output().expect("ferz starts");
    assert_eq!(output.stdout, latin_1);
    let run = ferz(["pgn", "check", file.path()]);
    assert_eq!(run.out, "2 games, 2 moves, 0 problems\n");
    let output =
        crate::command(["pgn", "filter", "--tag", "White=Bär", file.path()]).output().expect("ferz starts");
    assert_eq!(output.stdout, &latin_1[31..]);
}

#[test]
fn criteria_that_make_no_sense_are_refused() {
    for options in [
        ["--tag", "White"],
        ["--tag", "=x"],
        ["--result", "2-0"],
        ["--elo", "x"],
        ["--length", "9..3"],
        ["--position", "8/8"],
        ["--moves", "e4 e4"],
        ["--limit", "-1"],
    ] {
        let run = filter(GAMES, &options);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{options:?}");
        assert!(run.err.starts_with("error: "), "{}", run.err);
    }
    assert_eq!(filter(GAMES, &["--limit", "0"]).out, "");
}
