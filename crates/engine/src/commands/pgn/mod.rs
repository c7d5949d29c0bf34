//! `ferz pgn`: files of games.

mod check;
mod epd;
mod filter;
mod fmt;
pub(super) mod problems;
mod range;
mod reading;
mod stats;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

/// Check, format, take apart, count or select games in PGN files
///
/// Files packed by zstd are recognised by what is in them. Every command reads on behind a broken game.
#[derive(Subcommand)]
pub(crate) enum Pgn {
    Check(check::Check),
    Fmt(fmt::Format),
    Epd(epd::WritePositions),
    Stats(stats::Stats),
    Filter(filter::Filter),
}

impl Pgn {
    /// Does it and says how it went.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        match self {
            Pgn::Check(check) => check.run(out),
            Pgn::Fmt(format) => format.run(out),
            Pgn::Epd(positions) => positions.run(out),
            Pgn::Stats(stats) => stats.run(out),
            Pgn::Filter(filter) => filter.run(out),
        }
    }
}
