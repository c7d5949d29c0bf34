//! The options of commands that search.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, value_parser};
use ferz_search::{Engine, Limits};

use crate::tables::TableArguments;
use crate::{memory, networks};

/// Search limits and engine settings.
#[derive(Args)]
pub(super) struct SearchArguments {
    /// Stop each search at depth D
    #[arg(long, value_name = "D", value_parser = value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Stop each search after N nodes
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Stop each search after MS milliseconds. Without any limit, a position takes about a second
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Number of search threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u64).range(1..=Engine::MAX_THREADS as u64))]
    threads: u64,

    /// Size of the transposition table
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = value_parser!(u32).range(1..))]
    hash: u32,

    /// The network to evaluate with: a file, `embedded` or `classical` (no network)
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    #[command(flatten)]
    tables: TableArguments,
}

impl SearchArguments {
    /// The limits of a search. Without any on the command line, it takes the default time.
    pub(super) fn limits(&self, default: Duration) -> Limits {
        let is_limited = self.depth.is_some() || self.nodes.is_some();
        let default = (!is_limited).then_some(default);
        let mut limits = Limits::default();
        limits.depth = self.depth;
        limits.nodes = self.nodes;
        limits.move_time = self.movetime.map(Duration::from_millis).or(default);
        limits
    }

    /// An engine with these settings.
    pub(super) fn engine(&self) -> Result<Engine> {
        let network = networks::load(&self.net)?;
        let (hash, threads) = (self.hash as usize, self.threads as usize);
        memory::ensure(hash + threads * Engine::MEBIBYTES_PER_THREAD)?;
        let mut engine = Engine::new(hash)?;
        engine.set_threads(threads).context("threads")?;
        engine.set_network(network);
        engine.set_tablebases(self.tables.open()?);
        Ok(engine)
    }
}
