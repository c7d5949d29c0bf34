//! The other side of a session: what a chess program does with an engine.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::command;

/// Long enough for a machine that does a lot of other things.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A running engine. Every line it writes is kept; those that were expected count as read.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    seen: Vec<String>,
    read: usize,
}

impl Session {
    /// Starts the engine and does not say anything.
    pub fn new() -> Session {
        Session::with_args(&[])
    }

    pub fn with_args(args: &[&str]) -> Session {
        Session::start(command(args))
    }

    /// Starts the engine by this command.
    pub fn start(mut command: Command) -> Session {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("ferz starts");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("standard output is a pipe");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let line = line.expect("all output is UTF-8");
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Session { child, input, lines, seen: Vec::new(), read: 0 }
    }

    /// An engine that has introduced itself and is ready.
    pub fn ready() -> Session {
        let mut session = Session::new();
        session.send("uci");
        session.expect("uciok");
        session.synchronize();
        session
    }

    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is still open");
        input.write_all(bytes).expect("ferz reads");
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for a line that begins like this and passes over those before it.
    #[track_caller]
    pub fn expect(&mut self, start: &str) -> String {
        self.expect_within(start, PATIENCE)
    }

    #[track_caller]
    pub fn expect_within(&mut self, start: &str, patience: Duration) -> String {
        let deadline = Instant::now() + patience;
        loop {
            while self.read < self.seen.len() {
                self.read += 1;
                if self.seen[self.read - 1].starts_with(start) {
                    return self.seen[self.read - 1].clone();
                }
            }
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => self.seen.push(line),
                Err(error) => panic!("no line {start:?} ({error}), but {:#?}", self.seen),
            }
        }
    }

    /// Waits until everything sent before has been done.
    #[track_caller]
    pub fn synchronize(&mut self) {
        self.send("isready");
        self.expect("readyok");
    }

    /// Sends a line, lets it be done, and returns what was said about it.
    #[track_caller]
    pub fn answer(&mut self, line: &str) -> Vec<String> {
        let from = self.seen.len();
        assert_eq!(from, self.read, "there are unread lines: {:#?}", &self.seen[self.read..]);
        self.send(line);
        self.synchronize();
        self.seen[from..self.seen.len() - 1].to_vec()
    }

    /// Sends a line that is wrong and returns the only thing said about it.
    #[track_caller]
    pub fn complaint(&mut self, line: &str) -> String {
        let answer = self.answer(line);
        let [complaint] = &answer[..] else { panic!("{line}: {answer:?}") };
        complaint.strip_prefix("info string error: ").unwrap_or_else(|| panic!("{answer:?}")).to_owned()
    }

    /// Searches and returns the best move.
    #[track_caller]
    pub fn best_move(&mut self, go: &str) -> String {
        self.send(go);
        let line = self.expect("bestmove ");
        line.split_whitespace().nth(1).expect("a move").to_owned()
    }

    /// How many lines began like this so far.
    pub fn count(&mut self, start: &str) -> usize {
        self.seen.extend(self.lines.try_iter());
        self.seen.iter().filter(|line| line.starts_with(start)).count()
    }

    /// The FEN of the board.
    #[track_caller]
    pub fn fen(&mut self) -> String {
        self.send("d");
        let fen = self.expect("Fen: ").trim_start_matches("Fen: ").to_owned();
        self.expect("Checkers:");
        fen
    }

    /// Waits for the end, which is near even on a busy machine, and returns the exit code.
    #[track_caller]
    pub fn exit_code(mut self) -> Option<i32> {
        self.end().0
    }

    /// The same, with all lines there were.
    #[track_caller]
    pub fn end(&mut self) -> (Option<i32>, Vec<String>) {
        let deadline = Instant::now() + Duration::from_secs(5);
        let status = loop {
            match self.child.try_wait().expect("ferz is our child") {
                Some(status) => break status,
                None => assert!(Instant::now() < deadline, "ferz does not end"),
            }
            thread::sleep(Duration::from_millis(5));
        };
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.seen.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the output does not end"),
            }
        }
        (status.code(), self.seen.clone())
    }

    /// Says goodbye; the engine must still be well.
    #[track_caller]
    pub fn quit(mut self) {
        self.synchronize();
        self.send("quit");
        assert_eq!(self.exit_code(), Some(0));
    }
}

/// No test that fails leaves an engine behind.
impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
