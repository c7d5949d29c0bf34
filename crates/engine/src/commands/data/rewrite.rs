//! `ferz data pack`, `unpack` and `merge`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use super::output::GameSink;
use super::reading::GameFiles;
use crate::new_file::NewFile;

/// Pack games into a compressed file
#[derive(Args)]
pub(crate) struct Pack {
    #[command(flatten)]
    files: GameFiles,

    /// The output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Unpack games into a plain file
#[derive(Args)]
pub(crate) struct Unpack {
    #[command(flatten)]
    files: GameFiles,

    /// The output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Concatenate the games of several files
#[derive(Args)]
pub(crate) struct Merge {
    #[command(flatten)]
    files: GameFiles,

    /// The output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Pack the output
    #[arg(long)]
    packed: bool,
}

impl Pack {
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        rewrite(&self.files, &self.out, true, out)
    }
}

impl Unpack {
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        rewrite(&self.files, &self.out, false, out)
    }
}

impl Merge {
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        rewrite(&self.files, &self.out, self.packed, out)
    }
}

fn rewrite(files: &GameFiles, path: &Path, is_packed: bool, out: &mut impl Write) -> Result<ExitCode> {
    let header = files.header()?;
    let mut sink = GameSink::new(NewFile::create(path, files.paths())?, &header, is_packed)?;
    files.for_each(|game| sink.push(&game))?;
    summarise(sink, path, out)
}

/// Completes a file and prints its size.
pub(super) fn summarise(sink: GameSink, path: &Path, out: &mut impl Write) -> Result<ExitCode> {
    let count = sink.finish()?;
    let size = path.metadata().map_or(0, |data| data.len());
    let per_position = size as f64 / count.plies.max(1) as f64;
    writeln!(
        out,
        "{} games {} positions {size} bytes {per_position:.3} bytes/position",
        count.games, count.plies
    )?;
    Ok(ExitCode::SUCCESS)
}
