//! `ferz data stats`.

mod collect;
mod duplicates;
mod picture;
mod table;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use super::reading::Files;
use crate::input;
use collect::Collection;

/// Count games, positions and results, and see whether scores and results agree
///
/// Scores are those of the side to move, and so are wins and losses. The last line is `<n> games <n> positions`.
#[derive(Args)]
pub(crate) struct Stats {
    #[command(flatten)]
    files: Files,

    /// Draw a picture of it, too
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Stats {
    /// Reads everything and writes what there is.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let mut collection = Collection::default();
        self.files.for_each(|game| {
            collection.add(&game);
            Ok(())
        })?;
        let size =
            self.files.paths().iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum();
        table::write(&self.files.header()?, &collection, size, out)?;
        if let Some(file) = &self.svg {
            fs::write(file, picture::draw(&collection)).with_context(|| input::name(file))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
