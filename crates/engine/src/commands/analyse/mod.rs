//! `ferz analyse`.

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
/// For a position, prints the best lines with their scores and WDL probabilities (win, draw, loss).
///
/// For a PGN file, prints the games with annotations: the evaluation of every move of the main line (`[%eval …]`), a NAG
/// and the better line for inaccuracies, mistakes and blunders (moves that lose 0.1, 0.2 or 0.3 of the expected score),
/// and the accuracy of both sides as tags. Existing comments, variations and NAGs are kept. Problems in the file are
/// reported on stderr with exit code 1.
///
/// Scores and probabilities are from White's point of view.
#[derive(Args)]
#[command(after_long_help = JSON_KEYS)]
pub(crate) struct Analyse {
    /// The position to analyse [default: the start position]
    #[arg(long, conflicts_with = "pgn")]
    fen: Option<String>,

    /// A PGN file to review, plain or compressed with zstd; `-` is stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["chess960", "lenient"])]
    pgn: Option<PathBuf>,

    #[command(flatten)]
    reading: FenOptions,

    /// Number of lines to search. For games, two or more find positions with only one good move
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..=500))]
    multipv: u16,

    #[command(flatten)]
    search: SearchArguments,

    /// Print JSON: one object for the position, or one line per game
    #[arg(long)]
    json: bool,
}

/// The time for a position without any limit.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

const JSON_KEYS: &str = "\
Keys of the JSON object of a position:
  fen, opening           normalised; eco and name, or null
  outcome                null, or the result if the game is over: \"1-0\" …
  nodes, time_ms         nodes and time of the search
  lines                  best first: cp or mate and wdl (thousandths), from White's
                         point of view; depth; the moves as san and uci

Keys of the JSON object of a game:
  opening                eco and name, or null
  accuracy               white, black: 0 to 100, null without moves to rate
  moves                  number, color, san, uci; before and after: cp or mate,
                         wdl, depth; best_line in SAN; judgement (book, forced,
                         only, best, good, inaccuracy, mistake, blunder); remark
                         (misses_mate, allows_mate: the number of moves); loss of
                         expected score, 0 to 1; accuracy, 0 to 100
  tags                   pairs of name and value";

impl Analyse {
    /// Analyses the position or the games.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let lines = self.multipv.into();
        if let Some(file) = &self.pgn {
            return games::GamesFile { file, lines, json: self.json }.run(&self.search, out);
        }
        let position = match &self.fen {
            Some(fen) => self.reading.read_and_note(fen)?,
            None => Position::start(),
        };
        position::analyse(&position, lines, self.json, &self.search, out)
    }
}
