//! Comparing with another program.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Args, value_parser};
use ferz_board::perft::{self, Difference, Divide, FirstDifference};
use ferz_board::{CastlingMode, Move, Position};
use ferz_notation::line;

use super::counter::LeafCounter;
use super::program::{AskedProgram, Program, Question, UciProgram};
use crate::progress::ProgressLine;
use crate::{fen_argument, input};

/// A pasted divide is never longer.
const MAX_FILE: u64 = 1 << 20;

/// A position has more differences only if nothing is right.
const MAX_DIFFERENCES: usize = 20;

/// The program to compare with.
#[derive(Args)]
#[group(id = "peer", multiple = false, conflicts_with_all = ["suite", "divide", "kinds"])]
pub(super) struct Peer {
    /// Find the first wrong move of another program, which is called as `CMD DEPTH FEN [MOVES]` and prints lines such as
    /// `e2e4 20`
    #[arg(long, value_name = "CMD")]
    against: Option<String>,

    /// The same with a UCI engine that knows `go perft`
    #[arg(long, value_name = "CMD")]
    against_uci: Option<String>,

    /// Compare with a divide in a file; `-` is stdin. Lines are such as `e2e4: 20`, `e2e4 20` or `e2e4 - 20`
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
}

/// How long to wait for the program.
#[derive(Args)]
pub(super) struct Patience {
    /// Give up if the other program takes longer than this for one answer, in seconds
    #[arg(long, value_name = "S", default_value_t = 60, requires = "peer")]
    #[arg(value_parser = value_parser!(u32).range(1..))]
    timeout: u32,
}

impl Peer {
    /// Whether there is one.
    pub(super) fn is_asked_for(&self) -> bool {
        self.against.is_some() || self.against_uci.is_some() || self.compare.is_some()
    }

    /// Compares, and prints the first difference. The exit code is 1 if there is one.
    pub(super) fn compare(
        &self,
        position: &Position,
        depth: u32,
        mode: CastlingMode,
        patience: &Patience,
        counter: &LeafCounter,
        out: &mut impl Write,
    ) -> Result<ExitCode> {
        ensure!(depth > 0, "a comparison needs a depth of at least 1");
        let mode = fen_argument::castling_text(position, mode);
        if let Some(file) = &self.compare {
            return compare_file(position, depth, file, counter, out);
        }
        let timeout = Duration::from_secs(u64::from(patience.timeout));
        let mut program = match (&self.against, &self.against_uci) {
            (_, Some(name)) => {
                AskedProgram::Uci(UciProgram::start(name, timeout, mode == CastlingMode::Chess960)?)
            }
            (name, None) => {
                AskedProgram::Called(Program { command: name.as_deref().unwrap_or_default(), timeout })
            }
        };
        let fen = position.to_string();
        let found = ProgressLine::watch(
            || format!("comparing up to depth {depth}"),
            |_| {
                perft::find_difference(position, depth, |moves, depth| {
                    let moves = uci_line(moves, mode);
                    program.divide(&Question { depth, fen: &fen, moves: &moves })
                })
            },
        )?;
        match found {
            Some(found) => write_difference(position, &found, mode, out),
            None => write_equal(depth, out),
        }
    }
}

fn uci_line(moves: &[Move], mode: CastlingMode) -> String {
    let moves: Vec<_> = moves.iter().map(|mv| mv.uci(mode).to_string()).collect();
    moves.join(" ")
}

fn write_equal(depth: u32, out: &mut impl Write) -> Result<ExitCode> {
    writeln!(out, "equal to depth {depth}")?;
    Ok(ExitCode::SUCCESS)
}

/// Prints where the programs part.
fn write_difference(
    root: &Position,
    found: &FirstDifference,
    mode: CastlingMode,
    out: &mut impl Write,
) -> Result<ExitCode> {
    let FirstDifference { moves, position, depth, differences } = found;
    if moves.is_empty() {
        writeln!(out, "different at depth {depth}")?;
    } else {
        let line = line::numbered(root, moves);
        writeln!(out, "different at depth {depth} after {line} ({})", uci_line(moves, mode))?;
    }
    writeln!(out, "{position}")?;
    if differences.is_empty() {
        writeln!(
            out,
            "The divide of this position is right, but the count below the last move was wrong.\n\
             The program does not take moves back completely, or its hash table is wrong."
        )?;
    }
    write_all(position, differences, out)
}

fn write_all(position: &Position, differences: &[Difference], out: &mut impl Write) -> Result<ExitCode> {
    for difference in differences.iter().take(MAX_DIFFERENCES) {
        writeln!(out, "{}", difference.explain(position))?;
    }
    if let Some(more @ 1..) = differences.len().checked_sub(MAX_DIFFERENCES) {
        writeln!(out, "and {more} more")?;
    }
    Ok(ExitCode::FAILURE)
}

/// Compares with a divide that was printed before. It cannot be asked for more, so the next step is the user's.
fn compare_file(
    position: &Position,
    depth: u32,
    file: &Path,
    counter: &LeafCounter,
    out: &mut impl Write,
) -> Result<ExitCode> {
    let name = input::name(file);
    let theirs: Divide = read_text(file).and_then(|text| Ok(text.parse()?)).context(name)?;
    let ours = counter.run(position, depth).divide().context("the count was stopped")?;
    let differences = perft::compare(position, &ours, &theirs);
    if differences.is_empty() {
        return write_equal(depth, out);
    }
    writeln!(out, "different at depth {depth}\n{position}")?;
    let code = write_all(position, &differences, out)?;
    let below = differences.iter().find_map(|difference| match difference {
        Difference::Count { mv, .. } => Some(*mv),
        _ => None,
    });
    if let Some(mv) = below.filter(|_| depth > 1 && !differences.iter().any(Difference::is_here)) {
        let mut after = *position;
        after.play(mv)?;
        writeln!(out, "next: compare depth {} of {after}", depth - 1)?;
    }
    Ok(code)
}

fn read_text(file: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        io::stdin().lock().take(MAX_FILE).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(file)?.take(MAX_FILE).read_to_end(&mut bytes)?;
    }
    ensure!((bytes.len() as u64) < MAX_FILE, "too long for a divide");
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
