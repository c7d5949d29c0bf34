//! `ferz pgn epd`.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write;
use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ferz_board::{Move, Position};
use ferz_notation::epd::Epd;
use ferz_notation::pgn::parallel::Batch;
use ferz_notation::pgn::{Diagnostic, GameResult, Movetext, Stop as StopReading, Visitor};

use super::problems::Problems;
use super::range::NumberRange;
use super::reading::{PgnFiles, ReadTotals, Stop};
use crate::progress::note;
use crate::terminal::TextOutput;

/// Print the positions of games as EPD, one per line
///
/// Each game yields its start position and the position after every move. Clocks are written as the opcodes `hmvc` and
/// `fmvn` unless they are 0 and 1. Problems are reported on stderr with exit code 1.
#[derive(Args)]
pub(crate) struct WritePositions {
    #[command(flatten)]
    files: PgnFiles,

    /// Include variations, each after the move it replaces
    #[arg(long)]
    variations: bool,

    /// Print each position only once, ignoring clocks. Needs at least 8 bytes of memory per position
    #[arg(long)]
    unique: bool,

    /// Print only positions at these plies: 10..20, 10.. or ..20; the start position is ply 0
    #[arg(long, value_name = "N..M")]
    ply: Option<NumberRange>,
}

impl WritePositions {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let totals = ReadTotals::new();
        let mut out = TextOutput::new(out);
        let (mut problems, mut positions) = (0u64, 0u64);
        let mut seen = HashSet::new();
        let work = |batch: &mut Batch<'_>| batch.read_all(PositionCollector::new(self));
        self.files.read(&totals, work, |mut collector, source| {
            totals.add(collector.games, collector.moves);
            problems += collector.problems.count();
            if self.unique {
                collector.retain(|key| seen.insert(key));
            }
            positions += collector.lines.len() as u64;
            out.write(collector.text.as_bytes(), source.progress).map_err(Stop::output)?;
            if collector.problems.count() > 0 {
                source.progress.suspend(|| collector.problems.lines(&source).for_each(note));
            }
            Ok(())
        })?;
        let (games, moves) = (totals.games(), totals.moves());
        note(format_args!("{positions} positions, {games} games, {moves} moves, {}", totals.speed()));
        Ok(totals.exit_code(problems > 0))
    }
}

/// Writes the positions.
struct PositionCollector<'a> {
    options: &'a WritePositions,
    /// The plies of the line.
    ply: u32,
    /// Those of the lines outside of the open variations.
    outer: Vec<u32>,
    text: String,
    /// For each line of the text: the key of its position, and the end of the line.
    lines: Vec<(u64, usize)>,
    games: u64,
    /// Half-moves of the main lines.
    moves: u64,
    problems: Problems,
}

impl<'a> PositionCollector<'a> {
    fn new(options: &'a WritePositions) -> PositionCollector<'a> {
        PositionCollector {
            options,
            ply: 0,
            outer: Vec::new(),
            text: String::new(),
            lines: Vec::new(),
            games: 0,
            moves: 0,
            problems: Problems::default(),
        }
    }

    fn write_position(&mut self, position: &Position) {
        let is_wanted = self.outer.is_empty() || self.options.variations;
        if !is_wanted || self.options.ply.is_some_and(|range| !range.contains(self.ply)) {
            return;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{}", Epd::new(*position));
        self.lines.push((position.repetition_key(), self.text.len()));
    }

    /// Keeps only the lines of some positions.
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

impl Visitor for PositionCollector<'_> {
    const MOVETEXT: Movetext = Movetext::Positions;

    fn begin_game(&mut self) {
        self.games += 1;
        self.problems.next_game();
    }

    fn begin_moves(&mut self, start: &Position) -> ControlFlow<StopReading> {
        self.ply = 0;
        self.outer.clear();
        self.write_position(start);
        ControlFlow::Continue(())
    }

    fn play(&mut self, _: &Position, _: Option<Move>, after: &Position) -> ControlFlow<StopReading> {
        self.ply += 1;
        self.moves += u64::from(self.outer.is_empty());
        self.write_position(after);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self) -> ControlFlow<StopReading> {
        self.outer.push(self.ply);
        self.ply -= 1;
        ControlFlow::Continue(())
    }

    fn end_variation(&mut self) {
        if let Some(ply) = self.outer.pop() {
            self.ply = ply;
        }
    }

    fn problem(&mut self, problem: Diagnostic) {
        self.problems.add(problem);
    }

    fn end_game(&mut self, _: GameResult) {
        self.problems.next_game();
    }
}
