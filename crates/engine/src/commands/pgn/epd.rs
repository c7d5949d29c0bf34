//! `ferz pgn epd`: the positions of games.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ferz_board::{Move, Position};
use ferz_notation::epd::Epd;
use ferz_notation::pgn::parallel::Batch;
use ferz_notation::pgn::{Diagnostic, Visitor};

use super::problems::Problems;
use super::range::Range;
use super::reading::{Files, Stop, Tally};
use crate::progress::tell;
use crate::terminal::Output;

/// Write the positions of games, one EPD line each
///
/// They come in the order of the games, from the start position of each on, with the opcodes `hmvc` and `fmvn` for the
/// clocks unless these are 0 and 1. What is wrong with a game is told on standard error, and the exit code is then 1.
#[derive(Args)]
pub(crate) struct WritePositions {
    #[command(flatten)]
    files: Files,

    /// Positions of variations, too, each right behind the move it replaces
    #[arg(long)]
    variations: bool,

    /// Every position only once: pieces, side to move, castling and legal en-passant captures count, clocks do
    /// not. This takes 8 bytes of memory or more for each
    #[arg(long)]
    unique: bool,

    /// Only positions after so many half-moves, e.g. 10..20, 10.. or ..20; the start position is 0
    #[arg(long, value_name = "N..M")]
    ply: Option<Range>,
}

impl WritePositions {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let tally = Tally::new();
        let mut out = Output::new(out);
        let (mut problems, mut positions) = (0u64, 0u64);
        let mut seen = HashSet::new();
        let work = |batch: &mut Batch<'_>| batch.read_all(Collector::new(self));
        self.files.read(&tally, work, |mut collector, source| {
            tally.add(collector.games, collector.moves);
            problems += collector.problems.count();
            if self.unique {
                collector.retain(|key| seen.insert(key));
            }
            positions += collector.lines.len() as u64;
            out.write(collector.text.as_bytes(), source.progress).map_err(Stop::output)?;
            if collector.problems.count() > 0 {
                source.progress.suspend(|| collector.problems.lines(&source).for_each(tell));
            }
            Ok(())
        })?;
        let (games, moves) = (tally.games(), tally.moves());
        tell(format_args!("{positions} positions, {games} games, {moves} moves, {}", tally.speed()));
        Ok(tally.exit_code(problems > 0))
    }
}

/// Follows the moves and writes what is wanted of the positions.
struct Collector<'a> {
    options: &'a WritePositions,
    line: Line,
    /// The lines that open variations interrupt.
    outer: Vec<Line>,
    text: String,
    /// For each line of the text the key of its position, and where it ends.
    lines: Vec<(u64, usize)>,
    games: u64,
    /// Those of main lines.
    moves: u64,
    problems: Problems,
}

#[derive(Clone, Copy)]
struct Line {
    position: Position,
    /// Before the last move: variations go back to it.
    before: Position,
    ply: u32,
}

impl<'a> Collector<'a> {
    fn new(options: &'a WritePositions) -> Collector<'a> {
        let start = Position::start();
        Collector {
            options,
            line: Line { position: start, before: start, ply: 0 },
            outer: Vec::new(),
            text: String::new(),
            lines: Vec::new(),
            games: 0,
            moves: 0,
            problems: Problems::default(),
        }
    }

    fn write_position(&mut self) {
        let is_wanted = self.outer.is_empty() || self.options.variations;
        if !is_wanted || self.options.ply.is_some_and(|range| !range.contains(self.line.ply)) {
            return;
        }
        // A string takes everything.
        let _ = writeln!(self.text, "{}", Epd::new(self.line.position));
        self.lines.push((self.line.position.repetition_key(), self.text.len()));
    }

    /// Keeps the lines of some positions only.
    fn retain(&mut self, mut is_wanted: impl FnMut(u64) -> bool) {
        let text = std::mem::take(&mut self.text);
        let mut start = 0;
        self.lines.retain(|&(key, end)| {
            let line = &text[start..end];
            start = end;
            let is_kept = is_wanted(key);
            if is_kept {
                self.text += line;
            }
            is_kept
        });
    }
}

impl Visitor for Collector<'_> {
    fn begin_game(&mut self) {
        self.games += 1;
        self.problems.next_game();
    }

    fn begin_moves(&mut self, start: &Position) -> bool {
        self.line = Line { position: *start, before: *start, ply: 0 };
        self.outer.clear();
        self.write_position();
        true
    }

    fn mv(&mut self, mv: Option<Move>) {
        let Line { position, before, ply } = &mut self.line;
        *before = *position;
        match mv {
            // The reader has proven it legal.
            Some(mv) => position.play_unchecked(mv),
            None => *position = position.null_move().unwrap_or(*position),
        }
        *ply += 1;
        self.moves += u64::from(self.outer.is_empty());
        self.write_position();
    }

    fn begin_variation(&mut self) {
        self.outer.push(self.line);
        self.line.position = self.line.before;
        self.line.ply -= 1;
    }

    fn end_variation(&mut self) {
        if let Some(line) = self.outer.pop() {
            self.line = line;
        }
    }

    fn problem(&mut self, problem: Diagnostic) {
        self.problems.add(problem);
    }

    fn end_game(&mut self) {
        self.problems.next_game();
    }
}
