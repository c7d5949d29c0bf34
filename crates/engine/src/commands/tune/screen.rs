//! `ferz tune screen`.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use clap::{Args, value_parser};
use ferz_search::{SearchParameter, SearchParameters};
use ferz_selfplay::matches::{
    MatchPlan, MatchPlayer, MatchSpeed, MoveLimit, PlayedPair, Screen, ScreenDesign, parse_factors,
};

use crate::commands::match_options::{Clock, MatchArguments, speed_text};
use crate::progress::{ProgressLine, note};
use crate::{input, networks};

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

    /// Write the table to stderr after every N pairs
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = value_parser!(u64).range(1..))]
    every: u64,
}

/// An experiment that shows its results.
struct Shown<'a> {
    screen: Screen,
    pairs: u64,
    every: u64,
    progress: &'a ProgressLine,
    line: &'a Mutex<String>,
}

impl ScreenEffects {
    /// Plays and prints the table.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let factors = parse_factors(&self.factors.join(",")).context("factors")?;
        let parameters = factors.iter().flat_map(|it| &it.parameters);
        super::check_clock(self.clock, parameters.map(|it| &SearchParameter::all()[it.index]))?;
        let base = super::parameters(&self.base)?;
        let network = networks::load(&self.net)?;
        let book = self.games.book.as_ref().map_or_else(|| "random".to_owned(), |book| input::name(book));
        // All values, because a different program may have other defaults.
        let values: Vec<_> = base.values().iter().map(ToString::to_string).collect();
        let limit = self.clock.map_or_else(|| format!("nodes={}", self.nodes), |it| format!("clock={it}"));
        let settings = format!(
            "seed={} {limit} hash={} net={} book={book} base={}",
            self.games.seed,
            self.games.hash,
            input::name(&self.net),
            values.join(","),
        );
        let design = ScreenDesign { factors, base, seed: self.games.seed, settings };
        let limit = self.clock.map_or(MoveLimit::Nodes(self.nodes), Clock::limit);
        let player = MatchPlayer { network, limit };
        let run = self.games.run([player.clone(), player], None)?;
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
        let screen = ProgressLine::watch(
            || line.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            |progress| {
                let mut shown = Shown { screen, pairs: self.pairs, every: self.every, progress, line: &line };
                run.execute(first..self.pairs, &mut shown)?;
                anyhow::Ok(shown.screen)
            },
        )?;
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
        let line = format!("{} of {} pairs, {}", self.screen.pairs(), self.pairs, speed_text(speed));
        if self.screen.pairs().is_multiple_of(self.every) {
            let table = self.screen.table().map_or_else(String::new, |table| format!("{table}\n"));
            self.progress.suspend(|| note(format_args!("{table}{line}\n")));
        }
        *self.line.lock().unwrap_or_else(PoisonError::into_inner) = line;
        Ok(flow)
    }
}
