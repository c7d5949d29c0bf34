//! Perft suites: files of positions with known counts.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use anyhow::{Context, Result, bail, ensure};
use ferz_board::{CastlingMode, Position, Repair};

use super::MAX_DEPTH;
use super::counter::LeafCounter;
use crate::fen_argument;
use crate::progress::{self, ProgressLine};

/// A longer line means that the file is not a suite. It may even be endless.
const MAX_LINE: u64 = 1 << 16;

/// The name of the suite inside the program; a file of this name is `./builtin`.
const BUILTIN: &str = "builtin";

const NO_COUNTS: &str = "expected counts such as \";D1 20\" after the FEN";

/// Checks every line of a file. Prints the failures, then the totals.
pub(super) fn run(
    file: &Path,
    mode: CastlingMode,
    max_nodes: u64,
    counter: &LeafCounter,
    out: &mut impl Write,
) -> Result<ExitCode> {
    let name = file.display().to_string();
    let input: Box<dyn BufRead> = if name == "-" {
        Box::new(io::stdin().lock())
    } else if name == BUILTIN {
        Box::new(io::Cursor::new(super::known::suite()))
    } else {
        Box::new(BufReader::new(File::open(file).with_context(|| name.clone())?))
    };
    let totals = SuiteTotals::default();
    let progress_line = || format!("{name}: {totals}, at line {}", totals.line.load(Relaxed));
    ProgressLine::watch(progress_line, |progress| {
        Suite { name: &name, mode, max_nodes, counter, totals: &totals, progress }.check(input, out)
    })?;
    writeln!(out, "{totals}")?;
    Ok(if totals.failed.load(Relaxed) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The positions that passed and failed so far, shared with the progress line.
#[derive(Default)]
struct SuiteTotals {
    line: AtomicU64,
    passed: AtomicU64,
    failed: AtomicU64,
}

impl std::fmt::Display for SuiteTotals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed.load(Relaxed), self.failed.load(Relaxed))
    }
}

struct Suite<'a> {
    name: &'a str,
    mode: CastlingMode,
    max_nodes: u64,
    counter: &'a LeafCounter,
    totals: &'a SuiteTotals,
    progress: &'a ProgressLine,
}

impl Suite<'_> {
    fn check(&self, mut input: impl BufRead, out: &mut impl Write) -> Result<()> {
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            let length = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes);
            if length.with_context(|| self.name.to_owned())? == 0 {
                break;
            }
            let place = format!("{}:{number}", self.name);
            ensure!((bytes.len() as u64) < MAX_LINE, "{place}: line too long for a perft suite");
            self.totals.line.store(number, Relaxed);
            let failures = match self.failures(&bytes, number == 1, &place) {
                Ok(None) => continue,
                Ok(Some(failures)) => failures,
                Err(unreadable) => vec![format!("{unreadable:#}")],
            };
            if failures.is_empty() {
                self.totals.passed.fetch_add(1, Relaxed);
                continue;
            }
            self.totals.failed.fetch_add(1, Relaxed);
            self.progress.suspend(|| -> io::Result<()> {
                failures.iter().try_for_each(|failure| writeln!(out, "{place}: {failure}"))?;
                out.flush()
            })?;
        }
        Ok(())
    }

    /// The wrong counts of a line; `None` if it has nothing to check.
    fn failures(&self, line: &[u8], is_first: bool, place: &str) -> Result<Option<Vec<String>>> {
        let line = str::from_utf8(line).context("not UTF-8 text")?;
        let line = if is_first { line.trim_start_matches('\u{feff}') } else { line }.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let (fen, counts) = line.split_once(';').context(NO_COUNTS)?;
        let position = self.position(fen.trim(), place)?;
        let counts = counts.split(';').map(str::trim).filter(|count| !count.is_empty());
        let mut counts = counts.map(parse_count).collect::<Result<Vec<_>>>()?;
        ensure!(!counts.is_empty(), NO_COUNTS);

        counts.retain(|&(_, expected)| expected <= self.max_nodes);
        if counts.is_empty() {
            self.note(format_args!("{place}: skipped, all counts are above --max-nodes"));
            return Ok(None);
        }
        let differences = counts.into_iter().filter_map(|(depth, expected)| {
            // Nothing stops this run, so there is a count.
            let counted = self.counter.run(&position, depth).count().unwrap_or_default();
            (counted != expected).then(|| format!("depth {depth}: expected {expected}, counted {counted}"))
        });
        Ok(Some(differences.collect()))
    }

    fn position(&self, fen: &str, place: &str) -> Result<Position> {
        let (position, repairs) = fen_argument::lenient(fen, self.mode)?;
        if repairs.contains(&Repair::Chess960) {
            bail!("Chess960 castling rights need --chess960");
        }
        repairs.iter().for_each(|repair| self.note(format_args!("{place}: {repair}")));
        Ok(position)
    }

    fn note(&self, note: std::fmt::Arguments<'_>) {
        self.progress.suspend(|| progress::note(format_args!("note: {note}")));
    }
}

/// Parses `D3 8902`.
fn parse_count(text: &str) -> Result<(u32, u64)> {
    let parse = || {
        let (depth, nodes) = text.strip_prefix('D')?.split_once(char::is_whitespace)?;
        let depth = depth.parse().ok().filter(|&depth| depth <= MAX_DEPTH)?;
        Some((depth, nodes.trim_start().parse().ok()?))
    };
    // Debug formatting escapes control characters.
    parse().with_context(|| format!("expected a depth and a count such as \"D1 20\", found {text:?}"))
}
