//! `ferz tune spsa`.

use std::borrow::Cow;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use clap::{Args, value_parser};
use ferz_search::{SearchParameter, SearchParameters};
use ferz_selfplay::matches::{
    MatchPlan, MatchPlayer, MatchSpeed, MoveLimit, PlayedPair, SpsaRun, SpsaSchedule, SpsaState,
    TunedParameter,
};

use crate::commands::match_options::{Clock, MatchArguments, speed_text};
use crate::progress::{ProgressLine, note};
use crate::{input, networks};

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

    /// Continue that file
    #[arg(long, conflicts_with = "only")]
    resume: bool,

    /// Total number of game pairs
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = value_parser!(u64).range(1..))]
    pairs: u64,

    /// Tune only parameters whose names begin with one of these
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,

    /// Values of parameters at the start, for both players: `name=value,…`, and `@FILE` for a file of `ferz tune spsa`
    #[arg(long, value_name = "VALUES", default_value = "", hide_default_value = true)]
    base: String,

    /// Learning rate at the end, `r_end` elsewhere
    #[arg(long, value_name = "X", default_value_t = 0.002)]
    rate: f64,

    /// Pairs that may start before the result of the first of them is used. Without it, four for each thread
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    ahead: Option<u64>,

    /// Nodes of a move
    #[arg(long, value_name = "N", default_value_t = 8000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    /// Play with a clock instead: seconds for all moves of a game, and for each move, such as 2+0.02
    #[arg(long, value_name = "S+S", conflicts_with = "nodes")]
    clock: Option<Clock>,

    /// The network of both players: a file, `embedded` or `classical` (no network)
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    #[command(flatten)]
    games: MatchArguments,

    /// Save the parameters and write a line to stderr after every N pairs
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value_parser!(u64).range(1..))]
    every: u64,
}

/// A run that saves itself.
struct Saved<'a> {
    run: SpsaRun,
    pairs: u64,
    every: u64,
    progress: &'a ProgressLine,
    line: &'a Mutex<String>,
}

impl Spsa {
    /// The parameters to tune, by prefix: without a clock not those of time management, which would change at random.
    fn only(&self) -> Cow<'_, [String]> {
        if !self.only.is_empty() || self.clock.is_some() {
            return Cow::Borrowed(&self.only);
        }
        let all = SearchParameter::all().iter().filter(|it| !it.needs_clock());
        all.map(|it| it.name.to_owned()).collect()
    }

    /// Tunes and prints the changes.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        ensure!(self.rate > 0.0 && self.rate < 1.0, "--rate {} is not between 0 and 1", self.rate);
        let base = super::parameters(&self.base)?;
        let state = if self.resume {
            SpsaState::read(&self.out)?
        } else {
            let name = input::name(&self.out);
            ensure!(
                !self.out.exists(),
                "{name} exists: use --resume to continue it or --out for a different file"
            );
            SpsaState::new(&self.only(), &base).context("--only")?
        };
        super::check_clock(self.clock, state.parameters.iter().map(TunedParameter::parameter))?;
        let limit = self.clock.map_or(MoveLimit::Nodes(self.nodes), Clock::limit);
        let player = MatchPlayer { network: networks::load(&self.net)?, limit };
        let ahead = self.ahead.unwrap_or_else(|| 4 * self.games.threads);
        let run = self.games.run([player.clone(), player], Some(ahead))?;
        let schedule = SpsaSchedule { pairs: self.pairs, rate: self.rate, seed: self.games.seed, base };
        let first = state.pairs;
        let spsa = SpsaRun::new(state, self.out, schedule);
        // A file that cannot be written is noticed now, not after an hour.
        spsa.save()?;
        let line = Mutex::new(String::new());
        let spsa = ProgressLine::watch(
            || line.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            |progress| {
                let mut saved =
                    Saved { run: spsa, pairs: self.pairs, every: self.every, progress, line: &line };
                run.execute(first..self.pairs, &mut saved)?;
                anyhow::Ok(saved.run)
            },
        )?;
        spsa.save()?;
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
