//! `ferz book prune`.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, value_parser};

use super::records;
use super::walk;
use crate::new_file::NewFile;
use crate::progress::ProgressLine;

/// Write a smaller book
///
/// A move stays if it meets all conditions. The last line is `<n> positions, <n> moves`.
#[derive(Args)]
pub(crate) struct PruneBook {
    /// The book
    book: PathBuf,

    /// The output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Keep moves of at least this weight
    #[arg(long, value_name = "WEIGHT", default_value_t = 0)]
    min_weight: u16,

    /// Keep moves that have at least this share of the weight of all moves of their position
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = value_parser!(u8).range(0..=100))]
    min_share: u8,

    /// Keep the N heaviest moves of every position
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    top: Option<u32>,

    /// Keep the first N half-moves from the start position, as far as kept moves lead. Needs 60 bytes of memory for each position that
    /// the book leads to
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    plies: Option<u32>,
}

impl PruneBook {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let mut file = NewFile::create(&self.out, std::slice::from_ref(&self.book))?;
        let line = || "pruning".to_owned();
        let size = ProgressLine::watch(line, |_| -> Result<_> {
            let reach = |plies| walk::reachable(&self.book, plies, |moves| self.keep(moves));
            let reached: Option<HashSet<u64>> = self.plies.map(reach).transpose()?;
            records::rewrite(&[(&self.book, 1)], &mut file, |key, moves| {
                if reached.as_ref().is_some_and(|reached| !reached.contains(&key)) {
                    moves.clear();
                }
                self.keep(moves);
            })
        })?;
        file.finish()?;
        writeln!(out, "{} positions, {} moves", size.positions, size.moves)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Keeps the moves of a position that are good enough.
    fn keep(&self, moves: &mut Vec<records::MergedMove>) {
        let total: u64 = moves.iter().map(|it| it.weight).sum();
        moves.retain(|it| {
            it.weight >= u64::from(self.min_weight) && it.weight * 100 >= total * u64::from(self.min_share)
        });
        if let Some(top) = self.top {
            moves.sort_by_key(|it| Reverse(it.weight));
            moves.truncate(top as usize);
        }
    }
}
