//! `ferz tune` (feature `tune`).

mod games;
mod screen;
mod spsa;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use ferz_search::{SearchParameter, SearchParameters};
use ferz_selfplay::matches::{SpsaState, parse_values};

use crate::progress::note;

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

/// The parameters with the changes of a text: `name=value` and `@FILE`, separated by commas. Later parts win. Changes
/// without effect are noted on stderr.
pub(super) fn parameters(text: &str, has_clock: bool) -> Result<SearchParameters> {
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
    let all = SearchParameter::all().iter().zip(parameters.values());
    let useless: Vec<_> = all
        .filter(|&(it, &value)| !has_clock && it.needs_clock() && value != it.value)
        .map(|(it, _)| it.name)
        .collect();
    if !useless.is_empty() {
        note(format_args!("note: without --clock these parameters change nothing: {}", useless.join(", ")));
    }
    Ok(parameters)
}
