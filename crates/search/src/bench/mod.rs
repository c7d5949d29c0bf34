//! The bench: fixed positions, searched to a fixed depth.
//!
//! It uses one thread, no clock, and an empty table for each position. The node count is the same on every processor
//! and in every build and changes only with the search: it is a signature of the search as well as a speed test.

mod positions;

use std::fmt;
use std::time::Duration;

use ferz_board::{CastlingMode, Game, Position};

use crate::{Engine, Limits, SearchOptions, Signals};

pub use positions::POSITIONS;

/// The default depth: a few seconds of work.
pub const DEFAULT_DEPTH: u32 = 13;
/// The default size of the transposition table, in MiB. The node count depends on it.
pub const DEFAULT_HASH: usize = 16;

/// A finished position.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct BenchStep {
    /// From 1 to the number of positions.
    pub number: usize,
    /// The nodes of this position.
    pub nodes: u64,
}

/// `bench 3/56: 1200 nodes`.
impl fmt::Display for BenchStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bench {}/{}: {} nodes", self.number, POSITIONS.len(), self.nodes)
    }
}

/// The nodes and the time of all positions.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct BenchTotal {
    /// All nodes.
    pub nodes: u64,
    /// The time of all searches.
    pub time: Duration,
}

/// Searches all positions and reports each one. Returns `None` if it was stopped.
///
/// ```
/// use ferz_search::{Engine, Signals, bench};
///
/// let mut engine = Engine::new(1)?;
/// let total = bench::run(&mut engine, 1, &Signals::new(), &mut |_| {}).expect("nothing stops it");
/// assert!(total.nodes >= bench::POSITIONS.len() as u64);
/// # Ok::<(), ferz_search::OutOfMemory>(())
/// ```
pub fn run(
    engine: &mut Engine,
    depth: u32,
    signals: &Signals,
    report: &mut dyn FnMut(&BenchStep),
) -> Option<BenchTotal> {
    let limits = Limits::default().depth(depth.max(1));
    let mut total = BenchTotal::default();
    for (number, fen) in (1..).zip(POSITIONS) {
        let position = Position::from_fen_in(fen, CastlingMode::Chess960).expect("a test reads them all");
        engine.clear();
        let conclusion =
            engine.search(&Game::new(position), &limits, &SearchOptions::default(), signals, &mut |_| {});
        if signals.is_stopped() {
            return None;
        }
        total.nodes += conclusion.nodes;
        total.time += conclusion.time;
        report(&BenchStep { number, nodes: conclusion.nodes });
    }
    Some(total)
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
            let mut engine = Engine::new(1).expect("memory for 1 MiB");
            engine.set_network(None);
            run(&mut engine, 3, &Signals::new(), &mut |_| {}).expect("nothing stops it").nodes
        };
        assert_eq!(nodes(), nodes());
        assert!(nodes() >= POSITIONS.len() as u64);
    }
}
