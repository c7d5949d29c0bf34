//! The options of the perft.

use anyhow::{Context, Result};
use clap::{Args, value_parser};
use ferz_board::{Position, perft};

/// How leaves are counted.
#[derive(Args)]
pub(super) struct CounterOptions {
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1024))]
    threads: u32,

    /// Cache subtree counts in a hash table of this size
    #[arg(long, value_name = "MIB", value_parser = value_parser!(u32).range(1..))]
    hash: Option<u32>,

    /// Make every move, including the last ply: slower, tests move making
    #[arg(long, conflicts_with = "hash")]
    walk: bool,
}

impl CounterOptions {
    /// A counter with these options.
    pub(super) fn counter(&self) -> Result<LeafCounter> {
        let method = match self.hash {
            _ if self.walk => Method::Walk,
            None => Method::Fastest,
            Some(mebibytes) => {
                let table = perft::Table::new(mebibytes as usize);
                Method::Hashed(
                    table.with_context(|| format!("not enough memory for a table of {mebibytes} MiB"))?,
                )
            }
        };
        Ok(LeafCounter { method, threads: self.threads as usize })
    }
}

/// Counts leaves by the chosen method.
pub(super) struct LeafCounter {
    method: Method,
    threads: usize,
}

enum Method {
    Fastest,
    Hashed(perft::Table),
    Walk,
}

impl LeafCounter {
    /// A perft with these options.
    pub(super) fn run<'a>(&'a self, position: &'a Position, depth: u32) -> perft::Run<'a> {
        let run = perft::Run::new(position, depth).threads(self.threads);
        match &self.method {
            Method::Fastest => run,
            Method::Hashed(table) => run.table(table),
            Method::Walk => run.walk(),
        }
    }
}
