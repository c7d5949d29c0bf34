//! `ferz puzzles`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::{Args, value_parser};
use ferz_board::Color;
use ferz_notation::epd::{Epd, Operand};
use ferz_notation::pgn::{BoundedTree, GameTree, Reader};
use ferz_notation::san::San;
use ferz_search::{Engine, Signals};

use super::pgn::problems::Problems;
use crate::input::{self, ReadMeter};
use crate::progress::{ProgressLine, note, per_second};
use crate::terminal::TextOutput;
use crate::{memory, networks};
use ferz_coach::puzzle::{self, FoundPuzzle, Goal, PuzzleSettings};

/// Find puzzles in games
///
/// A puzzle is a position after a mistake in which one move wins or saves the draw, and every other move does not. The
/// solution goes on against the best defence as long as there is only one good move. Each move of it is proven by a
/// search of two lines.
///
/// Prints each puzzle as a game: the tag FEN has the position, Goal the task (`mate in 2`, `win`, `draw`), Source the
/// game and the move that made it possible, and the moves are the solution. The page opens such a file in its tab
/// Puzzles.
///
/// Problems in the files are reported on stderr with exit code 1. The result does not depend on the number of threads.
#[derive(Args)]
pub(crate) struct Puzzles {
    /// PGN files, plain or compressed with zstd; `-` is stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Nodes of the first look at each position
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = value_parser!(u64).range(1..))]
    look_nodes: u64,

    /// Nodes of the search that proves each move of a solution
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = value_parser!(u64).range(1..))]
    proof_nodes: u64,

    /// Leave out puzzles in which fewer moves have to be found
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..=6))]
    min_moves: u16,

    /// Games that are searched at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..=256))]
    threads: u16,

    /// The network to evaluate with: a file, `embedded` or `classical` (no network)
    #[arg(long, value_name = "FILE", default_value = networks::EMBEDDED)]
    net: PathBuf,

    /// Print EPD lines: `bm` the solution, `dm` the moves to mate, `pv` the whole line, `id` the source
    #[arg(long)]
    epd: bool,
}

/// The transposition table of each thread, in MiB.
const HASH: usize = 16;

/// What has been done, for the progress line.
#[derive(Default)]
struct Totals {
    games: AtomicU64,
    positions: AtomicU64,
    puzzles: AtomicU64,
}

impl Puzzles {
    /// Prints the puzzles of all files.
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<ExitCode> {
        let mut engines = self.engines()?;
        let (totals, start) = (Totals::default(), Instant::now());
        let text = || {
            let [games, positions, puzzles] =
                [&totals.games, &totals.positions, &totals.puzzles].map(|count| count.load(Relaxed));
            let speed = per_second(positions, start.elapsed());
            format!("{games} games, {positions} positions ({speed}/s), {puzzles} puzzles")
        };
        let mut out = TextOutput::new(out);
        let mut problems = 0;
        ProgressLine::watch(text, |progress| -> Result<()> {
            for file in &self.files {
                problems += self.read(file, &mut engines, &totals, progress, &mut out)?;
            }
            Ok(())
        })?;
        Ok(if problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn engines(&self) -> Result<Vec<Engine>> {
        let network = networks::load(&self.net)?;
        let threads = usize::from(self.threads);
        memory::ensure(threads * (HASH + Engine::MEBIBYTES_PER_THREAD))?;
        let new_engine = |_| {
            let mut engine = Engine::new(HASH)?;
            engine.set_network(network.clone());
            Ok(engine)
        };
        (0..threads).map(new_engine).collect()
    }

    /// Prints the puzzles of a file. Returns the number of problems in it.
    fn read(
        &self,
        file: &Path,
        engines: &mut [Engine],
        totals: &Totals,
        progress: &ProgressLine,
        out: &mut TextOutput<'_, impl Write>,
    ) -> Result<u64> {
        let name = input::name(file);
        let meter = ReadMeter::default();
        let text = input::open(file, &meter).with_context(|| name.clone())?;
        let mut reader = Reader::new(text);
        let mut problems = 0;
        loop {
            // As many games as there are engines, printed in their order.
            let mut games = Vec::new();
            while games.len() < engines.len() {
                let mut game = BoundedTree::default();
                let is_game = reader.read_game(&mut game).with_context(|| name.clone())?;
                let mut found = Problems::default();
                found.add_all(game.take_diagnostics());
                if found.count() > 0 {
                    problems += found.count();
                    progress.suspend(|| found.lines_in(&name).for_each(note));
                }
                if !is_game {
                    break;
                }
                games.push((reader.games(), game.tree().with_context(|| name.clone())?.clone()));
            }
            if games.is_empty() {
                return Ok(problems);
            }
            for text in self.search(engines, &games, totals)? {
                out.write(text.as_bytes(), progress)?;
            }
        }
    }

    /// The output for some games.
    fn search(
        &self,
        engines: &mut [Engine],
        games: &[(u64, GameTree)],
        totals: &Totals,
    ) -> Result<Vec<String>> {
        let found: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = engines
                .iter_mut()
                .zip(games)
                .map(|(engine, (number, tree))| scope.spawn(|| self.one_game(engine, *number, tree, totals)))
                .collect();
            threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
        });
        let finished = |text: thread::Result<Result<String>>| {
            text.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        found.into_iter().map(finished).collect()
    }

    fn one_game(&self, engine: &mut Engine, number: u64, tree: &GameTree, totals: &Totals) -> Result<String> {
        let settings = PuzzleSettings::with_nodes(self.look_nodes, self.proof_nodes);
        let mut all = Vec::new();
        let done = puzzle::find(engine, tree, &settings, &Signals::new(), &mut |step| {
            totals.positions.fetch_add(1, Relaxed);
            all.extend(step.found.filter(|found| found.puzzle.moves() >= usize::from(self.min_moves)));
        });
        done.context("the search was stopped")?;
        totals.games.fetch_add(1, Relaxed);
        totals.puzzles.fetch_add(all.len() as u64, Relaxed);
        let text = |found: &FoundPuzzle| {
            let source = source(number, tree, found);
            if self.epd { epd(found, source) } else { pgn(found, tree, &source) }
        };
        all.iter().map(text).collect()
    }
}

/// Where a puzzle comes from: `game 3, after 12... Nf6`.
fn source(number: u64, tree: &GameTree, found: &FoundPuzzle) -> String {
    let before = tree.parent(found.node).and_then(|parent| tree.position_at(parent));
    let Some((before, mv)) = before.zip(tree.mv(found.node)) else { return format!("game {number}") };
    let dots = if before.side_to_move() == Color::White { "." } else { "..." };
    let san = San::new(&before, mv);
    format!("game {number}, after {}{dots} {san}", before.fullmove_number())
}

fn pgn(found: &FoundPuzzle, tree: &GameTree, source: &str) -> Result<String> {
    let mut game = found.puzzle.to_game();
    game.set_tag("Event", "Puzzle")?;
    for name in ["Site", "Date", "Round", "White", "Black", "Variant"] {
        if let Some(value) = tree.tag(name) {
            game.set_tag(name, &value)?;
        }
    }
    game.set_tag("Goal", &found.puzzle.goal.to_string())?;
    game.set_tag("Source", source)?;
    Ok(format!("{game}\n"))
}

fn epd(found: &FoundPuzzle, source: String) -> Result<String> {
    let puzzle = &found.puzzle;
    let mut epd = Epd::new(puzzle.start);
    epd.set("bm", Operand::Moves(puzzle.solution.first().copied().into_iter().collect()))?;
    if let Goal::Mate(moves) = puzzle.goal {
        epd.set("dm", Operand::Count(moves.into()))?;
    }
    epd.set("pv", Operand::Variation(puzzle.solution.clone()))?;
    epd.set("id", Operand::Text(source))?;
    Ok(format!("{epd}\n"))
}
