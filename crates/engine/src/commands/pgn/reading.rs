//! Reading the files of a command, on several threads if asked for, while somebody watches.

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

use crate::input::{self, Meter, Text};
use crate::progress::{Progress, tell};

/// The files, and how they are read.
#[derive(Args)]
pub(super) struct Files {
    /// PGN files, plain or packed by zstd (with a window of up to 32 MiB); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// How many threads read; the result is the same
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=256))]
    threads: u32,
}

/// Why the reading of a file ends early.
pub(super) enum Stop {
    /// It cannot be read. Others perhaps can.
    Unreadable(io::Error),
    /// The command has what it wanted, of all files.
    Enough,
    /// The command cannot go on.
    Failed(anyhow::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Unreadable(error)
    }
}

impl Stop {
    /// An error of the output.
    pub(super) fn output(error: io::Error) -> Stop {
        Stop::Failed(error.into())
    }
}

/// Where a batch of games comes from.
pub(super) struct Source<'a> {
    /// The name of the file.
    pub(super) name: &'a str,
    /// Where in it.
    pub(super) origin: &'a Origin,
    pub(super) progress: &'a Progress,
}

/// What has been read.
pub(super) struct Tally {
    meter: Meter,
    games: AtomicU64,
    moves: AtomicU64,
    unreadable: AtomicU64,
    start: Instant,
}

impl Tally {
    pub(super) fn new() -> Tally {
        let zero = || AtomicU64::new(0);
        Tally {
            meter: Meter::default(),
            games: zero(),
            moves: zero(),
            unreadable: zero(),
            start: Instant::now(),
        }
    }

    pub(super) fn add(&self, games: u64, moves: u64) {
        self.games.fetch_add(games, Relaxed);
        self.moves.fetch_add(moves, Relaxed);
    }

    pub(super) fn games(&self) -> u64 {
        self.games.load(Relaxed)
    }

    pub(super) fn moves(&self) -> u64 {
        self.moves.load(Relaxed)
    }

    /// How much was read, and how fast.
    pub(super) fn speed(&self) -> impl fmt::Display {
        let megabytes = self.meter.text() as f64 / 1e6;
        let speed = megabytes / self.start.elapsed().as_secs_f64().max(1e-9);
        fmt::from_fn(move |f| write!(f, "{megabytes:.1} MB, {speed:.0} MB/s"))
    }

    /// The exit code, if something was wrong with the games or not.
    pub(super) fn exit_code(&self, is_wrong: bool) -> ExitCode {
        match self.unreadable.load(Relaxed) {
            0 if is_wrong => ExitCode::FAILURE,
            0 => ExitCode::SUCCESS,
            _ => ExitCode::from(crate::NO_RESULT),
        }
    }
}

impl Files {
    /// Reads all files. `work` reads some games, on any thread, and makes something of them; `each` gets it in
    /// the order of the files. A file that cannot be read is reported, and the next one read.
    pub(super) fn read<T: Send>(
        &self,
        tally: &Tally,
        work: impl Fn(&mut Batch<'_>) -> T + Sync,
        each: impl FnMut(T, Source<'_>) -> Result<(), Stop>,
    ) -> Result<()> {
        self.read_through(tally, |file| file, work, each)
    }

    /// The same with something between the files and their reader.
    pub(super) fn read_through<'a, T: Send, R: Read + Send>(
        &self,
        tally: &'a Tally,
        wrap: impl Fn(Text<'a>) -> R,
        work: impl Fn(&mut Batch<'_>) -> T + Sync,
        mut each: impl FnMut(T, Source<'_>) -> Result<(), Stop>,
    ) -> Result<()> {
        let now_read = Mutex::new(String::new());
        let progress_line = || {
            let name = now_read.lock().unwrap_or_else(PoisonError::into_inner);
            let percent = tally.meter.percent().map_or(String::new(), |percent| format!("{percent} %, "));
            format!("{percent}{}, {} games: {name}", tally.speed(), tally.games())
        };
        let mut read = |path: &Path, name: &str, progress: &Progress| -> Result<(), Stop> {
            let file = wrap(input::open(path, &tally.meter)?);
            parallel::read(file, self.threads as usize, &work, |made, origin| {
                each(made, Source { name, origin, progress })
            })
        };
        Progress::watch(progress_line, |progress| {
            for path in &self.files {
                let name = input::name(path);
                now_read.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&name);
                match read(path, &name, progress) {
                    Ok(()) => {}
                    Err(Stop::Unreadable(error)) => {
                        tally.unreadable.fetch_add(1, Relaxed);
                        progress.suspend(|| tell(format_args!("error: {name}: {error}")));
                    }
                    Err(Stop::Enough) => break,
                    Err(Stop::Failed(error)) => return Err(error),
                }
            }
            Ok(())
        })
    }
}
