//! A session: steps done to a process, with the referee listening.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::figures::Figures;
use super::referee::Referee;
use super::step::Step;

/// How long anything may take that a chess program waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    pub(super) answer: Duration,
}

/// What is still counted when the input ends is finished first; counts in sessions are small.
const LAST_COUNT: Duration = Duration::from_secs(30);

struct Driver {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
    errors: JoinHandle<String>,
    /// Tells the reader to pause.
    pause: Arc<Mutex<Option<Instant>>>,
    /// When somebody reads again.
    read_from: Instant,
    referee: Referee,
    /// What both sides said, for whoever looks for a fault.
    transcript: Vec<String>,
    patience: Patience,
}

/// What a session came to.
pub(super) struct Played {
    pub(super) figures: Figures,
    /// What was promised and not kept.
    pub(super) broken: Option<anyhow::Error>,
    pub(super) transcript: Vec<String>,
}

/// Plays a session against a new process.
pub(super) fn play(program: &Path, steps: &[Step], patience: Patience) -> Result<Played> {
    let mut driver = Driver::start(program, patience)?;
    let mut broken = steps.iter().try_for_each(|step| driver.step(step)).and_then(|()| driver.end()).err();
    // However it ended, nothing is left behind.
    let _ = driver.child.kill();
    let _ = driver.child.wait();
    drop(driver.input);
    let errors = driver.errors.join().unwrap_or_default();
    if !errors.is_empty() {
        let errors = errors.lines().take(5).collect::<Vec<_>>().join("; ");
        broken = Some(match broken {
            Some(error) => error.context(format!("standard error: {errors}")),
            None => anyhow::anyhow!("standard error: {errors}"),
        });
    }
    let mut figures = driver.referee.figures;
    figures.sessions = 1;
    Ok(Played { figures, broken, transcript: driver.transcript })
}

impl Driver {
    fn start(program: &Path, patience: Patience) -> Result<Driver> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("no output")?;
        let mut errors = child.stderr.take().context("no errors")?;
        let (sender, lines) = mpsc::channel();
        let pause = Arc::new(Mutex::new(None::<Instant>));
        let readers_pause = pause.clone();
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n') {
                let Ok(line) = line else { break };
                if sender.send((Instant::now(), String::from_utf8_lossy(&line).into_owned())).is_err() {
                    break;
                }
                let until = readers_pause.lock().ok().and_then(|mut until| until.take());
                if let Some(until) = until {
                    thread::sleep(until.saturating_duration_since(Instant::now()));
                }
            }
        });
        let errors = thread::spawn(move || {
            let mut text = Vec::new();
            // Whatever was read before an error counts.
            let _ = errors.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        Ok(Driver {
            child,
            input,
            lines,
            errors,
            pause,
            read_from: Instant::now(),
            referee: Referee::new(),
            transcript: Vec::new(),
            patience,
        })
    }

    fn step(&mut self, step: &Step) -> Result<()> {
        if self.referee.has_quit() || self.input.is_none() {
            return Ok(());
        }
        self.transcript.push(short(format!("> {step}")));
        match step {
            Step::Write(bytes) => self.write(bytes),
            Step::Sleep(milliseconds) => self.listen(Duration::from_millis(*milliseconds)),
            Step::Pause(milliseconds) => {
                let until = Instant::now() + Duration::from_millis(*milliseconds);
                *self.pause.lock().expect("nobody panics") = Some(until);
                self.read_from = until;
                self.referee.nobody_reads_until(until);
                Ok(())
            }
            Step::Settle => self.settle(),
            Step::End => {
                self.referee.told_end();
                self.input = None;
                Ok(())
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.referee.told(bytes);
        let input = self.input.as_mut().context("the input has ended")?;
        match input.write_all(bytes) {
            Ok(()) => self.listen(Duration::ZERO),
            // What comes behind `quit` is not read.
            Err(_) if self.referee.has_quit() => Ok(()),
            Err(error) => Err(error).context("the engine does not read"),
        }
    }

    fn hear(&mut self, when: Instant, line: &str) -> Result<()> {
        const WORTH_SHOWING: [&str; 5] = ["bestmove ", "readyok", "uciok", "info string ", "Fen: "];
        if WORTH_SHOWING.iter().any(|start| line.starts_with(start)) {
            self.transcript.push(short(format!("< {line}")));
        }
        self.referee.said(when, line)
    }

    /// Hears what is said for so long.
    fn listen(&mut self, time: Duration) -> Result<()> {
        let deadline = Instant::now() + time;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok((when, line)) => self.hear(when, &line)?,
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) if self.referee.has_quit() => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => bail!("the engine ended: {}", self.child.wait()?),
            }
        }
    }

    /// Stops everything and waits for all that is owed.
    fn settle(&mut self) -> Result<()> {
        let line_end: &[u8] = if self.referee.is_within_line() { b"\n" } else { b"" };
        self.write(&[line_end, b"stop\nisready\n"].concat())?;
        let deadline = Instant::now().max(self.read_from) + self.patience.answer;
        while let Some(owed) = self.referee.owed() {
            if self.referee.has_quit() {
                return Ok(());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok((when, line)) => self.hear(when, &line)?,
                Err(RecvTimeoutError::Timeout) => {
                    bail!("{:?} after stop there are owed: {owed}", self.patience.answer)
                }
                Err(RecvTimeoutError::Disconnected) => bail!("the engine ended: {}", self.child.wait()?),
            }
        }
        Ok(())
    }

    /// Ends the session, if it has not ended yet, and waits for the process.
    fn end(&mut self) -> Result<()> {
        if self.input.is_some() && !self.referee.has_quit() {
            self.step(&Step::End)?;
        }
        let start = Instant::now().max(self.read_from);
        let is_counting = self.referee.is_counting() && !self.referee.has_quit();
        let patience = if is_counting { LAST_COUNT } else { self.patience.answer };
        let status = self.wait(start + patience)?;
        if !is_counting {
            self.referee.figures.exit.push(start.elapsed());
        }
        ensure!(status.success(), "the engine ended with {status}");
        while let Ok((when, line)) = self.lines.recv() {
            self.hear(when, &line)?;
        }
        Ok(())
    }

    fn wait(&mut self, deadline: Instant) -> Result<ExitStatus> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            ensure!(Instant::now() < deadline, "the engine does not end");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Megabytes are not looked at.
fn short(line: String) -> String {
    const MOST: usize = 400;
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} … ({} bytes)", &line[..end], line.len()),
        None => line,
    }
}
