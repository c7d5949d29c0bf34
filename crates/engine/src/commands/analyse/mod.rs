//! `ferz analyse`: what the engine thinks of positions and games.

mod games;
mod position;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, value_parser};
use ferz_board::Position;

use super::search_options::SearchArguments;
use crate::fen_argument::FenOptions;

/// Analyse a position or review games
///
/// Of a position the best lines are shown, with their scores and the chances to win, draw and lose.
///
/// Games are written with what the engine thinks of every move of the main line: its evaluation (`[%eval …]`), a glyph
/// and the better line behind inaccuracies, mistakes and blunders (moves that give away 0.1, 0.2 or 0.3 of the expected
/// score), and the accuracy of both sides as tags. Comments, variations and glyphs that are there stay. What is wrong
/// with a file is told on standard error, and the exit code is 1.
///
/// Scores and chances are White's, whoever is to move.
#[derive(Args)]
#[command(after_long_help = JSON_KEYS)]
pub(crate) struct Analyse {
    /// The position; the start position if there is neither this nor a file
    #[arg(long, conflicts_with = "pgn")]
    fen: Option<String>,

    /// A PGN file, plain or packed by zstd; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["chess960", "lenient"])]
    pgn: Option<PathBuf>,

    #[command(flatten)]
    reading: FenOptions,

    /// How many lines are compared. In games two or more show where there was but one good move
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..=500))]
    multipv: u16,

    #[command(flatten)]
    search: SearchArguments,

    /// Write JSON: an object for the position, or a line with an object for each game
    #[arg(long)]
    json: bool,
}

/// How long a position is searched if nobody says how far.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

const JSON_KEYS: &str = "\
Keys of the JSON object of a position:
  fen, opening           normalised; eco and name, or null
  outcome                null, or the result if the game is over: \"1-0\" …
  nodes, time_ms         what the search took
  lines                  best first: cp or mate, wdl (thousandths) and depth, all
                         White's; moves in san and uci

Keys of the JSON object of a game:
  opening                eco and name, or null
  accuracy               white, black: 0 to 100, null without moves of their own
  moves                  number, color, san, uci; before and after: cp or mate,
                         wdl, depth; best_line in SAN; judgement (book, forced,
                         only, best, good, inaccuracy, mistake, blunder); remark
                         (misses_mate, allows_mate: in how many moves); loss of
                         expected score, 0 to 1; accuracy, 0 to 100
  tags                   names and values";

impl Analyse {
    /// Analyses what was asked for.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let lines = self.multipv.into();
        if let Some(file) = &self.pgn {
            return games::Games { file, lines, json: self.json }.run(&self.search, out);
        }
        let position = match &self.fen {
            Some(fen) => self.reading.read_and_note(fen)?,
            None => Position::start(),
        };
        position::analyse(&position, lines, self.json, &self.search, out)
    }
}
