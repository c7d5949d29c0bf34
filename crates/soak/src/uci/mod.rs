//! Random sessions over the Universal Chess Interface.
//!
//! A session is generated from a seed, sent to a process, and watched by a [`referee`] that reads the protocol and the
//! rules of chess with other code than the engine's.

mod generate;
mod referee;
mod session;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use fastrand::Rng;

use crate::figures::SoakFigures;
use crate::process::FerzProcess;

/// `isready` is answered within this time, unless a slow command comes before it.
const READY_WITHIN: Duration = Duration::from_secs(1);
/// Lines of a session that are printed when it has broken a promise; all are in the file.
const LAST_LINES: usize = 30;
/// How long the engine may take to answer when nothing else is going on.
const LATENCY_LIMIT: Duration = Duration::from_secs(10);

/// Send random sessions to the engine: commands in any order, cut and endless lines, arbitrary bytes
#[derive(clap::Args)]
pub(crate) struct UciArgs {
    /// How long to go on
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// Sessions at the same time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Seed of the first session; the next ones count up from it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop after N sessions; `--seed S --sessions 1` repeats a session
    #[arg(long, value_name = "N")]
    sessions: Option<u64>,
    /// How long to wait for an answer
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 5000)]
    patience: u64,
    /// Folder for transcripts of sessions that broke a promise
    #[arg(long, value_name = "FOLDER", default_value = "target/soak-uci")]
    findings: PathBuf,
}

impl UciArgs {
    pub(crate) fn run(&self, ferz: &Path) -> Result<ExitCode> {
        let start = Instant::now();
        let figures = SoakFigures::default();
        measure_latencies(ferz, self.seed, &figures)?;
        let net = generate::NetFile::create()?;
        let next = AtomicU64::new(0);
        let work = || -> Result<()> {
            while start.elapsed() < Duration::from_secs(self.seconds) {
                let number = next.fetch_add(1, Relaxed);
                if self.sessions.is_some_and(|sessions| number >= sessions) {
                    break;
                }
                let seed = self.seed.wrapping_add(number);
                let steps = generate::session(seed, &net);
                let patience = Duration::from_millis(self.patience);
                let (broken, transcript) = session::play(ferz, &steps, patience, &figures)?;
                if let Some(error) = broken {
                    self.report(seed, &error, &transcript, &figures)?;
                }
            }
            Ok(())
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.max(1)).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("sessions do not panic"))
        })?;
        let longest = figures.longest(referee::READY);
        if longest > READY_WITHIN {
            figures.note("late readyok", format_args!("{longest:?}"));
        }
        Ok(figures.finish(&format!("uci, {} s", start.elapsed().as_secs())))
    }

    /// Writes the transcript of a session to a file and prints its end.
    fn report(
        &self,
        seed: u64,
        error: &anyhow::Error,
        transcript: &[String],
        figures: &SoakFigures,
    ) -> Result<()> {
        let file = self.findings.join(format!("session-{seed}.txt"));
        fs::create_dir_all(&self.findings)
            .and_then(|()| fs::write(&file, transcript.join("\n")))
            .with_context(|| file.display().to_string())?;
        let last = &transcript[transcript.len().saturating_sub(LAST_LINES)..];
        figures.note("broken session", format_args!("seed {seed}: {error:#}\n{}\n", last.join("\n")));
        Ok(())
    }
}

/// Measures how long a chess program waits for the engine, one thing at a time.
fn measure_latencies(program: &Path, seed: u64, figures: &SoakFigures) -> Result<()> {
    /// A stop is hardest to notice where every pawn can promote and quiescence search explodes.
    const POSITIONS: [&str; 2] =
        ["fen 8/PPPPPPPP/nr4RN/qb4BQ/kb4BK/nr4RN/pppppppp/8 w - - 0 1", "startpos moves e2e4 e7e5"];
    for _ in 0..20 {
        let start = Instant::now();
        let mut engine = FerzProcess::start(program, &[])?;
        figures.time("start to uciok", engine.ask("uci", "uciok", LATENCY_LIMIT)?.0 - start);
        engine.quit()?;
    }
    let mut engine = FerzProcess::engine(program)?;
    engine.send("setoption name Hash value 1024")?;
    engine.ask("isready", "readyok", LATENCY_LIMIT)?;
    for _ in 0..10 {
        let start = Instant::now();
        let (when, _) = engine.ask("ucinewgame\nisready", "readyok", LATENCY_LIMIT)?;
        figures.time("ucinewgame to readyok with 1 GiB", when - start);
    }
    engine.send("setoption name Hash value 16")?;
    let mut random = Rng::with_seed(seed);
    for number in 0..150 {
        engine.send(&format!("position {}", POSITIONS[number % POSITIONS.len()]))?;
        engine.ask("isready", "readyok", LATENCY_LIMIT)?;
        engine.send("go infinite")?;
        thread::sleep(Duration::from_millis(random.u64(..40)));
        let start = Instant::now();
        let (when, line) = engine.ask("stop", "bestmove ", LATENCY_LIMIT)?;
        ensure!(line != "bestmove 0000" && line != "bestmove (none)", "no move: {line}");
        figures.time("stop to bestmove, promotions and a usual position", when - start);
    }
    engine.quit()
}
