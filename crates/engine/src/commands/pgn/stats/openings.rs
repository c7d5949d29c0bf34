//! The tree of the first moves.

use ferz_board::{Move, Position};
use ferz_notation::pgn::GameResult;
use ferz_notation::san::San;
use serde::Serialize;

use super::counts::Results;

/// A position by the moves that lead to it.
#[derive(Default)]
pub(super) struct Opening {
    results: Results,
    /// The moves from here, in no order.
    next: Vec<(Move, Opening)>,
}

impl Opening {
    /// Adds a game that begins with these moves.
    pub(super) fn add(&mut self, moves: &[Move], result: GameResult) {
        let mut opening = self;
        opening.results.add(result);
        for &mv in moves {
            opening = opening.after(mv);
            opening.results.add(result);
        }
    }

    fn after(&mut self, mv: Move) -> &mut Opening {
        let found = self.next.iter().position(|(other, _)| *other == mv);
        let index = found.unwrap_or_else(|| {
            self.next.push((mv, Opening::default()));
            self.next.len() - 1
        });
        &mut self.next[index].1
    }

    /// The recursion is no deeper than the tree, whose depth is limited.
    pub(super) fn merge(&mut self, other: Opening) {
        self.results.merge(other.results);
        for (mv, opening) in other.next {
            self.after(mv).merge(opening);
        }
    }

    pub(super) fn games(&self) -> u64 {
        self.results.games()
    }

    /// The most frequent moves from here and what follows them, as they are told: so many at most from every
    /// position, and only those of so many games.
    pub(super) fn lines(&self, position: &Position, top: usize, min_games: u64) -> Vec<OpeningLine> {
        let line = |(mv, opening): &(Move, Opening)| {
            let mut after = *position;
            after.play_unchecked(*mv);
            OpeningLine {
                san: San::new(position, *mv).to_string(),
                games: opening.games(),
                results: opening.results,
                score: opening.results.score(),
                next: opening.lines(&after, top, min_games),
            }
        };
        let mut next: Vec<_> = self.next.iter().filter(|(_, next)| next.games() >= min_games).collect();
        // By their bits if they are equally frequent, so that the order is always the same.
        next.sort_by_key(|(mv, opening)| (std::cmp::Reverse(opening.games()), mv.bits()));
        next.into_iter().take(top).map(line).collect()
    }
}

/// A move of the tree.
#[derive(Serialize)]
pub(super) struct OpeningLine {
    pub(super) san: String,
    pub(super) games: u64,
    pub(super) results: Results,
    pub(super) score: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) next: Vec<OpeningLine>,
}
