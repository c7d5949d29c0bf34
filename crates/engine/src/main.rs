//! `ferz`: the chess engine and toolbox on the command line.
//!
//! Results go to stdout, messages to stderr. The exit code is 0 on success, 1 if a check found problems, 2 if the
//! command failed, and 141 if stdout was closed.

mod allocator;
mod bench;
mod commands;
mod cpu;
mod drawing;
#[cfg(target_arch = "x86_64")]
mod early_check;
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
    command: Option<CliCommand>,
}

/// The subcommands.
#[derive(Subcommand)]
enum CliCommand {
    /// Run as a UCI engine on stdin and stdout (the default without a command)
    Uci,
    #[command(flatten)]
    Tool(Tool),
}

/// The exit code of a command that failed: wrong arguments, unreadable input.
const FAILED: u8 = 2;
/// The exit code that shells report for a program killed by SIGPIPE.
const CLOSED_PIPE: u8 = 141;

fn main() -> ExitCode {
    let cli = Cli::parse();
    run(cli).unwrap_or_else(|error| report(&error))
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let command = match cli.command {
        // Its threads share stdout, so it must not be locked here.
        None | Some(CliCommand::Uci) => return uci::run(),
        Some(CliCommand::Tool(tool)) => tool,
    };
    let mut out = BufWriter::new(NamedStdout(io::stdout().lock()));
    let code = command.run(&mut out)?;
    out.flush()?;
    Ok(code)
}

/// Standard output with its name in error messages.
struct NamedStdout(StdoutLock<'static>);

impl NamedStdout {
    fn name<T>(result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| io::Error::new(error.kind(), format!("stdout: {error}")))
    }
}

impl Write for NamedStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        NamedStdout::name(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        NamedStdout::name(self.0.flush())
    }
}

/// Reports an error on stderr. A closed pipe (`ferz … | head -1`) is not reported.
fn report(error: &anyhow::Error) -> ExitCode {
    let is_closed_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_closed_pipe) {
        return ExitCode::from(CLOSED_PIPE);
    }
    progress::note(format_args!("error: {}", terminal::visible(format!("{error:#}").as_bytes())));
    ExitCode::from(FAILED)
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
