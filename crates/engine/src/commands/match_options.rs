//! The options of commands that play matches.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Result, anyhow, ensure};
use clap::{Args, value_parser};
use ferz_board::Position;
use ferz_notation::epd::Epd;
use ferz_notation::pgn;
use ferz_search::Engine;
use ferz_selfplay::matches::{Adjudication, MatchOpenings, MatchPlayer, MatchRun, MatchSpeed, MoveLimit};

use super::epd;
use crate::input::ReadMeter;
use crate::{input, memory, progress};

/// The memory of an opening: itself, its key, and room to grow.
const OPENING_BYTES: usize = 512;

/// How games are played.
#[derive(Args)]
pub(super) struct MatchArguments {
    /// Games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u64).range(1..=Engine::MAX_THREADS as u64))]
    pub(super) threads: u64,

    /// Random seed; with the same seed the same games are played on any number of threads, unless there is a clock
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(super) seed: u64,

    /// Stop after S seconds. Pairs that are not finished then do not count
    #[arg(long, value_name = "S", value_parser = value_parser!(u64).range(1..))]
    pub(super) seconds: Option<u64>,

    /// Size of the transposition table of each player
    #[arg(long, value_name = "MIB", default_value_t = 8, value_parser = value_parser!(u32).range(1..))]
    pub(super) hash: u32,

    /// Openings: a file of FEN or EPD lines, plain or compressed with zstd. Without it, eight or nine random moves
    #[arg(long, value_name = "FILE")]
    pub(super) book: Option<PathBuf>,

    /// Score at which a game is adjudicated as won, in centipawns, if both players agree for four plies
    #[arg(long, value_name = "CP", default_value_t = 1000, value_parser = value_parser!(u16).range(100..))]
    pub(super) win_score: u16,
}

impl MatchArguments {
    /// A match of these players. The memory for it has been checked.
    pub(super) fn run(&self, players: [MatchPlayer; 2], ahead: Option<u64>) -> Result<MatchRun> {
        let threads = self.threads as usize;
        let run = MatchRun {
            players,
            openings: match &self.book {
                Some(file) => MatchOpenings::Positions(openings(file)?),
                None => MatchOpenings::Random,
            },
            adjudication: Adjudication { win_score: self.win_score.into(), ..Adjudication::default() },
            hash: self.hash as usize,
            threads,
            seed: self.seed,
            ahead: ahead.unwrap_or_else(|| MatchRun::default_ahead(threads)),
            time: self.seconds.map(Duration::from_secs),
        };
        memory::ensure(run.mebibytes())?;
        Ok(run)
    }
}

/// The time of a game.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    pub(super) time: Duration,
    pub(super) increment: Duration,
}

impl FromStr for Clock {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Clock, &'static str> {
        let seconds = |text: &str| {
            let seconds = text.parse::<f64>().ok().filter(|seconds| (0.0..1e6).contains(seconds));
            seconds.map(Duration::from_secs_f64)
        };
        let (time, increment) = text.split_once('+').unwrap_or((text, "0"));
        match (seconds(time), seconds(increment)) {
            (Some(time), Some(increment)) if !time.is_zero() => Ok(Clock { time, increment }),
            _ => Err("expected seconds, such as 8+0.08"),
        }
    }
}

impl Clock {
    pub(super) fn limit(self) -> MoveLimit {
        let Clock { time, increment } = self;
        MoveLimit::Clock { time, increment }
    }
}

/// The seconds of a game and of a move: `8+0.08`, and `8+0` without an increment.
impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.time.as_secs_f64(), self.increment.as_secs_f64())
    }
}

/// Games a second, the time left and losses on time, for progress lines.
pub(super) fn speed_text(speed: &MatchSpeed) -> String {
    let left = progress::time_left(speed.share(), speed.elapsed());
    let lost = match speed.time_losses() {
        0 => String::new(),
        games => format!(", {games} lost on time"),
    };
    format!("{:.1} games/s, {left}{lost}", speed.games_per_second())
}

/// Prints the number of games that were lost on time, if there are any.
pub(super) fn write_time_losses(out: &mut impl Write, games: u64) -> io::Result<()> {
    if games > 0 {
        writeln!(out, "{games} games lost on time")?;
    }
    Ok(())
}

/// Reads the positions of a book, each once.
fn openings(file: &Path) -> Result<Vec<Position>> {
    let (mut positions, mut seen) = (Vec::new(), HashSet::new());
    epd::for_each_line(file, &ReadMeter::default(), |line, number| {
        let problem = |reason: String| anyhow!("{}:{number}: {reason}", input::name(file));
        let epd = Epd::parse_lenient(&pgn::text(line)).map_err(|error| problem(error.to_string()))?.0;
        if epd.position().outcome().is_some() {
            return Err(problem("the game is over".to_owned()));
        }
        if seen.insert(epd.position().pack()) {
            positions.push(*epd.position());
            // A small compressed file may hold more than fits.
            if positions.len().is_multiple_of(1 << 16) {
                memory::ensure(positions.len() * OPENING_BYTES / (1 << 20))?;
            }
        }
        Ok(())
    })?;
    ensure!(!positions.is_empty(), "{}: the file has no position", input::name(file));
    Ok(positions)
}
