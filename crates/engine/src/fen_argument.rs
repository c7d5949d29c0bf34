//! FENs on the command line and in files.

use anyhow::{Result, anyhow};
use clap::Args;
use ferz_board::{CastlingMode, FenError, Position, Repair};

use crate::progress::note;

/// How a FEN is parsed: strictly, unless the user asks for repairs.
#[derive(Args)]
pub(crate) struct FenOptions {
    #[command(flatten)]
    castling: CastlingOption,

    /// Repair the FEN where possible: missing fields, impossible castling rights or en-passant squares
    #[arg(long)]
    lenient: bool,
}

impl FenOptions {
    /// The castling rules of the command line.
    pub(crate) fn mode(&self) -> CastlingMode {
        self.castling.mode()
    }

    /// Parses a FEN; with `--lenient`, also returns the repairs.
    pub(crate) fn read(&self, fen: &str) -> Result<(Position, Option<Vec<Repair>>)> {
        if self.lenient {
            lenient(fen, self.mode()).map(|(position, repairs)| (position, Some(repairs)))
        } else {
            strict(fen, self.mode()).map(|position| (position, None))
        }
    }

    /// Parses a FEN and notes the repairs on stderr.
    pub(crate) fn read_and_note(&self, fen: &str) -> Result<Position> {
        let (position, repairs) = self.read(fen)?;
        repairs.iter().flatten().for_each(|repair| note(format_args!("note: {repair}")));
        Ok(position)
    }
}

/// Which castling rules apply.
#[derive(Args)]
pub(crate) struct CastlingOption {
    /// Use Chess960 castling rules and notation (e1h1 instead of e1g1)
    #[arg(long)]
    chess960: bool,
}

impl CastlingOption {
    /// The castling rules of the command line.
    pub(crate) fn mode(&self) -> CastlingMode {
        if self.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard }
    }
}

/// Parses a FEN exactly as the standard defines it.
fn strict(fen: &str, mode: CastlingMode) -> Result<Position> {
    Position::from_fen_in(fen, mode).map_err(|error| match way_out(fen, mode) {
        Some(option) => anyhow!("bad FEN: {error}\nhint: {option} accepts it"),
        None => bad_fen(&error),
    })
}

/// Parses a FEN leniently and lists the repairs. Chess960 castling rights are a repair only in standard mode.
pub(crate) fn lenient(fen: &str, mode: CastlingMode) -> Result<(Position, Vec<Repair>)> {
    let (position, mut repairs) = Position::from_fen_lenient(fen).map_err(|error| bad_fen(&error))?;
    if mode == CastlingMode::Chess960 {
        repairs.retain(|&repair| repair != Repair::Chess960);
    }
    Ok((position, repairs))
}

/// How castling moves are written. With Chess960 castling rights a king move (`f1g1`) could mean two moves, so the rook's square is named regardless of the option.
pub(crate) fn castling_text(position: &Position, asked_for: CastlingMode) -> CastlingMode {
    match position.castling_mode() {
        CastlingMode::Standard => asked_for,
        CastlingMode::Chess960 => CastlingMode::Chess960,
    }
}

fn bad_fen(error: &FenError) -> anyhow::Error {
    anyhow!("bad FEN: {error}")
}

/// The option that accepts a rejected FEN.
fn way_out(fen: &str, mode: CastlingMode) -> Option<&'static str> {
    if mode == CastlingMode::Standard && Position::from_fen_in(fen, CastlingMode::Chess960).is_ok() {
        return Some("--chess960");
    }
    Position::from_fen_lenient(fen).is_ok().then_some("--lenient")
}
