//! Searches with all of their reports.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use ferz_board::{Game, Move};
use ferz_search::{Bound, Conclusion, Engine, Host, Limits, Line, Report, Score, SearchOptions, Signals};

/// A search that is over.
#[derive(Debug)]
pub struct Run {
    pub lines: Vec<Line>,
    pub conclusion: Conclusion,
}

/// Searches to the end.
pub fn run(engine: &mut Engine, game: &Game, limits: &Limits, options: &SearchOptions) -> Run {
    run_with(engine, game, limits, options, &Signals::new())
}

/// The same with signals of the caller.
pub fn run_with(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
    options: &SearchOptions,
    signals: &Signals,
) -> Run {
    let mut lines = Vec::new();
    let mut report = |report: &Report| {
        if let Report::Line(line) = report {
            lines.push(line.clone());
        }
    };
    let conclusion = engine.search(game, limits, options, signals, &mut report);
    Run { lines, conclusion }
}

/// An engine with a small transposition table: most tests search little. Its clock stands still, so that nothing
/// depends on the speed of the machine (after some seconds a search reports more).
pub fn engine() -> Engine {
    let mut engine = timed_engine();
    engine.set_host(Host::default().now(|| Duration::ZERO));
    engine
}

/// The same with a clock.
pub fn timed_engine() -> Engine {
    Engine::new(4).expect("there are 4 MiB")
}

pub fn nodes(limit: u64) -> Limits {
    Limits::default().nodes(limit)
}

pub fn depth(limit: u32) -> Limits {
    Limits::default().depth(limit)
}

pub fn lines(lines: usize) -> SearchOptions {
    SearchOptions::default().lines(lines)
}

/// Everything about a run but how long it took.
pub type Essence = (Vec<Shown>, Option<Move>, Option<Move>, Vec<Shown>, u64);
/// Everything about a line but how long it took.
pub type Shown = (u32, u32, usize, Score, Bound, u64, u32, Vec<Move>);

impl Run {
    pub fn essence(&self) -> Essence {
        let it = &self.conclusion;
        (shown(&self.lines), it.best, it.ponder, shown(&it.lines), it.nodes)
    }

    /// The score of the best line.
    pub fn score(&self) -> Score {
        self.conclusion.lines.first().expect("the game is not over").score
    }
}

fn shown(lines: &[Line]) -> Vec<Shown> {
    lines
        .iter()
        .map(|it| {
            let moves = it.moves.clone();
            (it.depth, it.selective_depth, it.rank, it.score, it.bound, it.nodes, it.hashfull, moves)
        })
        .collect()
}

/// Scores in one order: mates beyond all centipawns.
pub fn worth(score: Score) -> i32 {
    match score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) if moves > 0 => 1_000_000 - moves,
        Score::Mate(moves) => -1_000_000 - moves,
    }
}

/// Tests that measure time run alone; all the others share the processor.
static PROCESSOR: RwLock<()> = RwLock::new(());

pub fn shared() -> RwLockReadGuard<'static, ()> {
    PROCESSOR.read().unwrap_or_else(PoisonError::into_inner)
}

pub fn alone() -> RwLockWriteGuard<'static, ()> {
    PROCESSOR.write().unwrap_or_else(PoisonError::into_inner)
}
