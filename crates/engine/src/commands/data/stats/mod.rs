//! `ferz data stats`.

mod collect;
mod duplicates;
mod picture;
mod table;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use super::reading::GameFiles;
use crate::input;
use crate::new_file::NewFile;
use collect::Collection;

/// Print statistics of games: results, scores, and how well they agree
///
/// Scores, wins and losses of positions are from the point of view of the side to move. The last line is
/// `<n> games <n> positions`.
#[derive(Args)]
pub(crate) struct DataStats {
    #[command(flatten)]
    files: GameFiles,

    /// Write the charts to an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl DataStats {
    /// Reads all games and prints the statistics.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let files = self.files.paths();
        let picture = self.svg.as_deref().map(|path| NewFile::create(path, files)).transpose()?;
        let mut collection = Collection::default();
        let header = self.files.for_each_and_header(|game| {
            collection.add(&game);
            Ok(())
        })?;
        let size = files.iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum();
        table::write(&header, &collection, size, out)?;
        if let Some(mut file) = picture {
            let name = input::name(file.path());
            file.write_all(picture::draw(&collection).as_bytes()).context(name)?;
            file.finish()?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
