//! `ferz datagen`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{ArgGroup, Args, value_parser};
#[cfg(feature = "sample")]
use ferz_search::SampleRates;
use ferz_search::{Engine, WdlModel};

use crate::progress::ProgressLine;
use crate::tables::TableArguments;
use crate::{memory, networks};
use ferz_selfplay::data::header::{GamesOrigin, ScoreUnit};
#[cfg(feature = "sample")]
use ferz_selfplay::datagen::SampleFile;
use ferz_selfplay::datagen::{DatagenRun, Goal, RunProgress};

/// Generate training data by self-play
///
/// A game begins with eight or nine random moves from the start position or from a Chess960 one, unless one side is then
/// far ahead (`--opening-score`). It ends by the rules, or by adjudication: when a mate is found, when both sides
/// agree for four plies that one of them wins (`--win-score`), when from ply 70 on both score near zero for ten plies,
/// or after 400 plies; with `--syzygy`, also when a capture or pawn move leads to a position that the endgame tables
/// know. Every move is stored with its score.
///
/// Each game depends only on the seed and its number, not on the number of threads. An existing file is continued if it
/// was made with the same engine, seed and settings; an incomplete last game is dropped. The last line is
/// `<n> games <n> positions <n> positions/s`.
#[derive(Args)]
#[command(group = ArgGroup::new("goal").args(["games", "positions", "time"]).required(true))]
pub(crate) struct Datagen {
    /// The output file, or a folder for a file named after seed and nodes
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Stop when the file has N games
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    games: Option<u64>,

    /// Stop when the file has at least N positions
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    positions: Option<u64>,

    /// Stop after S seconds, when the running games have ended
    #[arg(long, value_name = "S", value_parser = value_parser!(u64).range(1..))]
    time: Option<u64>,

    /// Games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u64).range(1..=Engine::MAX_THREADS as u64))]
    threads: u64,

    /// Random seed; each seed gives different games
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Soft node limit of a move: no new iteration starts after N nodes. The hard limit is eight times as high
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    /// Percentage of games with a Chess960 start position
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = value_parser!(u32).range(0..=100))]
    chess960: u32,

    /// Size of the transposition table of each game
    #[arg(long, value_name = "MIB", default_value_t = 2, value_parser = value_parser!(u32).range(1..))]
    hash: u32,

    /// Highest score of an opening, in centipawns; at 100 one side wins half of the games
    #[arg(long, value_name = "CP", default_value_t = 400, value_parser = value_parser!(u16).range(1..30_000))]
    opening_score: u16,

    /// Score at which a game is adjudicated as won, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 2500, value_parser = value_parser!(u16).range(100..30_000))]
    win_score: u16,

    /// The network to evaluate with: a file, `embedded` or `classical` (no network)
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    #[command(flatten)]
    tables: TableArguments,

    /// A note about the engine, stored in the file
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
    /// Plays games and prints totals.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let goal = match (self.games, self.positions, self.time) {
            (Some(games), ..) => Goal::Games(games),
            (_, Some(positions), _) => Goal::Positions(positions),
            (.., time) => Goal::Time(Duration::from_secs(time.unwrap_or(1))),
        };
        let network = networks::load(&self.net)?;
        let tables = self.tables.open()?;
        let origin = GamesOrigin {
            engine: concat!("ferz ", env!("CARGO_PKG_VERSION")).to_owned(),
            bench: networks::signature(network.clone())?,
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
            tables: (!tables.is_empty())
                .then(|| format!("{} WDL tables of up to {} men", tables.wdl_count(), tables.max_men())),
        };
        let file = if self.out.is_dir() {
            self.out.join(format!("{}-nodes-seed-{}.games", self.nodes, self.seed))
        } else {
            self.out
        };
        let mut run = DatagenRun::new(&origin, goal);
        run.network = network;
        run.tables = tables;
        run.threads = self.threads as usize;
        #[cfg(feature = "sample")]
        {
            run.sample = self.sample.open()?;
        }
        memory::ensure(run.mebibytes())?;
        let done = RunProgress::new();
        ProgressLine::watch(|| progress_line(&done, goal), |_| run.execute(&file, &done))?;
        let (games, positions) = (done.games(), done.positions());
        writeln!(out, "{games} games {positions} positions {:.0} positions/s", done.rate())?;
        Ok(ExitCode::SUCCESS)
    }
}

fn progress_line(done: &RunProgress, goal: Goal) -> String {
    let left = crate::progress::time_left(done.share(goal), done.elapsed());
    format!("{} games, {} positions, {:.0} positions/s, {left}", done.games(), done.positions(), done.rate())
}
