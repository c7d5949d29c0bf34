//! `ferz epd` with a limit: solving positions.

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
use crate::input::{self, Meter};
use crate::memory;
use crate::progress::Progress;
use crate::terminal::Output;
use crate::uci::uci_score;

/// How to solve.
pub(super) struct Solver {
    pub(super) limits: Limits,
    pub(super) threads: usize,
    /// In MiB.
    pub(super) hash: usize,
}

impl Solver {
    /// Solves all positions of a file and says which could not be solved.
    pub(super) fn run(&self, file: &Path, out: &mut impl Write) -> Result<ExitCode> {
        memory::ensure(self.hash + self.threads * Engine::MEBIBYTES_PER_THREAD)?;
        let mut engine = Engine::new(self.hash)?;
        engine.set_threads(self.threads).context("threads")?;
        let tally = Tally::default();
        Progress::watch(
            || tally.count().progress(),
            |progress| self.solve_all(&mut engine, file, &tally, progress, &mut Output::new(out)),
        )?;
        let Count { tasks, solved, problems, .. } = *tally.count();
        writeln!(out, "solved {solved} of {tasks}")?;
        Ok(if problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn solve_all(
        &self,
        engine: &mut Engine,
        file: &Path,
        tally: &Tally,
        progress: &Progress,
        out: &mut Output<'_, impl Write>,
    ) -> Result<()> {
        let name = input::name(file);
        lines::for_each(file, &Meter::default(), |line, number| {
            let task = match Task::read(&pgn::text(line), &name, number) {
                Ok(task) => task,
                Err(problem) => {
                    tally.count().problems += 1;
                    return Ok(out.write(format!("{problem}\n").as_bytes(), progress)?);
                }
            };
            tally.count().begin(&task.name);
            let conclusion = self.search(engine, task.epd.position());
            let is_solved = task.is_solved_by(&conclusion);
            tally.count().end(is_solved);
            if !is_solved {
                out.write(task.failure(&conclusion).as_bytes(), progress)?;
            }
            Ok(())
        })
    }

    fn search(&self, engine: &mut Engine, position: &Position) -> Conclusion {
        // What was learnt from one position must not solve another.
        engine.clear();
        let game = Game::new(*position);
        engine.search(&game, &self.limits, &SearchOptions::default(), &Signals::new(), &mut |_| {})
    }
}

/// The count, for the one who counts and the one who shows it.
#[derive(Default)]
struct Tally(Mutex<Count>);

impl Tally {
    fn count(&self) -> MutexGuard<'_, Count> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far it has come.
#[derive(Default)]
struct Count {
    tasks: u64,
    solved: u64,
    /// Records that could not be understood.
    problems: u64,
    /// What is worked at, and since when.
    current: Option<(String, Instant)>,
}

impl Count {
    fn begin(&mut self, name: &str) {
        self.current = Some((name.to_owned(), Instant::now()));
    }

    fn end(&mut self, is_solved: bool) {
        self.current = None;
        self.tasks += 1;
        self.solved += u64::from(is_solved);
    }

    fn progress(&self) -> String {
        let current = self
            .current
            .as_ref()
            .map_or(String::new(), |(name, since)| format!(", {} s at {name}", since.elapsed().as_secs()));
        format!("solved {} of {}{current}", self.solved, self.tasks)
    }
}

/// A position and what is to be found in it.
struct Task {
    /// Its `id`, or the place where it stands.
    name: String,
    epd: Epd,
    /// The side to move mates in so many moves, or is mated if it is negative.
    mate: Option<i32>,
}

impl Task {
    /// Reads a record; an error is a diagnostic.
    fn read(line: &str, file: &str, number: u64) -> Result<Task, String> {
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
            return Err(format!("{file}:{number}:1: nothing to solve: neither bm nor am nor dm"));
        }
        let name = epd.id().map_or_else(|| format!("{file}:{number}"), str::to_owned);
        Ok(Task { name, epd, mate })
    }

    /// Whether everything the record asks for was found.
    fn is_solved_by(&self, conclusion: &Conclusion) -> bool {
        let (wanted, unwanted) = (self.epd.best_moves(), self.epd.avoid_moves());
        let Some(best) = conclusion.best else { return false };
        let score = conclusion.lines.first().map(|line| line.score);
        (wanted.is_empty() || wanted.contains(&best))
            && !unwanted.contains(&best)
            && self.mate.is_none_or(|moves| score == Some(Score::Mate(moves)))
    }

    /// A line about what was played instead.
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
            |line| format!("score {}, depth {}", uci_score(line.score), line.depth),
        );
        format!("{}: played {played}, expected {}, {result}\n", self.name, expected.join(", "))
    }
}

fn moves(position: &Position, moves: &[Move]) -> String {
    moves.iter().map(|&mv| San::new(position, mv).to_string()).collect::<Vec<_>>().join(" ")
}
