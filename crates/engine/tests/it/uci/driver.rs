//! A UCI client.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::command;

/// The timeout on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A running engine. All of its lines are kept; expected ones count as read.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    seen: Vec<String>,
    read: usize,
    /// While set, the output of the engine is not read.
    is_paused: Arc<AtomicBool>,
}

impl Session {
    /// Starts the engine without sending anything.
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
        let is_paused = Arc::new(AtomicBool::new(false));
        let pause = is_paused.clone();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let line = line.expect("all output is UTF-8");
                if sender.send(line).is_err() {
                    break;
                }
                while pause.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                }
            }
        });
        Session { child, input, lines, seen: Vec::new(), read: 0, is_paused }
    }

    /// An engine that has answered `uci` and `isready`.
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

    /// The resident memory of the engine, in MiB.
    #[cfg(target_os = "linux")]
    pub fn resident(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
        let kibibytes: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
        kibibytes / 1024.0
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Pauses or resumes reading the output of the engine.
    pub fn pause_reading(&mut self, is_paused: bool) {
        self.is_paused.store(is_paused, Ordering::Relaxed);
    }

    /// Waits for a line with this prefix and skips those before it.
    #[track_caller]
    pub fn expect(&mut self, start: &str) -> String {
        self.expect_within(start, PATIENCE)
    }

    #[track_caller]
    pub fn expect_within(&mut self, start: &str, patience: Duration) -> String {
        self.find(patience, |line| line.starts_with(start))
            .unwrap_or_else(|error| panic!("no line {start:?} ({error}), but {:#?}", self.seen))
    }

    /// Waits for a line that matches and skips those before it.
    pub fn find(
        &mut self,
        patience: Duration,
        is_meant: impl Fn(&str) -> bool,
    ) -> Result<String, RecvTimeoutError> {
        let deadline = Instant::now() + patience;
        loop {
            while self.read < self.seen.len() {
                self.read += 1;
                if is_meant(&self.seen[self.read - 1]) {
                    return Ok(self.seen[self.read - 1].clone());
                }
            }
            self.seen.push(self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now()))?);
        }
    }

    /// Marks all lines so far as read.
    pub fn pass_over(&mut self) {
        self.read = self.lines_so_far().len();
    }

    /// All lines so far.
    pub fn lines_so_far(&mut self) -> &[String] {
        self.seen.extend(self.lines.try_iter());
        &self.seen
    }

    /// Waits until all earlier commands are done.
    #[track_caller]
    pub fn synchronize(&mut self) {
        self.send("isready");
        self.expect("readyok");
    }

    /// Sends a line and returns the lines printed in response.
    #[track_caller]
    pub fn answer(&mut self, line: &str) -> Vec<String> {
        let from = self.seen.len();
        assert_eq!(from, self.read, "there are unread lines: {:#?}", &self.seen[self.read..]);
        self.send(line);
        self.synchronize();
        self.seen[from..self.seen.len() - 1].to_vec()
    }

    /// Sends an invalid line and returns the only error message.
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

    /// The number of lines with this prefix so far.
    pub fn count(&mut self, start: &str) -> usize {
        self.lines_so_far().iter().filter(|line| line.starts_with(start)).count()
    }

    /// The FEN of the board.
    #[track_caller]
    pub fn fen(&mut self) -> String {
        self.send("d");
        let fen = self.expect("Fen: ").trim_start_matches("Fen: ").to_owned();
        self.expect("Checkers:");
        fen
    }

    /// Waits for the exit of the engine and returns its code.
    #[track_caller]
    pub fn exit_code(mut self) -> Option<i32> {
        self.end().0
    }

    /// Waits for the exit of the engine and returns its code; `None` if that takes too long.
    pub fn exit_within(&mut self, patience: Duration) -> Option<Option<i32>> {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait().expect("ferz is our child") {
                Some(status) => return Some(status.code()),
                None if Instant::now() >= deadline => return None,
                None => thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// The same, with all lines.
    #[track_caller]
    pub fn end(&mut self) -> (Option<i32>, Vec<String>) {
        let code = self.exit_within(Duration::from_secs(5)).expect("ferz ends");
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.seen.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the output does not end"),
            }
        }
        (code, self.seen.clone())
    }

    /// Quits; the engine must still work.
    #[track_caller]
    pub fn quit(mut self) {
        self.synchronize();
        self.send("quit");
        assert_eq!(self.exit_code(), Some(0));
    }
}

/// A failed test must not leave an engine running.
impl Drop for Session {
    fn drop(&mut self) {
        // The engine may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
