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
    /// Its library, and its endgame tables in `tables`.
    folder: PathBuf,
    port: u16,
    child: Child,
}

impl PageServer {
    /// Starts a server on a port that is free, with tables of all endings with three men.
    pub(crate) fn start(program: &Path) -> Result<PageServer> {
        let folder = env::temp_dir().join(format!("ferz-page-server-{}", process::id()));
        let tables = folder.join("tables");
        fs::create_dir_all(&tables)?;
        Solutions::all().write_to(&tables)?;
        PageServer::start_in(program, folder)
    }

    fn start_in(program: &Path, folder: PathBuf) -> Result<PageServer> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = spawn(program, port, &folder)?;
        Ok(PageServer { program: program.to_owned(), folder, port, child })
    }

    /// Starts a second server, with an empty library and without tables.
    pub(crate) fn with_empty_library(&self) -> Result<PageServer> {
        let folder = env::temp_dir().join(format!("ferz-page-library-{}", process::id()));
        fs::create_dir_all(&folder)?;
        PageServer::start_in(&self.program, folder)
    }

    /// Starts a server with games for the opening explorer, whose index goes to the folder `cache`.
    pub(crate) fn start_with_openings(program: &Path, games: &Path, cache: &Path) -> Result<PageServer> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new(program);
        command.args(["serve", "--no-open", "--port", &port.to_string(), "--library", "none", "--openings"]);
        command.arg(games).env("XDG_CACHE_HOME", cache);
        let child = spawn_command(&mut command, port)?;
        Ok(PageServer { program: program.to_owned(), folder: cache.to_owned(), port, child })
    }

    /// The program.
    pub(crate) fn program(&self) -> &Path {
        &self.program
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
        self.child = spawn(&self.program, self.port, &self.folder)?;
        Ok(())
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        let _ = self.kill();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Starts the program and waits until it prints its address.
fn spawn(program: &Path, port: u16, folder: &Path) -> Result<Child> {
    let mut command = Command::new(program);
    command.args(["serve", "--no-open", "--port", &port.to_string(), "--library"]);
    command.arg(folder.join("library.sqlite"));
    // Two threads even on a machine with one processor, and the program itself as another engine.
    command.args(["--searches", "2", "--engine", &format!("Twin={}", program.display())]);
    let tables = folder.join("tables");
    if tables.exists() {
        command.arg("--syzygy").arg(tables);
    }
    spawn_command(&mut command, port)
}

/// Starts a server and waits until it prints its address.
fn spawn_command(command: &mut Command, port: u16) -> Result<Child> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
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
    bail!("`{} serve` ended without printing its address", command.get_program().display())
}
