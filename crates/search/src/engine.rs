//! The engine: settings, threads, and the way from a game to a result.

use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use ferz_board::{DrawClaim, Game, Move};
use ferz_eval::Network;
use ferz_syzygy::{ProbeError, Tablebases};

use crate::parameters::SearchParameters;
use crate::root_move::root_moves;
use crate::stack::{spawn_search, with_search_stack};
use crate::strength::{Candidate, Handicap};
use crate::tablebases::{TableProbes, TableProblems};
use crate::time_management::{MoveContext, TimeManager};
use crate::tt::{TranspositionTable, tt_key};
use crate::value::Value;
use crate::voting::best_thread;
use crate::worker::{Reporter, SharedState, StopWhenDropped, ThreadData, Worker};
use crate::{Conclusion, Host, Limits, OutOfMemory, Report, SearchOptions, Signals, ThreadsError};

/// Searches positions.
///
/// An engine holds the transposition table and the histories of its threads. They are kept from search to search, so
/// use one engine for one game. Engines are independent of each other: a program may have any number of them, and may
/// move them between threads.
///
/// ```
/// use ferz_board::Game;
/// use ferz_search::{Engine, Limits, SearchOptions, Signals};
///
/// // Two engines in one process, with different settings.
/// let mut quick = Engine::new(1)?;
/// let mut strong = Engine::new(4)?;
/// strong.set_threads(2)?;
/// let (game, options) = (Game::default(), SearchOptions::default());
/// std::thread::scope(|scope| {
///     for (engine, nodes) in [(&mut quick, 500), (&mut strong, 5_000)] {
///         let (game, options) = (&game, &options);
///         scope.spawn(move || {
///             let limits = Limits::default().nodes(nodes);
///             let result = engine.search(game, &limits, options, &Signals::new(), &mut |_| {});
///             assert!(result.best.is_some());
///         });
///     }
/// });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    tt: TranspositionTable,
    /// One for each thread.
    threads: Vec<ThreadData>,
    /// The network at full strength.
    network: Option<Arc<Network>>,
    tablebases: Tablebases,
    table_problems: TableProblems,
    parameters: SearchParameters,
    host: Host,
    /// The repetition key of the position that was searched last, and its value.
    last_search: Option<(u64, Value)>,
    /// The strength of the last search; `None` is full strength.
    last_elo: Option<u32>,
    /// The rule by which the last search read the endgame tables.
    last_fifty_move_rule: bool,
}

/// What to search, and how.
#[derive(Clone, Copy)]
struct SearchTask<'a> {
    game: &'a Game,
    limits: &'a Limits,
    options: &'a SearchOptions,
    signals: &'a Signals,
}

impl Engine {
    /// The range of [`SearchOptions::elo`](field@SearchOptions::elo).
    pub const ELO: std::ops::RangeInclusive<u32> = 100..=2800;
    /// The maximum number of threads.
    pub const MAX_THREADS: usize = 1024;
    /// The approximate memory of a thread, in MiB, beside the transposition table.
    pub const MEBIBYTES_PER_THREAD: usize = 8;

    /// An engine with a transposition table of `hash` MiB, one thread and the embedded network. Without the default
    /// feature `embedded-net` it begins with the classical evaluation.
    pub fn new(hash: usize) -> Result<Engine, OutOfMemory> {
        #[cfg(feature = "embedded-net")]
        let network = Some(Network::embedded());
        #[cfg(not(feature = "embedded-net"))]
        let network: Option<Arc<Network>> = None;
        Ok(Engine {
            tt: TranspositionTable::new(hash)?,
            threads: vec![ThreadData::new(network.clone())],
            network,
            tablebases: Tablebases::new(),
            table_problems: TableProblems::default(),
            parameters: SearchParameters::default(),
            host: Host::default(),
            last_search: None,
            last_elo: None,
            last_fifty_move_rule: true,
        })
    }

    /// The size of the transposition table, in MiB.
    #[must_use]
    pub fn hash(&self) -> usize {
        self.tt.mebibytes()
    }

    /// Changes the size of the transposition table, which is empty afterwards. Without enough memory nothing changes.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), OutOfMemory> {
        self.tt = TranspositionTable::new(mebibytes)?;
        Ok(())
    }

    /// The number of threads that search.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Changes the number of threads that search (lazy SMP): at least 1, at most [`Engine::MAX_THREADS`]. Without
    /// enough memory, or if the system refuses the threads, nothing changes.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), ThreadsError> {
        let threads = threads.clamp(1, Engine::MAX_THREADS);
        if threads > self.threads.len() {
            // The tables are many small allocations that cannot fail gracefully: try the whole size first.
            let mebibytes = (threads - self.threads.len()) * Engine::MEBIBYTES_PER_THREAD;
            let mut probe: Vec<u8> = Vec::new();
            probe.try_reserve_exact(mebibytes << 20).map_err(|_| OutOfMemory { mebibytes })?;
            // Keep the optimiser from removing the unused allocation.
            black_box(&mut probe);
            let possible = 1 + startable(threads - 1);
            if possible < threads {
                return Err(ThreadsError::Refused { possible });
            }
        }
        self.threads.resize_with(threads, || ThreadData::new(self.network.clone()));
        Ok(())
    }

    /// The network; `None` is the classical evaluation.
    #[must_use]
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// Changes the evaluation: a network, or `None` for the classical evaluation. The engine is cleared, since values
    /// of different evaluations do not mix.
    ///
    /// ```
    /// use ferz_board::Game;
    /// use ferz_search::{Engine, Limits, SearchOptions, Signals};
    ///
    /// let mut engine = Engine::new(1)?;
    /// engine.set_network(None); // the classical evaluation
    /// assert!(engine.network().is_none());
    /// // Or a network of your own:
    /// // engine.set_network(Some(Arc::new(Network::from_bytes(&std::fs::read("my.nnue")?)?)));
    /// let limits = Limits::default().depth(5);
    /// let result =
    ///     engine.search(&Game::default(), &limits, &SearchOptions::default(), &Signals::new(), &mut |_| {});
    /// assert!(result.best.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        for data in &mut self.threads {
            data.evaluator.set_network(network.clone());
        }
        self.network = network;
        self.clear();
    }

    /// The endgame tables.
    #[must_use]
    pub fn tablebases(&self) -> &Tablebases {
        &self.tablebases
    }

    /// Changes the endgame tables. The engine is cleared, since it may hold results of the tables before; without tables
    /// before and after, nothing changes.
    ///
    /// [`SearchOptions`] say how tables are used. They are not used at limited strength.
    #[doc(alias("syzygy", "SyzygyPath"))]
    pub fn set_tablebases(&mut self, tablebases: Tablebases) {
        if self.tablebases.is_empty() && tablebases.is_empty() {
            return;
        }
        self.tablebases = tablebases;
        self.table_problems = TableProblems::default();
        self.clear();
    }

    /// The damaged endgame tables that searches have met, each once.
    #[must_use]
    pub fn table_problems(&self) -> Vec<ProbeError> {
        self.table_problems.all()
    }

    /// The clock and the poll hook.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Changes the clock and the poll hook.
    pub fn set_host(&mut self, host: Host) {
        self.host = host;
    }

    /// The search parameters.
    #[cfg(feature = "tune")]
    pub fn parameters(&self) -> &SearchParameters {
        &self.parameters
    }

    /// Changes the search parameters.
    #[cfg(feature = "tune")]
    pub fn set_parameters(&mut self, parameters: SearchParameters) {
        self.parameters = parameters;
    }

    /// Changes the sampler of the main thread. It is kept by [`Engine::clear`].
    #[cfg(feature = "sample")]
    pub fn set_sampler(&mut self, sampler: Option<crate::Sampler>) {
        self.threads[0].sampler = sampler;
    }

    /// The sampler of the main thread.
    #[cfg(feature = "sample")]
    pub fn sampler_mut(&mut self) -> Option<&mut crate::Sampler> {
        self.threads[0].sampler.as_mut()
    }

    /// Empties the transposition table and the histories: the engine then searches like a new one.
    pub fn clear(&mut self) {
        self.tt.clear(self.threads.len());
        self.threads.iter_mut().for_each(ThreadData::clear);
        self.last_search = None;
    }

    /// Searches the present position of a game until a limit or a signal ends the search.
    ///
    /// The search runs on a thread with a large stack, so this works from any thread, however small its own stack is.
    /// `report` is called on that thread. Starting it takes some 30 µs; see [`Engine::search_on_this_thread`].
    ///
    /// Panics if `report` or the poll hook panics; all threads of the search have ended then.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        options: &SearchOptions,
        signals: &Signals,
        report: &mut (dyn FnMut(&Report) + Send),
    ) -> Conclusion {
        with_search_stack(|| self.search_on_this_thread(game, limits, options, signals, report))
    }

    /// The same on the calling thread, for programs that make many very short searches. The thread needs a stack of
    /// [`SEARCH_STACK_SIZE`](crate::SEARCH_STACK_SIZE); [`with_search_stack`] provides one.
    pub fn search_on_this_thread(
        &mut self,
        game: &Game,
        limits: &Limits,
        options: &SearchOptions,
        signals: &Signals,
        report: &mut (dyn FnMut(&Report) + Send),
    ) -> Conclusion {
        self.conduct(SearchTask { game, limits, options, signals }, Some(report))
    }

    /// The same without reports, which then cost no time: for self-play.
    ///
    /// ```
    /// use ferz_board::Game;
    /// use ferz_search::{Engine, Limits, SearchOptions, Signals, with_search_stack};
    ///
    /// let (game, limits, options) = (Game::default(), Limits::default().depth(5), SearchOptions::default());
    /// let mut silent = Engine::new(1)?;
    /// let result = with_search_stack(|| silent.search_silently(&game, &limits, &options, &Signals::new()));
    /// let mut engine = Engine::new(1)?;
    /// let reported = engine.search(&game, &limits, &options, &Signals::new(), &mut |_| {});
    /// assert_eq!((result.best, result.nodes), (reported.best, reported.nodes));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn search_silently(
        &mut self,
        game: &Game,
        limits: &Limits,
        options: &SearchOptions,
        signals: &Signals,
    ) -> Conclusion {
        self.conduct(SearchTask { game, limits, options, signals }, None)
    }

    /// Searches with the evaluation and the strength that the options ask for.
    fn conduct(&mut self, task: SearchTask<'_>, report: Option<Reporter<'_>>) -> Conclusion {
        let options = task.options;
        // A weak player must not profit from what a strong one has seen.
        if self.last_elo != options.elo {
            self.last_elo = options.elo;
            self.clear();
        }
        // Wins that take too long are draws or not, and the table remembers them.
        if self.last_fifty_move_rule != options.fifty_move_rule {
            self.last_fifty_move_rule = options.fifty_move_rule;
            if !self.tablebases.is_empty() {
                self.clear();
            }
        }
        match options.elo {
            Some(elo) => self.search_with_handicap(task, Handicap::of(elo), report),
            None => self.search_fully(task, report),
        }
    }

    /// Searches with limited strength.
    fn search_with_handicap(
        &mut self,
        task: SearchTask<'_>,
        handicap: Handicap,
        mut report: Option<Reporter<'_>>,
    ) -> Conclusion {
        let SearchTask { game, limits, options, .. } = task;
        let nodes = limits.nodes.map_or(handicap.nodes, |nodes| nodes.min(handicap.nodes));
        let limits = limits.clone().nodes(nodes);
        let wanted = options.lines.max(1);
        let lines = wanted.max(handicap.lines());
        let options = SearchOptions { lines, elo: None, probe_limit: 0, ..options.clone() };
        let task = SearchTask { limits: &limits, options: &options, ..task };
        let mut report = move |it: &Report| {
            if let Some(report) = &mut report
                && !matches!(it, Report::Line(line) if line.rank > wanted)
            {
                report(it);
            }
        };
        let mut conclusion = self.search_fully(task, Some(&mut report));
        let candidates: Vec<_> = conclusion.lines.iter().map(Candidate::from).collect();
        let seed = options.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
        let chosen = handicap.choose(game, &candidates, seed);
        if chosen > 0 {
            let line = conclusion.lines.remove(chosen);
            conclusion.lines.insert(0, line);
            (1..).zip(&mut conclusion.lines).for_each(|(rank, line)| line.rank = rank);
            conclusion.best = conclusion.lines[0].moves.first().copied();
            conclusion.ponder = conclusion.lines[0].moves.get(1).copied();
            report(&Report::Line(conclusion.lines[0].clone()));
        }
        conclusion.lines.truncate(wanted);
        conclusion
    }

    fn search_fully(&mut self, task: SearchTask<'_>, report: Option<Reporter<'_>>) -> Conclusion {
        let SearchTask { game, limits, options, signals } = task;
        let position = game.position();
        let context =
            limits.time_control.map(|_| MoveContext::new(game, self.last_search)).unwrap_or_default();
        self.tt.age();
        let mut root_moves = root_moves(position, &limits.search_moves);
        let probes = TableProbes::new(&self.tablebases, &self.table_problems, options);
        let knowledge = probes.rank_root_moves(game, &mut root_moves);
        // Every thread installs the parameters, this one before the limits of time, which depend on them.
        self.parameters.install();
        let shared = SharedState {
            tt: &self.tt,
            host: &self.host,
            limits,
            options,
            signals,
            parameters: self.parameters,
            probe_men: probes.max_men_in_tree(knowledge),
            probes,
            time: TimeManager::new(&self.host, limits, options, context),
            is_restricted: root_moves.len() < position.legal_moves().len(),
            stop: AtomicBool::new(false),
            nodes: self.threads.iter().map(|_| AtomicU64::new(0)).collect(),
        };
        if root_moves.is_empty() {
            if shared.is_open_ended() {
                signals.wait_for_end(&self.host, !limits.infinite);
            }
            return Conclusion { time: shared.time.elapsed(), ..Conclusion::default() };
        }

        let repetition_keys: Vec<_> = game.repetition_keys().collect();
        let mut reporter = report.map(|it| it as Reporter<'_>);
        let mut workers: Vec<_> = self
            .threads
            .iter_mut()
            .enumerate()
            .map(|(id, data)| {
                // Only the first, the main worker, reports.
                let reporter = reporter.take();
                Worker::new(&shared, id, data, position, &repetition_keys, root_moves.clone(), reporter)
            })
            .collect();
        // Lazy SMP: all threads run the same search and share the transposition table.
        let (main, helpers) = workers.split_first_mut().expect("at least one thread");
        let mut depths = vec![0];
        thread::scope(|scope| {
            let running: Vec<_> = helpers
                .iter_mut()
                // A thread that the system refuses is missing: it completes no depth.
                .map(|helper| spawn_search(scope, || helper.iterative_deepening()))
                .collect();
            let stop = StopWhenDropped(&shared.stop);
            depths[0] = main.iterative_deepening();
            drop(stop);
            depths.extend(running.into_iter().map(|handle| {
                handle.map_or(0, |handle| handle.join().unwrap_or_else(|panic| resume_unwind(panic)))
            }));
        });

        let best =
            if options.lines == 1 && limits.depth.is_none() { best_thread(&workers, &depths) } else { 0 };
        let lines = options.lines.clamp(1, workers[best].root_moves.len());
        let mut lines: Vec<_> = (0..lines).map_while(|index| workers[best].line(index)).collect();
        lines.iter_mut().for_each(|line| workers[best].complete(line));
        if best != 0 || workers[0].has_incomplete_lines {
            lines.iter().for_each(|line| workers[0].report(&Report::Line(line.clone())));
        }
        let mv = workers[best].root_moves[0].mv;
        let value = workers[best].root_moves[0].last_value();
        self.last_search = value.map(|value| (position.repetition_key(), value));
        Conclusion {
            best: Some(mv),
            ponder: lines
                .first()
                .and_then(|line| line.moves.get(1).copied())
                .or_else(|| self.ponder_move(game, mv)),
            lines,
            nodes: shared.total_nodes(),
            tablebase_hits: shared.probes.hits(),
            time: shared.time.elapsed(),
        }
    }

    /// The reply to a move from the transposition table, if the game goes on.
    fn ponder_move(&self, game: &Game, mv: Move) -> Option<Move> {
        let mut game = game.clone();
        game.play(mv).ok()?;
        let claims = [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves];
        if game.outcome().is_some() || claims.into_iter().any(|claim| game.can_claim(claim)) {
            return None;
        }
        let position = game.position();
        let reply = self.tt.probe(tt_key(position.key(), position.halfmove_clock()))?.mv?;
        position.is_legal(reply).then_some(reply)
    }
}

/// How many of the wanted threads the system can run at the same time.
fn startable(wanted: usize) -> usize {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let closed = gate.lock();
        let start = |_| {
            let (is_running, running) = mpsc::channel();
            let gate = &gate;
            let thread = spawn_search(scope, move || {
                let _ = is_running.send(());
                drop(gate.lock());
            })?;
            // It has all the memory that it needs before the next one asks for some.
            running.recv().ok()?;
            Some(thread)
        };
        let started: Vec<_> = (0..wanted).map_while(start).collect();
        drop(closed);
        // They do nothing that could fail.
        started.into_iter().map(thread::ScopedJoinHandle::join).count()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tt::{TtBound, TtEntry};
    use ferz_board::Position;

    /// Calls a function with every position within this number of plies.
    fn for_each_near(position: &Position, plies: u32, visit: &mut dyn FnMut(&Position)) {
        visit(position);
        if plies > 0 {
            position.for_each_child(|_, child| for_each_near(child, plies - 1, visit));
        }
    }

    /// Two positions may share a key, and two threads may write at once. Whatever the transposition table then says,
    /// only legal moves are played. Debug builds check each one.
    #[test]
    fn moves_of_other_positions_do_no_harm() {
        let mut random = fastrand::Rng::with_seed(3);
        let bounds = [TtBound::None, TtBound::Upper, TtBound::Lower, TtBound::Exact];
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",
            "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1",
            "4k3/8/8/3pP3/8/8/8/4RK2 w - d6 0 1",
        ] {
            let position = Position::from_fen(fen).expect("legal");
            let game = Game::new(position);
            for _ in 0..20 {
                let mut engine = Engine::new(1).expect("a mebibyte is to be had");
                for_each_near(&position, 2, &mut |near| {
                    let entry = TtEntry {
                        mv: Move::from_bits(random.u16(..)),
                        value: random.i32(-1_000..=1_000),
                        eval: None,
                        depth: random.i32(0..12),
                        bound: bounds[random.usize(..4)],
                        pv: random.bool(),
                    };
                    engine.tt.store(tt_key(near.key(), near.halfmove_clock()), entry);
                });
                let limits = Limits::default().nodes(2_000);
                let options = SearchOptions::default().lines(2);
                let conclusion = engine.search(&game, &limits, &options, &Signals::new(), &mut |_| {});
                for line in conclusion.lines {
                    let mut position = position;
                    line.moves.iter().for_each(|&mv| position.play(mv).expect("a legal line"));
                }
                let mut after = position;
                after.play(conclusion.best.expect("there are moves")).expect("a legal move");
                conclusion.ponder.into_iter().for_each(|mv| after.play(mv).expect("a legal answer"));
            }
        }
    }
}
