//! `ferz pgn`.

mod check;
mod filter;
mod fmt;
mod positions;
mod stats;
mod zst;

use std::path::PathBuf;

use crate::{ferz, ferz_reading};

/// A few games with all kinds of content.
const GAMES: &str = r#"[Event "Club"]
[Site "Here"]
[Date "2001.02.03"]
[Round "1"]
[White "Ada"]
[Black "Bob"]
[Result "1-0"]
[WhiteElo "2100"]
[BlackElo "1900"]
[ECO "C20"]

1. e4 {best by test} e5 2. Qh5 $6 Nc6 (2... Nf6 {gambit} 3. Qxe5+) 3. Bc4 Nf6 4. Qxf7# 1-0

[Event "Club"]
[Site "Here"]
[Date "2001.02.??"]
[Round "2"]
[White "Bob"]
[Black "Ada"]
[Result "1/2-1/2"]
[WhiteElo "1900"]
[BlackElo "2100"]
[ECO "D06"]

1. d4 d5 2. c4 Nf6 1/2-1/2

[Event "Transposed"]
[Site "There"]
[Date "1999.12.31"]
[Round "?"]
[White "Cem"]
[Black "Dóra"]
[Result "0-1"]

1. c4 Nf6 2. d4 d5 0-1
"#;

/// A file that is removed on drop.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, content: impl AsRef<[u8]>) -> TempFile {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, content).expect("the file can be written");
        TempFile(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("the path is UTF-8")
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Thousands of games, valid and broken ones, in several batches per thread.
fn many_games() -> String {
    let endings = [
        "1. e4 e5 2. Nf3 (2. f4 exf4 {open} (2... d5)) Nc6 1-0",
        "1. d4 d5 2. c4 {a comment\n\n[Site \"?\"]\nwith an empty line} dxc4 *",
        "1. e4 Ke2 {never closed",
        "1. Nf3 (1. c4 (1. d4 d5",
        "1. e4 e5 2. Ke2 & ) $999 0-1",
        "",
    ];
    let mut text = String::from("\u{feff}");
    for i in 0..12_000 {
        let ending = endings[i * 7 % endings.len()];
        text += &format!("[Event \"{i}\"]\n[White \"Player {}\"]\n[Result \"*\"]\n\n{ending}\n\n", i % 100);
    }
    text
}

#[test]
fn threads_make_no_difference() {
    let games = TempFile::new("threads.pgn", many_games());
    for command in [
        &["check"][..],
        &["fmt"],
        &["fmt", "--keep-tags", "--no-comments", "--width", "30"],
        &["epd"],
        &["epd", "--variations", "--unique"],
        &["stats", "--json"],
        &["filter", "--tag", "White=Player 7"],
        &["filter", "--length", "2..", "--limit", "1000"],
    ] {
        let run = |threads| {
            let mut run = ferz([&["pgn"], command, &["--threads", threads, games.path()]].concat());
            // The last line on stderr contains the time.
            let told = run.err.lines().filter(|line| !line.ends_with("MB/s")).collect::<Vec<_>>().join("\n");
            run.err = told;
            run
        };
        let one = run("1");
        assert!(!one.out.is_empty());
        for threads in ["2", "5"] {
            let several = run(threads);
            assert_eq!(several.code, one.code, "{command:?}");
            assert!(several.out == one.out, "{command:?}");
            assert!(several.err == one.err, "{command:?}");
        }
    }
}

#[test]
fn files_that_cannot_be_read_end_with_code_2() {
    let games = TempFile::new("readable.pgn", GAMES);
    for command in [&["check"][..], &["fmt"], &["epd"], &["stats"], &["filter"]] {
        for file in ["no/such/file", env!("CARGO_TARGET_TMPDIR")] {
            let run = ferz([&["pgn"], command, &[file, games.path()]].concat());
            assert_eq!(run.code, Some(2), "{command:?}");
            assert!(run.err.starts_with(&format!("error: {file}: ")), "{}", run.err);
            // The other files are read.
            assert!(!run.out.is_empty(), "{command:?}");
        }
        let run = ferz([&["pgn"], command].concat());
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{command:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_endless_device_is_no_file_of_games() {
    for command in ["check", "fmt", "epd", "stats", "filter"] {
        let run = ferz(["pgn", command, "/dev/zero"]);
        assert_eq!(run.code, Some(2), "{command}");
        assert!(run.err.starts_with("error: /dev/zero: not text"), "{}", run.err);
    }
}

#[test]
fn standard_input_is_read() {
    let file = TempFile::new("stdin.pgn", GAMES);
    for command in [&["check"][..], &["fmt"], &["epd"], &["stats"], &["filter"]] {
        let from_file = ferz([&["pgn"], command, &[file.path()]].concat());
        let from_input = ferz_reading([&["pgn"], command, &["-"]].concat(), GAMES.as_bytes());
        assert_eq!((from_input.code, from_input.out), (Some(0), from_file.out), "{command:?}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let games = TempFile::new("pipe.pgn", many_games());
    for command in ["check", "fmt", "epd", "filter"] {
        for threads in ["1", "2"] {
            let mut child = crate::command(["pgn", command, "--threads", threads, games.path()])
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .expect("ferz starts");
            drop(child.stdout.take());
            let output = child.wait_with_output().expect("ferz ends");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(!told.contains("error") && !told.contains("panic"), "{command}: {told}");
            assert_eq!(output.status.code(), Some(141), "{command}");
        }
    }
}
