//! `ferz pgn epd`.

use super::GAMES;
use crate::ferz_reading;

fn positions(text: &str, options: &[&str]) -> Vec<String> {
    let run = ferz_reading([&["pgn", "epd", "-"], options].concat(), text.as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.err);
    let lines: Vec<_> = run.out.lines().map(str::to_owned).collect();
    assert!(run.err.starts_with(&format!("{} positions, ", lines.len())), "{}", run.err);
    lines
}

#[test]
fn every_position_is_a_line() {
    assert_eq!(
        positions("1. e4 e5 *", &[]),
        [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 hmvc 0; fmvn 2;",
        ]
    );
    assert_eq!(positions(GAMES, &[]).len(), 15 + 3);
    assert_eq!(positions("", &[]).len(), 0);
}

#[test]
fn options_select_positions() {
    let game = "1. e4 e5 (1... c5 2. Nf3 (2. c3)) 2. Nf3 -- 3. Ng1 *";
    assert_eq!(positions(game, &[]).len(), 6);
    assert_eq!(positions(game, &["--variations"]).len(), 9);
    assert_eq!(positions(game, &["--ply", "1..2"]).len(), 2);
    assert_eq!(positions(game, &["--ply", "2..3", "--variations"]).len(), 5);
    assert_eq!(positions(game, &["--ply", "4.."]).len(), 2);
    // The start position occurs three times, the Queen's Gambit twice.
    assert_eq!(positions(GAMES, &["--unique"]).len(), 15);
}

#[test]
fn problems_are_told_aside() {
    let run = ferz_reading(["pgn", "epd", "-"], b"1. e4 e4 *");
    assert_eq!((run.out.lines().count(), run.code), (2, Some(1)));
    assert!(run.err.starts_with("-:1:7: illegal-move: "), "{}", run.err);
    let run = ferz_reading(["pgn", "epd", "-", "--ply", "3..2"], b"");
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
}
