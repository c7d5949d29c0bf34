//! `ferz tune` (feature `tune`).

mod screen;
mod spsa;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};
use ferz_search::{SearchParameter, SearchParameters};
use ferz_selfplay::matches::{SpsaState, parse_values};

use super::match_options::Clock;

/// Tune the search parameters by games, or measure their effects
#[derive(Subcommand)]
pub(crate) enum Tune {
    Spsa(spsa::Spsa),
    Screen(screen::ScreenEffects),
    List(List),
}

/// Print all search parameters as OpenBench takes them
///
/// A line has name, type, value, minimum, maximum, final step and final rate.
#[derive(Args)]
pub(crate) struct List {}

impl Tune {
    /// Runs the command and returns its exit code.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        match self {
            Tune::Spsa(spsa) => spsa.run(out),
            Tune::Screen(screen) => screen.run(out),
            Tune::List(List {}) => {
                for parameter in SearchParameter::all() {
                    writeln!(out, "{}", parameter.openbench_line())?;
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

/// The parameters with the changes of a text: `name=value` and `@FILE`, separated by commas. Later parts win.
pub(super) fn parameters(text: &str) -> Result<SearchParameters> {
    let mut parameters = SearchParameters::default();
    for part in text.split(',') {
        match part.trim().strip_prefix('@') {
            Some(file) => {
                let state = SpsaState::read(Path::new(file))?;
                state.rounded().for_each(|(index, value)| parameters.set(index, value));
            }
            None => {
                let values = parse_values(part).context("search parameters")?;
                values.into_iter().for_each(|(index, value)| parameters.set(index, value));
            }
        }
    }
    Ok(parameters)
}

/// Refuses parameters of time management where there is no clock.
fn check_clock<'a>(
    clock: Option<Clock>,
    mut parameters: impl Iterator<Item = &'a SearchParameter>,
) -> Result<()> {
    let useless = parameters.find(|it| clock.is_none() && it.needs_clock());
    let name = useless.map_or("", |it| it.name);
    ensure!(useless.is_none(), "{name} changes nothing without a clock: use --clock");
    Ok(())
}
