//! The opening tree.

use ferz_board::{Move, Position};
use ferz_notation::pgn::GameResult;
use ferz_notation::san::San;
use serde::Serialize;

use super::counts::GameResults;

/// A node of the opening tree.
#[derive(Default)]
pub(super) struct OpeningNode {
    results: GameResults,
    /// The moves from here, unordered.
    next: Vec<(Move, OpeningNode)>,
}

impl OpeningNode {
    /// Adds a game that starts with these moves.
    pub(super) fn add(&mut self, moves: &[Move], result: GameResult) {
        let mut opening = self;
        opening.results.add(result);
        for &mv in moves {
            opening = opening.after(mv);
            opening.results.add(result);
        }
    }

    fn after(&mut self, mv: Move) -> &mut OpeningNode {
        let found = self.next.iter().position(|(other, _)| *other == mv);
        let index = found.unwrap_or_else(|| {
            self.next.push((mv, OpeningNode::default()));
            self.next.len() - 1
        });
        &mut self.next[index].1
    }

    /// Adds another tree. The recursion is as deep as the tree, which is limited.
    pub(super) fn merge(&mut self, other: OpeningNode) {
        self.results.merge(other.results);
        for (mv, opening) in other.next {
            self.after(mv).merge(opening);
        }
    }

    pub(super) fn games(&self) -> u64 {
        self.results.games()
    }

    /// The most frequent moves from here and their continuations: at most `top` from every position, and only moves of
    /// at least `min_games` games.
    pub(super) fn lines(&self, position: &Position, top: usize, min_games: u64) -> Vec<OpeningLine> {
        let line = |(mv, opening): &(Move, OpeningNode)| {
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
        // Ties are broken by the bits of the move, so that the order is deterministic.
        next.sort_by_key(|(mv, opening)| (std::cmp::Reverse(opening.games()), mv.bits()));
        next.into_iter().take(top).map(line).collect()
    }
}

/// A move of the tree.
#[derive(Serialize)]
pub(super) struct OpeningLine {
    pub(super) san: String,
    pub(super) games: u64,
    pub(super) results: GameResults,
    pub(super) score: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) next: Vec<OpeningLine>,
}
