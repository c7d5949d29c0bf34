//! Input files of games.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;

use crate::input;
use crate::progress::{self, ProgressLine};
use ferz_selfplay::data::ScoredGame;
use ferz_selfplay::data::header::Header;
use ferz_selfplay::data::source::{Meter, Next, Source};

/// The input files of a command.
#[derive(Args)]
pub(super) struct GameFiles {
    /// Files of games, packed or plain
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Skip damaged games instead of stopping
    #[arg(long)]
    recover: bool,
}

impl GameFiles {
    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.files
    }

    /// The merged header of all files.
    pub(super) fn header(&self) -> Result<Header> {
        let mut all = Header::new(Vec::new());
        for file in &self.files {
            let meter = Meter::default();
            all.add(Source::open(file, &meter)?.header())?;
        }
        Ok(all)
    }

    /// The approximate size of all games in the plain format.
    pub(super) fn estimated_bytes(&self) -> Result<u64> {
        let mut bytes = 0;
        for file in &self.files {
            let meter = Meter::default();
            let size = file.metadata().map_or(0, |data| data.len());
            bytes += if Source::open(file, &meter)?.is_packed() { size * 5 / 2 } else { size };
        }
        Ok(bytes)
    }

    /// Calls `visit` with every game, and shows the progress.
    pub(super) fn for_each(&self, visit: impl FnMut(ScoredGame) -> Result<()>) -> Result<()> {
        self.read(|_| Ok(()), visit)
    }

    /// The same, and the merged header: each file is read once, so it may be a pipe. Files with scores in different units
    /// are refused.
    pub(super) fn for_each_and_header(&self, visit: impl FnMut(ScoredGame) -> Result<()>) -> Result<Header> {
        let mut all = Header::new(Vec::new());
        self.read(|header| Ok(all.add(header)?), visit)?;
        Ok(all)
    }

    fn read(
        &self,
        mut begin: impl FnMut(&Header) -> Result<()>,
        mut visit: impl FnMut(ScoredGame) -> Result<()>,
    ) -> Result<()> {
        let meter = Meter::of(&self.files);
        let started = Instant::now();
        let line = || {
            let (taken, size) = meter.progress();
            let share = taken as f64 / size.max(1) as f64;
            let rate = taken as f64 / 1e6 / started.elapsed().as_secs_f64().max(1e-3);
            let left = progress::time_left(share, started.elapsed());
            format!("{:.0} % of {:.1} MB read, {rate:.1} MB/s, {left}", 100.0 * share, size as f64 / 1e6)
        };
        ProgressLine::watch(line, |progress| {
            for file in &self.files {
                let mut source = Source::open(file, &meter)?;
                begin(source.header())?;
                let mut skipped = 0;
                loop {
                    match source.next_item().with_context(|| input::name(file))? {
                        Next::Game(game) => visit(game)?,
                        Next::Damaged(damaged) if self.recover => {
                            skipped += 1;
                            progress.suspend(|| progress::note(format_args!("skipped: {damaged}")));
                        }
                        Next::Damaged(damaged) => return Err(damaged.into()),
                        Next::End { torn: 0 } => break,
                        Next::End { torn } => {
                            let name = input::name(file);
                            let message =
                                format_args!("{name}: ignored an incomplete game of {torn} bytes at the end");
                            progress.suspend(|| progress::note(message));
                            break;
                        }
                    }
                }
                if skipped > 0 {
                    let name = input::name(file);
                    progress.suspend(|| {
                        progress::note(format_args!("{name}: skipped {skipped} damaged games or blocks"));
                    });
                }
            }
            Ok(())
        })
    }
}
