//! The commands, one module each.

mod epd;
mod perft;
mod pgn;
mod position;

use std::io::Write;
use std::process::ExitCode;

use clap::Subcommand;

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    Perft(perft::Perft),
    Position(position::ShowPosition),
    #[command(subcommand)]
    Pgn(pgn::Pgn),
    Epd(epd::ReadPositions),
}

impl Command {
    /// Does it and says how it went.
    pub(crate) fn run(self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        match self {
            Command::Perft(perft) => perft.run(out),
            Command::Position(position) => position.run(out),
            Command::Pgn(pgn) => pgn.run(out),
            Command::Epd(positions) => positions.run(out),
        }
    }
}
