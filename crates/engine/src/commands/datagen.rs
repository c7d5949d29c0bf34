//! `ferz datagen`: games of the engine against itself.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::{ArgGroup, Args, value_parser};
use ferz_eval::Network;
#[cfg(feature = "sample")]
use ferz_search::SampleRates;
use ferz_search::{Engine, Signals, WdlModel};

use crate::networks;
use crate::progress::Progress;
use crate::{bench, memory};
use ferz_selfplay::data::header::{Origin, ScoreUnit};
#[cfg(feature = "sample")]
use ferz_selfplay::datagen::SampleFile;
use ferz_selfplay::datagen::{Goal, Run, RunProgress};

/// Two searches with the same number play the same games, as good as certainly; it takes a moment.
const SIGNATURE_DEPTH: u32 = 5;

/// Play games of the engine against itself, to train on
///
/// A game begins with eight or nine random moves from the start position or, some of them, from a Chess960 one, unless
/// a search then finds one side far ahead (`--opening-score`). It ends by the rules, when a mate is seen, when
/// both sides agree for four plies that one of them wins (`--win-score`), when from ply 70 on both see nothing
/// for ten plies, and after 400 plies. Every move is kept with its score.
///
/// Every game follows from the seed and its number alone, however many threads play. A file that is there already
/// is continued if it was made with the same engine, seed and settings; a game that was being written when something
/// ended the process is dropped. The last line is `<n> games <n> positions <n> positions/s`.
#[derive(Args)]
#[command(group = ArgGroup::new("goal").args(["games", "positions", "time"]).required(true))]
pub(crate) struct Datagen {
    /// The file, or a folder for a file named after seed and nodes
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Until the file has so many games
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    games: Option<u64>,

    /// Until the file has at least so many positions
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    positions: Option<u64>,

    /// For so many seconds; games are played to their end
    #[arg(long, value_name = "S", value_parser = value_parser!(u64).range(1..))]
    time: Option<u64>,

    /// How many games are played at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u64).range(1..=Engine::MAX_THREADS as u64))]
    threads: u64,

    /// Another seed makes other games
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Nodes of a move after which it is not thought about any deeper; eight times as many are never exceeded
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    /// How many of a hundred games begin with shuffled pieces
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = value_parser!(u32).range(0..=100))]
    chess960: u32,

    /// The size of either side's transposition table
    #[arg(long, value_name = "MIB", default_value_t = 2, value_parser = value_parser!(u32).range(1..))]
    hash: u32,

    /// A game does not begin with a higher score than this, in hundredths of a pawn; 100 wins every second game
    #[arg(long, value_name = "CP", default_value_t = 400, value_parser = value_parser!(u16).range(1..30_000))]
    opening_score: u16,

    /// A game is won with this score, in hundredths of a pawn
    #[arg(long, value_name = "CP", default_value_t = 2500, value_parser = value_parser!(u16).range(100..30_000))]
    win_score: u16,

    /// Evaluate with this net; `classical` is none
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    /// Something to remember about the engine, kept in the file
    #[arg(long, value_name = "TEXT", default_value = "")]
    engine_note: String,

    #[cfg(feature = "sample")]
    #[command(flatten)]
    sample: SampleOptions,
}

/// Positions met inside the searches.
#[cfg(feature = "sample")]
#[derive(Args)]
struct SampleOptions {
    /// Append positions met inside the searches to this file, as training records without scores
    #[arg(long, value_name = "FILE")]
    sample: Option<PathBuf>,

    /// Sample one in N positions whose quiescence search finds nothing better than standing pat; 0 samples none
    #[arg(long, value_name = "N", default_value_t = 6, requires = "sample")]
    sample_quiet: u32,

    /// Sample one in N evaluated positions of any kind; 0 samples none
    #[arg(long, value_name = "N", default_value_t = 150, requires = "sample")]
    sample_evaluated: u32,
}

#[cfg(feature = "sample")]
impl SampleOptions {
    fn open(&self) -> Result<Option<SampleFile>> {
        let rates = SampleRates { quiet: self.sample_quiet, evaluated: self.sample_evaluated };
        Ok(self.sample.as_ref().map(|path| SampleFile::open(path, rates)).transpose()?)
    }
}

impl Datagen {
    /// Plays and writes, and says how much.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let goal = match (self.games, self.positions, self.time) {
            (Some(games), ..) => Goal::Games(games),
            (_, Some(positions), _) => Goal::Positions(positions),
            (.., time) => Goal::Time(Duration::from_secs(time.unwrap_or(1))),
        };
        let network = networks::load(&self.net)?;
        let origin = Origin {
            engine: concat!("ferz ", env!("CARGO_PKG_VERSION")).to_owned(),
            bench: signature(network.clone())?,
            net: networks::description(network.as_deref()),
            note: self.engine_note,
            seed: self.seed,
            nodes: self.nodes,
            hash: self.hash,
            chess960: self.chess960,
            opening_score: self.opening_score,
            win_score: self.win_score,
            scores: ScoreUnit::Raw,
            wdl_model: Some(WdlModel::CURRENT.into()),
        };
        let file = if self.out.is_dir() {
            self.out.join(format!("{}-nodes-seed-{}.games", self.nodes, self.seed))
        } else {
            self.out
        };
        let run = Run {
            origin: &origin,
            network,
            goal,
            threads: self.threads as usize,
            #[cfg(feature = "sample")]
            sample: self.sample.open()?,
        };
        memory::ensure(run.mebibytes())?;
        let done = RunProgress::new();
        Progress::watch(|| progress_line(&done, goal), |_| run.execute(&file, &done))?;
        let (games, positions) = (done.games(), done.positions());
        writeln!(out, "{games} games {positions} positions {:.0} positions/s", done.rate())?;
        Ok(ExitCode::SUCCESS)
    }
}

fn signature(network: Option<Arc<Network>>) -> Result<u64> {
    let tally = bench::run(SIGNATURE_DEPTH, 1, network, &Signals::new(), &mut |_| {})?;
    // Nobody stops it.
    Ok(tally.unwrap_or_default().nodes())
}

fn progress_line(done: &RunProgress, goal: Goal) -> String {
    let left = crate::progress::time_left(done.share(goal), done.elapsed());
    format!("{} games, {} positions, {:.0} positions/s, {left}", done.games(), done.positions(), done.rate())
}
