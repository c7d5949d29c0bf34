//! `ferz epd`: files of positions.

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

use solve::Solver;

/// Solve files of positions (EPD), or list them
///
/// With a limit every position is searched that far, with empty tables, and is solved if the move played is among its
/// `bm` and not among its `am`, and if a mate (`dm`, `bm #3`) was found in exactly so many moves. Those that are not
/// solved are listed; the last line is `solved <n> of <n>`.
///
/// With `--list` every record is written as the standard has it: the position, then its operations (`bm`, `am`, `id` …).
/// The last line is `<n> records, <n> problems`.
///
/// Empty lines and those that begin with `#` are passed over. What is wrong with a record is a line
/// `file:line:column: message`; with such problems the exit code is 1, with a file that cannot be read 2.
#[derive(Args)]
#[command(group = ArgGroup::new("work").args(["list", "movetime", "nodes", "depth"]).required(true))]
pub(crate) struct ReadPositions {
    /// The file, plain or packed by zstd; `-` is standard input
    file: PathBuf,

    /// Search each position for so many milliseconds
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Search so many nodes
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Search so many plies deep
    #[arg(long, value_name = "D", value_parser = value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// How many threads search
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "list", value_parser = value_parser!(u64).range(1..=Engine::MAX_THREADS as u64))]
    threads: u64,

    /// The size of the transposition table
    #[arg(long, value_name = "MIB", default_value_t = 16, conflicts_with = "list", value_parser = value_parser!(u32).range(1..))]
    hash: u32,

    /// List the records
    #[arg(long)]
    list: bool,

    /// Form counts, too: missing semicolons, moves that are not written as the standard has it …
    #[arg(long, requires = "list")]
    strict: bool,
}

impl ReadPositions {
    /// Does what was asked for with every record.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        if self.list {
            return list::run(&self.file, self.strict, out);
        }
        let limits = Limits {
            move_time: self.movetime.map(Duration::from_millis),
            nodes: self.nodes,
            depth: self.depth,
            ..Limits::default()
        };
        let solver = Solver { limits, threads: self.threads as usize, hash: self.hash as usize };
        solver.run(&self.file, out)
    }
}

/// What is wrong with a record, and where.
fn diagnostic(file: &str, line: u64, error: &EpdError) -> String {
    let EpdError { opcode, column, problem } = error;
    let opcode = opcode.map_or(String::new(), |opcode| format!("{opcode}: "));
    format!("{file}:{line}:{}: {opcode}{problem}", column.unwrap_or(1))
}
