//! `ferz epd --list`.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use ferz_notation::epd::{Epd, EpdError, Severity};
use ferz_notation::pgn;

use super::lines;
use crate::input::{self, ReadMeter};
use crate::progress::ProgressLine;
use crate::terminal::TextOutput;

/// Lists the records of a file.
pub(super) fn run(file: &Path, strict: bool, out: &mut impl Write) -> Result<ExitCode> {
    let name = input::name(file);
    let meter = ReadMeter::default();
    let progress_line = || {
        let percent = meter.percent().map_or(String::new(), |percent| format!("{percent} %, "));
        format!("{percent}{:.1} MB: {name}", meter.text() as f64 / 1e6)
    };
    let list = ProgressLine::watch(progress_line, |progress| {
        let mut list = List { name: &name, strict, records: 0, problems: 0 };
        let mut out = TextOutput::new(out);
        lines::for_each(file, &meter, |line, number| {
            Ok(out.write(list.add(line, number).as_bytes(), progress)?)
        })?;
        anyhow::Ok(list)
    })?;
    writeln!(out, "{} records, {} problems", list.records, list.problems)?;
    Ok(if list.problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The state of a listing.
struct List<'a> {
    name: &'a str,
    strict: bool,
    records: u64,
    problems: u64,
}

impl List<'_> {
    /// The output for a line: the record and its problems.
    fn add(&mut self, line: &[u8], number: u64) -> String {
        let (record, errors) = match Epd::parse_lenient(&pgn::text(line)) {
            Ok((epd, errors)) => {
                self.records += 1;
                (format!("{epd}\n"), errors)
            }
            Err(error) => (String::new(), vec![error]),
        };
        let is_wanted = |error: &EpdError| self.strict || error.problem.severity() > Severity::Form;
        let mut listing = record;
        for error in errors.into_iter().filter(is_wanted) {
            self.problems += 1;
            listing += &super::diagnostic(self.name, number, &error);
            listing.push('\n');
        }
        listing
    }
}
