//! Plays games on several threads and writes them in the order of their numbers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ferz_eval::Network;
use ferz_search::{Engine, SEARCH_STACK_SIZE, Signals};
use ferz_syzygy::{ProbeError, Tablebases};

use super::player::Player;
use super::writer::Writer;
use crate::Error;
use crate::data::ScoredGame;
use crate::data::header::GamesOrigin;

/// The interval between checks of the time while waiting for games.
const PATIENCE: Duration = Duration::from_secs(60);

/// When a run ends. Games that were already in the file count.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// After this many games.
    Games(u64),
    /// After at least this many positions.
    Positions(u64),
    /// After this time: no further game is started.
    Time(Duration),
}

/// The progress of a run.
#[derive(Debug)]
pub struct RunProgress {
    started: Instant,
    games: AtomicU64,
    positions: AtomicU64,
    /// Already in the file.
    found_games: AtomicU64,
    found_positions: AtomicU64,
}

impl Default for RunProgress {
    fn default() -> RunProgress {
        RunProgress::new()
    }
}

impl RunProgress {
    /// The progress of a run that starts now.
    pub fn new() -> RunProgress {
        RunProgress {
            started: Instant::now(),
            games: AtomicU64::new(0),
            positions: AtomicU64::new(0),
            found_games: AtomicU64::new(0),
            found_positions: AtomicU64::new(0),
        }
    }

    fn find(&self, writer: &Writer) {
        self.found_games.store(writer.games(), Relaxed);
        self.found_positions.store(writer.positions(), Relaxed);
        self.count(writer);
    }

    fn count(&self, writer: &Writer) {
        self.games.store(writer.games(), Relaxed);
        self.positions.store(writer.positions(), Relaxed);
    }

    /// Games in the file.
    pub fn games(&self) -> u64 {
        self.games.load(Relaxed)
    }

    /// Positions in the file.
    pub fn positions(&self) -> u64 {
        self.positions.load(Relaxed)
    }

    /// Games that were in the file before.
    pub fn found_games(&self) -> u64 {
        self.found_games.load(Relaxed)
    }

    /// Positions per second of this run.
    pub fn rate(&self) -> f64 {
        let played = self.positions() - self.found_positions.load(Relaxed);
        played as f64 / self.started.elapsed().as_secs_f64().max(1e-3)
    }

    /// The work done and the whole work, in the unit of the goal, without what was already in the file.
    pub fn share(&self, goal: Goal) -> f64 {
        let share = |now: u64, found: u64, goal: u64| {
            now.saturating_sub(found) as f64 / goal.saturating_sub(found).max(1) as f64
        };
        match goal {
            Goal::Games(games) => share(self.games(), self.found_games(), games),
            Goal::Positions(positions) => {
                share(self.positions(), self.found_positions.load(Relaxed), positions)
            }
            Goal::Time(time) => self.started.elapsed().as_secs_f64() / time.as_secs_f64(),
        }
    }

    /// The time since the start of the run.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// The settings of a run. [`DatagenRun::new`] makes them, and the fields change them.
#[derive(Debug)]
#[non_exhaustive]
pub struct DatagenRun<'a> {
    /// What the games depend on.
    pub origin: &'a GamesOrigin,
    /// The net; `None` is the classical evaluation.
    pub network: Option<Arc<Network>>,
    /// The endgame tables that adjudicate games.
    pub tables: Tablebases,
    /// When to stop.
    pub goal: Goal,
    /// The number of games played at a time.
    pub threads: usize,
    /// Where to write positions met inside the searches.
    #[cfg(feature = "sample")]
    pub sample: Option<super::SampleFile>,
}

/// The state that the threads share.
struct Shared {
    /// The number of the next game.
    next: AtomicU64,
    is_over: AtomicBool,
    signals: Signals,
    /// A damaged table, which ends the run: the games would depend on the damage.
    table_problem: Mutex<Option<ProbeError>>,
}

/// The number of a game and the game; `None` if it could not be finished.
type Delivered = (u64, Option<ScoredGame>);

/// Sends a game when it is dropped, so also if the player panics.
struct Delivery<'a> {
    sender: &'a SyncSender<Delivered>,
    number: u64,
    game: Option<ScoredGame>,
}

impl Drop for Delivery<'_> {
    fn drop(&mut self) {
        // If the receiver is gone, the run is over.
        let _ = self.sender.send((self.number, self.game.take()));
    }
}

impl<'a> DatagenRun<'a> {
    /// A run on one thread with the classical evaluation and without tables.
    pub fn new(origin: &'a GamesOrigin, goal: Goal) -> DatagenRun<'a> {
        DatagenRun {
            origin,
            network: None,
            tables: Tablebases::new(),
            goal,
            threads: 1,
            #[cfg(feature = "sample")]
            sample: None,
        }
    }

    /// The memory that the engines of all players take, in MiB.
    pub fn mebibytes(&self) -> usize {
        self.threads * (self.origin.hash as usize + Engine::MEBIBYTES_PER_THREAD)
    }

    /// Plays until the goal is reached. Resumes the run of an existing file.
    pub fn execute(&self, file: &Path, progress: &RunProgress) -> Result<(), Error> {
        let mut writer = Writer::open(file, self.origin)?;
        progress.find(&writer);
        if self.is_reached(&writer) {
            return Ok(());
        }
        let shared = Shared {
            next: AtomicU64::new(writer.games()),
            is_over: AtomicBool::new(false),
            signals: Signals::new(),
            table_problem: Mutex::new(None),
        };
        let (sender, games) = mpsc::sync_channel(self.threads);
        let result = thread::scope(|scope| {
            let started = self.start(scope, &shared, &sender);
            // Only the players keep it.
            drop(sender);
            let result = started.and_then(|()| self.collect(&mut writer, &games, &shared, progress));
            shared.is_over.store(true, Relaxed);
            shared.signals.stop();
            // No player waits to send a game.
            drop(games);
            result
        });
        #[cfg(feature = "sample")]
        self.sample.as_ref().map_or(Ok(()), super::SampleFile::check)?;
        if let Some(problem) = shared.table_problem.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(Error::Table(problem));
        }
        result?;
        writer.finish()
    }

    fn start<'scope>(
        &'scope self,
        scope: &'scope thread::Scope<'scope, '_>,
        shared: &'scope Shared,
        sender: &SyncSender<Delivered>,
    ) -> Result<(), Error> {
        let players: Vec<_> = (0..self.threads)
            .map(|_| Player::new(self.origin, self.network.as_ref(), &self.tables, &shared.signals))
            .collect::<Result<_, _>>()?;
        for mut player in players {
            let sender = sender.clone();
            let builder = thread::Builder::new().name("player".to_owned()).stack_size(SEARCH_STACK_SIZE);
            let work = move || {
                while !shared.is_over.load(Relaxed) {
                    let number = shared.next.fetch_add(1, Relaxed);
                    if matches!(self.goal, Goal::Games(games) if number >= games) {
                        break;
                    }
                    let mut delivery = Delivery { sender: &sender, number, game: None };
                    #[cfg(feature = "sample")]
                    player.sample(number, self.sample.as_ref());
                    delivery.game = player.play(number).unwrap_or_else(|problem| {
                        *shared.table_problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
                        None
                    });
                    #[cfg(feature = "sample")]
                    if !player.write_sample(self.sample.as_ref()) {
                        // Ends the run.
                        delivery.game = None;
                    }
                }
            };
            builder.spawn_scoped(scope, work).map_err(Error::Thread)?;
        }
        Ok(())
    }

    /// Writes games in the order of their numbers. Games that wait for an earlier one are lost if the process ends.
    fn collect(
        &self,
        writer: &mut Writer,
        games: &Receiver<Delivered>,
        shared: &Shared,
        progress: &RunProgress,
    ) -> Result<(), Error> {
        let mut waiting = BTreeMap::new();
        loop {
            let left = match self.goal {
                Goal::Time(time) => time.saturating_sub(progress.elapsed()),
                Goal::Games(_) | Goal::Positions(_) => Duration::MAX,
            };
            if left.is_zero() {
                shared.is_over.store(true, Relaxed);
            }
            let patience = if left.is_zero() { PATIENCE } else { left.min(PATIENCE) };
            match games.recv_timeout(patience) {
                Ok((number, Some(game))) => waiting.insert(number, game),
                // No later game can be written.
                Ok((number, None)) => return Err(Error::GivenUp { game: number }),
                Err(RecvTimeoutError::Timeout) => continue,
                // All players have finished.
                Err(RecvTimeoutError::Disconnected) => break,
            };
            while let Some(game) = waiting.remove(&writer.games()) {
                writer.write(&game)?;
                progress.count(writer);
                if self.is_reached(writer) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn is_reached(&self, writer: &Writer) -> bool {
        match self.goal {
            Goal::Games(games) => writer.games() >= games,
            Goal::Positions(positions) => writer.positions() >= positions,
            Goal::Time(_) => false,
        }
    }
}
