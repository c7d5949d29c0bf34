//! `ferz`: the chess engine and toolbox on the command line.
//!
//! Results go to stdout, messages to stderr. The exit code is 0 on success, 1 if a check found problems, 2 if the
//! command failed, and 141 if stdout was closed.

mod allocator;
mod bench;
mod bitboards;
mod books;
mod commands;
mod cpu;
mod drawing;
#[cfg(target_arch = "x86_64")]
mod early_check;
mod explorers;
mod fen_argument;
mod folders;
mod genfens;
mod input;
mod library_path;
mod memory;
mod networks;
mod new_file;
mod progress;
mod serve;
mod tables;
mod terminal;
mod uci;

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::Tool;
use terminal::TerminalFilter;

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
    Tool(Box<Tool>),
}

/// The exit code of a command that failed: wrong arguments, unreadable input.
const FAILED: u8 = 2;
/// The exit code that shells report for a program killed by SIGPIPE.
const CLOSED_PIPE: u8 = 141;

fn main() -> ExitCode {
    if let Some(result) = genfens::answer(std::env::args_os()) {
        return result.unwrap_or_else(|error| report(&error));
    }
    match Cli::try_parse() {
        Ok(cli) => run(cli).unwrap_or_else(|error| report(&error)),
        Err(message) => answer(&message),
    }
}

/// Prints the help, the version, or what is wrong with the arguments.
fn answer(message: &clap::Error) -> ExitCode {
    let plain = message.render().to_string();
    // Colours are lost only if an argument contains control characters.
    if message.use_stderr() && terminal::visible(plain.as_bytes()) != plain {
        progress::note(plain.trim_end());
        return ExitCode::from(FAILED);
    }
    match message.print().and_then(|()| io::stdout().flush()) {
        Ok(()) => ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(FAILED)),
        Err(error) => report(&NamedStdout::named(&error).into()),
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let command = match cli.command {
        // Its threads share stdout, so it must not be locked here.
        None | Some(CliCommand::Uci) => return uci::run(),
        Some(CliCommand::Tool(tool)) => *tool,
    };
    let stdout = io::stdout().lock();
    let is_terminal = stdout.is_terminal();
    let mut out = BufWriter::new(TerminalFilter::new(NamedStdout(stdout), is_terminal));
    let code = command.run(&mut out)?;
    out.flush()?;
    Ok(code)
}

/// Standard output with its name in error messages.
struct NamedStdout(StdoutLock<'static>);

impl NamedStdout {
    fn named(error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("stdout: {error}"))
    }
}

impl Write for NamedStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|error| NamedStdout::named(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(|error| NamedStdout::named(&error))
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
    progress::note(format_args!("error: {error:#}"));
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
