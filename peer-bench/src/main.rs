//! Measures Ferz against its peers. All run in turn in one process, so that a noisy machine disturbs them alike.
//!
//! Every peer has its best configuration: native builds with full LTO, PEXT where the processor has BMI2 (cozy-chess by
//! its feature `pext`, `chess` by itself), and each library's fastest public way to do the task. nnue-probe is loaded as
//! a shared library, which should be built with `-O3 -march=native`.
//!
//! Each task is timed over several rounds. The speed of a contender is the total work divided by the sum of its best
//! times; a ratio is Ferz's speed divided by the peer's. The last lines are `ratio TASK PEER X.XX`.
//!
//! `make peer-bench`, or `cargo run --release -- [ROUNDS] [FILTER]` in this folder.

mod fen;
mod nnue;
mod perft;
mod pgn;
mod syzygy;

use std::time::{Duration, Instant};

/// One contender of a task.
pub struct Contender {
    /// The library, or the way it works.
    pub name: &'static str,
    /// Works on one input and returns the amount of work; all contenders must agree.
    pub work: Box<dyn Fn(usize) -> u64>,
}

/// Contenders that do the same work on the same inputs.
pub struct Task {
    /// The name in the ratio lines.
    pub name: &'static str,
    /// The unit of work.
    pub unit: &'static str,
    /// The number of inputs.
    pub inputs: usize,
    /// The first is Ferz.
    pub contenders: Vec<Contender>,
}

impl Task {
    /// The speed of each contender, in units per second.
    fn run(&self, rounds: usize) -> Vec<f64> {
        let mut best = vec![vec![Duration::MAX; self.inputs]; self.contenders.len()];
        let mut done = vec![0; self.inputs];
        for _ in 0..rounds {
            for input in 0..self.inputs {
                for (who, contender) in self.contenders.iter().enumerate() {
                    let start = Instant::now();
                    let work = (contender.work)(input);
                    best[who][input] = best[who][input].min(start.elapsed());
                    if done[input] == 0 {
                        done[input] = work;
                    }
                    assert_eq!(work, done[input], "{}: {} on input {input}", self.name, contender.name);
                }
            }
        }
        let total: u64 = done.iter().sum();
        best.iter().map(|times| total as f64 / times.iter().sum::<Duration>().as_secs_f64()).collect()
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(5);
    let filter = arguments.next().unwrap_or_default();
    let mut ratios = Vec::new();
    let board = perft::tasks().into_iter().chain([perft::thread_task()]).chain(fen::tasks());
    let tasks = board.chain(pgn::tasks()).chain(nnue::tasks()).chain(syzygy::tasks());
    for task in tasks.filter(|task| task.name.contains(&filter)) {
        let speeds = task.run(rounds);
        println!("{}", task.name);
        for (contender, speed) in task.contenders.iter().zip(&speeds) {
            println!("  {:<24} {:>10.2} M {}/s", contender.name, speed / 1e6, task.unit);
        }
        for (contender, speed) in task.contenders.iter().zip(&speeds).skip(1) {
            ratios.push(format!("ratio {} {} {:.2}", task.name, contender.name, speeds[0] / speed));
        }
    }
    if filter.is_empty() {
        perft::print_stockfish();
    }
    println!();
    ratios.iter().for_each(|line| println!("{line}"));
}
