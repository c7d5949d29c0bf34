//! Damaged files: valid ones of every kind are changed at random and given to whoever reads them.
//!
//! Libraries read them in this process, and a share of them goes to the program. Nobody may panic, hang or take
//! much memory; what is refused is refused in words that name the file; and no net that is not whole is used.

mod mutation;
mod program;
mod readers;
mod samples;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::random::Random;
use program::Program;
use samples::{Kind, Sample};

/// Nothing takes longer to be read.
const PATIENCE: Duration = Duration::from_secs(20);
/// Nobody needs more for it, in MiB.
const MEMORY: u64 = 512;
/// One of so many files goes to the program as well.
const SHARE: u64 = 25;

/// Give damaged files to everything that reads files
#[derive(Args)]
pub(crate) struct Files {
    /// How long
    #[arg(long, value_name = "S", default_value_t = 300)]
    seconds: u64,

    /// How many files are read at a time
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,

    /// Another seed makes other files
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Where files are kept that should have been read otherwise
    #[arg(long, value_name = "DIR", default_value = "target/soak-files")]
    keep: PathBuf,
}

/// What became of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Accepted,
    /// With a reason.
    Refused,
}

/// A file that is being read.
struct Reading {
    since: Instant,
    name: String,
    bytes: Arc<Vec<u8>>,
}

/// What all jobs share.
struct Run<'a> {
    args: &'a Files,
    samples: Vec<Sample>,
    deadline: Instant,
    number: AtomicU64,
    refused: AtomicU64,
    run_by_program: AtomicU64,
    slowest: AtomicU64,
    largest: AtomicU64,
    is_over: AtomicBool,
    findings: Mutex<Vec<String>>,
}

impl Files {
    pub(crate) fn run(&self, ferz: &Path) -> Result<ExitCode> {
        let folder = std::env::temp_dir().join(format!("ferz-soak-files-{}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let result = self.run_in(ferz, &folder);
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        result
    }

    fn run_in(&self, ferz: &Path, folder: &Path) -> Result<ExitCode> {
        let run = Run {
            args: self,
            samples: samples::all(ferz, folder)?,
            deadline: Instant::now() + Duration::from_secs(self.seconds),
            number: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            run_by_program: AtomicU64::new(0),
            slowest: AtomicU64::new(0),
            largest: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            findings: Mutex::new(Vec::new()),
        };
        run.check_samples(ferz, folder)?;
        // A panic is a finding, which is told once.
        panic::set_hook(Box::new(|_| {}));
        let jobs: Vec<_> = (0..self.jobs.max(1)).map(|_| Mutex::new(None)).collect();
        let done = thread::scope(|scope| {
            let running: Vec<_> = (0_u64..)
                .zip(&jobs)
                .map(|(job, reading)| {
                    let folder = folder.join(job.to_string());
                    let run = &run;
                    scope.spawn(move || run.job(ferz, &folder, reading))
                })
                .collect();
            while !running.iter().all(thread::ScopedJoinHandle::is_finished) {
                thread::sleep(Duration::from_millis(100));
                run.watch(&jobs);
            }
            running
                .into_iter()
                .try_for_each(|job| job.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
        });
        let _ = panic::take_hook();
        done?;
        Ok(run.conclude())
    }
}

impl Run<'_> {
    /// What is whole is read.
    fn check_samples(&self, ferz: &Path, folder: &Path) -> Result<()> {
        let mut program = Program::start(ferz, &folder.join("whole"))?;
        for sample in &self.samples {
            let verdict = readers::read(sample.kind, &sample.bytes);
            ensure!(verdict != Some(Verdict::Refused), "a whole file of kind {} is refused", sample.kind);
            if !matches!(sample.kind, Kind::HalfKp | Kind::Book) {
                let judged = program.judge(sample, &sample.bytes, &mut Random::new(0))?;
                ensure!(judged.problem.is_none(), "{}: {:?}", sample.kind, judged.problem);
                ensure!(
                    judged.verdict == Verdict::Accepted,
                    "a whole file of kind {} is refused",
                    sample.kind
                );
            }
        }
        program.end()
    }

    fn job(&self, ferz: &Path, folder: &Path, reading: &Mutex<Option<Reading>>) -> Result<()> {
        let mut program = Program::start(ferz, folder)?;
        while !self.is_over.load(Relaxed) && Instant::now() < self.deadline {
            let number = self.number.fetch_add(1, Relaxed);
            let mut random = Random::new(self.args.seed.wrapping_mul(0x1_0000_0001).wrapping_add(number));
            let sample = self.choose(&mut random);
            let bytes = Arc::new(mutation::mutate(sample, &self.samples, &mut random));
            let name = format!("{number}.{}", sample.kind.extension());
            let started = Instant::now();
            *lock(reading) = Some(Reading { since: started, name: name.clone(), bytes: Arc::clone(&bytes) });
            let read = panic::catch_unwind(AssertUnwindSafe(|| readers::read(sample.kind, &bytes)));
            self.slowest.fetch_max(started.elapsed().as_millis() as u64, Relaxed);
            *lock(reading) = None;
            let mut verdict = read.unwrap_or_else(|panic| {
                let words = panic.downcast_ref::<String>().map(String::as_str);
                let words = words.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?");
                self.find(&name, &bytes, &format!("a reader panics: {words}"));
                None
            });
            let is_whole = self.samples.iter().any(|it| it.bytes == **bytes);
            if sample.kind == Kind::Net && verdict == Some(Verdict::Accepted) && !is_whole {
                self.find(&name, &bytes, "a damaged net is accepted");
            }
            // HalfKP nets are too large to be written again and again.
            if verdict.is_none() || number.is_multiple_of(SHARE) && sample.kind != Kind::HalfKp {
                let judged = program.judge(sample, &bytes, &mut random)?;
                verdict = verdict.or(Some(judged.verdict));
                self.run_by_program.fetch_add(1, Relaxed);
                self.slowest.fetch_max(judged.time.as_millis() as u64, Relaxed);
                self.largest.fetch_max(judged.memory, Relaxed);
                if let Some(problem) = judged.problem {
                    self.find(&name, &bytes, &problem);
                }
            }
            if verdict == Some(Verdict::Refused) {
                self.refused.fetch_add(1, Relaxed);
            }
        }
        program.end()
    }

    /// Large files take long, and are no better.
    fn choose(&self, random: &mut Random) -> &Sample {
        loop {
            let sample = random.pick(&self.samples);
            let is_chosen = match sample.kind {
                Kind::HalfKp => random.percent(1),
                Kind::Net => random.percent(30),
                // A process for each takes time.
                Kind::Zst | Kind::Games | Kind::Packed => random.percent(5),
                Kind::Book | Kind::Pgn | Kind::Epd => true,
            };
            if is_chosen {
                return sample;
            }
        }
    }

    /// Ends everything when somebody reads for too long: a thread cannot be ended by itself.
    fn watch(&self, jobs: &[Mutex<Option<Reading>>]) {
        for job in jobs {
            if let Some(reading) = &*lock(job)
                && reading.since.elapsed() > PATIENCE
            {
                self.find(&reading.name, &reading.bytes, "a reader hangs");
                self.conclude();
                std::process::exit(1);
            }
        }
        let own = program::memory_peak(std::process::id()).unwrap_or(0);
        self.largest.fetch_max(own, Relaxed);
        if own > MEMORY && !self.is_over.swap(true, Relaxed) {
            lock(&self.findings).push(format!("readers take {own} MiB"));
        }
    }

    fn find(&self, name: &str, bytes: &[u8], problem: &str) {
        let file = self.args.keep.join(name);
        let kept = fs::create_dir_all(&self.args.keep).and_then(|()| fs::write(&file, bytes));
        let place = kept.map_or_else(|error| format!("not kept: {error}"), |()| file.display().to_string());
        let finding = format!("{place}: {problem}");
        eprintln!("{finding}");
        let mut findings = lock(&self.findings);
        findings.push(finding);
        if findings.len() >= 20 {
            self.is_over.store(true, Relaxed);
        }
    }

    fn conclude(&self) -> ExitCode {
        let findings = lock(&self.findings);
        findings.iter().for_each(|finding| println!("finding: {finding}"));
        let kinds: BTreeSet<_> = self.samples.iter().map(|sample| sample.kind).collect();
        println!(
            "files: {} files of {} kinds, {} refused, {} read by the program, worst time {} ms, worst memory {} MiB, {} findings",
            self.number.load(Relaxed),
            kinds.len(),
            self.refused.load(Relaxed),
            self.run_by_program.load(Relaxed),
            self.slowest.load(Relaxed),
            self.largest.load(Relaxed),
            findings.len()
        );
        if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
