//! Damaged files: valid files of every kind are changed at random and read.
//!
//! The libraries read them in this process, and a share of them goes to the program. Nothing may panic, hang or take
//! much memory; errors name the file; and a damaged net is never used.

mod mutation;
mod readers;
mod samples;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use fastrand::Rng;

use crate::figures::{SoakFigures, lock};
use crate::process::peak_mib;
use crate::random::RandomChoice as _;
use readers::ProgramReader;
use samples::{FileKind, SampleFile};

/// Reading a file takes less time than this.
const PATIENCE: Duration = Duration::from_secs(20);
/// Reading a file takes less memory than this.
const MEMORY_MIB: u64 = 512;
/// One in this number of files goes to the program as well.
const PROGRAM_SHARE: u64 = 25;
/// The run ends after this number of findings.
const MAX_FINDINGS: u64 = 20;

/// Read damaged files with everything that reads files
#[derive(Args)]
pub(crate) struct FilesArgs {
    /// How long to go on
    #[arg(long, value_name = "S", default_value_t = 300)]
    seconds: u64,
    /// Files read at the same time
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// Seed of the random generator
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Folder for files that broke a promise
    #[arg(long, value_name = "DIR", default_value = "target/soak-files")]
    keep: PathBuf,
}

/// A file that is being read: since when, its name and its contents.
type FileInProgress = Mutex<Option<(Instant, String, Arc<Vec<u8>>)>>;

/// What all jobs share.
struct FilesRun<'a> {
    args: &'a FilesArgs,
    ferz: &'a Path,
    samples: Vec<SampleFile>,
    deadline: Instant,
    next: AtomicU64,
    figures: SoakFigures,
}

impl FilesArgs {
    pub(crate) fn run(&self, ferz: &Path) -> Result<ExitCode> {
        let folder = std::env::temp_dir().join(format!("ferz-soak-files-{}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let result = self.run_in(ferz, &folder);
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        result
    }

    fn run_in(&self, ferz: &Path, folder: &Path) -> Result<ExitCode> {
        let run = FilesRun {
            args: self,
            ferz,
            samples: samples::all(ferz, folder)?,
            deadline: Instant::now() + Duration::from_secs(self.seconds),
            next: AtomicU64::new(0),
            figures: SoakFigures::default(),
        };
        run.check_samples(&folder.join("samples"))?;
        // A panic is a finding, which is printed once.
        panic::set_hook(Box::new(|_| {}));
        let jobs: Vec<FileInProgress> = (0..self.jobs.max(1)).map(|_| Mutex::new(None)).collect();
        let done = thread::scope(|scope| {
            let running: Vec<_> = jobs
                .iter()
                .enumerate()
                .map(|(job, reading)| {
                    let (run, folder) = (&run, folder.join(job.to_string()));
                    scope.spawn(move || run.read_files(&folder, reading))
                })
                .collect();
            while !running.iter().all(thread::ScopedJoinHandle::is_finished) {
                thread::sleep(Duration::from_millis(100));
                run.watch(&jobs);
            }
            running.into_iter().try_for_each(|job| job.join().expect("readers' panics are caught"))
        });
        drop(panic::take_hook());
        done?;
        Ok(run.finish())
    }
}

impl FilesRun<'_> {
    /// Undamaged files are accepted.
    fn check_samples(&self, folder: &Path) -> Result<()> {
        let mut program = ProgramReader::start(self.ferz, folder)?;
        for sample in &self.samples {
            let mut is_accepted = readers::read(sample.kind, &sample.bytes).unwrap_or(true);
            if !matches!(sample.kind, FileKind::HalfKp | FileKind::Book) {
                let outcome = program.read(sample, &sample.bytes, &mut Rng::with_seed(0))?;
                ensure!(outcome.problem.is_none(), "{:?}: {:?}", sample.kind, outcome.problem);
                is_accepted &= outcome.is_accepted;
            }
            ensure!(is_accepted, "a valid file is refused: {:?}", sample.kind);
        }
        program.quit()
    }

    fn read_files(&self, folder: &Path, reading: &FileInProgress) -> Result<()> {
        let mut program = ProgramReader::start(self.ferz, folder)?;
        while Instant::now() < self.deadline && self.figures.breaches() < MAX_FINDINGS {
            let number = self.next.fetch_add(1, Relaxed);
            let mut random = Rng::with_seed(self.args.seed.wrapping_mul(0x1_0000_0001).wrapping_add(number));
            let sample = self.choose(&mut random);
            let bytes = Arc::new(mutation::mutate(sample, &self.samples, &mut random));
            let name = format!("{number}.{}", sample.kind.extension());
            let started = Instant::now();
            *lock(reading) = Some((started, name.clone(), Arc::clone(&bytes)));
            let read = panic::catch_unwind(AssertUnwindSafe(|| readers::read(sample.kind, &bytes)));
            *lock(reading) = None;
            self.figures.count("files", 1);
            self.figures.time("reading a file", started.elapsed());
            let mut is_accepted = read.unwrap_or_else(|panic| {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?");
                self.find(&name, &bytes, &format!("a reader panics: {text}"));
                None
            });
            let is_whole = self.samples.iter().any(|it| it.bytes == *bytes);
            if sample.kind == FileKind::Net && is_accepted == Some(true) && !is_whole {
                self.find(&name, &bytes, "a damaged net is accepted");
            }
            // HalfKP nets are too large to be written all the time.
            if is_accepted.is_none()
                || number.is_multiple_of(PROGRAM_SHARE) && sample.kind != FileKind::HalfKp
            {
                let outcome = program.read(sample, &bytes, &mut random)?;
                is_accepted = is_accepted.or(Some(outcome.is_accepted));
                self.figures.count("read by the program", 1);
                self.figures.time("reading a file by the program", outcome.time);
                self.figures.peak("MiB at most", outcome.peak_mib);
                if let Some(problem) = outcome.problem {
                    self.find(&name, &bytes, &problem);
                }
            }
            self.figures.count("refused", usize::from(is_accepted == Some(false)));
        }
        program.quit()
    }

    fn choose(&self, random: &mut Rng) -> &SampleFile {
        loop {
            let sample = &self.samples[random.usize(..self.samples.len())];
            let chance = match sample.kind {
                // Large files take long, and find no more.
                FileKind::HalfKp => 1,
                FileKind::Net => 30,
                // Each of these takes a process.
                FileKind::Zst | FileKind::Games | FileKind::Packed => 5,
                FileKind::Book | FileKind::Pgn | FileKind::Epd => 100,
            };
            if random.percent(chance) {
                return sample;
            }
        }
    }

    /// Exits if a file is read for too long: the thread that reads it cannot be ended.
    fn watch(&self, jobs: &[FileInProgress]) {
        for job in jobs {
            if let Some((since, name, bytes)) = &*lock(job)
                && since.elapsed() > PATIENCE
            {
                self.find(name, bytes, "a reader hangs");
                self.finish();
                std::process::exit(1);
            }
        }
        let own = peak_mib(std::process::id()).unwrap_or(0);
        self.figures.peak("MiB at most", own);
        if own > MEMORY_MIB {
            self.figures.note("finding", format_args!("readers take {own} MiB"));
        }
    }

    /// Keeps a file that broke a promise.
    fn find(&self, name: &str, bytes: &[u8], problem: &str) {
        let file = self.args.keep.join(name);
        let kept = fs::create_dir_all(&self.args.keep).and_then(|()| fs::write(&file, bytes));
        let place = kept.map_or_else(|error| format!("not kept: {error}"), |()| file.display().to_string());
        self.figures.note("finding", format_args!("{place}: {problem}"));
    }

    fn finish(&self) -> ExitCode {
        let kinds: BTreeSet<_> = self.samples.iter().map(|sample| sample.kind).collect();
        self.figures.finish(&format!("files of {} kinds", kinds.len()))
    }
}
