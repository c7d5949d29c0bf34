//! The command line: output, messages and exit codes.

mod analyse;
mod bench;
mod bitboard;
mod book;
mod conventions;
mod data;
mod documents;
mod epd;
mod explain;
mod explore;
mod faults;
mod library;
mod matches;
mod openbench;
mod perft;
mod pgn;
mod position;
mod puzzles;
mod serve;
mod suite;
mod tables;
mod tb;
#[cfg(feature = "tune")]
mod tune;
mod uci;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The result of a run.
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Run {
    fn last_line(&self) -> &str {
        self.out.lines().last().unwrap_or_default()
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        let text = |bytes| String::from_utf8(bytes).expect("all output is UTF-8");
        Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

fn command<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferz"));
    command.args(args);
    command
}

/// Runs `ferz` with these arguments.
fn ferz<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Run {
    command(args).output().expect("ferz starts").into()
}

/// The same with standard input.
fn ferz_reading<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>, input: &[u8]) -> Run {
    let piped = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = piped.expect("ferz starts");
    // The program may stop reading early.
    let _ = child.stdin.take().expect("standard input is a pipe").write_all(input);
    child.wait_with_output().expect("ferz ends").into()
}

/// A folder for a test, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the test folder has a plain name").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes a file for this run of the tests and returns its path.
fn file_of(name: &str, bytes: &[u8]) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).expect("the folder for test files can be written");
    path.into_os_string().into_string().expect("paths of tests are UTF-8")
}
