//! A fixed amount of work: the same positions searched to the same depth.
//!
//! One thread, an empty table before each position, no clock: the sum of the nodes is the same on every processor
//! and in every build, and changes only if the search does. It is a signature of the search as well as a measure
//! of its speed.

mod evaluation;
mod positions;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use ferz_board::{CastlingMode, Game, Position};
use ferz_eval::Network;
use ferz_search::{Engine, Limits, SearchOptions, Signals};

pub(crate) use evaluation::{Cost, networks};

use crate::memory;
use crate::uci::per_second;
use positions::POSITIONS;

/// How deep to search if nobody says otherwise: some seconds of work in all.
pub(crate) const DEFAULT_DEPTH: u32 = 13;
/// The size of the table in MiB.
pub(crate) const DEFAULT_HASH: usize = 16;

/// How many positions there are.
pub(crate) const fn len() -> usize {
    POSITIONS.len()
}

/// A position that is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// From 1.
    pub(crate) number: usize,
    nodes: u64,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bench {}/{}: {} nodes", self.number, len(), self.nodes)
    }
}

/// The work that was done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    nodes: u64,
    time: Duration,
}

impl Tally {
    /// Positions looked at.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }
}

/// As scripts look for it.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.nodes, per_second(self.nodes, self.time))
    }
}

/// Searches all positions, with a net or without, and tells of each when it is done; `None` if it was stopped.
pub(crate) fn run(
    depth: u32,
    hash: usize,
    network: Option<Arc<Network>>,
    signals: &Signals,
    report: &mut dyn FnMut(&Step),
) -> Result<Option<Tally>> {
    memory::ensure(hash)?;
    let mut engine = Engine::new(hash)?;
    engine.set_network(network);
    let limits = Limits { depth: Some(depth.max(1)), ..Limits::default() };
    let mut tally = Tally::default();
    for (index, fen) in POSITIONS.iter().enumerate() {
        let position = Position::from_fen_in(fen, CastlingMode::Chess960).with_context(|| fen.to_string())?;
        engine.clear();
        let conclusion =
            engine.search(&Game::new(position), &limits, &SearchOptions::default(), signals, &mut |_| {});
        if signals.is_stopped() {
            return Ok(None);
        }
        tally.nodes += conclusion.nodes;
        tally.time += conclusion.time;
        report(&Step { number: index + 1, nodes: conclusion.nodes });
    }
    Ok(Some(tally))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_can_be_searched_and_none_comes_twice() {
        let mut seen = std::collections::HashSet::new();
        for fen in POSITIONS {
            let position = Position::from_fen_in(fen, CastlingMode::Chess960).expect(fen);
            assert_eq!(position.to_string(), fen);
            assert!(position.has_legal_moves(), "{fen}");
            assert!(seen.insert(position.key()), "{fen}");
        }
    }

    #[test]
    fn it_is_the_same_every_time() {
        let nodes = || {
            let tally = run(3, 1, None, &Signals::new(), &mut |_| {});
            tally.expect("memory").expect("not stopped").nodes
        };
        assert_eq!(nodes(), nodes());
        assert!(nodes() >= len() as u64);
    }
}
