//! `ferz book show`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use ferz_board::{Position, Repair};
use ferz_notation::{openings, san};
use serde::Serialize;

use crate::books::OpeningBook;
use crate::fen_argument::{self, FenOptions};
use crate::input;
use crate::progress::note;

/// The keys of the object, for the help text.
const KEYS: &str = "\
Keys of the JSON object:
  book      the file
  records   records in the whole book
  fen       the position
  key       its Polyglot key, 16 hexadecimal digits
  opening   null, or eco and name
  moves     in the order of the book: uci, san, weight, share (per cent of the
            weight of all moves), learn
  illegal   records of this key without a legal move
  repairs   with --lenient: the repairs that were made";

/// Show what a book knows about a position
///
/// Prints the legal moves with their weights in the order of the book. If there are none, the exit code is 1.
#[derive(Args)]
#[command(after_long_help = KEYS)]
pub(crate) struct ShowBook {
    /// The book: a file, or `embedded`
    book: PathBuf,

    /// The position; without it, the start position
    #[arg(value_name = "FEN")]
    fen: Vec<String>,

    #[command(flatten)]
    reading: FenOptions,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct BookReport {
    book: String,
    records: u64,
    fen: String,
    key: String,
    opening: Option<NamedOpening>,
    moves: Vec<BookMoveReport>,
    illegal: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    repairs: Option<Vec<String>>,
}

#[derive(Serialize)]
struct NamedOpening {
    eco: &'static str,
    name: &'static str,
}

#[derive(Serialize)]
struct BookMoveReport {
    uci: String,
    san: String,
    weight: u16,
    share: f64,
    learn: u32,
}

impl ShowBook {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let fen = if self.fen.is_empty() { Position::start().to_string() } else { self.fen.join(" ") };
        let (position, repairs) = self.reading.read(&fen)?;
        let report = self.report(&position, repairs.as_deref())?;
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            repairs.iter().flatten().for_each(|repair| note(format_args!("note: {repair}")));
            write(&report, out)?;
        }
        Ok(if report.moves.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    fn report(&self, position: &Position, repairs: Option<&[Repair]>) -> Result<BookReport> {
        let mut book = OpeningBook::open(&self.book)?;
        let name = || input::name(&self.book);
        let entries = book.entries(position).with_context(name)?;
        let moves = book.moves(position).with_context(name)?;
        let total: u64 = moves.iter().map(|it| u64::from(it.weight)).sum();
        let mode = fen_argument::castling_text(position, self.reading.mode());
        Ok(BookReport {
            book: name(),
            records: book.records(),
            fen: position.to_string(),
            key: format!("{:016x}", position.key()),
            opening: openings::lookup(position).map(|it| NamedOpening { eco: it.eco, name: it.name }),
            illegal: entries.len() - moves.len(),
            moves: moves
                .iter()
                .map(|it| BookMoveReport {
                    uci: it.mv.uci(mode).to_string(),
                    san: san::San::new(position, it.mv).to_string(),
                    weight: it.weight,
                    share: (1000.0 * f64::from(it.weight) / total.max(1) as f64).round() / 10.0,
                    learn: it.learn,
                })
                .collect(),
            repairs: repairs.map(|repairs| repairs.iter().map(ToString::to_string).collect()),
        })
    }
}

fn write(report: &BookReport, out: &mut impl Write) -> Result<()> {
    writeln!(out, "book      {}, {} records", report.book, report.records)?;
    writeln!(out, "position  {}", report.fen)?;
    writeln!(out, "key       {}", report.key)?;
    if let Some(opening) = &report.opening {
        writeln!(out, "opening   {} {}", opening.eco, opening.name)?;
    }
    if report.illegal > 0 {
        writeln!(out, "illegal   {} records", report.illegal)?;
    }
    if report.moves.is_empty() {
        writeln!(out, "\nno moves")?;
        return Ok(());
    }
    writeln!(out, "\nmove       uci    weight   share  learn")?;
    for BookMoveReport { uci, san, weight, share, learn } in &report.moves {
        writeln!(out, "{san:<10} {uci:<6} {weight:>6} {share:>5.1} %  {learn}")?;
    }
    Ok(())
}
