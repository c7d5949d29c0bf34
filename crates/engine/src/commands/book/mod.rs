//! `ferz book`.

mod dump;
mod make;
mod merge;
mod prune;
mod records;
mod show;
mod walk;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

/// Work with opening books in the Polyglot format: make, show, merge, prune and dump them
///
/// Where a book is read, `embedded` is the book inside the program. A move from a book is checked before it is used:
/// damaged records are skipped or reported. Books of any size are read and written in little memory.
#[derive(Subcommand)]
pub(crate) enum BookCommand {
    Make(make::MakeBook),
    Show(show::ShowBook),
    Merge(merge::MergeBooks),
    Prune(prune::PruneBook),
    Dump(dump::DumpBook),
}

impl BookCommand {
    /// Runs the command and returns its exit code.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        match self {
            BookCommand::Make(make) => make.run(out),
            BookCommand::Show(show) => show.run(out),
            BookCommand::Merge(merge) => merge.run(out),
            BookCommand::Prune(prune) => prune.run(out),
            BookCommand::Dump(dump) => dump.run(out),
        }
    }
}
