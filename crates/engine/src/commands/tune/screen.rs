//! `ferz tune screen`.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use clap::{Args, value_parser};
use ferz_search::{SearchParameter, SearchParameters};
use ferz_selfplay::matches::{MatchPlan, MatchSpeed, PlayedPair, Screen, ScreenDesign, parse_factors};

use super::games::TuneGames;
use crate::commands::match_options::{speed_text, write_time_losses};
use crate::input;
use crate::progress::{ProgressLine, note};

/// Measure the effects of many search parameters at once (a factorial experiment)
///
/// In every pair of games each factor has one of its two levels for the first player, at random, and the other level for
/// the second player. So every game says something about every factor. The effects are estimated by least squares over
/// the pairs (main effects only). The table shows for each factor by how many Elo its high level is better than its low
/// one, with the 95 % error and the effect in standard errors, the best factor first.
///
/// The file has a line for every pair: its number, the levels of the first player (`+` high, `-` low) and its points
/// from -2 to 2.
#[derive(Args)]
pub(crate) struct ScreenEffects {
    /// The factors: `name=low:high`, or `name` for a switch (0:1), or `prefix*` for all switches with that prefix.
    /// Parameters joined by `+` change together
    #[arg(required = true, value_name = "FACTORS", value_delimiter = ',')]
    factors: Vec<String>,

    /// File of the results of all pairs
    #[arg(long, value_name = "FILE", default_value = "screen.txt")]
    out: PathBuf,

    /// Continue that file. If it has enough pairs, only print its table
    #[arg(long)]
    resume: bool,

    /// Total number of game pairs
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pairs: u64,

    /// Values of other parameters, for both players: `name=value,…`, and `@FILE` for a file of `ferz tune spsa`
    #[arg(long, value_name = "VALUES", default_value = "", hide_default_value = true)]
    base: String,

    #[command(flatten)]
    games: TuneGames,

    /// Write the table to stderr after every N pairs
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = value_parser!(u64).range(1..))]
    every: u64,
}

/// An experiment that shows its results.
struct Shown<'a> {
    screen: Screen,
    pairs: u64,
    every: u64,
    time_losses: u64,
    progress: &'a ProgressLine,
    line: &'a Mutex<String>,
}

impl ScreenEffects {
    /// Plays and prints the table.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let factors = parse_factors(&self.factors.join(",")).context("factors")?;
        let parameters = factors.iter().flat_map(|it| &it.parameters);
        self.games.check_clock(parameters.map(|it| &SearchParameter::all()[it.index]))?;
        let base = super::parameters(&self.base, self.games.has_clock())?;
        let settings = self.games.settings(&base)?;
        let design = ScreenDesign { factors, base, seed: self.games.options.seed, settings };
        let run = self.games.run(None)?;
        let screen = if self.resume {
            Screen::resume(&self.out, design)?
        } else {
            let name = input::name(&self.out);
            ensure!(
                !self.out.exists(),
                "{name} exists: use --resume to continue it or --out for a different file"
            );
            Screen::create(&self.out, design)?
        };
        let (first, line) = (screen.pairs(), Mutex::new(String::new()));
        let (screen, time_losses) = ProgressLine::watch(
            || line.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            |progress| {
                let (pairs, every) = (self.pairs, self.every);
                let mut shown = Shown { screen, pairs, every, time_losses: 0, progress, line: &line };
                run.execute(first..pairs, &mut shown)?;
                anyhow::Ok((shown.screen, shown.time_losses))
            },
        )?;
        write_time_losses(out, time_losses)?;
        match screen.table() {
            Some(table) => writeln!(out, "{table}")?,
            None => writeln!(out, "{} pairs are too few", screen.pairs())?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl MatchPlan for Shown<'_> {
    type Error = anyhow::Error;

    fn parameters(&mut self, number: u64) -> [SearchParameters; 2] {
        self.screen.parameters(number)
    }

    fn note(&mut self, pair: &PlayedPair, speed: &MatchSpeed) -> Result<ControlFlow<()>> {
        let flow = self.screen.note(pair, speed)?;
        self.time_losses = speed.time_losses();
        let line = format!("{} of {} pairs, {}", self.screen.pairs(), self.pairs, speed_text(speed));
        if self.screen.pairs().is_multiple_of(self.every) {
            let table = self.screen.table().map_or_else(String::new, |table| format!("{table}\n"));
            self.progress.suspend(|| note(format_args!("{table}{line}\n")));
        }
        *self.line.lock().unwrap_or_else(PoisonError::into_inner) = line;
        Ok(flow)
    }
}
