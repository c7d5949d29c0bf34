//! `ferz library`.

mod export;
mod import;
mod list;
mod query;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Subcommand;

use crate::library_path::{LibraryArgument, LibraryChoice};

/// Work with the library of games that the page uses: import, list and export games
///
/// A library is one file. It keeps the text of every game as it was. The page and these commands can use the same
/// library at the same time.
#[derive(Subcommand)]
pub(crate) enum LibraryCommand {
    Import(import::ImportGames),
    List(list::ListGames),
    Export(export::ExportGames),
}

impl LibraryCommand {
    /// Runs the command and returns its exit code.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        match self {
            LibraryCommand::Import(import) => import.run(out),
            LibraryCommand::List(list) => list.run(out),
            LibraryCommand::Export(export) => export.run(out),
        }
    }
}

/// The file of the library.
fn path(library: &LibraryArgument) -> Result<PathBuf> {
    match library.choice() {
        LibraryChoice::File(path) | LibraryChoice::Default(path) => Ok(path),
        LibraryChoice::None => bail!("no library: name one with --library FILE"),
    }
}
