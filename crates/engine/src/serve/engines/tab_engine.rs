//! The engine of one tab, on a thread of its own: it carries out the jobs of the tab's desk one after the other.
//!
//! The tab never waits for that thread, which has a low priority: jobs go through a queue, searches are stopped by
//! their signals, and the tab reads what an analysis has found only when the thread is not writing it.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use ferz_search::{Engine, Signals};
use ferz_session::analysis::{AnalysisProgress, Standing};
use ferz_session::desk::{Beginning, Desk, DeskStep, Found, Job, Task};
use ferz_session::protocol::Analysis;
use ferz_session::{AnalysisTask, Event, Order, ReviewTask};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use super::reviewer;
use super::{Admission, Engines, FAULT, FULL, NO_MEMORY, give_way};

/// Searches for one tab. Dropping it stops them.
#[derive(Debug)]
pub(crate) struct TabEngine {
    desk: Desk,
    shared: Arc<Shared>,
    /// The queue of the thread, once it has been started.
    jobs: Option<Sender<Job>>,
}

/// What a tab and the thread of its engine share.
#[derive(Debug)]
struct Shared {
    engines: Arc<Engines>,
    events: UnboundedSender<Event>,
    /// What the analysis has found.
    progress: Mutex<Option<AnalysisProgress>>,
    news: Arc<Notify>,
    /// Whether the tab has been notified of news that it has not read yet.
    is_notified: AtomicBool,
    /// Urgent jobs that have not begun.
    waiting: AtomicUsize,
}

/// An engine that has been idle for this long gives its memory back.
const IDLE_LIMIT: Duration = Duration::from_secs(60);

impl TabEngine {
    pub(super) fn new(engines: Arc<Engines>, events: UnboundedSender<Event>, news: Arc<Notify>) -> TabEngine {
        let shared = Shared {
            engines,
            events,
            progress: Mutex::new(None),
            news,
            is_notified: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
        };
        TabEngine { desk: Desk::default(), shared: Arc::new(shared), jobs: None }
    }

    /// Carries out an order as soon as possible.
    pub(crate) fn order(&mut self, order: Order) {
        for step in self.desk.order(order, self.shared.waiting.load(Relaxed)) {
            match step {
                DeskStep::Start(job) => self.start(*job),
                DeskStep::StartReview(task, signals) => self.start_review(*task, signals),
                DeskStep::Deliver(event) => self.shared.tell(event),
                DeskStep::AnalysisOff => self.shared.tell_news(),
            }
        }
    }

    /// Puts a job into the queue.
    fn start(&mut self, job: Job) {
        if self.jobs.is_none() {
            self.jobs = Worker::start(&self.shared);
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
            events.into_iter().for_each(|event| self.shared.tell(event));
        }
    }

    fn start_review(&self, task: ReviewTask, signals: Arc<Signals>) {
        let ticket = task.ticket;
        if let Err(message) = reviewer::start(&self.shared.engines, task, signals, self.shared.events.clone())
        {
            self.shared.tell(Event::ReviewFailed { ticket, message: message.to_owned() });
        }
    }

    /// What the analysis of the tree with this numbering has found. [`Busy`] if the thread is just writing it.
    pub(crate) fn analysis(&self, numbering: u64) -> Result<Option<Analysis>, Busy> {
        self.shared.is_notified.store(false, Relaxed);
        let progress = match self.shared.progress.try_lock() {
            Ok(progress) => progress,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(Busy),
        };
        // Until the engine begins with a new game it knows the old one, which may have had a node with this number.
        let Some(progress) = progress.as_ref().filter(|known| known.numbering() == numbering) else {
            return Ok(None);
        };
        let standing = match self.desk.analysis() {
            None => Standing::Off,
            Some(signals) if !signals.is_paused() => Standing::Searching,
            Some(signals) => Standing::Waiting(self.shared.engines.scheduler.before(signals).unwrap_or(0)),
        };
        Ok(Some(progress.message(standing)))
    }
}

/// The answer would have to wait for the thread of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Busy;

impl Shared {
    /// A closed tab hears nothing, and needs nothing.
    fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }

    fn tell_all(&self, events: Vec<Event>) {
        events.into_iter().for_each(|event| self.tell(event));
    }

    /// Notifies the tab of news about the analysis, once until it reads them.
    fn tell_news(&self) {
        if !self.is_notified.swap(true, Relaxed) {
            self.news.notify_one();
        }
    }

    /// Changes what is known of the analysis.
    fn update(&self, change: impl FnOnce(&mut Option<AnalysisProgress>)) {
        change(&mut self.progress.lock().unwrap_or_else(PoisonError::into_inner));
        self.tell_news();
    }

    /// Makes a place for what an analysis will find; returns how long it has run before.
    fn begin_analysis(&self, task: &AnalysisTask, beginning: Beginning) -> Duration {
        let mut spent = Duration::ZERO;
        self.update(|progress| match progress {
            Some(known) if beginning == Beginning::Resumed => spent = known.resume(),
            _ => *progress = Some(AnalysisProgress::new(task.clone())),
        });
        spent
    }
}

/// The thread that searches.
struct Worker {
    shared: Arc<Shared>,
    /// There only while there is something to do, or has been until recently.
    engine: Option<(Engine, Admission)>,
}

impl Worker {
    /// The queue of a new thread; `None` if the system refuses one.
    fn start(shared: &Arc<Shared>) -> Option<Sender<Job>> {
        let (sender, receiver) = channel();
        let worker = Worker { shared: Arc::clone(shared), engine: None };
        let builder = thread::Builder::new().name("search".to_owned());
        builder.spawn(move || worker.run(&receiver)).ok().map(|_| sender)
    }

    fn run(mut self, jobs: &Receiver<Job>) {
        give_way();
        loop {
            match jobs.recv_timeout(IDLE_LIMIT) {
                Ok(job) => {
                    let events = self.carry_out(&job);
                    self.shared.tell_all(events);
                }
                Err(RecvTimeoutError::Timeout) => self.engine = None,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn carry_out(&mut self, job: &Job) -> Vec<Event> {
        let Job { task, signals } = job;
        if task.is_urgent() {
            self.shared.waiting.fetch_sub(1, Relaxed);
        }
        let spent = match task {
            // Even if it is stopped already: the job that interrupted it may be followed by its continuation.
            Task::Analyse(task, beginning) => self.shared.begin_analysis(task, *beginning),
            Task::Think(_) | Task::Advise(_) | Task::Explain(_) => Duration::ZERO,
        };
        if signals.is_stopped() {
            return task.stopped();
        }
        let Some(turn) = self.shared.engines.scheduler.enter(signals, task.is_urgent()) else {
            return task.stopped();
        };
        // Its table is cleared here, within its turn like everything else.
        if let Err(message) = self.ensure_engine() {
            return task.failure(message);
        }
        let Some((engine, _)) = &mut self.engine else { return Vec::new() };
        let shared = &self.shared;
        if !task.is_urgent() {
            shared.tell_news();
        }
        let mut note = |found: Found<'_>| {
            let idle = turn.idle();
            shared.update(|progress| progress.iter_mut().for_each(|it| it.note(found, idle)));
        };
        let done =
            panic::catch_unwind(AssertUnwindSafe(|| task.carry_out(engine, signals, spent, &mut note)));
        done.unwrap_or_else(|_| {
            // It may be half-way through a change.
            self.engine = None;
            task.failure(FAULT)
        })
    }

    fn ensure_engine(&mut self) -> Result<(), &'static str> {
        if self.engine.is_none() {
            let admission = self.shared.engines.admit().ok_or(FULL)?;
            let engine = self.shared.engines.new_engine().ok_or(NO_MEMORY)?;
            self.engine = Some((engine, admission));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use ferz_board::{CastlingMode, Game};
    use ferz_notation::pgn::NodeId;
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    /// Two games have a root each, with the same number.
    #[test]
    fn findings_of_one_game_are_not_reported_for_the_next() {
        let (events, _heard) = unbounded_channel();
        let mut engine = Engines::new(1, 1, None).tab_engine(events, Arc::default());
        let white = Game::default();
        let black = Game::new(white.position().with_colors_exchanged());
        let task = |numbering| AnalysisTask {
            numbering,
            node: NodeId::ROOT,
            game: if numbering % 2 == 0 { white.clone() } else { black.clone() },
            lines: 1,
            mode: CastlingMode::Standard,
        };
        // Whether there is a line, which is one of this game.
        let is_found = |engine: &TabEngine, numbering| {
            let news = engine.analysis(numbering).ok().flatten();
            let first = news.and_then(|news| news.lines.first()?.moves.uci.first().cloned());
            let rank = if numbering % 2 == 0 { ['1', '2'] } else { ['7', '8'] };
            first.inspect(|uci| assert!(uci[1..].starts_with(rank), "{uci} is of the last game")).is_some()
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
