//! The thread that owns the engine and runs long jobs, one after the other.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use ferz_board::{CastlingMode, Game, Position};
use ferz_eval::Network;
use ferz_notation::polyglot::{Book, Variety};
use ferz_search::{Bound, Conclusion, Engine, Limits, Report, SEARCH_STACK_SIZE, Signals, ThreadsError};
use ferz_syzygy::Tablebases;

use super::format::InfoStyle;
use super::options::{DEFAULT_HASH, EngineChange};
use super::output::{print, print_error, print_info};
use super::{UciEvent, perft, threads};
use crate::bench;
use crate::books::OpeningBook;
use crate::memory;

/// The maximum number of jobs that wait for the engine thread. GUIs send far fewer options during a search.
const MAX_WAITING: usize = 128;

/// A job in the queue of the engine thread.
#[derive(Debug)]
pub(super) enum EngineJob {
    Search(Box<SearchJob>),
    Perft {
        position: Position,
        depth: u32,
        castling: CastlingMode,
        handle: Arc<JobHandle>,
    },
    Bench {
        depth: u32,
        handle: Arc<JobHandle>,
    },
    Change(EngineChange),
    /// Uses these endgame tables.
    Tablebases(Tablebases),
    SetBook(Box<OpeningBook>),
    /// Prints `readyok`: all earlier jobs are done.
    Ready,
}

/// Everything a search needs.
#[derive(Debug)]
pub(super) struct SearchJob {
    pub(super) game: Arc<Game>,
    pub(super) limits: Limits,
    pub(super) options: ferz_search::SearchOptions,
    /// Whether a move of the book is played without a search.
    pub(super) book: Option<BookUse>,
    pub(super) style: InfoStyle,
    /// Whether the last `position` command was rejected.
    pub(super) is_stale: bool,
    pub(super) handle: Arc<JobHandle>,
}

/// How the book is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BookUse {
    /// Up to this move number.
    pub(super) depth: u32,
    pub(super) variety: Variety,
}

/// What the session keeps of a long job, to stop it and to see whether it has finished.
#[derive(Debug, Default)]
pub(super) struct JobHandle {
    pub(super) signals: Signals,
    finished: AtomicBool,
}

impl JobHandle {
    /// Whether the job is done, except perhaps for printing its result.
    pub(super) fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }

    fn finish(&self) {
        self.finished.store(true, Ordering::Release);
    }
}

/// Starts the thread. It ends when the returned sender is dropped, and sends a last event then.
pub(super) fn spawn(events: SyncSender<UciEvent>) -> anyhow::Result<SyncSender<EngineJob>> {
    let engine = Engine::new(DEFAULT_HASH)?;
    let (sender, jobs) = mpsc::sync_channel(MAX_WAITING);
    let builder = || thread::Builder::new().name("engine".to_owned()).stack_size(SEARCH_STACK_SIZE);
    threads::spawn(builder, move || {
        let mut thread = EngineThread::new(engine);
        // The session relies on a last event, so one is sent even after a panic.
        let event = match panic::catch_unwind(AssertUnwindSafe(|| thread.run(&jobs))) {
            Ok(Err(error)) => UciEvent::OutputLost(error),
            Ok(Ok(())) | Err(_) => UciEvent::EngineThreadEnd,
        };
        // A session that waits for room in the queue waits no longer, and hears of the end.
        drop(jobs);
        // An error means that the session has ended.
        let _ = events.send(event);
    })?;
    Ok(sender)
}

struct EngineThread {
    engine: Engine,
    book: OpeningBook,
}

impl EngineThread {
    fn new(engine: Engine) -> EngineThread {
        EngineThread { engine, book: OpeningBook::Embedded(Book::embedded()) }
    }

    /// Runs jobs as they come. An error means that the output failed.
    fn run(&mut self, jobs: &Receiver<EngineJob>) -> io::Result<()> {
        jobs.iter().try_for_each(|job| match job {
            EngineJob::Search(search) => self.search(&search),
            EngineJob::Perft { position, depth, castling, handle } => {
                let table = perft::table(&position, depth, castling, &handle.signals);
                handle.finish();
                table.map_or_else(|| print_info("perft stopped"), print)
            }
            EngineJob::Bench { depth, handle } => run_bench(depth, self.engine.network().cloned(), &handle),
            EngineJob::Change(change) => self.apply(change),
            EngineJob::Tablebases(tables) => {
                self.engine.set_tablebases(tables);
                Ok(())
            }
            EngineJob::SetBook(book) => {
                self.book = *book;
                Ok(())
            }
            EngineJob::Ready => print("readyok"),
        })
    }

    fn apply(&mut self, change: EngineChange) -> io::Result<()> {
        let changed = match change {
            EngineChange::Hash(mebibytes) => self.set_hash(mebibytes),
            EngineChange::Threads(threads) => self.set_threads(threads),
            EngineChange::Network(network) => {
                self.engine.set_network(network);
                Ok(())
            }
            EngineChange::Clear => {
                self.engine.clear();
                Ok(())
            }
            #[cfg(feature = "tune")]
            EngineChange::Parameter(index, value) => {
                let mut parameters = *self.engine.parameters();
                parameters.set(index, value);
                self.engine.set_parameters(parameters);
                Ok(())
            }
        };
        changed.or_else(print_error)
    }

    fn set_hash(&mut self, mebibytes: usize) -> Result<(), String> {
        let set = memory::ensure(mebibytes).and_then(|()| self.engine.set_hash(mebibytes));
        set.map_err(|error| format!("Hash: {error}; still {} MiB", self.engine.hash()))
    }

    fn set_threads(&mut self, threads: usize) -> Result<(), String> {
        let more = threads.saturating_sub(self.engine.threads());
        let set = memory::ensure(more * Engine::MEBIBYTES_PER_THREAD)
            .map_err(ThreadsError::from)
            .and_then(|()| self.engine.set_threads(threads));
        set.map_err(|error| format!("Threads: {error}; still {}", self.engine.threads()))
    }

    /// Searches and prints exactly one best move.
    fn search(&mut self, search: &SearchJob) -> io::Result<()> {
        let position = search.game.position();
        if search.is_stale {
            return self.decline(search);
        }
        if let Some(line) = self.book_move(search)? {
            search.handle.finish();
            return print(line);
        }
        if !position.has_legal_moves() {
            let score = if position.is_check() { "mate 0" } else { "cp 0" };
            print(format_args!("info depth 0 score {score}"))?;
        }
        let mut printed = Ok(());
        let mut has_final_score = false;
        let conclusion = self.conclude(search, &mut |report| {
            if printed.is_err() {
                return;
            }
            if let Report::TableProblem(problem) = report {
                printed = print_error(format_args!("SyzygyPath: {problem}"));
            } else if let Some(line) = search.style.report(report) {
                has_final_score = matches!(report, Report::Line(line) if line.bound == Bound::Exact);
                printed = print(line);
            }
            if printed.is_err() {
                // Nobody reads the result.
                search.handle.signals.stop();
            }
        });
        printed?;
        let Some(conclusion) = conclusion else { return self.recover(search) };
        if !has_final_score {
            // Clients take the score of the best move from the last line before it.
            conclusion.lines.iter().try_for_each(|line| print(search.style.line(line)))?;
        }
        if conclusion.lines.is_empty()
            && let Some(best) = conclusion.best
        {
            // The search ended before it knew a value, and GUIs still expect a line with the best move.
            print(search.style.unsearched(best, &conclusion))?;
        }
        search.handle.finish();
        print(search.style.best_move(&conclusion))
    }

    /// Chooses a move of the book and returns its `bestmove` line; `None` if the book has none. `searchmoves` holds for
    /// the book, too. If the book cannot be read, the search decides.
    fn book_move(&mut self, search: &SearchJob) -> io::Result<Option<String>> {
        let position = search.game.position();
        let Some(usage) = search.book.filter(|usage| position.fullmove_number() <= usage.depth) else {
            return Ok(None);
        };
        let mut moves = match self.book.moves(position) {
            Ok(moves) => moves,
            Err(error) => {
                print_error(format_args!("BookFile: {error}; searching instead"))?;
                return Ok(None);
            }
        };
        let allowed = &search.limits.search_moves;
        moves.retain(|it| allowed.is_empty() || allowed.contains(&it.mv));
        let random = RandomState::new().hash_one(position.key());
        let Some(chosen) = usage.variety.choose(&moves, random) else { return Ok(None) };
        let total: u64 = moves.iter().map(|it| u64::from(it.weight)).sum();
        let (mv, weight) = (chosen.mv.uci(search.style.castling), chosen.weight);
        print_info(format_args!("book move {mv} weight {weight} of {total}"))?;
        let mut conclusion = Conclusion::default();
        conclusion.best = Some(chosen.mv);
        Ok(Some(search.style.best_move(&conclusion)))
    }

    /// The conclusion, or `None` if the search panicked.
    fn conclude(
        &mut self,
        search: &SearchJob,
        report: &mut (dyn FnMut(&Report) + Send),
    ) -> Option<Conclusion> {
        let SearchJob { game, limits, options, handle, .. } = search;
        let searched = AssertUnwindSafe(|| {
            self.engine.search_on_this_thread(game, limits, options, &handle.signals, report)
        });
        panic::catch_unwind(searched).ok()
    }

    /// Answers a search of a rejected position with the null move. A move of the position before would be taken for a
    /// move of this one.
    fn decline(&mut self, search: &SearchJob) -> io::Result<()> {
        print_error("go: the last position command was rejected, nothing to search")?;
        // A search to depth 1 also waits for `stop` or `ponderhit` where the limits ask for it.
        let limits = search.limits.clone().depth(1);
        let signals = &search.handle.signals;
        self.engine.search_on_this_thread(&search.game, &limits, &search.options, signals, &mut |_| {});
        search.handle.finish();
        print("bestmove 0000")
    }

    /// Recovers from a panic: replaces the engine, whose state may be inconsistent, and plays a legal move rather than
    /// lose the game.
    fn recover(&mut self, search: &SearchJob) -> io::Result<()> {
        let renewed = Engine::new(self.engine.hash()).map_err(ThreadsError::from).and_then(|mut engine| {
            engine.set_threads(self.engine.threads())?;
            engine.set_network(self.engine.network().cloned());
            engine.set_tablebases(self.engine.tablebases().clone());
            #[cfg(feature = "tune")]
            engine.set_parameters(*self.engine.parameters());
            Ok(engine)
        });
        match renewed {
            Ok(engine) => self.engine = engine,
            Err(_) => self.engine.clear(),
        }
        search.handle.finish();
        print_error("internal error: the search panicked; playing an arbitrary legal move")?;
        let best = search.game.position().legal_moves().first().copied();
        let mut conclusion = Conclusion::default();
        conclusion.best = best;
        print(search.style.best_move(&conclusion))
    }
}

fn run_bench(depth: u32, network: Option<Arc<Network>>, handle: &JobHandle) -> io::Result<()> {
    let mut printed = Ok(());
    let result = bench::run(depth, bench::DEFAULT_HASH, network, &handle.signals, &mut |step| {
        if printed.is_ok() {
            printed = print_info(step);
        }
    });
    handle.finish();
    printed?;
    match result {
        Ok(Some(total)) => print(total),
        Ok(None) => print_info("bench stopped"),
        Err(error) => print_error(format_args!("bench: {error:#}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A panic of the search loses neither the program nor the game.
    #[test]
    fn a_search_that_panics_is_survived() {
        let engine = Engine::new(1).expect("memory for 1 MiB");
        let mut thread = EngineThread::new(engine);
        thread.apply(EngineChange::Threads(2)).expect("nothing is printed");
        let search = SearchJob {
            game: Arc::default(),
            limits: Limits::default().soft_nodes(2_000),
            options: ferz_search::SearchOptions::default(),
            book: None,
            style: InfoStyle { castling: CastlingMode::Standard, show_wdl: false },
            is_stale: false,
            handle: Arc::default(),
        };
        let panicked = thread.conclude(&search, &mut |_| panic!("this test panics on purpose"));
        assert!(panicked.is_none());
        thread.recover(&search).expect("stdout is writable");
        assert!(search.handle.is_finished());
        let conclusion = thread.conclude(&search, &mut |_| {}).expect("the new engine works");
        assert!(conclusion.best.is_some() && conclusion.nodes >= 2_000);
        assert_eq!(thread.engine.threads(), 2);
    }
}
