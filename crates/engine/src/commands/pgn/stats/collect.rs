//! Counting games while they are read.

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::ops::ControlFlow;

use ferz_board::{Move, Position};
use ferz_notation::pgn::{Diagnostic, GameResult, Nag, Stop, Visitor, tag_value};
use serde::Serialize;

use super::counts::{GameResults, NumberCounts};
use super::openings::OpeningNode;

/// Longer tag values are cut, so that they do not fill the memory.
const MAX_LEN: usize = 100;

/// The counts of all games.
#[derive(Default)]
pub(super) struct StatsCollector {
    /// The depth of the opening tree in plies.
    plies: usize,
    pub(super) results: GameResults,
    pub(super) lengths: NumberCounts,
    pub(super) elo: NumberCounts,
    pub(super) years: NumberCounts,
    /// The first and the last date, such as `1997.05.11`.
    pub(super) dates: Option<(String, String)>,
    pub(super) players: HashMap<String, PlayerResults>,
    pub(super) eco: BTreeMap<String, u64>,
    pub(super) openings: OpeningNode,
    pub(super) from_position: u64,
    pub(super) remarks: AnnotationCounts,
    pub(super) broken_games: u64,
    pub(super) problems: u64,
    game: CurrentGame,
}

/// Counts of comments, variations and NAGs.
#[derive(Clone, Copy, Default, Serialize)]
pub(super) struct AnnotationCounts {
    pub(super) comments: u64,
    pub(super) variations: u64,
    pub(super) nags: u64,
}

/// The results of a player.
#[derive(Default)]
pub(super) struct PlayerResults {
    pub(super) as_white: GameResults,
    pub(super) as_black: GameResults,
}

/// The state of the current game.
#[derive(Default)]
struct CurrentGame {
    white: String,
    black: String,
    plies: u32,
    depth: u32,
    is_standard_start: bool,
    first_moves: Vec<Move>,
    is_broken: bool,
}

impl StatsCollector {
    pub(super) fn new(plies: usize) -> StatsCollector {
        StatsCollector { plies, ..StatsCollector::default() }
    }

    pub(super) fn games(&self) -> u64 {
        self.results.games()
    }

    /// Adds the counts of another collector.
    pub(super) fn merge(&mut self, other: StatsCollector) {
        self.results.merge(other.results);
        self.lengths.merge(other.lengths);
        self.elo.merge(other.elo);
        self.years.merge(other.years);
        if let Some((first, last)) = other.dates {
            self.note_date(first);
            self.note_date(last);
        }
        for (name, player) in other.players {
            let sum = self.players.entry(name).or_default();
            sum.as_white.merge(player.as_white);
            sum.as_black.merge(player.as_black);
        }
        for (code, count) in other.eco {
            *self.eco.entry(code).or_default() += count;
        }
        self.openings.merge(other.openings);
        self.from_position += other.from_position;
        self.remarks.comments += other.remarks.comments;
        self.remarks.variations += other.remarks.variations;
        self.remarks.nags += other.remarks.nags;
        self.broken_games += other.broken_games;
        self.problems += other.problems;
    }

    /// Dates of digits can be compared as text.
    fn note_date(&mut self, date: String) {
        match &mut self.dates {
            Some((first, _)) if date < *first => *first = date,
            Some((_, last)) if date > *last => *last = date,
            Some(_) => {}
            None => self.dates = Some((date.clone(), date)),
        }
    }

    fn add_date(&mut self, value: &str) {
        let year = value.split('.').next().filter(|year| year.len() == 4).and_then(|year| year.parse().ok());
        let Some(year) = year else { return };
        self.years.add(year);
        if value.len() == 10 && value.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit()) {
            self.note_date(value.to_owned());
        }
    }
}

/// The value of a tag, cut if it is long.
fn short_value(value: &[u8]) -> String {
    let mut value = tag_value(value);
    if let Some((end, _)) = value.char_indices().nth(MAX_LEN) {
        value.truncate(end);
    }
    value
}

impl Visitor for StatsCollector {
    fn begin_game(&mut self) {
        let first_moves = mem::take(&mut self.game.first_moves);
        self.game = CurrentGame { first_moves, ..CurrentGame::default() };
        self.game.first_moves.clear();
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"White" => self.game.white = short_value(value),
            b"Black" => self.game.black = short_value(value),
            b"Date" => self.add_date(&short_value(value)),
            b"WhiteElo" | b"BlackElo" => {
                let elo = str::from_utf8(value).ok().and_then(|value| value.trim().parse().ok());
                if let Some(elo) = elo.filter(|&elo| elo > 0) {
                    self.elo.add(elo);
                }
            }
            // `?` means unknown.
            b"ECO" if value.first().is_some_and(u8::is_ascii_alphabetic) => {
                *self.eco.entry(short_value(value)).or_default() += 1;
            }
            _ => {}
        }
    }

    fn begin_moves(&mut self, start: &Position) -> ControlFlow<Stop> {
        self.game.is_standard_start = *start == Position::start();
        self.from_position += u64::from(!self.game.is_standard_start);
        ControlFlow::Continue(())
    }

    fn mv(&mut self, mv: Option<Move>) -> ControlFlow<Stop> {
        if self.game.depth > 0 {
            return ControlFlow::Continue(());
        }
        // The opening ends at a null move.
        let is_unbroken = self.game.first_moves.len() == self.game.plies as usize;
        if let Some(mv) = mv
            && is_unbroken
            && self.game.first_moves.len() < self.plies
        {
            self.game.first_moves.push(mv);
        }
        self.game.plies += 1;
        ControlFlow::Continue(())
    }

    fn comment(&mut self, _: &[u8], last: bool) {
        self.remarks.comments += u64::from(last);
    }

    fn nag(&mut self, _: Nag) {
        self.remarks.nags += 1;
    }

    fn begin_variation(&mut self) -> ControlFlow<Stop> {
        self.remarks.variations += 1;
        self.game.depth += 1;
        ControlFlow::Continue(())
    }

    fn end_variation(&mut self) {
        self.game.depth -= 1;
    }

    fn problem(&mut self, _: Diagnostic) {
        self.problems += 1;
        self.game.is_broken = true;
    }

    fn end_game(&mut self, result: GameResult) {
        let game = &mut self.game;
        self.results.add(result);
        self.lengths.add(game.plies);
        if game.is_standard_start {
            self.openings.add(&game.first_moves, result);
        }
        let is_known = |name: &String| !name.is_empty() && name != "?";
        if is_known(&game.white) {
            self.players.entry(mem::take(&mut game.white)).or_default().as_white.add(result);
        }
        if is_known(&game.black) {
            self.players.entry(mem::take(&mut game.black)).or_default().as_black.add(result);
        }
        self.broken_games += u64::from(mem::take(&mut game.is_broken));
    }
}
