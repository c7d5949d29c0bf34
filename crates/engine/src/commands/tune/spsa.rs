//! `ferz tune spsa`.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use clap::{Args, value_parser};
use ferz_search::SearchParameters;
use ferz_selfplay::matches::{
    MatchPlan, MatchSpeed, PlayedPair, SpsaRun, SpsaSchedule, SpsaState, TunedParameter,
};

use super::games::TuneGames;
use crate::commands::match_options::{speed_text, write_time_losses};
use crate::input;
use crate::progress::{ProgressLine, note};

/// Tune the search parameters by games (SPSA)
///
/// For every pair of games all parameters move a little up or down at random. These values play against their mirror
/// image, and the parameters take a small step towards the winner. The result is played against the present values with
/// `ferz match --set-a @FILE`.
#[derive(Args)]
pub(crate) struct Spsa {
    /// File of the parameters, written often and read by `--resume`
    #[arg(long, value_name = "FILE", default_value = "spsa.txt")]
    out: PathBuf,

    /// Continue that file. It names its settings, which must be the same
    #[arg(long, conflicts_with = "only")]
    resume: bool,

    /// Total number of game pairs
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = value_parser!(u64).range(1..))]
    pairs: u64,

    /// Tune only parameters whose names begin with one of these. Without it, all but switches, and those of time
    /// management (`time_…`) only with `--clock`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,

    /// Values of parameters at the start, for both players: `name=value,…`, and `@FILE` for a file of `ferz tune spsa`
    #[arg(long, value_name = "VALUES", default_value = "", hide_default_value = true)]
    base: String,

    /// Learning rate at the end, `r_end` elsewhere
    #[arg(long, value_name = "X", default_value_t = 0.002)]
    rate: f64,

    /// Pairs that may start before the result of the first of them is used. Without it, four for each thread, so that
    /// the games depend on `--threads`
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    ahead: Option<u64>,

    #[command(flatten)]
    games: TuneGames,

    /// Save the parameters and write a line to stderr after every N pairs
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value_parser!(u64).range(1..))]
    every: u64,
}

/// A run that saves itself.
struct Saved<'a> {
    run: SpsaRun,
    pairs: u64,
    every: u64,
    time_losses: u64,
    progress: &'a ProgressLine,
    line: &'a Mutex<String>,
}

impl Spsa {
    /// Tunes and prints the changes.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        ensure!(self.rate > 0.0 && self.rate < 1.0, "--rate {} is not between 0 and 1", self.rate);
        let has_clock = self.games.has_clock();
        let base = super::parameters(&self.base, has_clock)?;
        // The steps depend on how far the run has come.
        let (pairs, rate) = (self.pairs, self.rate);
        let settings = format!("pairs={pairs} rate={rate} {}", self.games.settings(&base)?);
        let state = if self.resume {
            SpsaState::resume(&self.out, &settings)?
        } else {
            let name = input::name(&self.out);
            ensure!(
                !self.out.exists(),
                "{name} exists: use --resume to continue it or --out for a different file"
            );
            SpsaState::new(&self.only, has_clock, &base, settings).context("--only")?
        };
        self.games.check_clock(state.parameters.iter().map(TunedParameter::parameter))?;
        let ahead = self.ahead.unwrap_or_else(|| 4 * self.games.options.threads);
        let run = self.games.run(Some(ahead))?;
        let seed = self.games.options.seed;
        let schedule = SpsaSchedule { pairs: self.pairs, rate: self.rate, seed, base };
        let first = state.pairs;
        let spsa = SpsaRun::new(state, self.out, schedule);
        // A file that cannot be written is noticed now, not after an hour.
        spsa.save()?;
        let line = Mutex::new(String::new());
        let (spsa, time_losses) = ProgressLine::watch(
            || line.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            |progress| {
                let (pairs, every) = (self.pairs, self.every);
                let mut saved = Saved { run: spsa, pairs, every, time_losses: 0, progress, line: &line };
                run.execute(first..pairs, &mut saved)?;
                anyhow::Ok((saved.run, saved.time_losses))
            },
        )?;
        spsa.save()?;
        write_time_losses(out, time_losses)?;
        for tuned in &spsa.state().parameters {
            let (name, distance) = (tuned.parameter().name, tuned.distance());
            writeln!(out, "{name:30} {:5} -> {:5.0} ({distance:+.2} steps)", tuned.start, tuned.now)?;
        }
        writeln!(out, "{} pairs", spsa.state().pairs)?;
        Ok(ExitCode::SUCCESS)
    }
}

impl MatchPlan for Saved<'_> {
    type Error = anyhow::Error;

    fn parameters(&mut self, number: u64) -> [SearchParameters; 2] {
        self.run.parameters(number)
    }

    fn note(&mut self, pair: &PlayedPair, speed: &MatchSpeed) -> Result<ControlFlow<()>> {
        let flow = self.run.note(pair, speed)?;
        self.time_losses = speed.time_losses();
        let played = self.run.state().pairs;
        let line = format!(
            "{played} of {} pairs, {}, {:.1} % drawn, {:.3} steps from the start on average",
            self.pairs,
            speed_text(speed),
            100.0 * self.run.draw_share(),
            self.run.state().distance(),
        );
        if played.is_multiple_of(self.every) {
            self.run.save()?;
            self.progress.suspend(|| note(&line));
        }
        *self.line.lock().unwrap_or_else(PoisonError::into_inner) = line;
        Ok(flow)
    }
}
