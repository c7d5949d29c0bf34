//! `ferz pgn stats`: what is in files of games.

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

use super::reading::{Files, Tally};
use collect::Collector;
use report::Report;

/// Count what is in files of games: results, lengths, players, ratings, dates, openings
///
/// Openings are a tree of the first moves of games from the usual start position, with White's score in per cent. Files
/// that cannot be read end with exit code 2.
#[derive(Args)]
#[command(after_long_help = report::KEYS)]
pub(crate) struct Stats {
    #[command(flatten)]
    files: Files,

    /// How many half-moves deep the tree of openings is
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u8).range(0..=40))]
    plies: u8,

    /// How many entries a list has at most, and how many moves follow a position in the tree, which leaves out what
    /// occurred in less than a hundredth of the games; 0 is everything
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,

    /// Write a JSON object
    #[arg(long)]
    json: bool,
}

impl Stats {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let tally = Tally::new();
        let mut all = Collector::new(self.plies.into());
        let work = |batch: &mut Batch<'_>| batch.read_all(Collector::new(self.plies.into()));
        self.files.read(&tally, work, |collector, _| {
            tally.add(collector.games(), 0);
            all.merge(collector);
            Ok(())
        })?;
        let report = Report::new(&all, Some(self.top).filter(|&top| top > 0));
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            table::write(&report, out)?;
        }
        Ok(tally.exit_code(false))
    }
}
