//! Solving the positions of an EPD file.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result};
use ferz_board::{Game, Move, Position};
use ferz_notation::epd::{Epd, Evaluation, Operand, Severity};
use ferz_notation::pgn;
use ferz_notation::san::San;
use ferz_search::{Conclusion, Engine, Limits, Score, SearchOptions, Signals};

use super::lines;
use crate::input::{self, ReadMeter};
use crate::memory;
use crate::progress::ProgressLine;
use crate::terminal::TextOutput;

/// Solves positions with these settings.
pub(super) struct Solver {
    pub(super) limits: Limits,
    pub(super) threads: usize,
    /// In MiB.
    pub(super) hash: usize,
}

impl Solver {
    /// Solves all positions of a file and prints those that were not solved.
    pub(super) fn run(&self, file: &Path, out: &mut impl Write) -> Result<ExitCode> {
        memory::ensure(self.hash + self.threads * Engine::MEBIBYTES_PER_THREAD)?;
        let mut engine = Engine::new(self.hash)?;
        engine.set_threads(self.threads).context("threads")?;
        let shared = SharedCounts::default();
        ProgressLine::watch(
            || shared.lock().text(),
            |progress| self.solve_all(&mut engine, file, &shared, progress, &mut TextOutput::new(out)),
        )?;
        let SolveCounts { puzzles, solved, problems, .. } = *shared.lock();
        writeln!(out, "solved {solved} of {puzzles}")?;
        Ok(if problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn solve_all(
        &self,
        engine: &mut Engine,
        file: &Path,
        shared: &SharedCounts,
        progress: &ProgressLine,
        out: &mut TextOutput<'_, impl Write>,
    ) -> Result<()> {
        let name = input::name(file);
        lines::for_each(file, &ReadMeter::default(), |line, number| {
            let puzzle = match Puzzle::parse(&pgn::text(line), &name, number) {
                Ok(puzzle) => puzzle,
                Err(problem) => {
                    shared.lock().problems += 1;
                    return Ok(out.write(format!("{problem}\n").as_bytes(), progress)?);
                }
            };
            shared.lock().begin(&puzzle.name);
            let conclusion = self.search(engine, puzzle.epd.position());
            let is_solved = puzzle.is_solved_by(&conclusion);
            shared.lock().end(is_solved);
            if !is_solved {
                out.write(puzzle.failure(&conclusion).as_bytes(), progress)?;
            }
            Ok(())
        })
    }

    fn search(&self, engine: &mut Engine, position: &Position) -> Conclusion {
        // Results from earlier positions must not help.
        engine.clear();
        let game = Game::new(*position);
        engine.search(&game, &self.limits, &SearchOptions::default(), &Signals::new(), &mut |_| {})
    }
}

/// The counts, shared with the thread that shows them.
#[derive(Default)]
struct SharedCounts(Mutex<SolveCounts>);

impl SharedCounts {
    fn lock(&self) -> MutexGuard<'_, SolveCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The progress.
#[derive(Default)]
struct SolveCounts {
    puzzles: u64,
    solved: u64,
    /// Records with errors.
    problems: u64,
    /// The current position, and when its search began.
    current: Option<(String, Instant)>,
}

impl SolveCounts {
    fn begin(&mut self, name: &str) {
        self.current = Some((name.to_owned(), Instant::now()));
    }

    fn end(&mut self, is_solved: bool) {
        self.current = None;
        self.puzzles += 1;
        self.solved += u64::from(is_solved);
    }

    fn text(&self) -> String {
        let current = self
            .current
            .as_ref()
            .map_or(String::new(), |(name, since)| format!(", {} s at {name}", since.elapsed().as_secs()));
        format!("solved {} of {}{current}", self.solved, self.puzzles)
    }
}

/// A position and its solution.
struct Puzzle {
    /// Its `id`, or its place in the file.
    name: String,
    epd: Epd,
    /// The number of moves to mate; negative if the side to move is mated.
    mate: Option<i32>,
}

impl Puzzle {
    /// Parses a record. The error is a message.
    fn parse(line: &str, file: &str, number: u64) -> Result<Puzzle, String> {
        let (epd, errors) =
            Epd::parse_lenient(line).map_err(|error| super::diagnostic(file, number, &error))?;
        if let Some(error) = errors.iter().find(|error| error.problem.severity() > Severity::Form) {
            return Err(super::diagnostic(file, number, error));
        }
        let mate = match (epd.get("dm"), epd.get("bm")) {
            (Some(&Operand::Count(moves)), _) => i32::try_from(moves).ok(),
            (_, Some(&Operand::Evaluation(Evaluation::Mate(moves)))) => Some(moves),
            _ => None,
        };
        if epd.best_moves().is_empty() && epd.avoid_moves().is_empty() && mate.is_none() {
            return Err(format!("{file}:{number}:1: nothing to solve: no bm, am or dm"));
        }
        let name = epd.id().map_or_else(|| format!("{file}:{number}"), str::to_owned);
        Ok(Puzzle { name, epd, mate })
    }

    /// Whether the search found what the record asks for.
    fn is_solved_by(&self, conclusion: &Conclusion) -> bool {
        let (wanted, unwanted) = (self.epd.best_moves(), self.epd.avoid_moves());
        let Some(best) = conclusion.best else { return false };
        let score = conclusion.lines.first().map(|line| line.score);
        (wanted.is_empty() || wanted.contains(&best))
            && !unwanted.contains(&best)
            && self.mate.is_none_or(|moves| score == Some(Score::Mate(moves)))
    }

    /// The line about a position that was not solved.
    fn failure(&self, conclusion: &Conclusion) -> String {
        let position = self.epd.position();
        let played =
            conclusion.best.map_or_else(|| "nothing".to_owned(), |best| San::new(position, best).to_string());
        let mut expected = Vec::new();
        if !self.epd.best_moves().is_empty() {
            expected.push(format!("bm {}", moves(position, self.epd.best_moves())));
        }
        if !self.epd.avoid_moves().is_empty() {
            expected.push(format!("am {}", moves(position, self.epd.avoid_moves())));
        }
        expected.extend(self.mate.map(|moves| format!("mate {moves}")));
        let result = conclusion.lines.first().map_or_else(
            || "no score".to_owned(),
            |line| format!("score {}, depth {}", line.score, line.depth),
        );
        format!("{}: played {played}, expected {}, {result}\n", self.name, expected.join(", "))
    }
}

fn moves(position: &Position, moves: &[Move]) -> String {
    moves.iter().map(|&mv| San::new(position, mv).to_string()).collect::<Vec<_>>().join(" ")
}
