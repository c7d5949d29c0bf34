//! Games against itself, as a library and as a process, with a referee that knows the rules from elsewhere.

mod clock;
mod library;
mod mate;
mod memory;
mod plan;
mod referee;
mod remote;
mod repeat;
mod resources;
mod tally;
#[cfg(test)]
mod tests;
mod verdict;
mod worker;

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::Result;
use clap::Args;

use memory::Findings;
use plan::{Plan, Stage};
use tally::Tally;
use verdict::{Event, Fault};
use worker::{PATIENCE, Worker};

/// How many games, and which
#[derive(Args, Clone, Debug)]
pub(crate) struct Games {
    /// Games at 1,000 nodes a move
    #[arg(long, default_value_t = 10_000)]
    games: usize,
    /// Games with 0.1 s and 2 ms a move
    #[arg(long, default_value_t = 300)]
    fast_games: usize,
    /// Games with 0.5 s and 5 ms a move
    #[arg(long, default_value_t = 1000)]
    clock_games: usize,
    /// Games with 1 or 20 ms for every move
    #[arg(long, default_value_t = 60)]
    movetime_games: usize,
    /// How often a new game is begun and memory looked at; 0 leaves out all tests of memory and of repeated searches
    #[arg(long, default_value_t = 5000)]
    new_games: usize,
    /// Where chance begins
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first game of each kind, to repeat one
    #[arg(long, default_value_t = 0)]
    first: usize,
    /// Games at the same time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Processors for games in which clocks run
    #[arg(long, default_value_t = 2)]
    clock_jobs: usize,
}

/// Which games to play now.
type Selection = fn(&Plan) -> bool;

/// Searches go deep, and the first thread of the library searches on ours.
const STACK_SIZE: usize = 32 << 20;

impl Games {
    /// Plays everything and prints what came of it.
    pub(crate) fn run(&self, program: &Path) -> Result<ExitCode> {
        let started = Instant::now();
        let jobs = self.jobs.max(self.clock_jobs).max(1);
        let mut workers: Vec<Worker> =
            (0..jobs).map(|_| Worker::new(program, PATIENCE)).collect::<Result<_>>()?;
        let mut events = Vec::new();
        let mut summary = Vec::new();
        for (stage, games, jobs) in [
            (Stage::Nodes, self.games, self.jobs),
            (Stage::Fast, self.fast_games, self.clock_jobs),
            (Stage::Clock, self.clock_games, self.clock_jobs),
            (Stage::MoveTime, self.movetime_games, self.clock_jobs),
        ] {
            if games > 0 {
                let tally = self.play(stage, games, &mut workers[..jobs.max(1)])?;
                println!("{tally}");
                summary.push(format!("{} games {stage}", tally.games()));
                events.extend(tally.into_events());
            }
        }
        for growth in workers.iter().flat_map(Worker::growths) {
            let share = growth * 100.0;
            println!("memory of an engine over its games: {share:+.2} %");
            if growth > memory::GROWTH {
                events.push(Event { fault: Fault::Growth, what: format!("{share:+.2} % over the games") });
            }
        }
        drop(workers);
        if self.new_games > 0 {
            for findings in
                [memory::sizes(program), memory::new_games(program, self.new_games), repeat::run(program)]
            {
                // An engine that ends or is silent breaks a promise; the other tests go on.
                let findings = findings.unwrap_or_else(|error| Findings {
                    events: vec![Event { fault: Fault::Crash, what: format!("{error:#}") }],
                    ..Findings::default()
                });
                findings.lines.iter().for_each(|line| println!("{line}"));
                events.extend(findings.events);
            }
        }
        for event in &events {
            println!("{:?}: {}", event.fault, event.what);
        }
        let counts: Vec<String> = Fault::ALL
            .into_iter()
            .map(|fault| format!("{} {fault}", events.iter().filter(|event| event.fault == fault).count()))
            .collect();
        if self.new_games > 0 {
            summary.push(format!("{} new games", self.new_games));
        }
        let minutes = started.elapsed().as_secs_f64() / 60.0;
        println!("{}: {}, {minutes:.1} min", summary.join(", "), counts.join(", "));
        Ok(if events.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Plays the games of a stage. Where clocks run, games that need more than a processor each come last, and
    /// fewer of them at a time.
    fn play(&self, stage: Stage, games: usize, workers: &mut [Worker]) -> Result<Tally> {
        let tally = Mutex::new(Tally::new(stage, games));
        let jobs = workers.len();
        let passes: &[(Selection, usize)] = match stage {
            Stage::Nodes => &[(|_| true, jobs)],
            _ => &[(|plan| !plan.is_heavy(), jobs), (Plan::is_heavy, (jobs / 2).max(1))],
        };
        for &(is_wanted, jobs) in passes {
            let next = AtomicUsize::new(0);
            let work = |worker: &mut Worker| -> Result<()> {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= games {
                        return Ok(());
                    }
                    let plan = Plan::new(self.seed, stage, self.first + index)?;
                    if is_wanted(&plan) {
                        let played = worker.play(&plan)?;
                        tally.lock().unwrap_or_else(PoisonError::into_inner).add(self.seed, &plan, played);
                    }
                }
            };
            run_on_threads(&mut workers[..jobs], work)?;
        }
        Ok(tally.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Lets every worker work on a thread of its own.
fn run_on_threads(workers: &mut [Worker], work: impl Fn(&mut Worker) -> Result<()> + Sync) -> Result<()> {
    let work = &work;
    thread::scope(|scope| {
        let running: Vec<_> = workers
            .iter_mut()
            .map(|worker| {
                let builder = thread::Builder::new().stack_size(STACK_SIZE);
                builder.spawn_scoped(scope, move || work(worker))
            })
            .collect::<Result<_, _>>()?;
        running
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
