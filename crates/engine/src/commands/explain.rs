//! `ferz explain`.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use ferz_board::{Move, Position};
use ferz_notation::san;
use ferz_search::Signals;

use super::search_options::SearchArguments;
use crate::fen_argument::FenOptions;
use crate::progress::ProgressLine;
use crate::tables;
use ferz_coach::explain::{self, ExplanationReport};

/// The most time for each of three searches: for the best move, for the move asked about, and for threats. They end
/// earlier if their line is stable.
const TIME_FOR_A_SEARCH: Duration = Duration::from_millis(600);

/// Explain in words why a move is best, or why another is not
///
/// Describes what the best move does (captures, attacks, pins, forks, threats …), the line that the engine expects,
/// what it wins or loses, and why the obvious reply fails. Then shows what the opponent threatens. For MOVE, shows how
/// much it loses, why, and to which reply.
///
/// Scores are from White's point of view. Limits apply to each of up to three searches.
#[derive(Args)]
pub(crate) struct Explain {
    /// The position as FEN, in quotation marks
    fen: String,

    /// A move to compare with the best one, such as `Nf3` or `g1f3`
    #[arg(value_name = "MOVE")]
    mv: Option<String>,

    #[command(flatten)]
    reading: FenOptions,

    #[command(flatten)]
    search: SearchArguments,

    /// Print a JSON object with the facts and the text
    #[arg(long)]
    json: bool,
}

impl Explain {
    /// Explains the position.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let position = self.reading.read_and_note(&self.fen)?;
        let asked = self.mv.as_deref().map(|text| read_move(&position, text)).transpose()?;
        if let Some(outcome) = position.outcome() {
            bail!("the game is over: {outcome}");
        }
        let mut engine = self.search.engine()?;
        let limits = self.search.limits(TIME_FOR_A_SEARCH);
        let explanation = ProgressLine::watch(
            || "thinking".to_owned(),
            |_| explain::explain(&mut engine, &position, asked, &limits, &Signals::new()),
        );
        tables::note_problems(&engine);
        let explanation = explanation.context("the search found no move")?;
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&ExplanationReport::from(&explanation))?)?;
        } else {
            writeln!(out, "{}", explanation.paragraphs().join("\n\n"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn read_move(position: &Position, text: &str) -> Result<Move> {
    san::parse_lenient(position, text).context("bad move")
}
