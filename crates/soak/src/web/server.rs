//! `ferz serve` as a process: started, killed, watched.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// A server on a port that stays the same when it is restarted; it ends with this value.
#[derive(Debug)]
pub(super) struct Server {
    program: PathBuf,
    child: Child,
    pub(super) port: u16,
    complaints: Receiver<String>,
}

/// What the system says of a process.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    pub(super) memory_kib: u64,
    pub(super) threads: u64,
    pub(super) files: usize,
    pub(super) processor: Duration,
}

impl Server {
    pub(super) fn start(program: &Path) -> Result<Server> {
        let (child, port, complaints) = launch(program, 0)?;
        Ok(Server { program: program.to_owned(), child, port, complaints })
    }

    /// Ends it without warning and starts it again.
    pub(super) fn restart(&mut self) -> Result<()> {
        self.child.kill().context("the server cannot be killed")?;
        self.child.wait()?;
        let (child, _, complaints) = launch(&self.program, self.port)?;
        self.child = child;
        self.complaints = complaints;
        Ok(())
    }

    /// What it has said on its standard error, which should be nothing.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        self.complaints.try_iter().collect()
    }

    pub(super) fn is_running(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    pub(super) fn usage(&self) -> Result<Usage> {
        /// Of a second; the same on every Linux.
        const TICK: u64 = 10;
        let folder = PathBuf::from(format!("/proc/{}", self.child.id()));
        let status = fs::read_to_string(folder.join("status"))?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse::<u64>().ok())
        };
        let stat = fs::read_to_string(folder.join("stat"))?;
        // The name of the program, in parentheses, may contain anything.
        let (_, fields) = stat.rsplit_once(')').context("no name")?;
        let ticks = fields.split_ascii_whitespace().skip(11).take(2).flat_map(str::parse::<u64>).sum::<u64>();
        Ok(Usage {
            memory_kib: field("VmRSS:").context("no memory")?,
            threads: field("Threads:").context("no threads")?,
            files: fs::read_dir(folder.join("fd"))?.count(),
            processor: Duration::from_millis(ticks * TICK),
        })
    }
}

/// Starts a server and waits until it listens.
fn launch(program: &Path, port: u16) -> Result<(Child, u16, Receiver<String>)> {
    let mut child = Command::new(program)
        .args(["serve", "--no-open", "--port", &port.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let (output, errors) = (child.stdout.take(), child.stderr.take().context("no standard error")?);
    let (sender, complaints) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            // Nobody listens when the run is over.
            let _ = sender.send(line);
        }
    });
    let mut line = String::new();
    BufReader::new(output.context("no standard output")?).read_line(&mut line)?;
    let address = line.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix('/'));
    match address.and_then(|port| port.parse().ok()) {
        Some(port) => Ok((child, port, complaints)),
        None => {
            child.kill()?;
            child.wait()?;
            bail!("no address: {line:?} {:?}", complaints.try_iter().collect::<Vec<_>>())
        }
    }
}

/// Nothing is left behind.
impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
