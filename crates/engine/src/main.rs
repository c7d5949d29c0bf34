//! `ferz`: the chess engine and toolbox on the command line.
//!
//! Results go to standard output, everything about the run itself to standard error. The exit code is 0 if all
//! is well, 1 if something that was to be checked is wrong, 2 if the command could not do its work, and 141 if
//! nobody reads the output any more.

mod allocator;
mod bench;
mod commands;
mod cpu;
mod fen_argument;
mod input;
mod memory;
mod networks;
mod progress;
mod serve;
mod terminal;
mod uci;

use std::io::{self, BufWriter, StdoutLock, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::Tool;

/// Ferz: a chess engine and toolbox.
#[derive(Parser)]
#[command(version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

/// What to do.
#[derive(Subcommand)]
enum Command {
    /// Speak the Universal Chess Interface on standard input and output, as chess programs do; the same as no command
    /// at all
    Uci,
    #[command(flatten)]
    Tool(Tool),
}

/// The command could not do its work: wrong arguments, unreadable input.
const NO_RESULT: u8 = 2;
/// What a shell reports of a program that wrote into a closed pipe.
const CLOSED_PIPE: u8 = 141;

fn main() -> ExitCode {
    if let Some(missing) = cpu::missing_features() {
        progress::tell(format_args!("error: this build needs a processor with {missing}"));
        return ExitCode::from(NO_RESULT);
    }
    let cli = Cli::parse();
    run(cli).unwrap_or_else(|error| report(&error))
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let command = match cli.command {
        // Its threads take turns at standard output.
        None | Some(Command::Uci) => return uci::run(),
        Some(Command::Tool(tool)) => tool,
    };
    let mut out = BufWriter::new(Named(io::stdout().lock()));
    let code = command.run(&mut out)?;
    out.flush()?;
    Ok(code)
}

/// Standard output, which errors call by its name.
struct Named(StdoutLock<'static>);

impl Named {
    fn name<T>(result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| io::Error::new(error.kind(), format!("standard output: {error}")))
    }
}

impl Write for Named {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Named::name(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Named::name(self.0.flush())
    }
}

/// Says on standard error what went wrong. A reader that has seen enough (`ferz … | head -1`) is no error worth
/// a word.
fn report(error: &anyhow::Error) -> ExitCode {
    let is_closed_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_closed_pipe) {
        return ExitCode::from(CLOSED_PIPE);
    }
    progress::tell(format_args!("error: {}", terminal::visible(format!("{error:#}").as_bytes())));
    ExitCode::from(NO_RESULT)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
