//! `ferz-soak uci`: random sessions over the Universal Chess Interface.
//!
//! A session is made from a seed ([`generate`]), done to a process ([`drive`]), and watched by a [`referee`] who reads
//! the protocol and the rules of chess with other code than the engine's. What breaks a promise is written to a file
//! that `--replay` plays again.

mod drive;
mod figures;
mod generate;
mod hearing;
mod latency;
mod referee;
mod step;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use drive::{Patience, Played};
use figures::Figures;
use step::Step;

/// `isready` is answered within this time, unless something that takes long comes first.
const READY_WITHIN: Duration = Duration::from_secs(1);
/// Lines of a session that are shown when it has broken a promise; the rest is in the file.
const LAST_LINES: usize = 30;

/// Random sessions over the Universal Chess Interface
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How long
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// How many processes at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The first session; the next ones follow it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// No more sessions than this
    #[arg(long)]
    sessions: Option<u64>,
    /// What has not come after so long will never come
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 5000)]
    patience: u64,
    /// Where sessions that broke a promise are written to
    #[arg(long, value_name = "FOLDER", default_value = "target/soak-uci")]
    findings: PathBuf,
    /// Play a session again that was written down
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

pub(crate) fn run(ferz: &Path, options: &Options) -> Result<ExitCode> {
    let patience = Patience { answer: Duration::from_millis(options.patience) };
    if let Some(file) = &options.replay {
        return replay(ferz, file, patience);
    }
    let start = Instant::now();
    let latencies = latency::measure(ferz, options.seed)?;
    println!("start to uciok: {}", latencies.start);
    println!("ucinewgame to readyok with 1 GiB: {}", latencies.new_game);
    println!("stop to bestmove, promotions and a usual position: {}", latencies.stop);

    let deadline = start + Duration::from_secs(options.seconds);
    let next = AtomicU64::new(0);
    let sum = Mutex::new((Figures::default(), 0usize));
    let work = || -> Result<()> {
        while Instant::now() < deadline {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if options.sessions.is_some_and(|sessions| number >= sessions) {
                break;
            }
            let seed = options.seed.wrapping_add(number);
            let steps = generate::session(seed);
            let played = drive::play(ferz, &steps, patience)?;
            let is_broken = played.broken.is_some();
            if is_broken {
                report(&options.findings, seed, &steps, &played)?;
            }
            let mut sum = sum.lock().expect("nobody panics");
            sum.0.add(played.figures);
            sum.1 += usize::from(is_broken);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("sessions do not panic"))
    })?;
    let (figures, broken) = sum.into_inner().expect("nobody panics");
    println!("isready behind what takes long: {}", figures.slow_ready);
    println!(
        "stop to bestmove behind what takes long, or with more threads than cores: {}",
        figures.slow_stop
    );
    println!("quit or end of input to the end: {}", figures.exit);
    let is_late = figures.ready.longest() > READY_WITHIN;
    println!(
        "{} s, {} sessions, {} commands, {} best moves, {} lines of play, {broken} broken promises; isready {}; stop {}",
        start.elapsed().as_secs(),
        figures.sessions,
        figures.commands,
        figures.best_moves,
        figures.lines,
        figures.ready,
        figures.stop,
    );
    Ok(if broken > 0 || is_late { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Writes a session down and says what it found.
fn report(folder: &Path, seed: u64, steps: &[Step], played: &Played) -> Result<()> {
    let Some(broken) = &played.broken else { return Ok(()) };
    fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
    let file = folder.join(format!("session-{seed}.txt"));
    let text: String = steps.iter().map(|step| format!("{step}\n")).collect();
    fs::write(&file, text).with_context(|| format!("{}", file.display()))?;
    let from = played.transcript.len().saturating_sub(LAST_LINES);
    println!(
        "seed {seed}: {broken:#}; play it again with --replay {}\n{}\n",
        file.display(),
        played.transcript[from..].join("\n")
    );
    Ok(())
}

fn replay(ferz: &Path, file: &Path, patience: Patience) -> Result<ExitCode> {
    let text = fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
    let steps: Vec<Step> = text.lines().map(Step::parse).collect::<Result<_>>()?;
    let played = drive::play(ferz, &steps, patience)?;
    println!("{}", played.transcript.join("\n"));
    match played.broken {
        Some(broken) => {
            println!("{broken:#}");
            Ok(ExitCode::FAILURE)
        }
        None => {
            println!("every promise was kept");
            Ok(ExitCode::SUCCESS)
        }
    }
}
