//! Openings: random moves, and a search that finds neither side far ahead.

use std::sync::Arc;

use ferz_board::{Game, Position};
use ferz_eval::Network;
use ferz_search::{Conclusion, Engine, Limits, OutOfMemory, SearchOptions, Signals};

use super::player::Displayed;
use super::random::SplitMix64;
use crate::data::header::GamesOrigin;

/// The opening is judged with this many times the nodes of a move: enough to see that one side is far ahead.
const VERIFICATION: u64 = 3;
/// An opening from a given position is given up after this many attempts: the position may be decided.
const ATTEMPTS: u64 = 50;

/// How openings are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpeningRules {
    /// An opening has this many random moves, or one more.
    pub plies: u64,
    /// The highest score of either side, in displayed centipawns.
    pub max_score: u16,
    /// The soft node limit of a move of the game. The opening is judged with three times as many.
    pub nodes: u64,
    /// The percentage of openings from a Chess960 start position.
    pub chess960: u32,
}

impl OpeningRules {
    /// The random moves of an opening from the start position, or one more.
    pub const DEFAULT_PLIES: u64 = 8;

    /// The rules of a run of games.
    #[must_use]
    pub fn of(origin: &GamesOrigin) -> OpeningRules {
        OpeningRules {
            plies: OpeningRules::DEFAULT_PLIES,
            max_score: origin.opening_score,
            nodes: origin.nodes,
            chess960: origin.chess960,
        }
    }

    /// An opening from the start position or a Chess960 one; `None` if the search was stopped.
    pub(super) fn find(
        &self,
        engine: &mut Engine,
        signals: &Signals,
        random: &mut SplitMix64,
    ) -> Option<Position> {
        loop {
            let shuffled = random.below(100) < u64::from(self.chess960);
            let start = if shuffled {
                Position::chess960_start(random.below(960) as u16)?
            } else {
                Position::start()
            };
            if let Some(position) = self.play_moves(start, random)
                && self.is_balanced(&position, engine, signals)?
            {
                return Some(position);
            }
        }
    }

    /// Plays the random moves; `None` if the game is then over.
    fn play_moves(&self, mut position: Position, random: &mut SplitMix64) -> Option<Position> {
        for _ in 0..self.plies + random.below(2) {
            position.play_unchecked(random.choice(&position.legal_moves())?);
        }
        position.outcome().is_none().then_some(position)
    }

    /// Whether neither side is far ahead; `None` if the search was stopped.
    fn is_balanced(&self, position: &Position, engine: &mut Engine, signals: &Signals) -> Option<bool> {
        let soft = self.nodes.saturating_mul(VERIFICATION);
        let limits = Limits::default().soft_nodes(soft).nodes(soft.saturating_mul(2));
        let conclusion = search(engine, &Game::new(*position), &limits, &SearchOptions::default(), signals)?;
        let score = conclusion.lines.first()?.score;
        Some(Displayed::of(score, position.side_to_move()).is_within(self.max_score))
    }
}

/// Makes openings without playing the games. Searches need a thread with a stack of
/// [`SEARCH_STACK_SIZE`](ferz_search::SEARCH_STACK_SIZE).
#[derive(Debug)]
pub struct Openings {
    rules: OpeningRules,
    seed: u64,
    engine: Engine,
    signals: Signals,
}

impl Openings {
    /// Openings by these rules; `hash` is the size of the transposition table, in MiB.
    pub fn new(
        rules: OpeningRules,
        seed: u64,
        hash: usize,
        network: Option<&Arc<Network>>,
    ) -> Result<Openings, OutOfMemory> {
        Ok(Openings { rules, seed, engine: engine(hash, network)?, signals: Signals::new() })
    }

    /// The opening of the game with this number in a [run](super::DatagenRun) with the same rules, seed and engine.
    pub fn of_game(&mut self, number: u64) -> Option<Position> {
        let mut random = self.begin(number);
        self.rules.find(&mut self.engine, &self.signals, &mut random)
    }

    /// An opening with this number from a position; `None` if no random moves keep the balance.
    pub fn from_position(&mut self, start: &Position, number: u64) -> Option<Position> {
        let mut random = self.begin(number);
        (0..ATTEMPTS).find_map(|_| {
            let position = self.rules.play_moves(*start, &mut random)?;
            self.rules.is_balanced(&position, &mut self.engine, &self.signals)?.then_some(position)
        })
    }

    fn begin(&mut self, number: u64) -> SplitMix64 {
        self.engine.clear();
        SplitMix64::for_number(self.seed, number)
    }
}

/// An engine with this size of its transposition table, in MiB.
pub(super) fn engine(hash: usize, network: Option<&Arc<Network>>) -> Result<Engine, OutOfMemory> {
    let mut engine = Engine::new(hash)?;
    engine.set_network(network.cloned());
    Ok(engine)
}

/// Searches for the side to move; `None` if it was stopped.
pub(super) fn search(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
    options: &SearchOptions,
    signals: &Signals,
) -> Option<Conclusion> {
    let mut search = |limits| engine.search_silently(game, limits, options, signals);
    let mut conclusion = search(limits);
    if conclusion.lines.is_empty() {
        // The hard limit ended the first iteration before a move had a score.
        conclusion = search(&Limits::default().depth(1));
    }
    (!signals.is_stopped()).then_some(conclusion)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: OpeningRules = OpeningRules { plies: 8, max_score: 100, nodes: 20, chess960: 30 };

    #[test]
    fn openings_depend_on_seed_and_number_alone() {
        let mut openings = Openings::new(RULES, 3, 1, None).unwrap();
        let first: Vec<_> = (0..6).map(|number| openings.of_game(number).unwrap()).collect();
        let again: Vec<_> = (0..6).rev().map(|number| openings.of_game(number).unwrap()).collect();
        assert!(first.iter().eq(again.iter().rev()));
        let mut others = Openings::new(RULES, 4, 1, None).unwrap();
        assert!((0..6).all(|number| !first.contains(&others.of_game(number).unwrap())));
        for position in &first {
            assert!((8..=9).contains(&crate::data::ply_of(position)) && position.outcome().is_none());
        }
    }

    #[test]
    fn a_decided_position_has_no_balanced_openings() {
        let rules = OpeningRules { plies: 2, ..RULES };
        let mut openings = Openings::new(rules, 1, 1, None).unwrap();
        let start: Position = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2".parse().unwrap();
        let position = openings.from_position(&start, 0).unwrap();
        assert!((4..=5).contains(&crate::data::ply_of(&position)));
        let won: Position = "4k3/8/8/8/8/8/QQQ5/4K3 w - - 0 1".parse().unwrap();
        assert_eq!(openings.from_position(&won, 0), None);
        let over: Position = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
        assert_eq!(openings.from_position(&over, 0), None);
    }
}
