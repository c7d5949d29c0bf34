//! How far a command searches, and with what.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, value_parser};
use ferz_search::{Engine, Limits};

use crate::{memory, networks};

/// Limits of a search and the size of its engine.
#[derive(Args)]
pub(super) struct SearchArguments {
    /// Search each position so many plies deep
    #[arg(long, value_name = "D", value_parser = value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// Search so many nodes
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Search for so many milliseconds; without any limit a second passes
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// How many threads search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u64).range(1..=Engine::MAX_THREADS as u64))]
    threads: u64,

    /// The size of the transposition table
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = value_parser!(u32).range(1..))]
    hash: u32,

    /// Evaluate with this net; `classical` is none
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,
}

impl SearchArguments {
    /// What ends the search of a position: this time, if nobody says otherwise.
    pub(super) fn limits(&self, default: Duration) -> Limits {
        let is_limited = self.depth.is_some() || self.nodes.is_some();
        let default = (!is_limited).then_some(default);
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.movetime.map(Duration::from_millis).or(default),
            ..Limits::default()
        }
    }

    /// The engine that was asked for.
    pub(super) fn engine(&self) -> Result<Engine> {
        let network = networks::load(&self.net)?;
        let (hash, threads) = (self.hash as usize, self.threads as usize);
        memory::ensure(hash + threads * Engine::MEBIBYTES_PER_THREAD)?;
        let mut engine = Engine::new(hash)?;
        engine.set_threads(threads).context("threads")?;
        engine.set_network(network);
        Ok(engine)
    }
}
