//! `ferz tb check`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use ferz_syzygy::{TableKind, check_file};

use crate::progress::{ProgressLine, time_left};
use crate::terminal::TextOutput;

/// Check table files completely
///
/// Reads every `.rtbw` and `.rtbz` file in the folders: the name, the head, the size, the checksum, and every block. Each
/// damaged file is reported as `file: problem`; the last line is `<n> tables, <n> damaged`. The exit code is 1 if a file
/// is damaged.
#[derive(Args)]
pub(super) struct CheckTables {
    /// Folders with tables
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
}

/// How far the check is.
struct Progress {
    start: Instant,
    /// Bytes to check: each file is read twice, once for the checksum.
    total: u64,
    done: AtomicU64,
    file: AtomicUsize,
}

impl CheckTables {
    /// Checks all files.
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let files = self.files()?;
        let lens = files.iter().map(|file| fs::metadata(file).map_or(0, |metadata| metadata.len()));
        let progress =
            Progress { start: Instant::now(), total: 2 * lens.sum::<u64>(), done: 0.into(), file: 0.into() };
        let damaged = ProgressLine::watch(
            || progress.line(&files),
            |line| {
                let mut out = TextOutput::new(out);
                let mut damaged = 0;
                for (number, file) in files.iter().enumerate() {
                    progress.file.store(number, Ordering::Relaxed);
                    let count = |bytes| _ = progress.done.fetch_add(bytes, Ordering::Relaxed);
                    if let Err(error) = check_file(file, count) {
                        damaged += 1;
                        out.write(format!("{error}\n").as_bytes(), line)?;
                    }
                }
                anyhow::Ok(damaged)
            },
        )?;
        writeln!(out, "{} tables, {damaged} damaged", files.len())?;
        Ok(if damaged == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// All table files, sorted by folder and name.
    fn files(&self) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for folder in &self.folders {
            let list = || -> std::io::Result<Vec<PathBuf>> {
                fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
            };
            let mut names = list().with_context(|| folder.display().to_string())?;
            names.retain(|path| is_table(path));
            names.sort();
            files.append(&mut names);
        }
        if files.is_empty() {
            bail!("no table files (.rtbw, .rtbz) found");
        }
        Ok(files)
    }
}

fn is_table(path: &Path) -> bool {
    path.extension().is_some_and(|extension| TableKind::ALL.iter().any(|kind| extension == kind.extension()))
}

impl Progress {
    fn line(&self, files: &[PathBuf]) -> String {
        let number = self.file.load(Ordering::Relaxed);
        let share = self.done.load(Ordering::Relaxed) as f64 / self.total.max(1) as f64;
        let name = files[number].file_name().unwrap_or_default().to_string_lossy();
        let left = time_left(share, self.start.elapsed());
        format!("{:.0} %, {left}, file {} of {}: {name}", 100.0 * share, number + 1, files.len())
    }
}
