//! `ferz serve`, started for the tests.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::{env, fs, thread};

use anyhow::{Context, Result, bail};
use ferz_table_maker::Solutions;

/// A running server, killed when dropped.
pub(crate) struct PageServer {
    program: PathBuf,
    /// Its endgame tables.
    tables: PathBuf,
    port: u16,
    child: Child,
}

impl PageServer {
    /// Starts a server on a port that is free, with tables of all endings with three men.
    pub(crate) fn start(program: &Path) -> Result<PageServer> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let tables = env::temp_dir().join(format!("ferz-page-tables-{}", process::id()));
        fs::create_dir_all(&tables)?;
        Solutions::all().write_to(&tables)?;
        let child = spawn(program, port, &tables)?;
        Ok(PageServer { program: program.to_owned(), tables, port, child })
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
        self.child = spawn(&self.program, self.port, &self.tables)?;
        Ok(())
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        let _ = self.kill();
        let _ = fs::remove_dir_all(&self.tables);
    }
}

/// Starts the program and waits until it prints its address.
fn spawn(program: &Path, port: u16, tables: &Path) -> Result<Child> {
    let mut child = Command::new(program)
        .args(["serve", "--no-open", "--port", &port.to_string(), "--syzygy"])
        .arg(tables)
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
