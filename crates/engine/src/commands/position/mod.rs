//! `ferz position`: everything there is to know about a position.

mod drawing;
mod net_drawing;
mod report;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ferz_board::{CastlingMode, Position, Square};

use crate::fen_argument::{self, FenOptions};
use crate::networks;
use crate::progress::tell;

/// Show everything there is to know about a position
///
/// The board, castling rights, en passant, clocks, Zobrist keys, checks and pins, the bitboards behind it all,
/// the legal moves, and whether the game is over. A FEN that is none is explained on standard error, with exit
/// code 2.
#[derive(Args)]
#[command(after_long_help = report::KEYS)]
pub(crate) struct ShowPosition {
    /// The position as FEN, in quotation marks or without; the start position if there is none
    #[arg(num_args = 1.., value_name = "FEN")]
    fen: Vec<String>,

    #[command(flatten)]
    reading: FenOptions,

    /// Evaluate with this net; `classical` is none
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    /// Write a JSON object
    #[arg(long)]
    json: bool,
}

impl ShowPosition {
    /// Reads the position and describes it.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let (position, repairs) = if self.fen.is_empty() {
            (Position::start(), None)
        } else {
            self.reading.read(&self.fen.join(" "))?
        };
        let network = networks::load(&self.net)?;
        let network = network.as_deref();
        let mode = fen_argument::castling_text(&position, self.reading.mode());
        if self.json {
            writeln!(out, "{}", report::json(&position, mode, network, repairs.as_deref())?)?;
        } else {
            repairs.iter().flatten().for_each(|repair| tell(format_args!("note: {repair}")));
            drawing::write(&position, mode, out)?;
            if let Some(network) = network {
                writeln!(out, "\n{}", draw_network(&position, network))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The board as a picture of letters.
pub(crate) fn draw_board(position: &Position) -> String {
    drawing::board(position)
}

/// What a net thinks of a position and its pieces, as a picture.
pub(crate) use net_drawing::draw_network;

/// The legal moves in the order of the alphabet.
fn sorted_moves(position: &Position, mode: CastlingMode) -> Vec<String> {
    let mut moves: Vec<_> = position.legal_moves().iter().map(|mv| mv.uci(mode).to_string()).collect();
    moves.sort();
    moves
}

/// The rooks that belong to the castling rights, in the same order: `K Q k q`.
fn castling_rooks(position: &Position) -> impl Iterator<Item = Square> {
    position.castling_rights().iter().filter_map(|(color, side)| position.castling_rook(color, side))
}
