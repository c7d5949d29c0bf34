//! Every way to end a session.

use std::io::Write;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::driver::{PATIENCE, Session};
use crate::command;

#[test]
fn no_input_at_all() {
    let mut session = Session::new();
    session.close_input();
    assert_eq!(session.end(), (Some(0), vec![]));
}

#[test]
fn the_input_ends_during_a_search() {
    for go in ["go infinite", "go ponder wtime 1000 btime 1000", "go movetime 100000"] {
        let mut session = Session::ready();
        session.send(go);
        thread::sleep(Duration::from_millis(50));
        session.close_input();
        let (code, lines) = session.end();
        assert_eq!(code, Some(0), "{go}");
        assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove ")).count(), 1, "{go}: {lines:#?}");
    }
}

#[test]
fn quit_during_a_search() {
    let mut session = Session::ready();
    // Later commands are ignored.
    session.send("go infinite\nquit\nposition startpos\nisready");
    assert_eq!(session.exit_code(), Some(0));
}

#[test]
fn quit_does_not_wait_for_a_long_count() {
    let mut session = Session::ready();
    session.send("go perft 50");
    session.send("quit");
    assert_eq!(session.exit_code(), Some(0));
}

#[test]
fn the_last_line_needs_no_end() {
    let mut session = Session::ready();
    session.send_bytes(b"quit");
    session.close_input();
    assert_eq!(session.exit_code(), Some(0));
    let mut session = Session::new();
    session.send_bytes(b"isready");
    session.close_input();
    assert_eq!(session.end(), (Some(0), vec!["readyok".to_owned()]));
}

/// A closed output: the engine notices at its next line and ends silently.
#[test]
fn nobody_reads() {
    for line in ["isready", "uci", "position startpos", "go depth 3", "go movetime 10", "d"] {
        let mut child = command::<&str>([])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("ferz starts");
        drop(child.stdout.take());
        let mut input = child.stdin.take().expect("standard input is a pipe");
        // Programs that other tests start may hold our end of the pipe for a moment. Output is then lost without an
        // error, so the command is repeated.
        let deadline = Instant::now() + PATIENCE;
        while child.try_wait().expect("ferz is our child").is_none() && Instant::now() < deadline {
            // The engine may have ended before it reads this.
            let _ = writeln!(input, "{line}\nisready");
            thread::sleep(Duration::from_millis(20));
        }
        // If it still runs, this ends it with a different code.
        drop(input);
        let output = child.wait_with_output().expect("ferz ends");
        assert_eq!(output.status.code(), Some(141), "{line}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_input_that_cannot_be_read_is_an_error() {
    let folder = std::fs::File::open("/").expect("there is a root");
    let output = command::<&str>([]).stdin(folder).output().expect("ferz starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "));
}
