//! `ferz epd`.

mod lines;
mod list;
mod solve;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{ArgGroup, Args, value_parser};
use ferz_notation::epd::EpdError;
use ferz_search::{Engine, Limits};

pub(super) use lines::for_each as for_each_line;
use solve::Solver;

/// Solve or list the positions of an EPD file
///
/// With a limit, searches every position with empty tables. A position is solved if the move played is one of its best
/// moves (`bm`), none of its avoid moves (`am`), and if a mate (`dm`, `bm #3`) was found in exactly that many moves.
/// Prints the positions that were not solved; the last line is `solved <n> of <n>`.
///
/// With `--list`, prints every record in standard form: the position, then its operations (`bm`, `am`, `id` …). The last
/// line is `<n> records, <n> problems`.
///
/// Empty lines and lines that start with `#` are ignored. A problem in a record is reported as
/// `file:line:column: message` with exit code 1. If the file cannot be read, the exit code is 2.
#[derive(Args)]
#[command(group = ArgGroup::new("work").args(["list", "movetime", "nodes", "depth"]).required(true))]
pub(crate) struct ReadPositions {
    /// The EPD file, plain or compressed with zstd; `-` is stdin
    file: PathBuf,

    /// Stop each search after MS milliseconds
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Stop each search after N nodes
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Stop each search at depth D
    #[arg(long, value_name = "D", value_parser = value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Number of search threads
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "list", value_parser = value_parser!(u64).range(1..=Engine::MAX_THREADS as u64))]
    threads: u64,

    /// Size of the transposition table
    #[arg(long, value_name = "MIB", default_value_t = 16, conflicts_with = "list", value_parser = value_parser!(u32).range(1..))]
    hash: u32,

    /// List the records
    #[arg(long)]
    list: bool,

    /// Report deviations from the standard form, too, such as missing semicolons
    #[arg(long, requires = "list")]
    strict: bool,
}

impl ReadPositions {
    /// Solves or lists the records.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        if self.list {
            return list::run(&self.file, self.strict, out);
        }
        let mut limits = Limits::default();
        limits.move_time = self.movetime.map(Duration::from_millis);
        limits.nodes = self.nodes;
        limits.depth = self.depth;
        let solver = Solver { limits, threads: self.threads as usize, hash: self.hash as usize };
        solver.run(&self.file, out)
    }
}

/// The message for a problem in a record.
fn diagnostic(file: &str, line: u64, error: &EpdError) -> String {
    let EpdError { opcode, column, problem, .. } = error;
    let opcode = opcode.map_or(String::new(), |opcode| format!("{opcode}: "));
    format!("{file}:{line}:{}: {opcode}{problem}", column.unwrap_or(1))
}
