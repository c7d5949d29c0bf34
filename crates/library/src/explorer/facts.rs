//! Games of a library.

use super::error::IndexError;
use super::index::Update;
use super::line::OpeningLine;
use super::pgn::{mean, number};
use super::stats::IndexedGame;
use crate::{GameFacts, GameId};

/// A game of a library and its moves, as the index has them.
fn indexed(id: GameId, facts: &GameFacts) -> (IndexedGame, OpeningLine) {
    let game = IndexedGame {
        id,
        result: facts.result,
        elo: mean([facts.white_elo, facts.black_elo]),
        year: facts.date.get(..4).and_then(|year| number(year.as_bytes())),
    };
    let mut line = OpeningLine::new();
    for (keys, mv) in facts.positions.windows(2).zip(&facts.moves) {
        let Some(mv) = mv else { break };
        if !line.play_keys(keys[0], *mv, keys[1]) {
            break;
        }
    }
    (game, line)
}

impl Update<'_> {
    /// Adds a game of a library.
    pub fn add_game(&mut self, id: GameId, facts: &GameFacts) -> Result<(), IndexError> {
        let (game, line) = indexed(id, facts);
        self.add(&game, &line)
    }

    /// Removes a game of a library that was added with these facts.
    pub fn remove_game(&mut self, id: GameId, facts: &GameFacts) -> Result<(), IndexError> {
        let (game, line) = indexed(id, facts);
        self.remove(&game, &line)
    }
}
