//! `ferz pgn check`.

use super::{GAMES, TempFile, many_games};
use crate::{ferz, ferz_reading};

#[test]
fn good_games_pass() {
    let run = ferz_reading(["pgn", "check", "-"], GAMES.as_bytes());
    assert_eq!((&run.out[..], &run.err[..]), ("3 games, 15 moves, 0 problems\n", ""));
    assert_eq!(run.code, Some(0));
    let run = ferz_reading(["pgn", "check", "-"], b"");
    assert_eq!((&run.out[..], run.code), ("0 games, 0 moves, 0 problems\n", Some(0)));
}

#[test]
fn every_broken_game_is_reported_and_the_rest_read() {
    let text = "[Event \"a\"]\n\n1. e4 e5 2. Ke3 Nf6 1-0\n\n\
                [Event \"b\"]\n\n1. d4 d5 *\n\n\
                [Event \"c\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. d4 *\n\n\
                [Event \"d\"]\n\n1. d4 {open\n\n\
                [Event \"e\"]\n\n1. c4 (1. e4 *\n";
    let file = TempFile::new("broken.pgn", text);
    let run = ferz(["pgn", "check", file.path()]);
    let name = file.path();
    let expected = [
        "3:13: illegal-move: illegal move; rest of the line skipped (game 1, ply 2): Ke3: the king on e1",
        "10:1: bad-fen: ",
        "16:8: unclosed-comment: ",
        "21:1: unclosed-variation: ",
    ];
    for (line, expected) in run.out.lines().zip(expected) {
        assert!(line.starts_with(&format!("{name}:{expected}")), "{line}");
    }
    assert_eq!(run.out.lines().count(), 5);
    assert_eq!(run.last_line(), "5 games, 6 moves, 4 problems");
    assert_eq!((run.code, &run.err[..]), (Some(1), ""));

    let run = ferz(["pgn", "check", "--quiet", file.path()]);
    assert_eq!((&run.out[..], run.code), ("5 games, 6 moves, 4 problems\n", Some(1)));
}

#[test]
fn several_files_are_counted_together() {
    let (one, two) = (TempFile::new("one.pgn", GAMES), TempFile::new("two.pgn", "1. e4 e4 *"));
    let run = ferz(["pgn", "check", one.path(), two.path(), one.path()]);
    assert_eq!(run.last_line(), "7 games, 31 moves, 1 problems");
    assert!(run.out.starts_with(&format!("{}:1:7: illegal-move: ", two.path())), "{}", run.out);
    assert_eq!(run.code, Some(1));

    let run = ferz(["pgn", "check", one.path(), "no/such/file", two.path()]);
    assert_eq!(run.last_line(), "4 games, 16 moves, 1 problems");
    assert_eq!(run.code, Some(2));
    assert!(run.err.starts_with("error: no/such/file: "), "{}", run.err);
}

#[test]
fn of_many_problems_in_a_game_the_number_is_told() {
    let text = format!("1. e4 {} *\n\n1. d4 & *", "&".repeat(50));
    let run = ferz_reading(["pgn", "check", "-"], text.as_bytes());
    assert_eq!(run.out.lines().filter(|line| line.contains("stray-character")).count(), 21);
    assert!(run.out.contains("-:1:27: more-problems: 30 more (game 1)\n"), "{}", run.out);
    assert_eq!(run.last_line(), "2 games, 2 moves, 51 problems");
}

#[test]
fn nothing_commands_the_terminal() {
    let text = "1. e4 \u{1b}[31mred\u{7} \u{9b}31m \u{202e} N\u{1b}f3 *";
    let run = ferz_reading(["pgn", "check", "-"], text.as_bytes());
    assert_eq!(run.code, Some(1));
    assert!(!run.out.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{:?}", run.out);
}

/// While the program waits for more input, it has not kept what it has read.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_file() {
    use std::io::Write;
    use std::process::Stdio;

    let games = many_games();
    for threads in ["1", "2"] {
        let mut child = crate::command(["pgn", "check", "--quiet", "--threads", threads, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("ferz starts");
        let mut input = child.stdin.take().expect("standard input is a pipe");
        for _ in 0..30 {
            input.write_all(games.as_bytes()).expect("ferz reads");
        }
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("Linux tells");
        drop(input);
        let output = child.wait_with_output().expect("ferz ends");
        assert!(String::from_utf8_lossy(&output.stdout).starts_with("360000 games, "));
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak is told");
        let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
        assert!(kilobytes < 16 << 10, "{threads} threads: {kilobytes} kB for {} bytes", 30 * games.len());
    }
}
