//! Ferz as a process, and what the operating system knows about it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::figures::lock;

/// A running process with its standard streams. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct FerzProcess {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
    /// Until when nobody reads the output.
    pause: Arc<Mutex<Option<Instant>>>,
    /// Lines on standard error, and the thread that reads them.
    errors: Arc<Mutex<Vec<String>>>,
    error_reader: Option<JoinHandle<()>>,
}

impl FerzProcess {
    pub(crate) fn start(program: &Path, args: &[&str]) -> Result<FerzProcess> {
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("no standard output")?;
        let stderr = child.stderr.take().context("no standard error")?;
        let (sender, lines) = mpsc::channel();
        let pause = Arc::new(Mutex::new(None::<Instant>));
        let reader_pause = Arc::clone(&pause);
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
                let until = lock(&reader_pause).take();
                thread::sleep(until.map_or(Duration::ZERO, |until| until - Instant::now()));
            }
        });
        let errors = Arc::new(Mutex::new(Vec::new()));
        let all_errors = Arc::clone(&errors);
        let error_reader = thread::spawn(move || {
            for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
                lock(&all_errors).push(String::from_utf8_lossy(&line).into_owned());
            }
        });
        Ok(FerzProcess { child, input, lines, pause, errors, error_reader: Some(error_reader) })
    }

    /// Starts a UCI engine and waits until it is ready.
    pub(crate) fn engine(program: &Path) -> Result<FerzProcess> {
        let mut engine = FerzProcess::start(program, &[])?;
        engine.ask("uci", "uciok", Duration::from_secs(10))?;
        engine.ask("isready", "readyok", Duration::from_secs(10))?;
        Ok(engine)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&mut self, line: &str) -> Result<()> {
        self.write(format!("{line}\n").as_bytes())
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let input = self.input.as_mut().context("the input is closed")?;
        input.write_all(bytes).context("the engine does not read its input")
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    pub(crate) fn is_input_open(&self) -> bool {
        self.input.is_some()
    }

    /// Stops reading the output until then; the pipe fills up.
    pub(crate) fn pause_reading(&self, until: Instant) {
        *lock(&self.pause) = Some(until);
    }

    /// The next line with its time of arrival; `None` if none came in time.
    pub(crate) fn line(&mut self, patience: Duration) -> Result<Option<(Instant, String)>> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                bail!("the engine ended with {}: {}", self.child.wait()?, lock(&self.errors).join("; "))
            }
        }
    }

    /// Sends a line and waits for one with this prefix.
    pub(crate) fn ask(&mut self, text: &str, prefix: &str, patience: Duration) -> Result<(Instant, String)> {
        self.send(text)?;
        let deadline = Instant::now() + patience;
        loop {
            match self.line(deadline.saturating_duration_since(Instant::now()))? {
                Some((when, line)) if line.starts_with(prefix) => return Ok((when, line)),
                Some(_) => {}
                None => bail!("no {prefix:?} within {patience:?} of {text:?}"),
            }
        }
    }

    /// What was written to standard error since the last call.
    pub(crate) fn take_errors(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.errors))
    }

    pub(crate) fn is_running(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    pub(crate) fn wait_for_exit(&mut self, deadline: Instant) -> Result<ExitStatus> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            ensure!(Instant::now() < deadline, "the engine does not end");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Sends `quit`; the engine must end at once, without an error.
    pub(crate) fn quit(mut self) -> Result<()> {
        self.send("quit")?;
        let status = self.wait_for_exit(Instant::now() + Duration::from_secs(5))?;
        ensure!(status.success(), "the engine ended with {status}");
        let errors = self.kill();
        ensure!(errors.is_empty(), "standard error: {}", errors.join("; "));
        Ok(())
    }

    /// Ends the process. Returns what is left on its standard error.
    pub(crate) fn kill(&mut self) -> Vec<String> {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(reader) = self.error_reader.take() {
            let _ = reader.join();
        }
        self.take_errors()
    }
}

impl Drop for FerzProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A field of `/proc/ID/status`, such as `VmRSS:` (KiB); `None` if the process has ended or this is not Linux.
pub(crate) fn status_field(id: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Resident memory in KiB.
pub(crate) fn resident_kib(id: u32) -> Option<u64> {
    status_field(id, "VmRSS:")
}

/// The most resident memory so far, in MiB.
pub(crate) fn peak_mib(id: u32) -> Option<u64> {
    status_field(id, "VmHWM:").map(|kib| kib / 1024)
}

/// How many files, pipes and sockets are open.
pub(crate) fn open_files(id: u32) -> Option<usize> {
    Some(fs::read_dir(format!("/proc/{id}/fd")).ok()?.count())
}

/// Processor time used so far.
pub(crate) fn cpu_time(id: u32) -> Option<Duration> {
    /// The clock tick of `/proc` is 10 ms on every Linux.
    const TICK_MS: u64 = 10;
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the program, in parentheses, may contain anything.
    let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
    Some(Duration::from_millis(TICK_MS * fields.flat_map(str::parse::<u64>).sum::<u64>()))
}

/// How long the threads of a process were ready to run while the processors did something else.
pub(crate) fn run_delay(id: u32) -> Option<Duration> {
    let mut sum = Duration::ZERO;
    for thread in fs::read_dir(format!("/proc/{id}/task")).ok()?.flatten() {
        // A thread may end in the meantime.
        let Ok(text) = fs::read_to_string(thread.path().join("schedstat")) else { continue };
        sum += Duration::from_nanos(text.split_whitespace().nth(1)?.parse().ok()?);
    }
    Some(sum)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_figures() {
        let id = std::process::id();
        assert!(resident_kib(id).is_some_and(|kib| kib > 500));
        assert!(peak_mib(id).is_some() && cpu_time(id).is_some() && run_delay(id).is_some());
        assert!(open_files(id).is_some_and(|files| files >= 3));
    }
}
