//! `ferz bench`: fixed positions, searched to a fixed depth.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use anyhow::Result;
use clap::{Args, value_parser};
use ferz_eval::Network;
use ferz_search::Signals;

use crate::bench;
use crate::networks;
use crate::progress::Progress;

/// Search fixed positions: a measure of speed, and a signature of the search
///
/// One thread, an empty table for each position: the number of nodes is the same on every machine and changes only
/// if the search does. The last line is `<n> nodes <n> nps`.
#[derive(Args)]
pub(crate) struct Bench {
    /// How many plies deep
    #[arg(default_value_t = bench::DEFAULT_DEPTH, value_parser = value_parser!(u32).range(1..=99))]
    depth: u32,

    /// The size of the transposition table; another one makes another number of nodes
    #[arg(long, value_name = "MIB", default_value_t = bench::DEFAULT_HASH as u32, value_parser = value_parser!(u32).range(1..))]
    hash: u32,

    /// Evaluate with this net; `classical` is none
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    /// Measure evaluations instead of searching: nanoseconds per update of a net's first layer and per evaluation,
    /// for the net given or for nets of several widths
    #[arg(long, conflicts_with_all = ["depth", "hash"])]
    eval: bool,
}

impl Bench {
    /// Searches, and writes how much and how fast.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let network = networks::load(&self.net)?;
        if self.eval {
            return measure_evaluations(network, out);
        }
        let done = AtomicUsize::new(0);
        let progress_line = || format!("bench {} of {}", done.load(Relaxed), bench::len());
        let tally = Progress::watch(progress_line, |_| {
            let count = &mut |step: &bench::Step| done.store(step.number, Relaxed);
            bench::run(self.depth, self.hash as usize, network, &Signals::new(), count)
        })?;
        // Nobody stops it.
        writeln!(out, "{}", tally.unwrap_or_default())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes a table of what evaluations cost.
fn measure_evaluations(network: Option<Arc<Network>>, out: &mut impl Write) -> Result<ExitCode> {
    let nets = bench::networks(network)?;
    let done = AtomicUsize::new(0);
    let progress_line = || format!("bench {} of {}", done.load(Relaxed), nets.len() + 1);
    Progress::watch(progress_line, |progress| {
        writeln!(out, "{}", bench::Cost::HEADER)?;
        for network in [None].into_iter().chain(nets.iter().map(Some)) {
            let cost = bench::Cost::measure(network)?;
            let name = networks::description(network.map(Arc::as_ref));
            progress.suspend(|| {
                writeln!(out, "{name:<24} {cost}")?;
                out.flush()
            })?;
            done.fetch_add(1, Relaxed);
        }
        Ok(ExitCode::SUCCESS)
    })
}
