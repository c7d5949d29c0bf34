//! The engine as a chess program sees it: a process with two pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// A running engine; it ends with this value.
#[derive(Debug)]
pub(crate) struct Engine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<(Instant, String)>,
}

impl Engine {
    /// Starts `ferz` with these arguments and says nothing to it.
    pub(crate) fn start(program: &Path, args: &[&str]) -> Result<Engine> {
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let input = child.stdin.take().context("no input")?;
        let output = child.stdout.take().context("no output")?;
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n') {
                let Ok(line) = line else { break };
                let line = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        });
        Ok(Engine { child, input, lines })
    }

    /// Starts an engine that is ready for a game.
    pub(crate) fn ready(program: &Path) -> Result<Engine> {
        let mut engine = Engine::start(program, &[])?;
        engine.send("uci")?;
        engine.wait_for("uciok", Duration::from_secs(10))?;
        engine.synchronize(Duration::from_secs(10))?;
        Ok(engine)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&mut self, line: &str) -> Result<()> {
        self.send_bytes(format!("{line}\n").as_bytes())
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.input.write_all(bytes).context("the engine does not read")
    }

    /// The next line and when it came, `None` if none came in time.
    pub(crate) fn line(&mut self, patience: Duration) -> Result<Option<(Instant, String)>> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                bail!("the engine ended: {:?}", self.child.wait().context("no status")?)
            }
        }
    }

    /// Passes over lines until one begins like this.
    pub(crate) fn wait_for(&mut self, start: &str, patience: Duration) -> Result<(Instant, String)> {
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.line(left)? {
                Some((when, line)) if line.starts_with(start) => return Ok((when, line)),
                Some(_) => {}
                None => bail!("no line `{start}` within {patience:?}"),
            }
        }
    }

    /// Waits until the engine says that it is ready.
    pub(crate) fn synchronize(&mut self, patience: Duration) -> Result<()> {
        self.send("isready")?;
        self.wait_for("readyok", patience).map(drop)
    }

    /// Says goodbye to an engine that must still be well.
    pub(crate) fn quit(mut self) -> Result<()> {
        self.send("quit")?;
        let deadline = Instant::now() + Duration::from_secs(5);
        loop {
            if let Some(status) = self.child.try_wait()? {
                ensure!(status.success(), "the engine ended with {status}");
                return Ok(());
            }
            ensure!(Instant::now() < deadline, "the engine does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Nothing is left behind.
impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
