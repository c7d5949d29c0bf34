//! A session: steps performed on a process while the referee listens.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail, ensure};

use super::referee::UciReferee;
use crate::figures::SoakFigures;
use crate::process::FerzProcess;

/// One step of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SessionStep {
    /// Write these bytes at once.
    Write(Vec<u8>),
    Sleep(Duration),
    /// Do not read the output for this time; further steps go on.
    Pause(Duration),
    /// Stop everything and wait for every answer.
    Settle,
    /// Close the input.
    End,
}

/// `perft` and `bench` are finished after the input has ended; in sessions they are small.
const LAST_COUNT: Duration = Duration::from_secs(30);

struct UciSession<'a> {
    process: FerzProcess,
    referee: UciReferee<'a>,
    /// When the output is read again.
    read_from: Instant,
    transcript: Vec<String>,
    patience: Duration,
}

/// Plays a session with a new process. The promise that was broken, if any, and a transcript.
pub(super) fn play(
    program: &Path,
    steps: &[SessionStep],
    patience: Duration,
    figures: &SoakFigures,
) -> Result<(Option<anyhow::Error>, Vec<String>)> {
    let mut session = UciSession {
        process: FerzProcess::start(program, &[])?,
        referee: UciReferee::new(figures),
        read_from: Instant::now(),
        transcript: Vec::new(),
        patience,
    };
    let result = steps.iter().try_for_each(|step| session.perform(step)).and_then(|()| session.end());
    let mut broken = result.err();
    let errors = session.process.kill();
    if !errors.is_empty() {
        let text = format!("standard error: {}", errors[..errors.len().min(5)].join("; "));
        broken = Some(broken.map_or(anyhow!("no other problem"), |error| error).context(text));
    }
    figures.count("sessions", 1);
    Ok((broken, session.transcript))
}

impl UciSession<'_> {
    fn perform(&mut self, step: &SessionStep) -> Result<()> {
        if self.referee.has_quit || !self.process.is_input_open() {
            return Ok(());
        }
        match step {
            SessionStep::Write(bytes) => return self.write(bytes),
            SessionStep::Sleep(time) => return self.listen(*time),
            SessionStep::Pause(time) => {
                self.read_from = Instant::now() + *time;
                self.process.pause_reading(self.read_from);
                self.referee.unmeasured_until = Some(self.read_from);
            }
            SessionStep::Settle => return self.settle(),
            SessionStep::End => {
                self.referee.input_ends();
                self.process.close_input();
            }
        }
        self.note(&format!("> {step:?}"));
        Ok(())
    }

    fn note(&mut self, line: &str) {
        const LONGEST: usize = 400;
        self.transcript.push(line.chars().take(LONGEST).collect());
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.note(&format!("> {}", bytes.escape_ascii()));
        self.referee.sent(bytes);
        match self.process.write(bytes) {
            Ok(()) => self.listen(Duration::ZERO),
            // What comes after `quit` is not read.
            Err(_) if self.referee.has_quit => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Handles output until this time; false if none came.
    fn receive(&mut self, deadline: Instant) -> Result<bool> {
        let line = match self.process.line(deadline.saturating_duration_since(Instant::now())) {
            Err(_) if self.referee.has_quit => return Ok(false),
            line => line?,
        };
        let Some((when, line)) = line else { return Ok(false) };
        if !line.starts_with("info ") || line.starts_with("info string ") {
            self.note(&format!("< {line}"));
        }
        self.referee.received(when, &line)?;
        Ok(true)
    }

    fn listen(&mut self, time: Duration) -> Result<()> {
        let deadline = Instant::now() + time;
        while self.receive(deadline)? {}
        Ok(())
    }

    /// Stops everything and waits for all answers.
    fn settle(&mut self) -> Result<()> {
        let line_end: &[u8] = if self.referee.is_within_line() { b"\n" } else { b"" };
        self.write(&[line_end, b"stop\nisready\n"].concat())?;
        let deadline = Instant::now().max(self.read_from) + self.patience;
        while let Some(missing) = self.referee.missing() {
            if !self.receive(deadline)? {
                ensure!(self.referee.has_quit, "{:?} after stop: {missing} missing", self.patience);
                break;
            }
        }
        Ok(())
    }

    /// Ends the session, if it has not ended yet, and waits for the process.
    fn end(&mut self) -> Result<()> {
        self.perform(&SessionStep::End)?;
        let start = Instant::now().max(self.read_from);
        let is_counting = self.referee.is_counting && !self.referee.has_quit;
        let patience = if is_counting { LAST_COUNT } else { self.patience };
        let status = self.process.wait_for_exit(start + patience)?;
        if !is_counting {
            self.referee.figures.time("quit or end of input to the end of the process", start.elapsed());
        }
        if !status.success() {
            bail!("the engine ended with {status}");
        }
        self.referee.has_quit = true;
        while self.receive(Instant::now() + self.patience)? {}
        Ok(())
    }
}
