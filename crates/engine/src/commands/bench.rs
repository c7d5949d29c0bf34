//! `ferz bench`.

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
use crate::progress::ProgressLine;

/// Search fixed positions: a speed test and a signature of the search
///
/// Searches with one thread and an empty table for each position, so the node count is the same on every machine and
/// changes only with the search. The last line is `<n> nodes <n> nps`.
#[derive(Args)]
pub(crate) struct Bench {
    /// Depth in plies
    #[arg(default_value_t = bench::DEFAULT_DEPTH, value_parser = value_parser!(u32).range(1..=99))]
    depth: u32,

    /// Size of the transposition table; changes the node count
    #[arg(long, value_name = "MIB", default_value_t = bench::DEFAULT_HASH as u32, value_parser = value_parser!(u32).range(1..))]
    hash: u32,

    /// The network to evaluate with: a file, `embedded` or `classical` (no network)
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    /// Measure evaluations instead: nanoseconds per accumulator update and per evaluation, for the given network and
    /// for random networks of several widths
    #[arg(long, conflicts_with_all = ["depth", "hash"])]
    eval: bool,
}

impl Bench {
    /// Runs the bench and prints nodes and speed.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let network = networks::load(&self.net)?;
        if self.eval {
            return measure_evaluations(network, out);
        }
        let done = AtomicUsize::new(0);
        let progress_line = || format!("bench {} of {}", done.load(Relaxed), bench::POSITIONS.len());
        let total = ProgressLine::watch(progress_line, |_| {
            let count = &mut |step: &bench::BenchStep| done.store(step.number, Relaxed);
            bench::run(self.depth, self.hash as usize, network, &Signals::new(), count)
        })?;
        // Nothing stops this run, so there is a total.
        writeln!(out, "{}", total.unwrap_or_default())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints a table of the cost of evaluations.
fn measure_evaluations(network: Option<Arc<Network>>, out: &mut impl Write) -> Result<ExitCode> {
    let nets = bench::networks(network)?;
    let done = AtomicUsize::new(0);
    let progress_line = || format!("bench {} of {}", done.load(Relaxed), nets.len() + 1);
    ProgressLine::watch(progress_line, |progress| {
        writeln!(out, "{}", bench::EvalCost::HEADER)?;
        for network in [None].into_iter().chain(nets.iter().map(Some)) {
            let cost = bench::EvalCost::measure(network)?;
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
