//! The bench of the search, and the cost of evaluations.

mod evaluation;

use std::fmt;
use std::sync::Arc;

use anyhow::Result;
use ferz_eval::Network;
use ferz_search::{Engine, Signals, bench};

pub(crate) use evaluation::{EvalCost, networks};
pub(crate) use ferz_search::bench::{BenchStep, DEFAULT_DEPTH, DEFAULT_HASH, POSITIONS};

use crate::memory;
use crate::progress::per_second;

/// The nodes and the time of all positions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BenchTotal(bench::BenchTotal);

impl BenchTotal {
    /// Positions looked at.
    pub(crate) fn nodes(&self) -> u64 {
        self.0.nodes
    }
}

/// As scripts look for it.
impl fmt::Display for BenchTotal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.0.nodes, per_second(self.0.nodes, self.0.time))
    }
}

/// Searches all positions with a new engine and reports each one; `None` if it was stopped.
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
    Ok(bench::run(&mut engine, depth, signals, report).map(BenchTotal))
}
