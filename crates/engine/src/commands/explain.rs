//! `ferz explain`: why the best move is best, and why another is not.

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
use crate::progress::Progress;
use ferz_coach::explain::{self, ExplanationReport};

/// There are three searches in a second: for the best move, the one asked about, and threats.
const TIME_FOR_A_SEARCH: Duration = Duration::from_millis(330);

/// Explain in words why a move is best, and why another is not
///
/// Says what the best move does (what it captures, attacks, pins, forks, threatens …), what the engine expects to
/// follow, what that wins or loses and which terms of the evaluation it changes; what the opponent would do if it were
/// its turn; and of MOVE how much it gives away and to which answer.
///
/// Scores are White's. Limits hold for each of up to three searches.
#[derive(Args)]
pub(crate) struct Explain {
    /// The position as FEN, in quotation marks
    fen: String,

    /// A move in it, as in `Nf3` or `g1f3`
    #[arg(value_name = "MOVE")]
    mv: Option<String>,

    #[command(flatten)]
    reading: FenOptions,

    #[command(flatten)]
    search: SearchArguments,

    /// Write a JSON object: the facts and the text
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
        let explanation = Progress::watch(
            || "thinking".to_owned(),
            |_| explain::explain(&mut engine, &position, asked, &limits, &Signals::new()),
        );
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
