//! Reviewing the games of a PGN file.

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
use crate::input::{self, ReadMeter};
use crate::progress::{self, ProgressLine, note};
use crate::tables;
use crate::terminal::TextOutput;
use ferz_coach::review::{self, GameReport, Review, ReviewSettings};

/// A PGN file to review.
pub(super) struct GamesFile<'a> {
    pub(super) file: &'a Path,
    pub(super) lines: usize,
    pub(super) json: bool,
}

impl GamesFile<'_> {
    /// Reviews and prints one game after the other.
    pub(super) fn run(&self, search: &SearchArguments, out: &mut impl Write) -> Result<ExitCode> {
        let mut engine = search.engine()?;
        let settings = ReviewSettings::new(search.limits(super::DEFAULT_TIME)).lines(self.lines);
        let shared = SharedProgress(Mutex::new(GameProgress {
            game: 0,
            done: 0,
            total: 0,
            errors: 0,
            since: Instant::now(),
        }));
        let mut out = TextOutput::new(out);
        let problems = ProgressLine::watch(
            || shared.lock().text(),
            |progress| self.review_all(&mut engine, &settings, &shared, progress, &mut out),
        );
        tables::note_problems(&engine);
        Ok(if problems? == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Returns the number of problems in the file.
    fn review_all(
        &self,
        engine: &mut Engine,
        settings: &ReviewSettings,
        shared: &SharedProgress,
        progress: &ProgressLine,
        out: &mut TextOutput<'_, impl Write>,
    ) -> Result<u64> {
        let name = input::name(self.file);
        let meter = ReadMeter::default();
        let file = input::open(self.file, &meter).with_context(|| name.clone())?;
        let (mut reader, mut game) = (Reader::new(file), BoundedTree::default());
        let mut problems = 0;
        loop {
            let is_game = reader.read_game(&mut game).with_context(|| name.clone())?;
            let mut found = Problems::default();
            found.add_all(game.take_diagnostics());
            if found.count() > 0 {
                problems += found.count();
                progress.suspend(|| found.lines_in(&name).for_each(note));
            }
            if !is_game {
                return Ok(problems);
            }
            let tree = game.tree_mut().with_context(|| name.clone())?;
            shared.lock().next_game();
            let review = review_one(engine, tree, settings, shared)?;
            let is_first = reader.games() == 1;
            out.write(self.text(&review, tree, is_first)?.as_bytes(), progress)?;
        }
    }

    /// The output for a game.
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
    shared: &SharedProgress,
) -> Result<Review> {
    let review = review::review(engine, tree, settings, &Signals::new(), &mut |step| {
        let mut progress = shared.lock();
        (progress.done, progress.total) = (step.done, step.total);
        progress.errors += usize::from(step.judged.is_some_and(|judged| judged.judgement.is_error()));
    });
    review.context("the review was stopped")
}

/// The progress, shared with the thread that shows it.
struct SharedProgress(Mutex<GameProgress>);

impl SharedProgress {
    fn lock(&self) -> MutexGuard<'_, GameProgress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct GameProgress {
    game: u64,
    /// Searched positions of the game.
    done: usize,
    total: usize,
    /// Inaccuracies, mistakes and blunders.
    errors: usize,
    /// When the game began.
    since: Instant,
}

impl GameProgress {
    fn next_game(&mut self) {
        *self = GameProgress { game: self.game + 1, done: 0, total: 0, errors: 0, since: Instant::now() };
    }

    fn text(&self) -> String {
        let GameProgress { game, done, total, errors, since } = self;
        let share = *done as f64 / (*total).max(1) as f64;
        let left = progress::time_left(share, since.elapsed());
        format!("game {game}: {done} of {total} positions, {errors} errors, {left}")
    }
}
