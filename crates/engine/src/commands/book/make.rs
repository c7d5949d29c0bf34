//! `ferz book make`.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use clap::{Args, value_parser};
use ferz_board::{Color, Move, Position};
use ferz_notation::pgn::parallel::Batch;
use ferz_notation::pgn::{GameResult, Movetext, Stop as StopReading, Visitor};
use ferz_notation::polyglot::{BookBuilder, PackedMove, Points};
use ferz_selfplay::data::temporary::TemporaryFile;

use super::super::pgn::range::NumberRange;
use super::super::pgn::reading::{PgnFiles, ReadTotals, Stop};
use crate::input;
use crate::new_file::NewFile;
use crate::progress::{ProgressLine, note};

/// Make a book from games
///
/// The weight of a move is the sum of its points: by default 2 for every game that its side won and 1 for every draw.
/// Where weights exceed 16 bits, all weights of the position shrink together. A move without points is in the book with
/// weight 0, which means that it is known but not played. Variations are ignored, and a broken game counts up to its
/// first illegal move.
///
/// Moves that do not fit into memory go through temporary files next to the output file, so there may be any number of
/// games. The result does not depend on the memory, nor on the number of threads. If a file cannot be read, no book is
/// written and the exit code is 2. The last line is `<n> positions, <n> moves, <n> of <n> games`.
#[derive(Args)]
pub(crate) struct MakeBook {
    #[command(flatten)]
    files: PgnFiles,

    /// The output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Take the first N half-moves of each game
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = value_parser!(u16).range(1..))]
    plies: u16,

    /// Use only games whose ratings (`WhiteElo` and `BlackElo`) are both in this range: 2500..2700, 2500.. or ..2000
    #[arg(long, value_name = "MIN..MAX")]
    elo: Option<NumberRange>,

    /// Use only games with this result: 1-0, 0-1, 1/2-1/2 or * (unfinished, counted as a draw). If repeated, one must
    /// hold. Without this option, all but unfinished games are used
    #[arg(long = "result", value_name = "RESULT", allow_hyphen_values = true)]
    results: Vec<String>,

    /// Leave out moves that were played in fewer games
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_games: u32,

    /// Leave out moves that got less, in per cent of the most points that were possible
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = value_parser!(u8).range(0..=100))]
    min_score: u8,

    /// The points of a move for a win, a draw and a loss of its side. 1,1,1 counts games
    #[arg(long, value_name = "W,D,L", default_value = "2,1,0")]
    points: PointsArgument,

    /// Memory for counting moves
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = value_parser!(u64).range(1..1 << 20))]
    memory: u64,
}

/// `2,1,0`.
#[derive(Clone, Copy)]
struct PointsArgument(Points);

impl FromStr for PointsArgument {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<PointsArgument, Self::Err> {
        let numbers: Result<Vec<u32>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        match numbers.as_deref() {
            Ok(&[win, draw, loss]) => Ok(PointsArgument(Points { win, draw, loss })),
            _ => Err("expected three numbers such as 2,1,0"),
        }
    }
}

impl MakeBook {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let name = || input::name(&self.out);
        let criteria = self.criteria()?;
        let mut file = NewFile::create(&self.out, self.files.paths())?;
        let memory = usize::try_from(self.memory << 20).unwrap_or(usize::MAX);
        let mut builder = BookBuilder::new()
            .points(criteria.points)
            .min_games(self.min_games)
            .min_score(self.min_score)
            .bounded(memory, || TemporaryFile::create(&self.out));
        let totals = ReadTotals::new();
        let mut used = 0;
        let work = |batch: &mut Batch<'_>| batch.read_all(MoveCollector::new(&criteria));
        self.files.read(&totals, work, |collector, _| {
            totals.add(collector.games, collector.moves.len() as u64);
            used += collector.used;
            let mut moves = collector.moves.iter();
            moves
                .try_for_each(|it| builder.add(it.key, it.mv, it.points))
                .with_context(name)
                .map_err(Stop::Failed)
        })?;
        if totals.has_unreadable() {
            bail!("{}: not written, because a file could not be read", name());
        }
        note(format_args!("{} games, {}", totals.games(), totals.speed()));
        let line = || format!("writing {}", name());
        let size = ProgressLine::watch(line, |_| builder.write(&mut file)).with_context(name)?;
        file.finish()?;
        let games = totals.games();
        writeln!(out, "{} positions, {} moves, {used} of {games} games", size.positions, size.moves)?;
        Ok(ExitCode::SUCCESS)
    }

    fn criteria(&self) -> Result<MakeCriteria> {
        let result = |text: &String| {
            GameResult::from_ascii(text.as_bytes())
                .with_context(|| format!("--result: expected 1-0, 0-1, 1/2-1/2 or *, found {text:?}"))
        };
        let mut results = self.results.iter().map(result).collect::<Result<Vec<GameResult>>>()?;
        if results.is_empty() {
            results = [Color::White, Color::Black].map(GameResult::Win).into();
            results.push(GameResult::Draw);
        }
        Ok(MakeCriteria { plies: self.plies.into(), elo: self.elo, results, points: self.points.0 })
    }
}

/// Which games are used, and how.
struct MakeCriteria {
    plies: usize,
    elo: Option<NumberRange>,
    results: Vec<GameResult>,
    points: Points,
}

/// A move that was played.
struct CountedMove {
    key: u64,
    mv: PackedMove,
    points: u32,
}

/// Collects the first moves of games.
struct MoveCollector<'a> {
    criteria: &'a MakeCriteria,
    moves: Vec<CountedMove>,
    games: u64,
    used: u64,
    /// The moves of earlier games.
    before: usize,
    /// The side that makes the first move.
    first: Color,
    elo: [Option<u32>; 2],
    is_refused: bool,
}

impl<'a> MoveCollector<'a> {
    fn new(criteria: &'a MakeCriteria) -> MoveCollector<'a> {
        MoveCollector {
            criteria,
            moves: Vec::new(),
            games: 0,
            used: 0,
            before: 0,
            first: Color::White,
            elo: [None; 2],
            is_refused: false,
        }
    }
}

impl Visitor for MoveCollector<'_> {
    const MOVETEXT: Movetext = Movetext::Positions;
    const VARIATIONS: bool = false;

    fn begin_game(&mut self) {
        // A game that was cut off by the end of the file counts for nothing.
        self.moves.truncate(self.before);
        self.games += 1;
        self.elo = [None; 2];
        self.is_refused = false;
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        let number = || str::from_utf8(value).ok()?.trim().parse().ok();
        match name {
            b"WhiteElo" => self.elo[0] = number(),
            b"BlackElo" => self.elo[1] = number(),
            _ => {}
        }
    }

    fn begin_moves(&mut self, start: &Position) -> ControlFlow<StopReading> {
        self.first = start.side_to_move();
        let fits = |range: NumberRange| self.elo.iter().all(|elo| elo.is_some_and(|elo| range.contains(elo)));
        self.is_refused = !self.criteria.elo.is_none_or(fits);
        if self.is_refused { ControlFlow::Break(StopReading::Game) } else { ControlFlow::Continue(()) }
    }

    fn play(&mut self, before: &Position, mv: Option<Move>, _: &Position) -> ControlFlow<StopReading> {
        // A null move ends the game for us: no book has one, and whose turn it is would be in doubt.
        let Some(mv) = mv else { return ControlFlow::Break(StopReading::Game) };
        self.moves.push(CountedMove { key: before.key(), mv: PackedMove::new(mv), points: 0 });
        if self.moves.len() - self.before < self.criteria.plies {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(StopReading::Game)
        }
    }

    fn end_game(&mut self, result: GameResult) {
        if self.is_refused || !self.criteria.results.contains(&result) {
            self.moves.truncate(self.before);
            return;
        }
        let winner = match result {
            GameResult::Win(color) => Some(color),
            GameResult::Draw | GameResult::Unknown => None,
        };
        let points = [self.first, !self.first].map(|side| self.criteria.points.of(side, winner));
        for (index, it) in self.moves[self.before..].iter_mut().enumerate() {
            it.points = points[index % 2];
        }
        self.before = self.moves.len();
        self.used += 1;
    }
}
