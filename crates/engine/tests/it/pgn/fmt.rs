//! `ferz pgn fmt`.

use super::GAMES;
use crate::ferz_reading;

#[test]
fn the_export_format_is_written() {
    let sloppy =
        "[White \"Ada\"]\n[Event \"x\"]\n1.e2e4!? e5 ( 1...c7-c5;best\n2.Nf3) 2.0-0?? {not yet} Nf3 1-0";
    let run = ferz_reading(["pgn", "fmt", "-"], sloppy.as_bytes());
    let expected = "[Event \"x\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"Ada\"]\n[Black \"?\"]\n\
                    [Result \"1-0\"]\n\n1. e4 $5 e5 (1... c5 {best} 2. Nf3) 2. 0-0?? {not yet} Nf3 1-0\n";
    // What stands behind the illegal move is kept as it was.
    assert_eq!(run.out, expected);
    assert_eq!(run.code, Some(1));
    let mut told = run.err.lines();
    assert!(told.next().is_some_and(|line| line.starts_with("-:4:10: illegal-move: ")), "{}", run.err);
    assert!(told.next().is_some_and(|line| line.starts_with("1 games, 2 moves, ")), "{}", run.err);
}

#[test]
fn what_is_formatted_stays_as_it_is() {
    let once = ferz_reading(["pgn", "fmt", "-"], GAMES.as_bytes());
    assert_eq!(once.code, Some(0));
    assert!(once.out.contains("2. Qh5 $6 Nc6 (2... Nf6 {gambit} 3. Qxe5+) 3. Bc4"), "{}", once.out);
    assert!(once.err.starts_with("3 games, 15 moves, 0.0 MB, "), "{}", once.err);
    let twice = ferz_reading(["pgn", "fmt", "-"], once.out.as_bytes());
    assert_eq!((twice.out, twice.code), (once.out, Some(0)));
}

#[test]
fn options_leave_things_out() {
    let game = "[Event \"x\"]\n\n1. e4 {best} $1 e5 (1... c5) *";
    for (options, expected) in [
        (&["--no-comments"][..], "1. e4 $1 e5 (1... c5) *"),
        (&["--no-nags"], "1. e4 {best} 1... e5 (1... c5) *"),
        (&["--no-variations", "--symbols"], "1. e4! {best} 1... e5 *"),
        (&["--no-comments", "--no-variations", "--no-nags", "--width", "5"], "1. e4\ne5 *"),
    ] {
        let run = ferz_reading([&["pgn", "fmt", "--keep-tags", "-"], options].concat(), game.as_bytes());
        assert_eq!(run.out, format!("[Event \"x\"]\n\n{expected}\n"), "{options:?}");
    }
}

#[test]
fn a_game_must_not_fill_the_memory() {
    let text = format!("1. e4 {{{}}} *\n\n1. d4 *", "x".repeat(33 << 20));
    let run = ferz_reading(["pgn", "fmt", "-"], text.as_bytes());
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert!(run.err.starts_with("error: -: the game takes more than 32 MiB of memory\n"), "{}", run.err);
}
