//! A chess engine without a protocol.

use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fmt, thread};

use ferz_board::{DrawClaim, Game, Move, Position};
use ferz_eval::Network;

use crate::parameters::Parameters;
use crate::strength::Handicap;
use crate::table::{Table, table_key};
use crate::time::Budget;
use crate::value::{INFINITE, is_decisive};
use crate::worker::{Memory, RootMove, Shared, StopWhenDropped, Worker};
use crate::{Bound, Conclusion, Limits, Report, Signals, wdl};

/// Searches positions. Holds the transposition table and what its threads have learnt; any number of engines
/// live side by side.
#[derive(Debug)]
pub struct Engine {
    table: Table,
    /// One for each thread.
    memories: Vec<Memory>,
    /// What all threads evaluate with.
    network: Option<Arc<Network>>,
    parameters: Parameters,
}

/// How an engine searches, beside [`Limits`].
#[derive(Clone, Debug)]
pub struct Options {
    /// How many lines to report.
    pub lines: usize,
    /// Time kept in reserve for what happens outside the search.
    pub move_overhead: Duration,
    /// Plays as a player of this Elo rating would, without a net; `None` is full strength.
    pub elo: Option<u32>,
    /// Where the mistakes of a weaker player come from: the same seed makes the same ones. `None`: others every
    /// time.
    pub seed: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options { lines: 1, move_overhead: Duration::from_millis(10), elo: None, seed: None }
    }
}

/// What is to be searched, and how.
#[derive(Clone, Copy)]
struct Task<'a> {
    game: &'a Game,
    limits: &'a Limits,
    options: &'a Options,
    signals: &'a Signals,
}

/// There is not enough memory for a transposition table or a thread's tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// How many MiB were asked for.
    pub mebibytes: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not enough memory for {} MiB", self.mebibytes)
    }
}

impl std::error::Error for OutOfMemory {}

/// Why an engine cannot have so many threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadsError {
    /// There is not enough memory for their tables.
    Memory(OutOfMemory),
    /// The system gives no more than so many.
    Refused {
        /// How many there could be.
        possible: usize,
    },
}

impl fmt::Display for ThreadsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ThreadsError::Memory(error) => error.fmt(f),
            ThreadsError::Refused { possible } => write!(f, "the system gives no more than {possible}"),
        }
    }
}

impl std::error::Error for ThreadsError {}

impl From<OutOfMemory> for ThreadsError {
    fn from(error: OutOfMemory) -> ThreadsError {
        ThreadsError::Memory(error)
    }
}

/// Deep lines need deep stacks.
const STACK_SIZE: usize = 16 << 20;

impl Engine {
    /// The ratings [`Options::elo`] understands.
    pub const ELO: std::ops::RangeInclusive<u32> = 1000..=2600;
    /// How many threads an engine can have.
    pub const MAX_THREADS: usize = 1024;
    /// What a thread needs beside the transposition table, about.
    pub const MEBIBYTES_PER_THREAD: usize = 6;

    /// An engine with a table of so many MiB and one thread, that evaluates with the embedded net.
    pub fn new(hash: usize) -> Result<Engine, OutOfMemory> {
        let network = Some(Network::embedded());
        let memories = vec![Memory::new(network.clone())];
        Ok(Engine { table: Table::new(hash)?, memories, network, parameters: Parameters::default() })
    }

    /// Changes the size of the table, which is then empty. If there is no memory the old one stays as it is.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), OutOfMemory> {
        self.table = Table::new(mebibytes)?;
        Ok(())
    }

    /// Changes how many threads search, at least one and at most [`Engine::MAX_THREADS`]. If there is no memory
    /// for them, or the system does not give them, nothing changes.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), ThreadsError> {
        let threads = threads.clamp(1, Engine::MAX_THREADS);
        if threads > self.memories.len() {
            // Tables are allocated piecemeal and without a way to fail: ask for the whole first.
            let mebibytes = (threads - self.memories.len()) * Engine::MEBIBYTES_PER_THREAD;
            let mut probe: Vec<u8> = Vec::new();
            probe.try_reserve_exact(mebibytes << 20).map_err(|_| OutOfMemory { mebibytes })?;
            // Nobody is to conclude that memory which is not used need not be had.
            black_box(&mut probe);
            let possible = 1 + startable(threads - 1);
            if possible < threads {
                return Err(ThreadsError::Refused { possible });
            }
        }
        self.memories.resize_with(threads, || Memory::new(self.network.clone()));
        Ok(())
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        self.memories.len()
    }

    /// Evaluates with this net from now on, or without one. What was learnt with another is forgotten.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.evaluate_with(network.as_ref());
        self.network = network;
        self.clear();
    }

    /// The net that is evaluated with at full strength.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// Searches with these numbers from now on.
    #[cfg(feature = "tune")]
    pub fn set_parameters(&mut self, parameters: Parameters) {
        self.parameters = parameters;
    }

    /// The numbers it searches with.
    #[cfg(feature = "tune")]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Forgets everything about games and positions: as good as new.
    pub fn clear(&mut self) {
        self.table.clear(self.memories.len());
        self.memories.iter_mut().for_each(Memory::clear);
    }

    /// Searches the present position of a game until a limit or a signal ends it.
    ///
    /// Reports come on the calling thread, whose stack should have some MiB.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        options: &Options,
        signals: &Signals,
        report: &mut dyn FnMut(&Report),
    ) -> Conclusion {
        let task = Task { game, limits, options, signals };
        // Ratings were measured without a net, and who plays at one needs none.
        let network = self.network.clone().filter(|_| options.elo.is_none());
        self.evaluate_with(network.as_ref());
        match options.elo {
            Some(elo) => self.search_weakly(task, Handicap::of(elo), report),
            None => self.search_fully(task, report),
        }
    }

    /// Lets all threads evaluate with this net, or without one. Values of another evaluation are forgotten.
    fn evaluate_with(&mut self, network: Option<&Arc<Network>>) {
        let name = |network: &Arc<Network>| Arc::as_ptr(network);
        let is_other = |memory: &Memory| memory.evaluator.network().map(name) != network.map(name);
        if self.memories.iter().any(is_other) {
            for memory in &mut self.memories {
                memory.evaluator.set_network(network.cloned());
            }
            self.clear();
        }
    }

    /// Searches as a weaker player would.
    fn search_weakly(
        &mut self,
        task: Task<'_>,
        handicap: Handicap,
        report: &mut dyn FnMut(&Report),
    ) -> Conclusion {
        let Task { game, limits, options, .. } = task;
        let nodes = limits.nodes.map_or(handicap.nodes, |nodes| nodes.min(handicap.nodes));
        let limits = Limits { nodes: Some(nodes), ..limits.clone() };
        let wanted = options.lines;
        let options = Options { lines: wanted.max(handicap.lines()), elo: None, ..options.clone() };
        let task = Task { limits: &limits, options: &options, ..task };
        let mut conclusion = self.search_fully(task, &mut |it| {
            if !matches!(it, Report::Line(line) if line.rank > wanted) {
                report(it);
            }
        });
        // Moves that the nodes did not suffice for come last.
        let known = conclusion.lines.iter().take_while(|line| line.depth > 0);
        let candidates: Vec<_> = known
            .filter_map(|line| Some((*line.moves.first()?, wdl::comparable(line.score, game.position()))))
            .collect();
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
        conclusion.lines.truncate(wanted.max(1));
        conclusion
    }

    fn search_fully(&mut self, task: Task<'_>, report: &mut dyn FnMut(&Report)) -> Conclusion {
        let Task { game, limits, options, signals } = task;
        let position = game.position();
        let moves_played = position.fullmove_number().saturating_sub(1);
        let shared = Shared {
            table: {
                self.table.age();
                &self.table
            },
            limits,
            options,
            signals,
            parameters: self.parameters,
            budget: Budget::new(limits, options, moves_played),
            stop: AtomicBool::new(false),
            nodes: self.memories.iter().map(|_| AtomicU64::new(0)).collect(),
        };
        let root_moves = root_moves(position, &limits.search_moves);
        if root_moves.is_empty() {
            if shared.must_go_on() {
                signals.wait(!limits.infinite);
            }
            return Conclusion { time: shared.budget.elapsed(), ..Conclusion::default() };
        }

        let keys = keys_of(game);
        let mut workers: Vec<_> = self
            .memories
            .iter_mut()
            .enumerate()
            .map(|(id, memory)| Worker::new(&shared, id, memory, position, &keys, root_moves.clone()))
            .collect();
        let (first, helpers) = workers.split_first_mut().expect("at least one thread");
        let mut depths = vec![0];
        thread::scope(|scope| {
            let running: Vec<_> = helpers
                .iter_mut()
                .map(|helper| {
                    // A thread the system cannot give is done without: it reaches no depth.
                    let builder = thread::Builder::new().stack_size(STACK_SIZE);
                    builder.spawn_scoped(scope, || helper.deepen(None)).ok()
                })
                .collect();
            let stop = StopWhenDropped(&shared.stop);
            depths[0] = first.deepen(Some(report));
            drop(stop);
            depths.extend(running.into_iter().map(|handle| {
                handle.map_or(0, |handle| handle.join().unwrap_or_else(|panic| resume_unwind(panic)))
            }));
        });

        let best = if options.lines == 1 && limits.depth.is_none() { vote(&workers, &depths) } else { 0 };
        if best != 0 {
            report(&Report::Line(workers[best].line(0)));
        }
        let lines = options.lines.clamp(1, workers[best].root_moves.len());
        let lines: Vec<_> = (0..lines).map(|index| workers[best].line(index)).collect();
        let mv = workers[best].root_moves[0].mv;
        Conclusion {
            best: Some(mv),
            ponder: lines[0].moves.get(1).copied().or_else(|| self.expected_answer(game, mv)),
            lines,
            nodes: shared.total_nodes(),
            time: shared.budget.elapsed(),
        }
    }

    /// The answer to a move that the table knows, if the game goes on.
    fn expected_answer(&self, game: &Game, mv: Move) -> Option<Move> {
        let mut game = game.clone();
        game.play(mv).ok()?;
        let claims = [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves];
        if game.outcome().is_some() || claims.into_iter().any(|claim| game.can_claim(claim)) {
            return None;
        }
        let position = game.position();
        let answer = self.table.probe(table_key(position.key(), position.halfmove_clock()))?.mv?;
        position.is_legal(answer).then_some(answer)
    }
}

/// How many threads the system gives at a time, of so many.
fn startable(wanted: usize) -> usize {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let closed = gate.lock();
        let start = |_| {
            let builder = thread::Builder::new().stack_size(STACK_SIZE);
            builder.spawn_scoped(scope, || drop(gate.lock())).ok()
        };
        let started: Vec<_> = (0..wanted).map_while(start).collect();
        drop(closed);
        // They do nothing that could fail.
        started.into_iter().map(thread::ScopedJoinHandle::join).count()
    })
}

/// The moves to look at: all legal ones, or those asked for that are.
fn root_moves(position: &Position, wanted: &[Move]) -> Vec<RootMove> {
    let legal = position.legal_moves();
    let is_wanted = |mv: &Move| wanted.contains(mv);
    let any = legal.iter().any(is_wanted);
    let moves = legal.into_iter().filter(|mv| !any || is_wanted(mv));
    moves
        .map(|mv| RootMove {
            mv,
            value: -INFINITE,
            previous: -INFINITE,
            average: None,
            bound: Bound::Exact,
            selective_depth: 0,
            nodes: 0,
            line: vec![mv],
        })
        .collect()
}

/// The repetition keys of a game's positions.
fn keys_of(game: &Game) -> Vec<u64> {
    let mut position = *game.start();
    let mut keys = vec![position.repetition_key()];
    for mv in game.moves() {
        position.play_unchecked(mv);
        keys.push(position.repetition_key());
    }
    keys
}

/// Which thread to believe: each votes for its move, the louder the deeper and the better it found it.
fn vote(workers: &[Worker<'_>], depths: &[i32]) -> usize {
    let value = |worker: &Worker<'_>| match worker.root_moves[0].value {
        value if value == -INFINITE => worker.root_moves[0].previous,
        value => value,
    };
    let least = workers.iter().map(value).min().unwrap_or(0);
    let weight = |index: usize| {
        let depth = depths.get(index).copied().unwrap_or(0);
        i64::from(value(&workers[index]) - least + 14) * i64::from(depth)
    };
    let votes = |mv: Move| -> i64 {
        (0..workers.len()).filter(|&index| workers[index].root_moves[0].mv == mv).map(weight).sum()
    };
    let mut best = 0;
    for index in 1..workers.len() {
        let (candidate, champion) = (value(&workers[index]), value(&workers[best]));
        let better = if is_decisive(candidate) || is_decisive(champion) {
            // Proven results are not voted on: the shortest mate, or the longest defence.
            candidate > champion && depths.get(index).is_some_and(|&depth| depth > 0)
        } else {
            let (ours, theirs) =
                (votes(workers[index].root_moves[0].mv), votes(workers[best].root_moves[0].mv));
            ours > theirs || ours == theirs && weight(index) > weight(best)
        };
        if better {
            best = index;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Entry, TableBound};

    /// Calls with every position within so many plies.
    fn for_each_near(position: &Position, plies: u32, visit: &mut dyn FnMut(&Position)) {
        visit(position);
        if plies > 0 {
            position.for_each_child(|_, child| for_each_near(child, plies - 1, visit));
        }
    }

    /// Two positions may share a key, or two threads write at once: whatever the table then says of a position,
    /// no move is played that is not legal there. Debug builds check each one.
    #[test]
    fn moves_of_other_positions_do_no_harm() {
        let mut bits = 0u64;
        let mut random = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            bits >> 32
        };
        let bounds = [TableBound::None, TableBound::Upper, TableBound::Lower, TableBound::Exact];
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
                    let entry = Entry {
                        mv: Move::from_bits(random() as u16),
                        value: (random() % 2_001) as i32 - 1_000,
                        eval: None,
                        depth: (random() % 12) as i32,
                        bound: bounds[random() as usize % 4],
                        pv: random() % 2 == 0,
                    };
                    engine.table.store(table_key(near.key(), near.halfmove_clock()), entry);
                });
                let limits = Limits { nodes: Some(2_000), ..Limits::default() };
                let options = Options { lines: 2, ..Options::default() };
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
