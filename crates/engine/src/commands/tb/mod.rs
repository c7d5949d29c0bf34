//! `ferz tb`.

mod check;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use ferz_board::{CastlingMode, Move, Position};
use ferz_notation::san::San;
use ferz_syzygy::{Dtz, Material, ProbeError, TableKind, Tablebases, Wdl};
use serde::Serialize;

use crate::fen_argument::{self, FenOptions};
use crate::progress::note;

/// Look up a position in Syzygy tables, or check table files
///
/// Shows the result of the position and of every move with best play, the best move first. `DTZ` is the distance to
/// zeroing: the plies to the next capture or pawn move; for a move it is that of the position after it. Numbers are
/// positive if the side to move wins. A win that the 50-move rule makes a draw is cursed, such a loss is blessed.
///
/// If the tables do not have the position, the reason is reported on stderr with exit code 2.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct LookUp {
    #[command(subcommand)]
    command: Option<TableCommand>,

    /// The position as FEN, with or without quotation marks
    #[arg(num_args = 1.., value_name = "FEN", required = true)]
    fen: Vec<String>,

    /// A folder with tables; repeat it for several folders
    #[arg(long, value_name = "DIR", required = true)]
    path: Vec<PathBuf>,

    #[command(flatten)]
    reading: FenOptions,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Work with table files.
#[derive(Subcommand)]
enum TableCommand {
    Check(check::CheckTables),
}

/// What the tables know of a position. The keys of the JSON object have this order.
#[derive(Serialize)]
struct Verdict {
    fen: String,
    material: String,
    wdl: i32,
    /// `None` without DTZ tables.
    dtz: Option<i32>,
    result: &'static str,
    moves: Vec<MoveLine>,
}

#[derive(Serialize)]
struct MoveLine {
    uci: String,
    san: String,
    wdl: i32,
    dtz: Option<i32>,
    result: &'static str,
}

impl LookUp {
    /// Looks the position up, or runs the subcommand.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        if let Some(TableCommand::Check(check)) = self.command {
            return check.run(out);
        }
        let position = self.reading.read_and_note(&self.fen.join(" "))?;
        let mode = fen_argument::castling_text(&position, self.reading.mode());
        let tables = Tablebases::open(&self.path)?;
        let verdict = Verdict::new(&tables, &position, mode)?;
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&verdict)?)?;
        } else {
            if verdict.dtz.is_none() {
                note("note: DTZ tables are missing");
            }
            verdict.write(&position, out)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Verdict {
    fn new(tables: &Tablebases, position: &Position, mode: CastlingMode) -> Result<Verdict, ProbeError> {
        let wdl = tables.probe_wdl(position)?;
        let line = |(mv, wdl, dtz): (Move, Wdl, Option<Dtz>)| MoveLine {
            uci: mv.uci(mode).to_string(),
            san: San::new(position, mv).to_string(),
            wdl: wdl.value(),
            dtz: dtz.map(Dtz::get),
            result: wdl.name(),
        };
        Ok(Verdict {
            fen: position.to_string(),
            material: Material::of(position).to_string(),
            wdl: wdl.value(),
            dtz: optional(tables.probe_dtz(position))?.map(Dtz::get),
            result: wdl.name(),
            moves: moves(tables, position)?.into_iter().map(line).collect(),
        })
    }

    fn write(&self, position: &Position, out: &mut impl Write) -> Result<()> {
        let dtz = |dtz: Option<i32>| dtz.map_or("?".to_owned(), |dtz| dtz.to_string());
        let side = position.side_to_move();
        writeln!(out, "{}, {side} to move: {}, DTZ {}", self.material, self.result, dtz(self.dtz))?;
        if !self.moves.is_empty() {
            writeln!(out, "\n{:<8}{:<14}{:>5}", "move", "result", "DTZ")?;
        }
        for line in &self.moves {
            writeln!(out, "{:<8}{:<14}{:>5}", line.san, line.result, dtz(line.dtz))?;
        }
        Ok(())
    }
}

/// The results of all moves, the best first. Without DTZ tables there are no distances.
fn moves(tables: &Tablebases, position: &Position) -> Result<Vec<(Move, Wdl, Option<Dtz>)>, ProbeError> {
    if let Some(verdicts) = optional(tables.probe_moves(position))? {
        return Ok(verdicts
            .into_iter()
            .map(|verdict| (verdict.mv, verdict.wdl, Some(verdict.dtz)))
            .collect());
    }
    let mut moves = Vec::new();
    for &mv in &position.legal_moves() {
        let mut child = *position;
        child.play_unchecked(mv);
        moves.push((mv, -tables.probe_wdl(&child)?, None));
    }
    moves.sort_by_key(|&(_, wdl, _)| std::cmp::Reverse(wdl));
    Ok(moves)
}

/// `None` if only a DTZ table is missing.
fn optional<T>(probe: Result<T, ProbeError>) -> Result<Option<T>, ProbeError> {
    match probe {
        Err(ProbeError::MissingTable { kind: TableKind::Dtz, .. }) => Ok(None),
        probe => probe.map(Some),
    }
}
