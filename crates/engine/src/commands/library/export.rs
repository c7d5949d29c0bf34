//! `ferz library export`.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ferz_library::Library;

use super::path;
use super::query::QueryArguments;
use crate::library_path::LibraryArgument;

/// Print games of the library as PGN
///
/// The games come in the order in which they were added, each with the text that it had.
#[derive(Args)]
pub(crate) struct ExportGames {
    #[command(flatten)]
    query: QueryArguments,

    #[command(flatten)]
    library: LibraryArgument,
}

impl ExportGames {
    /// Prints the games.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let mut library = Library::open(path(&self.library)?)?;
        let games = library.find(&self.query.query()?)?;
        library.export(&games, out)?;
        Ok(ExitCode::SUCCESS)
    }
}
