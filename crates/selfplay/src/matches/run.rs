//! Plays pairs of games on several threads.
//!
//! Pairs finish in any order. Their results are used in the order of their numbers, and a pair starts only after the
//! result of the pair `ahead` before it was used. So the outcome does not depend on which thread was faster.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ferz_search::{Engine, SEARCH_STACK_SIZE, Signals};

use super::game::{
    Adjudication, MatchEnding, MatchOpenings, MatchPlayer, MoveLimit, PairPlayers, PlayedPair, opening_order,
};
use crate::Error;

/// Longer waits overflow on some systems.
const LONGEST_WAIT: Duration = Duration::from_secs(1 << 30);

/// The use of the results of a match.
pub trait MatchPlan {
    /// Why the match cannot go on.
    type Error: From<Error>;

    /// The search parameters of the two players of a pair, asked for in the order of the numbers.
    #[cfg(feature = "tune")]
    fn parameters(&mut self, number: u64) -> [ferz_search::SearchParameters; 2];

    /// Takes the result of a pair, in the order of the numbers. The match ends with `Break`.
    fn note(&mut self, pair: &PlayedPair, speed: &MatchSpeed) -> Result<ControlFlow<()>, Self::Error>;
}

/// How a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchEnd {
    /// All pairs were played.
    Complete,
    /// The plan ended it.
    Decided,
    /// The time was over. The pairs before the first unfinished one count.
    OutOfTime,
}

/// The settings of a match.
#[derive(Clone, Debug)]
pub struct MatchRun {
    /// The players.
    pub players: [MatchPlayer; 2],
    /// The openings.
    pub openings: MatchOpenings,
    /// When games end without the rules.
    pub adjudication: Adjudication,
    /// The transposition table of each player, in MiB.
    pub hash: usize,
    /// The games played at the same time.
    pub threads: usize,
    /// The seed of the openings.
    pub seed: u64,
    /// The number of pairs that may start before the result of the first of them is used.
    pub ahead: u64,
    /// After this time the match ends.
    pub time: Option<Duration>,
}

/// The speed of a match, and its losses on time.
#[derive(Clone, Copy, Debug)]
pub struct MatchSpeed {
    began: Instant,
    played: u64,
    time_losses: u64,
    total: u64,
    time: Option<Duration>,
}

impl MatchSpeed {
    /// The start of a match of `total` pairs.
    #[must_use]
    pub fn start(total: u64, time: Option<Duration>) -> MatchSpeed {
        MatchSpeed { began: Instant::now(), played: 0, time_losses: 0, total, time }
    }

    /// The time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// The games whose results were used so far, for each second.
    #[must_use]
    pub fn games_per_second(&self) -> f64 {
        2.0 * self.played as f64 / self.elapsed().as_secs_f64().max(1e-3)
    }

    /// The games lost on time so far.
    #[must_use]
    pub fn time_losses(&self) -> u64 {
        self.time_losses
    }

    /// The share of the match that is over, by pairs or by time.
    #[must_use]
    pub fn share(&self) -> f64 {
        let by_pairs = self.played as f64 / self.total.max(1) as f64;
        let by_time =
            self.time.map_or(0.0, |time| self.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-3));
        by_pairs.max(by_time)
    }
}

/// A pair to be played.
pub(super) struct PairJob {
    pub(super) number: u64,
    #[cfg(feature = "tune")]
    pub(super) parameters: [ferz_search::SearchParameters; 2],
}

/// Delivers a pair when dropped, also by a panic; without a pair if it was not finished.
struct Delivery<'a> {
    sender: &'a Sender<(u64, Option<PlayedPair>)>,
    number: u64,
    pair: Option<PlayedPair>,
}

impl Drop for Delivery<'_> {
    fn drop(&mut self) {
        // Without a receiver the match is over.
        let _ = self.sender.send((self.number, self.pair.take()));
    }
}

/// Stops all searches when dropped.
struct StopWhenDone<'a>(&'a Signals);

impl Drop for StopWhenDone<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl MatchRun {
    /// The pairs ahead that keep this number of threads busy, even if one pair takes very long.
    #[must_use]
    pub fn default_ahead(threads: usize) -> u64 {
        16 * threads as u64
    }

    /// The number of pairs after which the same games would come again: with fixed nodes, the same players play the same
    /// games from the same opening. `None` if there is no end.
    #[must_use]
    pub fn different_pairs(&self) -> Option<u64> {
        let has_clock = self.players.iter().any(|player| matches!(player.limit, MoveLimit::Clock { .. }));
        match &self.openings {
            MatchOpenings::Positions(positions) if !has_clock => Some(positions.len() as u64),
            MatchOpenings::Positions(_) | MatchOpenings::Random => None,
        }
    }

    /// The memory of all engines, in MiB.
    #[must_use]
    pub fn mebibytes(&self) -> usize {
        self.threads.saturating_mul(2).saturating_mul(self.hash.saturating_add(Engine::MEBIBYTES_PER_THREAD))
    }

    /// Plays the pairs with these numbers.
    pub fn execute<P: MatchPlan>(&self, numbers: Range<u64>, plan: &mut P) -> Result<MatchEnd, P::Error> {
        let (jobs, waiting) = mpsc::channel::<PairJob>();
        let waiting = Mutex::new(waiting);
        let (sender, played) = mpsc::channel();
        let signals = &Signals::new();
        let order = &opening_order(&self.openings, self.seed);
        thread::scope(|scope| {
            // Players end when there are no more jobs; a search that still runs is stopped.
            let jobs = jobs;
            let _stop = StopWhenDone(signals);
            for _ in 0..self.threads {
                let mut players = PairPlayers::new(self, order, signals).map_err(Error::from)?;
                let (sender, waiting) = (sender.clone(), &waiting);
                let work = move || {
                    while let Some(job) = next(waiting).filter(|_| !signals.is_stopped()) {
                        let mut delivery = Delivery { sender: &sender, number: job.number, pair: None };
                        delivery.pair = players.play_pair(&job);
                    }
                };
                let builder = thread::Builder::new().stack_size(SEARCH_STACK_SIZE);
                builder.spawn_scoped(scope, work).map_err(Error::Thread)?;
            }
            // Only players hold senders.
            drop(sender);
            self.conduct(numbers, plan, &jobs, &played)
        })
    }

    fn conduct<P: MatchPlan>(
        &self,
        numbers: Range<u64>,
        plan: &mut P,
        jobs: &Sender<PairJob>,
        played: &Receiver<(u64, Option<PlayedPair>)>,
    ) -> Result<MatchEnd, P::Error> {
        let mut speed = MatchSpeed::start(numbers.end.saturating_sub(numbers.start), self.time);
        #[cfg_attr(not(feature = "tune"), allow(unused_variables, reason = "players do not differ"))]
        let prepare = |number: u64, plan: &mut P| {
            if number < numbers.end {
                // Players that have ended are noticed below.
                let _ = jobs.send(PairJob {
                    number,
                    #[cfg(feature = "tune")]
                    parameters: plan.parameters(number),
                });
            }
        };
        let ahead = self.ahead.max(1);
        (0..ahead).for_each(|index| prepare(numbers.start.saturating_add(index), plan));
        let mut out_of_turn = BTreeMap::new();
        for number in numbers.clone() {
            let pair = loop {
                let left = self.time.map_or(LONGEST_WAIT, |time| time.saturating_sub(speed.elapsed()));
                if left.is_zero() {
                    return Ok(MatchEnd::OutOfTime);
                }
                if let Some(pair) = out_of_turn.remove(&number) {
                    break pair;
                }
                match played.recv_timeout(left.min(LONGEST_WAIT)) {
                    Ok((number, Some(pair))) => out_of_turn.insert(number, pair),
                    Ok((pair, None)) => return Err(Error::PairGivenUp { pair }.into()),
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(Error::PairGivenUp { pair: number }.into());
                    }
                };
            };
            speed.played += 1;
            let lost = pair.games.iter().filter(|game| game.ending == MatchEnding::Time);
            speed.time_losses += lost.count() as u64;
            if plan.note(&pair, &speed)?.is_break() {
                return Ok(MatchEnd::Decided);
            }
            prepare(number.saturating_add(ahead), plan);
        }
        Ok(MatchEnd::Complete)
    }
}

fn next(waiting: &Mutex<Receiver<PairJob>>) -> Option<PairJob> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::sprt::{EloModel, Hypothesis, Sprt};
    use super::super::stats::MatchStats;
    use super::*;
    use ferz_board::{Color, Position};

    /// Collects pairs, and stops when the test is over.
    #[derive(Default)]
    struct Collection {
        pairs: Vec<PlayedPair>,
        stats: MatchStats,
        time_losses: u64,
        sprt: Option<Sprt>,
    }

    impl MatchPlan for Collection {
        type Error = Error;

        #[cfg(feature = "tune")]
        fn parameters(&mut self, _: u64) -> [ferz_search::SearchParameters; 2] {
            Default::default()
        }

        fn note(&mut self, pair: &PlayedPair, speed: &MatchSpeed) -> Result<ControlFlow<()>, Error> {
            assert_eq!(pair.number, self.pairs.len() as u64);
            self.time_losses = speed.time_losses();
            self.pairs.push(pair.clone());
            self.stats.add(pair.points());
            let is_over = self.sprt.is_some_and(|sprt| sprt.verdict(&self.stats).is_some());
            Ok(if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        }
    }

    impl Collection {
        fn lines(&self) -> Vec<String> {
            let games = self.pairs.iter().flat_map(|pair| &pair.games);
            games.map(|game| format!("{} {:?} {:?}", game.start, game.moves, game.winner)).collect()
        }
    }

    fn run(nodes: [u64; 2], threads: usize) -> MatchRun {
        MatchRun {
            players: nodes.map(|nodes| MatchPlayer { network: None, limit: MoveLimit::Nodes(nodes) }),
            openings: MatchOpenings::Random,
            adjudication: Adjudication::default(),
            hash: 1,
            threads,
            seed: 5,
            ahead: 16,
            time: None,
        }
    }

    #[test]
    fn threads_make_no_difference() {
        let play = |threads, ahead| {
            let mut collection = Collection::default();
            let run = MatchRun { ahead, ..run([60, 90], threads) };
            assert_eq!(run.execute(0..8, &mut collection).unwrap(), MatchEnd::Complete);
            collection
        };
        let alone = play(1, 1);
        assert_eq!(alone.lines(), play(3, 16).lines());
        for pair in &alone.pairs {
            let [first, second] = &pair.games;
            assert_eq!(first.start, second.start);
            assert_eq!([first, second].map(|game| game.first_plays), Color::ALL);
        }
        let starts: std::collections::BTreeSet<_> =
            alone.pairs.iter().map(|pair| pair.games[0].start.to_string()).collect();
        assert_eq!(starts.len(), 8);
    }

    #[test]
    fn given_openings_are_played_in_an_order_of_the_seed() {
        let fens = ["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/3PP3/4K3 w - - 0 1"];
        let positions: Vec<_> = fens.iter().map(|fen| Position::from_fen(fen).unwrap()).collect();
        let run = MatchRun { openings: MatchOpenings::Positions(positions), ..run([20, 20], 2) };
        let mut collection = Collection::default();
        run.execute(0..4, &mut collection).unwrap();
        let starts: Vec<_> = collection.pairs.iter().map(|pair| pair.games[0].start.to_string()).collect();
        assert_eq!(starts[..2], starts[2..]);
        assert_ne!(starts[0], starts[1]);
    }

    #[test]
    fn a_test_ends_a_match() {
        let sprt = Sprt::new(0.0, 100.0, EloModel::Normalized);
        let mut collection = Collection { sprt: Some(sprt), ..Collection::default() };
        // Twenty times the nodes.
        assert_eq!(run([400, 20], 2).execute(0..u64::MAX, &mut collection).unwrap(), MatchEnd::Decided);
        assert_eq!(sprt.verdict(&collection.stats), Some(Hypothesis::H1));
        assert_eq!(collection.stats.pairs(), collection.pairs.len() as u64);
    }

    #[test]
    fn the_time_ends_a_match() {
        let time = Some(Duration::from_millis(300));
        let run = MatchRun { time, ..run([20, 20], 2) };
        let (mut collection, began) = (Collection::default(), Instant::now());
        assert_eq!(run.execute(0..u64::MAX, &mut collection).unwrap(), MatchEnd::OutOfTime);
        // Far too long, but machines may be busy.
        assert!(began.elapsed() < Duration::from_secs(20));
        // A search for ever.
        let endless = MatchRun { openings: MatchOpenings::Positions(vec![Position::start()]), ..run };
        let endless = MatchRun {
            players: [1, 2].map(|_| MatchPlayer { network: None, limit: MoveLimit::Nodes(u64::MAX) }),
            ..endless
        };
        let mut nothing = Collection::default();
        assert_eq!(endless.execute(0..4, &mut nothing).unwrap(), MatchEnd::OutOfTime);
        assert!(nothing.pairs.is_empty());
    }

    #[test]
    fn a_clock_that_is_overstepped_loses() {
        let clock = |time| MoveLimit::Clock { time, increment: Duration::ZERO };
        let mut run =
            MatchRun { openings: MatchOpenings::Positions(vec![Position::start()]), ..run([20, 20], 1) };
        run.players[0].limit = clock(Duration::from_nanos(1));
        let mut collection = Collection::default();
        run.execute(0..1, &mut collection).unwrap();
        assert_eq!(collection.stats.pentanomial, [1, 0, 0, 0, 0]);
        let endings = collection.pairs[0].games.each_ref().map(|game| game.ending);
        assert_eq!(endings, [MatchEnding::Time; 2]);
        assert_eq!(collection.time_losses, 2);
    }

    #[test]
    fn nets_differ() {
        let network = Some(ferz_eval::Network::embedded());
        let mut run = run([60, 60], 1);
        run.players[0].network = network.as_ref().map(Arc::clone);
        let (mut with, mut without) = (Collection::default(), Collection::default());
        run.execute(0..2, &mut with).unwrap();
        run.players[0].network = None;
        run.execute(0..2, &mut without).unwrap();
        assert_ne!(with.lines(), without.lines());
    }
}
