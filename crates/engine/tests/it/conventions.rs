//! Conventions of all commands.

use std::fs;
use std::process::{Command, Stdio};

use crate::{Folder, command, ferz};

#[test]
fn help_and_version() {
    for args in [
        &["--help"][..],
        &["help"],
        &["perft", "--help"],
        &["position", "--help"],
        &["bench", "--help"],
        &["analyse", "--help"],
        &["explain", "--help"],
        &["puzzles", "--help"],
        &["match", "--help"],
        &["datagen", "--help"],
        &["data", "--help"],
        &["data", "import", "--help"],
        &["book", "--help"],
        &["book", "make", "--help"],
        &["serve", "--help"],
        &["tb", "--help"],
        &["tb", "check", "--help"],
        &["bitboard", "--help"],
        &["magic", "--help"],
        &["svg", "--help"],
        &["completions", "--help"],
        &["man", "--help"],
    ] {
        let run = ferz(args);
        assert_eq!((run.code, &run.err[..]), (Some(0), ""), "{args:?}");
        assert!(run.out.contains("Usage: ferz"), "{args:?}: {}", run.out);
    }
    let run = ferz(["--version"]);
    assert_eq!(run.out, concat!("ferz ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_eq!(run.code, Some(0));
}

#[test]
fn wrong_arguments_end_with_code_2_and_a_word_on_standard_error() {
    for args in [
        &["nonsense"][..],
        &["--nonsense"],
        &["position", "startpos"],
        &["perft"],
        &["position", "--nonsense", "8/8"],
    ] {
        let run = ferz(args);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert!(run.err.starts_with("error: "), "{args:?}: {}", run.err);
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf_8_are_refused() {
    use std::os::unix::ffi::OsStrExt;

    for args in
        [&[&b"position"[..], b"4k3\xff"][..], &[b"perft", b"\xff"], &[b"perft", b"1", b"--fen", b"\xff"]]
    {
        let run = ferz(args.iter().map(|bytes| std::ffi::OsStr::from_bytes(bytes)));
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert!(run.err.contains("UTF-8"), "{}", run.err);
    }
}

/// A closed pipe (`ferz … | head -1`) causes neither a panic nor a message.
#[test]
fn a_closed_pipe_ends_quietly() {
    for args in [
        &["--help"][..],
        &["perft", "3", "--divide"],
        &["bench", "1"],
        &["analyse", "--depth", "1"],
        &["position"],
        &["position", "--json"],
        &["book", "dump", "embedded"],
    ] {
        let mut child =
            command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ferz starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("ferz ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
        // The program may have finished before the pipe was closed.
        assert!(matches!(output.status.code(), Some(0 | 141)), "{args:?}: {}", output.status);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = || fs::File::options().write(true).open("/dev/full").expect("Linux has /dev/full");
    let output = command(["perft", "1"]).stdout(full()).output().expect("ferz starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "));
    // With stderr full as well, nothing can be reported, but there must be no panic.
    let status = command(["position", "8/8"]).stdout(full()).stderr(full()).status().expect("ferz starts");
    assert_eq!(status.code(), Some(2));
}

/// Text from files, arguments and messages cannot control the terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_no_control_sequences() {
    let folder = Folder::new("terminal");
    let [pgn, epd] = ["games.pgn", "positions.epd"].map(|name| folder.file(name));
    let hostile = "\x1b]0;title\x07\u{9b}31m\u{202e}";
    let game = format!("[White \"{hostile}\"]\n\n1. e4 {{{hostile}}} e5 *\n");
    fs::write(&pgn, game).expect("the test folder can be written to");
    let record = format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm a3; id \"{hostile}\";\n");
    fs::write(&epd, record).expect("the test folder can be written to");
    let wrong = format!("--{hostile}");
    for args in [
        &["pgn", "fmt", &pgn][..],
        &["pgn", "filter", &pgn],
        &["pgn", "check", &pgn],
        &["pgn", "stats", &pgn],
        &["pgn", "stats", "--json", &pgn],
        &["epd", "--list", &epd],
        &["epd", "--nodes", "100", &epd],
        &["position", hostile],
        &["position", &wrong],
    ] {
        let quoted = args.iter().map(|arg| format!("'{arg}'")).collect::<Vec<_>>().join(" ");
        let on_terminal = format!("'{}' {quoted}", env!("CARGO_BIN_EXE_ferz"));
        let run =
            Command::new("script").args(["-qec", &on_terminal, "/dev/null"]).stdin(Stdio::null()).output();
        let out = String::from_utf8(run.expect("script starts").stdout).expect("all output is UTF-8");
        let quotes = !matches!(args, ["pgn", "check", _] | ["position", ..]);
        assert!(!quotes || out.contains("title"), "{args:?}: {out}");
        let controls = ["\x1b]", "\x07", "\u{9b}", "\u{202e}"];
        assert!(!controls.iter().any(|control| out.contains(control)), "{args:?}: {out:?}");
    }
}
