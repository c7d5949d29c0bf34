//! `ferz serve`, started for the tests.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};

/// A running server, killed when dropped.
pub(crate) struct PageServer {
    program: PathBuf,
    port: u16,
    child: Child,
}

impl PageServer {
    /// Starts a server on a port that is free.
    pub(crate) fn start(program: &Path) -> Result<PageServer> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        Ok(PageServer { program: program.to_owned(), port, child: spawn(program, port)? })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Kills the server, as a crash would.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Starts it again on the same port.
    pub(crate) fn restart(&mut self) -> Result<()> {
        self.child = spawn(&self.program, self.port)?;
        Ok(())
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// Starts the program and waits until it prints its address.
fn spawn(program: &Path, port: u16) -> Result<Child> {
    let mut child = Command::new(program)
        .args(["serve", "--no-open", "--port", &port.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let output = child.stdout.take().context("no output")?;
    let mut lines = BufReader::new(output).lines();
    let address = format!("127.0.0.1:{port}");
    for line in lines.by_ref() {
        if line?.contains(&address) {
            // The rest of the output must be read, or the pipe would fill up.
            thread::spawn(move || lines.for_each(drop));
            return Ok(child);
        }
    }
    bail!("`{} serve` ended without printing its address", program.display())
}
