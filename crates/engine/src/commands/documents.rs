//! `ferz completions` and `ferz man`: documents made from the definition of the command line.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::Cli;

/// Print the completions of a shell
///
/// For example `ferz completions bash > ~/.local/share/bash-completion/completions/ferz`.
#[derive(Args)]
pub(crate) struct Completions {
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "ferz", &mut script);
        out.write_all(&script)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Write the man pages of all commands to a folder
///
/// Existing files are not overwritten.
#[derive(Args)]
pub(crate) struct ManPages {
    /// The folder, which must exist
    folder: PathBuf,
}

impl ManPages {
    /// Writes the pages.
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        write_page(&self.folder, &command)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes the page of a command and those of its subcommands.
fn write_page(folder: &Path, command: &Command) -> Result<()> {
    // `ferz pgn check` has the page `ferz-pgn-check`.
    let page = Man::new(command.clone());
    let path = folder.join(page.get_filename());
    let name = || path.display().to_string();
    let mut text = Vec::new();
    page.render(&mut text).with_context(name)?;
    File::create_new(&path).and_then(|mut file| file.write_all(&text)).with_context(name)?;
    command.get_subcommands().try_for_each(|subcommand| write_page(folder, subcommand))
}
