//! `ferz pgn stats`.

mod collect;
mod counts;
mod openings;
mod report;
mod table;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, value_parser};
use ferz_notation::pgn::parallel::Batch;

use super::reading::{PgnFiles, ReadTotals};
use collect::StatsCollector;
use report::StatsReport;

/// Print statistics of games: results, lengths, players, ratings, dates and openings
///
/// Openings are a tree of the first moves from the standard start position, with White's score in per cent. If a file
/// cannot be read, the exit code is 2.
#[derive(Args)]
#[command(after_long_help = report::KEYS)]
pub(crate) struct PgnStats {
    #[command(flatten)]
    files: PgnFiles,

    /// Depth of the opening tree in half-moves
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u8).range(0..=40))]
    plies: u8,

    /// Maximum number of entries in a list, and of moves per position of the opening tree, which omits moves played in
    /// less than 1 % of the games; 0 shows everything
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

impl PgnStats {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let totals = ReadTotals::new();
        let mut all = StatsCollector::new(self.plies.into());
        let work = |batch: &mut Batch<'_>| batch.read_all(StatsCollector::new(self.plies.into()));
        self.files.read(&totals, work, |collector, _| {
            totals.add(collector.games(), 0);
            all.merge(collector);
            Ok(())
        })?;
        let report = StatsReport::new(&all, Some(self.top).filter(|&top| top > 0));
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            table::write(&report, out)?;
        }
        Ok(totals.exit_code(false))
    }
}
