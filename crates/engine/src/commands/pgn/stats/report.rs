//! The report of `ferz pgn stats`.

use std::cmp::Reverse;

use ferz_board::Position;
use serde::Serialize;

use super::collect::{AnnotationCounts, PlayerResults, StatsCollector};
use super::counts::{GameResults, Summary};
use super::openings::OpeningLine;

/// Half-moves, rating points and years per bar of a histogram.
const PLIES_PER_BAR: u32 = 20;
const ELO_PER_BAR: u32 = 200;
const YEARS_PER_BAR: u32 = 10;

/// The keys of the object, for the help text.
pub(super) const KEYS: &str = "\
Keys of the JSON object:
  games                  number of games
  from_position          games with a start position of their own (FEN tag)
  broken_games           games with problems
  problems               number of problems, see `ferz pgn check`
  results                white, draw, black, unknown: number of games
  score                  White's score in per cent, or null
  length                 half-moves of the main lines: count, min, max, mean,
                         median, bar_width, histogram (from, count)
  elo                    the same for all ratings, or null
  years                  the same for the years of the `Date` tags, or null
  first_date, last_date  of the complete dates, or null
  player_count           number of different names
  players                those with the most games: name, games, own score
  eco                    the most frequent codes: code, games
  openings               the most frequent first moves: san, games, results,
                         score, next (the same for the moves that follow)
  remarks                comments, variations, nags: their numbers";

#[derive(Serialize)]
pub(super) struct StatsReport {
    pub(super) games: u64,
    pub(super) from_position: u64,
    pub(super) broken_games: u64,
    pub(super) problems: u64,
    pub(super) results: GameResults,
    pub(super) score: Option<f64>,
    pub(super) length: Option<Summary>,
    pub(super) elo: Option<Summary>,
    pub(super) years: Option<Summary>,
    pub(super) first_date: Option<String>,
    pub(super) last_date: Option<String>,
    pub(super) player_count: usize,
    pub(super) players: Vec<PlayerLine>,
    pub(super) eco: Vec<EcoLine>,
    pub(super) openings: Vec<OpeningLine>,
    pub(super) remarks: AnnotationCounts,
}

#[derive(Serialize)]
pub(super) struct PlayerLine {
    pub(super) name: String,
    pub(super) games: u64,
    pub(super) score: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct EcoLine {
    pub(super) code: String,
    pub(super) games: u64,
}

impl StatsReport {
    /// A report with at most `top` entries per list.
    pub(super) fn new(all: &StatsCollector, top: Option<usize>) -> StatsReport {
        // Rare branches of the tree are omitted.
        let min_games = if top.is_some() { all.openings.games().div_ceil(100) } else { 0 };
        let top = top.unwrap_or(usize::MAX);
        let mut players: Vec<_> =
            all.players.iter().map(|(name, player)| player_line(name, player)).collect();
        players.sort_by(|a, b| (Reverse(a.games), &a.name).cmp(&(Reverse(b.games), &b.name)));
        players.truncate(top);
        let eco = |(code, &games): (&String, &u64)| EcoLine { code: code.clone(), games };
        let mut eco: Vec<_> = all.eco.iter().map(eco).collect();
        // The sort is stable: ties stay in the order of their codes.
        eco.sort_by_key(|line| Reverse(line.games));
        eco.truncate(top);
        let (first_date, last_date) = all.dates.clone().unzip();
        StatsReport {
            games: all.games(),
            from_position: all.from_position,
            broken_games: all.broken_games,
            problems: all.problems,
            results: all.results,
            score: all.results.score(),
            length: all.lengths.summary(PLIES_PER_BAR),
            elo: all.elo.summary(ELO_PER_BAR),
            years: all.years.summary(YEARS_PER_BAR),
            first_date,
            last_date,
            player_count: all.players.len(),
            players,
            eco,
            openings: all.openings.lines(&Position::start(), top, min_games),
            remarks: all.remarks,
        }
    }
}

fn player_line(name: &str, player: &PlayerResults) -> PlayerLine {
    // From the player's point of view.
    let GameResults { white: lost, draw, black: won, unknown } = player.as_black;
    let mut results = GameResults { white: won, draw, black: lost, unknown };
    results.merge(player.as_white);
    PlayerLine { name: name.to_owned(), games: results.games(), score: results.score() }
}
