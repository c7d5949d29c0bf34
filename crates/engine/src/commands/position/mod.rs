//! `ferz position`: everything there is to know about a position.

mod dump;
mod report;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use ferz_board::{CastlingMode, IllegalReason, Position, Square};
use ferz_notation::san::{self, SanError};
use ferz_syzygy::{Dtz, ProbeError, Wdl};
use serde_json::json;

use crate::fen_argument::{self, FenOptions};
use crate::networks;
use crate::progress::note;
use crate::tables::TableArguments;

/// Show everything there is to know about a position
///
/// Shows the board, castling rights, en passant, clocks, Zobrist keys, checks and pins, bitboards, legal moves, the
/// evaluation, and whether the game is over; with `--syzygy`, the verdict of the endgame tables. An invalid FEN is reported on stderr with exit code 2.
#[derive(Args)]
#[command(after_long_help = report::KEYS)]
pub(crate) struct ShowPosition {
    /// The position as FEN, with or without quotation marks [default: the start position]
    #[arg(num_args = 1.., value_name = "FEN")]
    fen: Vec<String>,

    #[command(flatten)]
    reading: FenOptions,

    /// Play these moves first, such as `e4 e5` or `e2e4 e7e5`
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    moves: Vec<String>,

    /// Say whether this move is legal, and why not: which piece blocks it, pins it or gives check
    #[arg(long, value_name = "MOVE")]
    why: Option<String>,

    /// The network to evaluate with: a file, `embedded` or `classical` (no network)
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    #[command(flatten)]
    tables: TableArguments,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

impl ShowPosition {
    /// Parses the position and describes it.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let fen = if self.fen.is_empty() { Position::start().to_string() } else { self.fen.join(" ") };
        let (mut position, repairs) = self.reading.read(&fen)?;
        for (number, text) in (1..).zip(&self.moves) {
            let mv = san::parse_lenient(&position, text).with_context(|| format!("move {number}"))?;
            position.play(mv)?;
        }
        if let Some(text) = &self.why {
            return self.explain_move(&position, text, out);
        }
        let network = networks::load(&self.net)?;
        let network = network.as_deref();
        let verdict = self.verdict(&position)?;
        let mode = fen_argument::castling_text(&position, self.reading.mode());
        if self.json {
            writeln!(out, "{}", report::json(&position, mode, network, verdict, repairs.as_deref())?)?;
        } else {
            repairs.iter().flatten().for_each(|repair| note(format_args!("note: {repair}")));
            dump::write(&position, mode, network, verdict, out)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Whether a move is legal, and why not.
    fn explain_move(&self, position: &Position, text: &str, out: &mut impl Write) -> Result<ExitCode> {
        let error = match san::parse_lenient(position, text) {
            Ok(_) => None,
            Err(error @ SanError::Syntax { .. }) => return Err(error.into()),
            Err(error) => Some(error),
        };
        let message = error.as_ref().map_or_else(|| format!("'{text}' is legal"), SanError::to_string);
        if self.json {
            let reason = error.as_ref().and_then(SanError::reason).map(IllegalReason::name);
            let legal = error.is_none();
            let report = json!({ "move": text, "legal": legal, "reason": reason, "message": message });
            writeln!(out, "{report}")?;
        } else {
            writeln!(out, "{message}")?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// What the tables say; a note on stderr if they should but cannot.
    fn verdict(&self, position: &Position) -> Result<Option<TableVerdict>> {
        let tables = self.tables.open()?;
        if tables.is_empty() {
            return Ok(None);
        }
        let problem = |error: ProbeError| note(format_args!("note: {error}"));
        let wdl = tables.probe_wdl(position).map_err(problem).ok();
        Ok(wdl.map(|wdl| TableVerdict { wdl, dtz: tables.probe_dtz(position).map_err(problem).ok() }))
    }
}

/// The verdict of the endgame tables.
#[derive(Clone, Copy)]
struct TableVerdict {
    wdl: Wdl,
    /// `None` if this table is missing.
    dtz: Option<Dtz>,
}

/// The legal moves in UCI notation, sorted.
fn sorted_moves(position: &Position, mode: CastlingMode) -> Vec<String> {
    let mut moves: Vec<_> = position.legal_moves().iter().map(|mv| mv.uci(mode).to_string()).collect();
    moves.sort();
    moves
}

/// The rooks of the castling rights, in the order `K Q k q`.
fn castling_rooks(position: &Position) -> impl Iterator<Item = Square> {
    position.castling_rights().iter().filter_map(|(color, side)| position.castling_rook(color, side))
}
