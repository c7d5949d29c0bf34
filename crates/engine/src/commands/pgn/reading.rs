//! Reading the PGN files of a command on one or more threads.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::Result;
use clap::{Args, value_parser};
use ferz_notation::pgn::parallel::{self, Batch, Origin};

use crate::input::{self, InputText, ReadMeter};
use crate::progress::{ProgressLine, note};

/// The input files of a command.
#[derive(Args)]
pub(in crate::commands) struct PgnFiles {
    /// PGN files, plain or compressed with zstd (window up to 32 MiB); `-` is stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Number of threads; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=256))]
    threads: u32,
}

/// Why reading stops early.
pub(in crate::commands) enum Stop {
    /// The file cannot be read. The next one is tried.
    Unreadable(io::Error),
    /// The command needs no more games.
    Enough,
    /// The command failed.
    Failed(anyhow::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Unreadable(error)
    }
}

impl Stop {
    /// An output error.
    pub(in crate::commands) fn output(error: io::Error) -> Stop {
        Stop::Failed(error.into())
    }
}

/// The source of a batch of games.
pub(in crate::commands) struct BatchSource<'a> {
    /// The name of the file.
    pub(in crate::commands) name: &'a str,
    /// The place in the file.
    pub(in crate::commands) origin: &'a Origin,
    pub(in crate::commands) progress: &'a ProgressLine,
}

/// The totals of everything read so far.
pub(in crate::commands) struct ReadTotals {
    meter: ReadMeter,
    games: AtomicU64,
    moves: AtomicU64,
    unreadable: AtomicU64,
    start: Instant,
}

impl ReadTotals {
    pub(in crate::commands) fn new() -> ReadTotals {
        let zero = || AtomicU64::new(0);
        ReadTotals {
            meter: ReadMeter::default(),
            games: zero(),
            moves: zero(),
            unreadable: zero(),
            start: Instant::now(),
        }
    }

    pub(in crate::commands) fn add(&self, games: u64, moves: u64) {
        self.games.fetch_add(games, Relaxed);
        self.moves.fetch_add(moves, Relaxed);
    }

    pub(in crate::commands) fn games(&self) -> u64 {
        self.games.load(Relaxed)
    }

    pub(in crate::commands) fn moves(&self) -> u64 {
        self.moves.load(Relaxed)
    }

    /// The amount of text and the speed.
    pub(in crate::commands) fn speed(&self) -> impl fmt::Display {
        let megabytes = self.meter.text() as f64 / 1e6;
        let speed = megabytes / self.start.elapsed().as_secs_f64().max(1e-9);
        fmt::from_fn(move |f| write!(f, "{megabytes:.1} MB, {speed:.0} MB/s"))
    }

    /// Whether a file could not be read.
    pub(in crate::commands) fn has_unreadable(&self) -> bool {
        self.unreadable.load(Relaxed) > 0
    }

    /// The exit code: 2 if a file could not be read, else 1 if there are problems.
    pub(in crate::commands) fn exit_code(&self, has_problems: bool) -> ExitCode {
        match self.unreadable.load(Relaxed) {
            0 if has_problems => ExitCode::FAILURE,
            0 => ExitCode::SUCCESS,
            _ => ExitCode::from(crate::FAILED),
        }
    }
}

impl PgnFiles {
    pub(in crate::commands) fn paths(&self) -> &[PathBuf] {
        &self.files
    }

    /// Reads all files. `work` reads a batch of games on any thread; `each` gets its results in the order of the files.
    /// A file that cannot be read is reported, and reading continues with the next one.
    pub(in crate::commands) fn read<T: Send>(
        &self,
        totals: &ReadTotals,
        work: impl Fn(&mut Batch<'_>) -> T + Sync,
        each: impl FnMut(T, BatchSource<'_>) -> Result<(), Stop>,
    ) -> Result<()> {
        self.read_through(totals, |file| file, work, each)
    }

    /// The same with a wrapper around each file.
    pub(in crate::commands) fn read_through<'a, T: Send, R: Read + Send>(
        &self,
        totals: &'a ReadTotals,
        wrap: impl Fn(InputText<'a>) -> R,
        work: impl Fn(&mut Batch<'_>) -> T + Sync,
        mut each: impl FnMut(T, BatchSource<'_>) -> Result<(), Stop>,
    ) -> Result<()> {
        let now_read = Mutex::new(String::new());
        let progress_line = || {
            let name = now_read.lock().unwrap_or_else(PoisonError::into_inner);
            let percent = totals.meter.percent().map_or(String::new(), |percent| format!("{percent} %, "));
            format!("{percent}{}, {} games: {name}", totals.speed(), totals.games())
        };
        let mut read = |path: &Path, name: &str, progress: &ProgressLine| -> Result<(), Stop> {
            let file = wrap(input::open(path, &totals.meter)?);
            parallel::read(file, self.threads as usize, &work, |made, origin| {
                each(made, BatchSource { name, origin, progress })
            })
        };
        ProgressLine::watch(progress_line, |progress| {
            for path in &self.files {
                let name = input::name(path);
                now_read.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&name);
                match read(path, &name, progress) {
                    Ok(()) => {}
                    Err(Stop::Unreadable(error)) => {
                        totals.unreadable.fetch_add(1, Relaxed);
                        progress.suspend(|| note(format_args!("error: {name}: {error}")));
                    }
                    Err(Stop::Enough) => break,
                    Err(Stop::Failed(error)) => return Err(error),
                }
            }
            Ok(())
        })
    }
}
