//! The bench: fixed positions, searched to a fixed depth.
//!
//! It uses one thread, no clock, and an empty table for each position. The node count is the same on every processor
//! and in every build and changes only with the search: it is a signature of the search as well as a speed test.

mod evaluation;
mod positions;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use ferz_board::{CastlingMode, Game, Position};
use ferz_eval::Network;
use ferz_search::{Engine, Limits, SearchOptions, Signals};

pub(crate) use evaluation::{EvalCost, networks};

use crate::memory;
use crate::progress::per_second;
use positions::POSITIONS;

/// The default depth: a few seconds of work.
pub(crate) const DEFAULT_DEPTH: u32 = 13;
/// The default size of the transposition table, in MiB.
pub(crate) const DEFAULT_HASH: usize = 16;

/// The number of positions.
pub(crate) const fn len() -> usize {
    POSITIONS.len()
}

/// A finished position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BenchStep {
    /// From 1.
    pub(crate) number: usize,
    nodes: u64,
}

impl fmt::Display for BenchStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bench {}/{}: {} nodes", self.number, len(), self.nodes)
    }
}

/// The nodes and the time of all positions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BenchTotal {
    nodes: u64,
    time: Duration,
}

impl BenchTotal {
    /// Positions looked at.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }
}

/// As scripts look for it.
impl fmt::Display for BenchTotal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.nodes, per_second(self.nodes, self.time))
    }
}

/// Searches all positions and reports each one; `None` if it was stopped.
pub(crate) fn run(
    depth: u32,
    hash: usize,
    network: Option<Arc<Network>>,
    signals: &Signals,
    report: &mut dyn FnMut(&BenchStep),
) -> Result<Option<BenchTotal>> {
    memory::ensure(hash)?;
    let mut engine = Engine::new(hash)?;
    engine.set_network(network);
    let limits = Limits::default().depth(depth.max(1));
    let mut total = BenchTotal::default();
    for (index, fen) in POSITIONS.iter().enumerate() {
        let position = Position::from_fen_in(fen, CastlingMode::Chess960).with_context(|| fen.to_string())?;
        engine.clear();
        let conclusion =
            engine.search(&Game::new(position), &limits, &SearchOptions::default(), signals, &mut |_| {});
        if signals.is_stopped() {
            return Ok(None);
        }
        total.nodes += conclusion.nodes;
        total.time += conclusion.time;
        report(&BenchStep { number: index + 1, nodes: conclusion.nodes });
    }
    Ok(Some(total))
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
            let total = run(3, 1, None, &Signals::new(), &mut |_| {});
            total.expect("memory").expect("not stopped").nodes
        };
        assert_eq!(nodes(), nodes());
        assert!(nodes() >= len() as u64);
    }
}
