//! `ferz library import`.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use anyhow::{Context, Result};
use clap::Args;
use ferz_library::{Import, ImportCount, Library};

use super::path;
use crate::input::{self, ReadMeter};
use crate::library_path::LibraryArgument;
use crate::progress::ProgressLine;

/// Add the games of PGN files to the library
///
/// Files may be compressed with zstd; `-` is stdin. If the import is interrupted, the games up to then are in the
/// library. The last line is `<n> games, <n> problems`.
#[derive(Args)]
pub(crate) struct ImportGames {
    /// PGN files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Put the games into this folder, which is made if it does not exist
    #[arg(long, value_name = "NAME")]
    folder: Option<String>,

    #[command(flatten)]
    library: LibraryArgument,
}

impl ImportGames {
    /// Imports all files.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let library = path(&self.library)?;
        let folder = match &self.folder {
            Some(name) => Library::open(&library)?.make_folder(name)?,
            None => 0,
        };
        let (meter, games) = (ReadMeter::default(), AtomicU64::new(0));
        let line = || {
            let percent = meter.percent().map(|percent| format!("{percent} %, ")).unwrap_or_default();
            format!("{percent}{} MB, {} games", meter.text() / 1_000_000, games.load(Relaxed))
        };
        let mut problems = 0;
        ProgressLine::watch(line, |_| -> Result<()> {
            for file in &self.files {
                let name = input::name(file);
                let text = input::open(file, &meter).with_context(|| name.clone())?;
                let before = games.load(Relaxed);
                let mut import = Import::new(&library)?.folder(folder)?;
                let count: ImportCount = import
                    .read(text, &mut (), |count| {
                        games.store(before + count.games, Relaxed);
                        ControlFlow::Continue(())
                    })
                    .with_context(|| name.clone())?;
                problems += count.problems;
            }
            Ok(())
        })?;
        writeln!(out, "{} games, {problems} problems", games.load(Relaxed))?;
        Ok(ExitCode::SUCCESS)
    }
}
