//! `ferz epd`: files of positions.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use ferz_notation::epd::{Epd, EpdError, Severity};
use ferz_notation::pgn;

use crate::input::{self, Meter};
use crate::progress::Progress;
use crate::terminal::Output;

/// Read files of positions (EPD)
///
/// Every record is written as the standard has it: the position, then its operations (`bm`, `am`, `id` …). What is wrong
/// with a record is a line `file:line:column: message` in its place or behind it; empty lines and those that begin
/// with `#` are passed over. The last line is `<n> records, <n> problems`. With problems the exit code is 1, with a file
/// that cannot be read 2.
#[derive(Args)]
pub(crate) struct ReadPositions {
    /// The file, plain or packed by zstd; `-` is standard input
    file: PathBuf,

    /// List the records
    #[arg(long, required = true)]
    list: bool,

    /// Form counts, too: missing semicolons, moves that are not written as the standard has it …
    #[arg(long)]
    strict: bool,
}

impl ReadPositions {
    /// Reads the records and lists them.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let name = input::name(&self.file);
        let meter = Meter::default();
        let progress_line = || {
            let percent = meter.percent().map_or(String::new(), |percent| format!("{percent} %, "));
            format!("{percent}{:.1} MB: {name}", meter.text() as f64 / 1e6)
        };
        let (records, problems) = Progress::watch(progress_line, |progress| {
            let mut list = List { name: &name, strict: self.strict, progress, records: 0, problems: 0 };
            list.read(&self.file, &meter, &mut Output::new(out))?;
            anyhow::Ok((list.records, list.problems))
        })?;
        writeln!(out, "{records} records, {problems} problems")?;
        Ok(if problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// The listing while it is made.
struct List<'a> {
    name: &'a str,
    strict: bool,
    progress: &'a Progress,
    records: u64,
    problems: u64,
}

impl List<'_> {
    fn read(&mut self, file: &Path, meter: &Meter, out: &mut Output<'_, impl Write>) -> Result<()> {
        let file = input::open(file, meter).with_context(|| self.name.to_owned())?;
        let mut file = BufReader::new(file);
        let mut line = Vec::new();
        for number in 1u64.. {
            line.clear();
            if !read_line(&mut file, &mut line).with_context(|| self.name.to_owned())? {
                break;
            }
            let line = if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line) } else { &line };
            if !matches!(line.trim_ascii_start(), [] | [b'#', ..]) {
                let listing = self.list(line, number);
                out.write(listing.as_bytes(), self.progress)?;
            }
        }
        Ok(())
    }

    /// The record of a line and what is wrong with it.
    fn list(&mut self, line: &[u8], number: u64) -> String {
        let (record, errors) = match Epd::parse_lenient(&pgn::text(line)) {
            Ok((epd, errors)) => {
                self.records += 1;
                (format!("{epd}\n"), errors)
            }
            Err(error) => (String::new(), vec![error]),
        };
        let is_wanted = |error: &EpdError| self.strict || error.problem.severity() > Severity::Form;
        let mut listing = record;
        for EpdError { opcode, column, problem } in errors.into_iter().filter(is_wanted) {
            self.problems += 1;
            listing += &format!("{}:{number}:{}: ", self.name, column.unwrap_or(1));
            listing += &opcode.map_or(String::new(), |opcode| format!("{opcode}: "));
            listing += &format!("{problem}\n");
        }
        listing
    }
}

/// Reads a line, of which no more is kept than is needed to see that it is too long; false at the end of the file.
fn read_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    let is_some = file.by_ref().take(Epd::MAX_LINE_LEN as u64 + 2).read_until(b'\n', line)? > 0;
    if is_some && line.last() != Some(&b'\n') {
        file.skip_until(b'\n')?;
    }
    Ok(is_some)
}
