//! Matching games against the criteria while they are read.

use std::ops::ControlFlow;

use ferz_board::{Move, Position};
use ferz_notation::pgn::{GameResult, Stop, Visitor};

use super::super::range::NumberRange;
use super::criteria::Criteria;

/// Matches one game after the other.
pub(super) struct Matcher<'a> {
    criteria: &'a Criteria,
    /// For each tag test, whether a tag of the game passed it.
    passed: Vec<bool>,
    game: GameState,
}

/// The state of the current game.
#[derive(Default)]
struct GameState {
    /// `WhiteElo` and `BlackElo`.
    elo: [Option<u32>; 2],
    result: Option<GameResult>,
    plies: usize,
    /// Whether the moves match so far.
    moves_match: bool,
    /// The current position, until the wanted one is found.
    position: Option<Position>,
    is_found: bool,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(criteria: &'a Criteria) -> Matcher<'a> {
        Matcher { criteria, passed: vec![false; criteria.tags.len()], game: GameState::default() }
    }

    /// Whether the last game meets all criteria.
    pub(super) fn is_match(&self) -> bool {
        let Criteria { results, length, position, moves, .. } = self.criteria;
        let game = &self.game;
        let result = game.result.unwrap_or(GameResult::Unknown);
        let plies = u32::try_from(game.plies).unwrap_or(u32::MAX);
        self.tags_match()
            && (results.is_empty() || results.contains(&result))
            && length.is_none_or(|range| range.contains(plies))
            && (position.is_none() || game.is_found)
            && (moves.is_empty() || game.moves_match && game.plies >= moves.len())
    }

    fn tags_match(&self) -> bool {
        let is_rated =
            |range: NumberRange| self.game.elo.iter().all(|elo| elo.is_some_and(|elo| range.contains(elo)));
        self.passed.iter().all(|&passed| passed) && self.criteria.elo.is_none_or(is_rated)
    }

    /// Compares the position with the wanted one.
    fn compare_position(&mut self) {
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
        self.game = GameState::default();
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        for (test, passed) in self.criteria.tags.iter().zip(&mut self.passed) {
            *passed |= test.passes(name, value);
        }
        let number = || str::from_utf8(value).ok()?.trim().parse().ok();
        match name {
            b"WhiteElo" => self.game.elo[0] = number(),
            b"BlackElo" => self.game.elo[1] = number(),
            _ => {}
        }
    }

    /// Moves are read only if a criterion needs them.
    fn begin_moves(&mut self, start: &Position) -> ControlFlow<Stop> {
        self.game.moves_match = *start == Position::start();
        self.game.position = self.criteria.position.map(|_| *start);
        self.compare_position();
        if self.criteria.need_moves() && self.tags_match() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Stop::Game)
        }
    }

    fn mv(&mut self, mv: Option<Move>) -> ControlFlow<Stop> {
        let game = &mut self.game;
        if let Some(wanted) = self.criteria.moves.get(game.plies) {
            game.moves_match &= mv == Some(*wanted);
        }
        game.plies += 1;
        if let Some(position) = &mut game.position {
            match mv {
                // The reader has checked that it is legal.
                Some(mv) => position.play_unchecked(mv),
                None => *position = position.null_move().unwrap_or(*position),
            }
            self.compare_position();
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, result: GameResult) {
        self.game.result = Some(result);
    }
}
