//! `ferz book merge`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Args, value_parser};

use super::records;
use crate::new_file::NewFile;
use crate::progress::ProgressLine;

/// Merge books into one
///
/// The weights of a move that is in several books are added. Where that exceeds 16 bits, all weights of the position
/// shrink together. Of several learning notes the first one that is not zero stays. The last line is
/// `<n> positions, <n> moves`.
#[derive(Args)]
pub(crate) struct MergeBooks {
    /// The books
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,

    /// The output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// A factor for the weights of each book, in their order: 3,1 makes the first of two count three times
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = value_parser!(u32).range(0..=1_000_000))]
    factors: Vec<u32>,
}

impl MergeBooks {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        ensure!(
            self.factors.is_empty() || self.factors.len() == self.books.len(),
            "--factors: expected a number for each of {} books, found {}",
            self.books.len(),
            self.factors.len()
        );
        let factor = |index: usize| self.factors.get(index).copied().unwrap_or(1);
        let books: Vec<(&Path, u32)> =
            self.books.iter().enumerate().map(|(index, path)| (path.as_path(), factor(index))).collect();
        let mut file = NewFile::create(&self.out, &self.books)?;
        let line = || "merging".to_owned();
        let size = ProgressLine::watch(line, |_| records::rewrite(&books, &mut file, |_, _| {}))?;
        file.finish()?;
        writeln!(out, "{} positions, {} moves", size.positions, size.moves)?;
        Ok(ExitCode::SUCCESS)
    }
}
