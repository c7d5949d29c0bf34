//! The engine of one tab: a thread that runs the jobs of the tab's desk one after the other.
//!
//! The tab never waits for that thread, which has a low priority. Jobs go through a queue, signals stop searches, and
//! the tab reads the results of an analysis only when the thread is not writing them.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use ferz_search::Engine;
use ferz_session::analysis::{AnalysisRecord, Standing};
use ferz_session::desk::{Desk, DeskJob, DeskStep, Found, ReviewJob};
use ferz_session::protocol::{Analysis, OtherAnalysis};
use ferz_session::{Order, SearchEvent};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use super::other_engine::OtherEngine;
use super::reviewer;
use super::{Engines, FAULT, FULL, NO_MEMORY, Reservation, TABLES_TOO_LARGE, lower_priority};

/// The engine of one tab. Dropping it stops its searches.
#[derive(Debug)]
pub(crate) struct TabEngine {
    desk: Desk,
    shared: Arc<TabShared>,
    /// The queue of the thread, if it has been started.
    jobs: Option<Sender<DeskJob>>,
    other: OtherEngine,
}

/// The state shared by a tab and the thread of its engine.
#[derive(Debug)]
struct TabShared {
    engines: Arc<Engines>,
    events: UnboundedSender<SearchEvent>,
    /// The results of the analysis.
    record: Mutex<AnalysisRecord>,
    news: Arc<Notify>,
    /// Whether the tab has been notified of results that it has not read yet.
    is_notified: AtomicBool,
    /// Urgent jobs that have not started.
    waiting: AtomicUsize,
}

/// An engine that has been idle for this long is dropped.
const IDLE_LIMIT: Duration = Duration::from_secs(60);

impl TabEngine {
    pub(super) fn new(
        engines: Arc<Engines>,
        events: UnboundedSender<SearchEvent>,
        news: Arc<Notify>,
    ) -> TabEngine {
        let other = OtherEngine::new(Arc::clone(&engines.others), events.clone(), Arc::clone(&news));
        let shared = TabShared {
            engines,
            events,
            record: Mutex::default(),
            news,
            is_notified: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
        };
        TabEngine { desk: Desk::default(), shared: Arc::new(shared), jobs: None, other }
    }

    /// Carries out an order as soon as possible.
    pub(crate) fn order(&mut self, order: Order) {
        if let Order::AnalyseWithOther(task) = order {
            return self.other.order(task);
        }
        for step in self.desk.order(order, self.shared.waiting.load(Relaxed)) {
            match step {
                DeskStep::Start(job) => self.start(*job),
                DeskStep::StartReview(job) => self.start_review(*job),
                DeskStep::Deliver(event) => self.shared.send(event),
                DeskStep::AnalysisOff => self.shared.notify(),
            }
        }
    }

    /// Appends a job to the queue.
    fn start(&mut self, job: DeskJob) {
        if self.jobs.is_none() {
            self.jobs = TabThread::start(&self.shared);
        }
        if job.task.is_urgent() {
            self.shared.waiting.fetch_add(1, Relaxed);
        }
        let sent = match &self.jobs {
            Some(jobs) => jobs.send(job).map_err(|unsent| unsent.0),
            None => Err(job),
        };
        if let Err(job) = sent {
            self.jobs = None;
            if job.task.is_urgent() {
                self.shared.waiting.fetch_sub(1, Relaxed);
            }
            let events = self.desk.give_up(&job, NO_MEMORY);
            events.into_iter().for_each(|event| self.shared.send(event));
        }
    }

    fn start_review(&self, job: ReviewJob) {
        if let Err(failed) = reviewer::start(&self.shared.engines, job, self.shared.events.clone()) {
            self.shared.send(failed);
        }
    }

    /// The results of the analysis of the tree with this numbering; [`Busy`] if the thread is writing them.
    pub(crate) fn analysis(&self, numbering: u64) -> Result<Option<Analysis>, Busy> {
        self.shared.is_notified.store(false, Relaxed);
        let record = match self.shared.record.try_lock() {
            Ok(record) => record,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(Busy),
        };
        let standing = match self.desk.analysis() {
            None => Standing::Off,
            Some(signals) if !signals.is_paused() => Standing::Searching,
            Some(signals) => Standing::Waiting(self.shared.engines.scheduler.before(signals).unwrap_or(0)),
        };
        Ok(record.message(numbering, standing))
    }
}

impl TabEngine {
    /// The same for the other engine.
    pub(crate) fn other_analysis(&self, numbering: u64) -> Result<Option<OtherAnalysis>, Busy> {
        self.other.analysis(numbering)
    }
}

/// The results cannot be read without waiting for the engine thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Busy;

impl TabShared {
    /// Sends an event. An error means that the tab is closed.
    fn send(&self, event: SearchEvent) {
        let _ = self.events.send(event);
    }

    fn send_all(&self, events: Vec<SearchEvent>) {
        events.into_iter().for_each(|event| self.send(event));
    }

    /// Notifies the tab of new analysis results, once until it reads them.
    fn notify(&self) {
        if !self.is_notified.swap(true, Relaxed) {
            self.news.notify_one();
        }
    }

    /// Changes the results of the analysis.
    fn update<R>(&self, change: impl FnOnce(&mut AnalysisRecord) -> R) -> R {
        let result = change(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner));
        self.notify();
        result
    }
}

/// The thread of a tab's engine.
struct TabThread {
    shared: Arc<TabShared>,
    /// `None` when there has been nothing to do for a while.
    engine: Option<(Engine, Reservation)>,
}

impl TabThread {
    /// Starts a thread and returns its queue; `None` if the system refuses.
    fn start(shared: &Arc<TabShared>) -> Option<Sender<DeskJob>> {
        let (sender, receiver) = channel();
        let thread = TabThread { shared: Arc::clone(shared), engine: None };
        let builder = thread::Builder::new().name("search".to_owned());
        builder.spawn(move || thread.run(&receiver)).ok().map(|_| sender)
    }

    fn run(mut self, jobs: &Receiver<DeskJob>) {
        lower_priority();
        loop {
            match jobs.recv_timeout(IDLE_LIMIT) {
                Ok(job) => {
                    let events = self.carry_out(&job);
                    self.shared.send_all(events);
                }
                Err(RecvTimeoutError::Timeout) => self.engine = None,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn carry_out(&mut self, job: &DeskJob) -> Vec<SearchEvent> {
        let DeskJob { task, signals } = job;
        if task.is_urgent() {
            self.shared.waiting.fetch_sub(1, Relaxed);
        }
        // Even if it is already stopped: an analysis may be resumed after the job that interrupted it.
        let prior = self.shared.update(|record| record.prepare(task));
        if signals.is_stopped() {
            return task.stopped();
        }
        let Some(turn) = self.shared.engines.scheduler.enter(signals, task.is_urgent(), task.threads())
        else {
            return task.stopped();
        };
        // The table is allocated here, within the turn.
        if let Err(message) = self.ensure_engine(task.hash_mb()) {
            return task.failure(message);
        }
        let Some((engine, _)) = &mut self.engine else { return Vec::new() };
        let shared = &self.shared;
        if !task.is_urgent() {
            shared.notify();
        }
        let mut note = |found: Found<'_>| {
            let idle = turn.idle();
            shared.update(|record| record.note(found, idle));
        };
        let done =
            panic::catch_unwind(AssertUnwindSafe(|| task.carry_out(engine, signals, &prior, &mut note)));
        done.unwrap_or_else(|_| {
            // Its state may be inconsistent after a panic.
            self.engine = None;
            task.failure(FAULT)
        })
    }

    /// Makes sure that there is an engine, and memory for a table of this size.
    fn ensure_engine(&mut self, hash: Option<usize>) -> Result<(), &'static str> {
        if self.engine.is_none() {
            let reservation = self.shared.engines.reserve().ok_or(FULL)?;
            let engine = self.shared.engines.new_engine().ok_or(NO_MEMORY)?;
            self.engine = Some((engine, reservation));
        }
        if let (Some((_, reservation)), Some(hash)) = (&mut self.engine, hash)
            && !reservation.resize(hash)
        {
            return Err(TABLES_TOO_LARGE);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use ferz_board::{CastlingMode, Game};
    use ferz_notation::pgn::NodeId;
    use ferz_session::AnalysisTask;
    use tokio::sync::mpsc::unbounded_channel;

    use super::super::EngineResources;
    use super::*;

    /// The roots of two games have the same node number.
    #[test]
    fn findings_of_one_game_are_not_reported_for_the_next() {
        let (events, _heard) = unbounded_channel();
        let mut engine = Engines::new(EngineResources { slots: 1, hash: 1, ..Default::default() })
            .tab_engine(events, Arc::default());
        let white = Game::default();
        let black = Game::new(white.position().with_colors_exchanged());
        let task = |numbering| AnalysisTask {
            numbering,
            node: NodeId::ROOT,
            game: if numbering % 2 == 0 { white.clone() } else { black.clone() },
            lines: 1,
            mode: CastlingMode::Standard,
            threads: 1,
            hash_mb: 1,
            limit: None,
        };
        // Whether there is a line. It must be of this game.
        let is_found = |engine: &TabEngine, numbering| {
            let news = engine.analysis(numbering).ok().flatten();
            let first = news.and_then(|news| news.lines.first()?.moves.uci.first().cloned());
            let rank = if numbering % 2 == 0 { ['1', '2'] } else { ['7', '8'] };
            first
                .inspect(|uci| assert!(uci[1..].starts_with(rank), "{uci} is a move of the last game"))
                .is_some()
        };
        for numbering in 1..20 {
            engine.order(Order::Analyse(Some(task(numbering))));
            let deadline = Instant::now() + Duration::from_secs(30);
            while !is_found(&engine, numbering) {
                assert!(Instant::now() < deadline, "no line");
                thread::sleep(Duration::from_micros(100));
            }
        }
        engine.order(Order::Analyse(None));
        assert!(!is_found(&engine, 20));
    }
}
