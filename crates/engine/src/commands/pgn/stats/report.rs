//! What is told of what was counted.

use std::cmp::Reverse;

use ferz_board::Position;
use serde::Serialize;

use super::collect::{Collector, Player, Remarks};
use super::counts::{Results, Summary};
use super::openings::OpeningLine;

/// Half-moves, rating points and years in a bar of a histogram.
const PLIES_PER_BAR: u32 = 20;
const ELO_PER_BAR: u32 = 200;
const YEARS_PER_BAR: u32 = 10;

/// The keys of the object, for the help text.
pub(super) const KEYS: &str = "\
Keys of the JSON object:
  games                  how many there are
  from_position          how many of them start from another position (FEN tag)
  broken_games           how many have problems, and how many problems there are:
  problems               see `ferz pgn check`
  results                white, draw, black, unknown: how they ended
  score                  White's score in per cent, or null
  length                 half-moves of the main lines: count, min, max, mean,
                         median, bar_width, histogram (from, count)
  elo                    the same of all ratings, or null
  years                  the same of the years in `Date` tags, or null
  first_date, last_date  of those that are known to the day, or null
  player_count           how many names there are
  players                those with the most games: name, games, score (their own)
  eco                    the most frequent codes: code, games
  openings               the most frequent first moves: san, games, results,
                         score, next (the same for the moves that follow)
  remarks                comments, variations, nags: how many there are";

#[derive(Serialize)]
pub(super) struct Report {
    pub(super) games: u64,
    pub(super) from_position: u64,
    pub(super) broken_games: u64,
    pub(super) problems: u64,
    pub(super) results: Results,
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
    pub(super) remarks: Remarks,
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

impl Report {
    /// Lists have so many entries at most, or all of them.
    pub(super) fn new(all: &Collector, top: Option<usize>) -> Report {
        // A tree has many branches even so: the thin ones are left out.
        let min_games = if top.is_some() { all.openings.games().div_ceil(100) } else { 0 };
        let top = top.unwrap_or(usize::MAX);
        let mut players: Vec<_> =
            all.players.iter().map(|(name, player)| player_line(name, player)).collect();
        players.sort_by(|a, b| (Reverse(a.games), &a.name).cmp(&(Reverse(b.games), &b.name)));
        players.truncate(top);
        let eco = |(code, &games): (&String, &u64)| EcoLine { code: code.clone(), games };
        let mut eco: Vec<_> = all.eco.iter().map(eco).collect();
        // The sort is stable: those that are equally frequent stay in the order of their codes.
        eco.sort_by_key(|line| Reverse(line.games));
        eco.truncate(top);
        let (first_date, last_date) = all.dates.clone().unzip();
        Report {
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

fn player_line(name: &str, player: &Player) -> PlayerLine {
    // From the player's side: a win with Black is a win.
    let Results { white: lost, draw, black: won, unknown } = player.as_black;
    let mut results = Results { white: won, draw, black: lost, unknown };
    results.merge(player.as_white);
    PlayerLine { name: name.to_owned(), games: results.games(), score: results.score() }
}
