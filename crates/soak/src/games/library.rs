//! The engine as a library, in this process.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{process, thread};

use anyhow::{Context, Result};
use ferz_board::{CastlingMode, Game, Move, Position};
use ferz_search::{Engine, Limits, Report, SearchOptions, Signals};

use super::plan::{Control, Plan};
use super::referee::Record;
use super::verdict::{Answer, Event, Fault, Line, event};

const HASH: usize = 16;

/// An engine that plays both sides.
#[derive(Debug)]
pub(super) struct Library {
    engine: Engine,
    watchdog: Watchdog,
}

impl Library {
    pub(super) fn new(watchdog: Watchdog) -> Result<Library> {
        Ok(Library { engine: Engine::new(HASH)?, watchdog })
    }

    /// The engine forgets what it knows, so that the game can be repeated alone.
    pub(super) fn new_game(&mut self, plan: &Plan) -> Result<()> {
        self.engine.set_threads(plan.threads)?;
        self.engine.clear();
        Ok(())
    }

    pub(super) fn think(&mut self, plan: &Plan, record: &Record) -> Result<Answer, Event> {
        let game = game(record).map_err(|error| Event {
            fault: Fault::IllegalMove,
            what: format!("the referee's game is refused: {error:#}"),
        })?;
        let Control::Nodes(nodes) = plan.control else {
            return event(Fault::Crash, "the library plays by nodes only");
        };
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let options = SearchOptions { lines: plan.lines, ..SearchOptions::default() };
        let text = |mv: Move| mv.uci(castling(record)).to_string();
        let mut lines = Vec::new();
        let started = Instant::now();
        let _watched = self.watchdog.watch(record);
        let searched = panic::catch_unwind(AssertUnwindSafe(|| {
            self.engine.search(&game, &limits, &options, &Signals::new(), &mut |report| {
                if let Report::Line(line) = report {
                    lines.push(Line {
                        rank: line.rank,
                        score: line.score,
                        bound: line.bound,
                        nodes: line.nodes,
                        moves: line.moves.iter().copied().map(text).collect(),
                    });
                }
            })
        }));
        let Ok(conclusion) = searched else { return event(Fault::Crash, "the search panicked") };
        if plan.threads == 1 && conclusion.nodes > nodes {
            return event(Fault::BadLine, format_args!("{} nodes instead of {nodes}", conclusion.nodes));
        }
        let (best, ponder) = (conclusion.best.map(text), conclusion.ponder.map(text));
        Ok(Answer { lines, best, ponder, used: started.elapsed() })
    }
}

fn castling(record: &Record) -> CastlingMode {
    if record.is_chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard }
}

fn game(record: &Record) -> Result<Game> {
    let mut game = Game::new(Position::from_fen_in(&record.start, castling(record))?);
    for text in &record.moves {
        let mv = game.position().parse_uci(text).with_context(|| text.clone())?;
        game.play(mv)?;
    }
    Ok(game)
}

/// How long a search of some nodes may take on the busiest machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ends the program if a search does not end: a thread cannot be ended from outside.
#[derive(Clone, Debug, Default)]
pub(super) struct Watchdog(Arc<Mutex<Option<(Instant, String)>>>);

impl Watchdog {
    /// A watchdog that is awake, for one thread that searches.
    pub(super) fn start() -> Result<Watchdog> {
        let watchdog = Watchdog::default();
        let slot = Arc::downgrade(&watchdog.0);
        thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            while let Some(slot) = slot.upgrade() {
                if let Some((since, game)) = &*slot.lock().unwrap_or_else(PoisonError::into_inner)
                    && since.elapsed() > PATIENCE
                {
                    eprintln!("a search in this process does not end: {game}");
                    println!("1 stall, and no way to go on");
                    process::exit(1);
                }
                drop(slot);
                thread::sleep(Duration::from_secs(1));
            }
        })?;
        Ok(watchdog)
    }

    fn watch(&self, record: &Record) -> Watched<'_> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), record.to_string()));
        Watched(self)
    }
}

/// A search that is being watched, until this is dropped.
struct Watched<'a>(&'a Watchdog);

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
