//! Games with what the engine thinks of their moves.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result};
use ferz_notation::pgn::{BoundedTree, GameTree, Reader};
use ferz_search::{Engine, Signals};
use serde::Serialize;

use crate::commands::pgn::problems::Problems;
use crate::commands::search_options::SearchArguments;
use crate::input::{self, Meter};
use crate::progress::{self, Progress, tell};
use crate::terminal::Output;
use ferz_coach::review::{self, GameReport, Review, ReviewSettings};

/// A file of games to be reviewed.
pub(super) struct Games<'a> {
    pub(super) file: &'a Path,
    pub(super) lines: usize,
    pub(super) json: bool,
}

impl Games<'_> {
    /// Reviews one game after the other and writes it.
    pub(super) fn run(&self, search: &SearchArguments, out: &mut impl Write) -> Result<ExitCode> {
        let mut engine = search.engine()?;
        let settings = ReviewSettings { limits: search.limits(super::DEFAULT_TIME), lines: self.lines };
        let state = State(Mutex::new(Count { game: 0, done: 0, total: 0, errors: 0, since: Instant::now() }));
        let mut out = Output::new(out);
        let problems = Progress::watch(
            || state.count().progress(),
            |progress| self.review_all(&mut engine, &settings, &state, progress, &mut out),
        );
        Ok(if problems? == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Returns how many problems the file has.
    fn review_all(
        &self,
        engine: &mut Engine,
        settings: &ReviewSettings,
        state: &State,
        progress: &Progress,
        out: &mut Output<'_, impl Write>,
    ) -> Result<u64> {
        let name = input::name(self.file);
        let meter = Meter::default();
        let file = input::open(self.file, &meter).with_context(|| name.clone())?;
        let (mut reader, mut game) = (Reader::new(file), BoundedTree::default());
        let mut problems = 0;
        loop {
            let is_there = reader.read_game(&mut game).with_context(|| name.clone())?;
            let mut found = Problems::default();
            found.add_all(game.take_diagnostics());
            if found.count() > 0 {
                problems += found.count();
                progress.suspend(|| found.lines_in(&name).for_each(tell));
            }
            if !is_there {
                return Ok(problems);
            }
            let tree = game.tree_mut().with_context(|| name.clone())?;
            state.count().next_game();
            let review = review_one(engine, tree, settings, state)?;
            let is_first = reader.games() == 1;
            out.write(self.text(&review, tree, is_first)?.as_bytes(), progress)?;
        }
    }

    /// What is written of a game.
    fn text(&self, review: &Review, tree: &mut GameTree, is_first: bool) -> Result<String> {
        if self.json {
            let tags = tree.tags().map(|(name, value)| [name.into_owned(), value.into_owned()]).collect();
            let report = TaggedReport { review: GameReport::from(review), tags };
            return Ok(serde_json::to_string(&report)? + "\n");
        }
        review.annotate(tree);
        Ok(format!("{}{tree}", if is_first { "" } else { "\n" }))
    }
}

#[derive(Serialize)]
struct TaggedReport {
    #[serde(flatten)]
    review: GameReport,
    tags: Vec<[String; 2]>,
}

fn review_one(
    engine: &mut Engine,
    tree: &GameTree,
    settings: &ReviewSettings,
    state: &State,
) -> Result<Review> {
    let review = review::review(engine, tree, settings, &Signals::new(), &mut |step| {
        let mut count = state.count();
        (count.done, count.total) = (step.done, step.total);
        count.errors += usize::from(step.judged.is_some_and(|judged| judged.judgement.is_error()));
    });
    review.context("the review was stopped")
}

/// How far it has come, for the one who works and the one who shows it.
struct State(Mutex<Count>);

impl State {
    fn count(&self) -> MutexGuard<'_, Count> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Count {
    game: u64,
    /// Positions of the game that have been searched.
    done: usize,
    total: usize,
    /// Moves that were judged to be wrong.
    errors: usize,
    /// When the game began.
    since: Instant,
}

impl Count {
    fn next_game(&mut self) {
        *self = Count { game: self.game + 1, done: 0, total: 0, errors: 0, since: Instant::now() };
    }

    fn progress(&self) -> String {
        let Count { game, done, total, errors, since } = self;
        let share = *done as f64 / (*total).max(1) as f64;
        let left = progress::time_left(share, since.elapsed());
        format!("game {game}: {done} of {total} positions, {errors} errors, {left}")
    }
}
