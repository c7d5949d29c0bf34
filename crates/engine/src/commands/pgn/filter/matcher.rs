//! Comparing games with the criteria while they are read.

use ferz_board::{Move, Position};
use ferz_notation::pgn::{GameResult, Visitor};

use super::super::range::Range;
use super::criteria::Criteria;

/// Compares one game after the other.
pub(super) struct Matcher<'a> {
    criteria: &'a Criteria,
    /// By test: whether a tag of the game has passed it.
    passed: Vec<bool>,
    game: Known,
}

/// What is known about the game being read.
#[derive(Default)]
struct Known {
    /// `WhiteElo` and `BlackElo`.
    elo: [Option<u32>; 2],
    /// What the `Result` tag says.
    result_tag: Option<GameResult>,
    result: Option<GameResult>,
    plies: usize,
    /// Whether it has begun as it should, so far.
    begins_well: bool,
    /// The position, as long as the wanted one has not been found.
    position: Option<Position>,
    is_found: bool,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(criteria: &'a Criteria) -> Matcher<'a> {
        Matcher { criteria, passed: vec![false; criteria.tags.len()], game: Known::default() }
    }

    /// Whether the game that was read meets all criteria.
    pub(super) fn is_match(&self) -> bool {
        let Criteria { results, length, position, moves, .. } = self.criteria;
        let game = &self.game;
        let result = game.result.or(game.result_tag).unwrap_or(GameResult::Unknown);
        let plies = u32::try_from(game.plies).unwrap_or(u32::MAX);
        self.suits_by_tags()
            && (results.is_empty() || results.contains(&result))
            && length.is_none_or(|range| range.contains(plies))
            && (position.is_none() || game.is_found)
            && (moves.is_empty() || game.begins_well && game.plies >= moves.len())
    }

    fn suits_by_tags(&self) -> bool {
        let is_rated =
            |range: Range| self.game.elo.iter().all(|elo| elo.is_some_and(|elo| range.contains(elo)));
        self.passed.iter().all(|&passed| passed) && self.criteria.elo.is_none_or(is_rated)
    }

    /// Compares the position with the wanted one.
    fn look(&mut self) {
        let key = self.game.position.map(|position| position.repetition_key());
        if key.is_some() && key == self.criteria.position {
            self.game.is_found = true;
            self.game.position = None;
        }
    }
}

impl Visitor for Matcher<'_> {
    const VARIATIONS: bool = false;

    fn begin_game(&mut self) {
        self.passed.fill(false);
        self.game = Known::default();
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        for (test, passed) in self.criteria.tags.iter().zip(&mut self.passed) {
            *passed |= test.passes(name, value);
        }
        let number = || str::from_utf8(value).ok()?.trim().parse().ok();
        match name {
            b"WhiteElo" => self.game.elo[0] = number(),
            b"BlackElo" => self.game.elo[1] = number(),
            b"Result" => self.game.result_tag = GameResult::from_ascii(value),
            _ => {}
        }
    }

    /// Moves are read only where something depends on them.
    fn begin_moves(&mut self, start: &Position) -> bool {
        self.game.begins_well = *start == Position::start();
        self.game.position = self.criteria.position.map(|_| *start);
        self.look();
        self.criteria.ask_for_moves() && self.suits_by_tags()
    }

    fn mv(&mut self, mv: Option<Move>) {
        let game = &mut self.game;
        if let Some(wanted) = self.criteria.moves.get(game.plies) {
            game.begins_well &= mv == Some(*wanted);
        }
        game.plies += 1;
        if let Some(position) = &mut game.position {
            match mv {
                // The reader has proven it legal.
                Some(mv) => position.play_unchecked(mv),
                None => *position = position.null_move().unwrap_or(*position),
            }
            self.look();
        }
    }

    fn result(&mut self, result: GameResult) {
        self.game.result = Some(result);
    }
}
