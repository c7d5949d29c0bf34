//! The thread that owns the engine and does what takes long, one job after the other.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;

use ferz_board::{CastlingMode, Game, Position};
use ferz_eval::Network;
use ferz_search::{Bound, Conclusion, Engine, Limits, Report, SEARCH_STACK_SIZE, Signals, ThreadsError};

use super::Event;
use super::format::Style;
use super::options::{Change, DEFAULT_HASH};
use super::output::{complain, print, remark};
use super::perft;
use crate::bench;
use crate::memory;

/// Something to be done in its turn.
#[derive(Debug)]
pub(super) enum Job {
    Search(Box<Search>),
    /// Counts moves.
    Perft {
        position: Position,
        depth: u32,
        castling: CastlingMode,
        ticket: Arc<Ticket>,
    },
    Bench {
        depth: u32,
        ticket: Arc<Ticket>,
    },
    Change(Change),
    /// Says that everything before it is done.
    Ready,
}

/// A search to be made.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) game: Game,
    pub(super) limits: Limits,
    pub(super) options: ferz_search::SearchOptions,
    pub(super) style: Style,
    /// Whether the game is not the one asked for, because that one was refused.
    pub(super) is_stale: bool,
    pub(super) ticket: Arc<Ticket>,
}

/// What others hold of a job that takes long.
#[derive(Debug, Default)]
pub(super) struct Ticket {
    pub(super) signals: Signals,
    finished: AtomicBool,
}

impl Ticket {
    /// Whether the job is done, or so nearly that it makes no difference.
    pub(super) fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }

    fn finish(&self) {
        self.finished.store(true, Ordering::Release);
    }
}

/// Starts the thread. It ends when the sender returned is dropped, and says so.
pub(super) fn spawn(events: SyncSender<Event>) -> anyhow::Result<Sender<Job>> {
    let engine = Engine::new(DEFAULT_HASH)?;
    let (sender, jobs) = mpsc::channel();
    let builder = thread::Builder::new().name("search".to_owned()).stack_size(SEARCH_STACK_SIZE);
    builder.spawn(move || {
        let mut searcher = Searcher { engine };
        // However it ends, there is a last word: the session relies on it.
        let event = match panic::catch_unwind(AssertUnwindSafe(|| searcher.work(&jobs))) {
            Ok(Err(error)) => Event::OutputLost(error),
            Ok(Ok(())) | Err(_) => Event::SearcherEnd,
        };
        // Nobody listening means that the program is about to end.
        let _ = events.send(event);
    })?;
    Ok(sender)
}

struct Searcher {
    engine: Engine,
}

impl Searcher {
    /// Does the jobs as they come. The only errors are those of the output.
    fn work(&mut self, jobs: &Receiver<Job>) -> io::Result<()> {
        jobs.iter().try_for_each(|job| match job {
            Job::Search(search) => self.search(&search),
            Job::Perft { position, depth, castling, ticket } => {
                let table = perft::table(&position, depth, castling, &ticket.signals);
                ticket.finish();
                table.map_or_else(|| remark("perft was stopped"), print)
            }
            Job::Bench { depth, ticket } => run_bench(depth, self.engine.network().cloned(), &ticket),
            Job::Change(change) => self.change(change),
            Job::Ready => print("readyok"),
        })
    }

    fn change(&mut self, change: Change) -> io::Result<()> {
        let changed = match change {
            Change::Hash(mebibytes) => self.set_hash(mebibytes),
            Change::Threads(threads) => self.set_threads(threads),
            Change::Network(network) => {
                self.engine.set_network(network);
                Ok(())
            }
            Change::Clear => {
                self.engine.clear();
                Ok(())
            }
            #[cfg(feature = "tune")]
            Change::Parameter(index, value) => {
                let mut parameters = *self.engine.parameters();
                parameters.set(index, value);
                self.engine.set_parameters(parameters);
                Ok(())
            }
        };
        changed.or_else(complain)
    }

    fn set_hash(&mut self, mebibytes: usize) -> Result<(), String> {
        let set = memory::ensure(mebibytes).and_then(|()| self.engine.set_hash(mebibytes));
        set.map_err(|error| format!("Hash: {error}; {} MiB are kept", self.engine.hash()))
    }

    fn set_threads(&mut self, threads: usize) -> Result<(), String> {
        let more = threads.saturating_sub(self.engine.threads());
        let set = memory::ensure(more * Engine::MEBIBYTES_PER_THREAD)
            .map_err(ThreadsError::from)
            .and_then(|()| self.engine.set_threads(threads));
        set.map_err(|error| format!("Threads: {error}; {} are kept", self.engine.threads()))
    }

    /// Searches and prints exactly one best move.
    fn search(&mut self, search: &Search) -> io::Result<()> {
        let position = search.game.position();
        if search.is_stale {
            return self.decline(search);
        }
        if !position.has_legal_moves() {
            let score = if position.is_check() { "mate 0" } else { "cp 0" };
            print(format_args!("info depth 0 score {score}"))?;
        }
        let mut printed = Ok(());
        let mut is_last_word = false;
        let conclusion = self.conclude(search, &mut |report| {
            is_last_word = matches!(report, Report::Line(line) if line.bound == Bound::Exact);
            if printed.is_ok() {
                printed = print(search.style.report(report));
                if printed.is_err() {
                    // There is nobody to search for any more.
                    search.ticket.signals.stop();
                }
            }
        });
        printed?;
        let Some(conclusion) = conclusion else { return self.recover(search) };
        if !is_last_word {
            // The last line before the best move must tell its score.
            conclusion.lines.iter().try_for_each(|line| print(search.style.line(line)))?;
        }
        if conclusion.lines.is_empty()
            && let Some(best) = conclusion.best
        {
            // The search ended before it knew a value, and GUIs still expect a line with the best move.
            print(search.style.unsearched(best, &conclusion))?;
        }
        search.ticket.finish();
        print(search.style.best_move(&conclusion))
    }

    /// The conclusion; `None` if the search has broken down.
    fn conclude(&mut self, search: &Search, report: &mut (dyn FnMut(&Report) + Send)) -> Option<Conclusion> {
        let Search { game, limits, options, ticket, .. } = search;
        let searched = AssertUnwindSafe(|| {
            self.engine.search_on_this_thread(game, limits, options, &ticket.signals, report)
        });
        panic::catch_unwind(searched).ok()
    }

    /// Answers a search of a position that was refused: the move that means none. A move from the position
    /// before would be taken for one from this.
    fn decline(&mut self, search: &Search) -> io::Result<()> {
        complain("go: the last position was refused, there is nothing to search")?;
        // The engine knows how to wait for whatever ends the search.
        let limits = Limits { depth: Some(1), ..search.limits.clone() };
        let signals = &search.ticket.signals;
        self.engine.search_on_this_thread(&search.game, &limits, &search.options, signals, &mut |_| {});
        search.ticket.finish();
        print("bestmove 0000")
    }

    /// After a breakdown: a new engine instead of one that may be half-way through a change, and a legal move
    /// instead of a lost game.
    fn recover(&mut self, search: &Search) -> io::Result<()> {
        let renewed = Engine::new(self.engine.hash()).map_err(ThreadsError::from).and_then(|mut engine| {
            engine.set_threads(self.engine.threads())?;
            engine.set_network(self.engine.network().cloned());
            #[cfg(feature = "tune")]
            engine.set_parameters(*self.engine.parameters());
            Ok(engine)
        });
        match renewed {
            Ok(engine) => self.engine = engine,
            Err(_) => self.engine.clear(),
        }
        search.ticket.finish();
        complain("the search has broken down, this is a fault of the program: any legal move is played")?;
        let best = search.game.position().legal_moves().first().copied();
        print(search.style.best_move(&Conclusion { best, ..Conclusion::default() }))
    }
}

fn run_bench(depth: u32, network: Option<Arc<Network>>, ticket: &Ticket) -> io::Result<()> {
    let mut printed = Ok(());
    let tally = bench::run(depth, bench::DEFAULT_HASH, network, &ticket.signals, &mut |step| {
        if printed.is_ok() {
            printed = remark(step);
        }
    });
    ticket.finish();
    printed?;
    match tally {
        Ok(Some(tally)) => print(tally),
        Ok(None) => remark("bench was stopped"),
        Err(error) => complain(format_args!("bench: {error:#}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fault of the search costs neither the program nor the game.
    #[test]
    fn a_search_that_breaks_down_is_survived() {
        let engine = Engine::new(1).expect("a mebibyte is to be had");
        let mut searcher = Searcher { engine };
        searcher.change(Change::Threads(2)).expect("nothing is printed");
        let search = Search {
            game: Game::default(),
            limits: Limits { soft_nodes: Some(2_000), ..Limits::default() },
            options: ferz_search::SearchOptions::default(),
            style: Style { castling: CastlingMode::Standard, show_wdl: false },
            is_stale: false,
            ticket: Arc::default(),
        };
        let broken = searcher.conclude(&search, &mut |_| panic!("this test breaks down on purpose"));
        assert!(broken.is_none());
        searcher.recover(&search).expect("standard output takes a move");
        assert!(search.ticket.is_finished());
        let whole = searcher.conclude(&search, &mut |_| {}).expect("all is well again");
        assert!(whole.best.is_some() && whole.nodes >= 2_000);
        assert_eq!(searcher.engine.threads(), 2);
    }
}
