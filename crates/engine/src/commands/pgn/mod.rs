//! `ferz pgn`.

mod check;
mod epd;
mod filter;
mod fmt;
pub(super) mod problems;
pub(super) mod range;
pub(super) mod reading;
mod stats;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

/// Work with PGN files: check, format, extract positions, count and filter games
///
/// Zstd compression is recognised by the content of a file. Every command continues after a broken game.
#[derive(Subcommand)]
pub(crate) enum Pgn {
    Check(check::CheckGames),
    Fmt(fmt::FormatGames),
    Epd(epd::WritePositions),
    Stats(stats::PgnStats),
    Filter(filter::FilterGames),
}

impl Pgn {
    /// Runs the command and returns its exit code.
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
