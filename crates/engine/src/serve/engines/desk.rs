//! The engine of one tab: it does what it is told, one thing after the other, on a thread of its own.
//!
//! The tab never waits for that thread, which has a low priority: orders go through a queue, searches are stopped by
//! their signals, and what an analysis has found is looked at only when nobody is writing it.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use ferz_search::{Engine, Limits, Report, SearchOptions, Signals};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use super::reviewer::Reviewer;
use super::scheduler::Turn;
use super::{Admission, Engines, FAULT, FULL, NO_MEMORY, give_way};
use ferz_coach::explain;
use ferz_session::analysis::{Progress, Standing};
use ferz_session::protocol::Analysis;
use ferz_session::session::{
    ANALYSIS_TIME, AdviceKind, AdviceTask, AnalysisTask, Event, ExplainTask, Order, ReviewTask, ThinkTask,
};

/// Searches for one tab; when it is dropped, so are the searches.
#[derive(Debug)]
pub(crate) struct Searcher {
    desk: Arc<Desk>,
    /// Where jobs go, once there is somebody to do them.
    jobs: Option<Sender<Job>>,
    /// The analysis that is wanted, and how to stop the search for it.
    analysis: Option<(AnalysisTask, Arc<Signals>)>,
    /// The search for a move to play.
    thought: Option<Arc<Signals>>,
    advice: Option<Arc<Signals>>,
    explanation: Option<Arc<Signals>>,
    review: Option<Reviewer>,
}

/// What a tab and its engine share.
#[derive(Debug)]
struct Desk {
    engines: Arc<Engines>,
    events: UnboundedSender<Event>,
    /// What the analysis has found.
    progress: Mutex<Option<Progress>>,
    news: Arc<Notify>,
    /// Whether the tab has been told that there is something new.
    is_told: AtomicBool,
    /// Jobs that somebody waits for.
    open: AtomicUsize,
}

/// Something to do, with the signals that stop it.
#[derive(Debug)]
struct Job {
    task: Task,
    signals: Arc<Signals>,
}

#[derive(Debug)]
enum Task {
    Think(ThinkTask),
    Advise(AdviceTask),
    Explain(ExplainTask),
    Analyse(AnalysisTask, Beginning),
}

/// How an analysis begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Beginning {
    Anew,
    /// After an interruption.
    Again,
}

/// Jobs that can wait.
const MAX_JOBS: usize = 4;
/// An engine that has nothing to do for so long gives its memory back.
const PATIENCE: Duration = Duration::from_secs(60);
/// For a hint.
const HINT_TIME: Duration = Duration::from_millis(500);
/// For a threat.
const THREAT_TIME: Duration = Duration::from_millis(300);
/// For each of the four searches of an explanation: the move played, the best one instead, the best one now, the threat.
const EXPLAIN_TIME: Duration = Duration::from_millis(250);

impl Searcher {
    pub(super) fn new(engines: Arc<Engines>, events: UnboundedSender<Event>, news: Arc<Notify>) -> Searcher {
        let desk = Desk {
            engines,
            events,
            progress: Mutex::new(None),
            news,
            is_told: AtomicBool::new(false),
            open: AtomicUsize::new(0),
        };
        Searcher {
            desk: Arc::new(desk),
            jobs: None,
            analysis: None,
            thought: None,
            advice: None,
            explanation: None,
            review: None,
        }
    }

    /// Has an order carried out, as soon as it can be done.
    pub(crate) fn order(&mut self, order: Order) {
        if !matches!(order, Order::StopThinking | Order::Review(_) | Order::StopReview) {
            // It takes longest, and who wants something else has moved on.
            stop(self.explanation.take());
        }
        match order {
            Order::Analyse(task) => self.analyse(task),
            Order::Think(task) => self.thought = self.interrupt_with(Task::Think(task)),
            Order::Advise(task) => self.advice = self.interrupt_with(Task::Advise(task)),
            Order::Explain(task) => self.explanation = self.interrupt_with(Task::Explain(task)),
            Order::StopThinking => stop(self.thought.take()),
            Order::Review(task) => self.review(task),
            Order::StopReview => self.review = None,
        }
    }

    fn analyse(&mut self, task: Option<AnalysisTask>) {
        stop(self.analysis.take().map(|(_, signals)| signals));
        match task {
            Some(task) => {
                let signals = self.send(Task::Analyse(task.clone(), Beginning::Anew));
                self.analysis = signals.map(|signals| (task, signals));
            }
            // Only to be told that it is over.
            None => self.desk.tell_news(),
        }
    }

    /// Does something urgent and goes on with the analysis then.
    fn interrupt_with(&mut self, task: Task) -> Option<Arc<Signals>> {
        if self.desk.open.fetch_add(1, Relaxed) >= MAX_JOBS {
            self.desk.open.fetch_sub(1, Relaxed);
            self.desk.fail(&task, "The engine is busy; ask again in a moment.");
            return None;
        }
        let interrupted = self.analysis.take();
        stop(interrupted.as_ref().map(|(_, signals)| Arc::clone(signals)));
        let signals = self.send(task);
        if let Some((task, _)) = interrupted {
            let again = self.send(Task::Analyse(task.clone(), Beginning::Again));
            self.analysis = again.map(|signals| (task, signals));
        }
        signals
    }

    /// Puts a job into the queue; `None` if there is nobody to do it.
    fn send(&mut self, task: Task) -> Option<Arc<Signals>> {
        if self.jobs.is_none() {
            self.jobs = Worker::start(&self.desk);
        }
        let signals = Arc::new(Signals::new());
        let job = Job { task, signals: Arc::clone(&signals) };
        let sent = match &self.jobs {
            Some(jobs) => jobs.send(job).map_err(|unsent| unsent.0),
            None => Err(job),
        };
        match sent {
            Ok(()) => Some(signals),
            Err(job) => {
                self.jobs = None;
                self.desk.fail(&job.task, NO_MEMORY);
                None
            }
        }
    }

    fn review(&mut self, task: ReviewTask) {
        self.review = None;
        let ticket = task.ticket;
        match Reviewer::start(&self.desk.engines, task, self.desk.events.clone()) {
            Ok(reviewer) => self.review = Some(reviewer),
            Err(message) => self.desk.tell(Event::ReviewFailed { ticket, message: message.to_owned() }),
        }
    }

    /// What there is to tell about the analysis of a game whose nodes are numbered so. [`Busy`] if it is just being
    /// written.
    pub(crate) fn analysis(&self, numbering: u64) -> Result<Option<Analysis>, Busy> {
        self.desk.is_told.store(false, Relaxed);
        let progress = match self.desk.progress.try_lock() {
            Ok(progress) => progress,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(Busy),
        };
        // Until the engine begins with a new game it knows the old one, which may have had a node with this number.
        let Some(progress) = progress.as_ref().filter(|known| known.numbering() == numbering) else {
            return Ok(None);
        };
        let standing = match &self.analysis {
            None => Standing::Off,
            Some((_, signals)) if !signals.is_paused() => Standing::Searching,
            Some((_, signals)) => Standing::Waiting(self.desk.engines.scheduler.before(signals).unwrap_or(0)),
        };
        Ok(Some(progress.message(standing)))
    }
}

/// What was asked for cannot be said without waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Busy;

fn stop(signals: Option<Arc<Signals>>) {
    if let Some(signals) = signals {
        signals.stop();
    }
}

impl Drop for Searcher {
    fn drop(&mut self) {
        let analysis = self.analysis.take().map(|(_, signals)| signals);
        let others = [self.thought.take(), self.advice.take(), self.explanation.take()];
        others.into_iter().chain([analysis]).for_each(stop);
    }
}

impl Desk {
    /// Nobody listens if the tab is closed: then it does not matter.
    fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Says that the analysis has news, unless that has been said and not been heard yet.
    fn tell_news(&self) {
        if !self.is_told.swap(true, Relaxed) {
            self.news.notify_one();
        }
    }

    fn fail(&self, task: &Task, message: &str) {
        let message = message.to_owned();
        match task {
            Task::Think(task) => {
                // The game must not wait for ever.
                self.tell(Event::Thought { ticket: task.ticket, best: None, score: None });
                self.tell(Event::Failed { re: None, message });
            }
            Task::Advise(AdviceTask { re, .. }) | Task::Explain(ExplainTask { re, .. }) => {
                self.tell(Event::Failed { re: *re, message });
            }
            Task::Analyse(..) => self.tell(Event::Failed { re: None, message }),
        }
    }

    /// A job was stopped. Of all jobs that can be, only an explanation is an answer that somebody waits for.
    fn break_off(&self, task: &Task) {
        if matches!(task, Task::Explain(_)) {
            self.fail(task, "The explanation was broken off; ask again.");
        }
    }

    /// Changes what is known of the analysis.
    fn update(&self, change: impl FnOnce(&mut Option<Progress>)) {
        change(&mut self.progress.lock().unwrap_or_else(PoisonError::into_inner));
        self.tell_news();
    }
}

/// The thread that searches.
struct Worker {
    desk: Arc<Desk>,
    /// There only while there is something to do, or has been not long ago.
    engine: Option<(Engine, Admission)>,
}

impl Worker {
    /// Where to put jobs; `None` if the system has no thread.
    fn start(desk: &Arc<Desk>) -> Option<Sender<Job>> {
        let (sender, receiver) = channel();
        let worker = Worker { desk: Arc::clone(desk), engine: None };
        let builder = thread::Builder::new().name("desk".to_owned());
        builder.spawn(move || worker.run(&receiver)).ok().map(|_| sender)
    }

    fn run(mut self, jobs: &Receiver<Job>) {
        give_way();
        loop {
            match jobs.recv_timeout(PATIENCE) {
                Ok(job) => self.carry_out(&job),
                Err(RecvTimeoutError::Timeout) => self.engine = None,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn carry_out(&mut self, job: &Job) {
        let Job { task, signals } = job;
        let is_urgent = !matches!(task, Task::Analyse(..));
        if is_urgent {
            self.desk.open.fetch_sub(1, Relaxed);
        }
        let spent = match task {
            // Even if it is stopped already: what interrupted it may be followed by its going on.
            Task::Analyse(task, beginning) => self.desk.begin_analysis(task, *beginning),
            _ => Duration::ZERO,
        };
        if signals.is_stopped() {
            return self.desk.break_off(task);
        }
        let Some(turn) = self.desk.engines.scheduler.enter(signals, is_urgent) else {
            return self.desk.break_off(task);
        };
        // Its table is cleared here, on borrowed time like everything else.
        if let Err(message) = self.see_to_engine() {
            self.desk.fail(task, message);
            return;
        }
        let Some((engine, _)) = &mut self.engine else { return };
        let desk = &self.desk;
        let done = panic::catch_unwind(AssertUnwindSafe(|| match task {
            Task::Think(task) => desk.think(task, engine, signals),
            Task::Advise(task) => desk.advise(task, engine, signals),
            Task::Explain(explained) => {
                desk.explain(explained, engine, signals).unwrap_or_else(|| desk.break_off(task));
            }
            Task::Analyse(task, _) => desk.analyse(task, spent, engine, signals, &turn),
        }));
        if done.is_err() {
            self.desk.fail(task, FAULT);
            // It may be half-way through a change.
            self.engine = None;
        }
    }

    fn see_to_engine(&mut self) -> Result<(), &'static str> {
        if self.engine.is_none() {
            let admission = self.desk.engines.admit().ok_or(FULL)?;
            let engine = self.desk.engines.new_engine().ok_or(NO_MEMORY)?;
            self.engine = Some((engine, admission));
        }
        Ok(())
    }
}

/// What the engine is told to do.
impl Desk {
    fn think(&self, task: &ThinkTask, engine: &mut Engine, signals: &Signals) {
        let found = engine.search(&task.game, &task.limits, &task.options, signals, &mut |_| {});
        let score = found.lines.first().map(|line| line.score);
        self.tell(Event::Thought { ticket: task.ticket, best: found.best, score });
    }

    fn advise(&self, task: &AdviceTask, engine: &mut Engine, signals: &Signals) {
        let time = match task.kind {
            AdviceKind::Hint => HINT_TIME,
            AdviceKind::Threat => THREAT_TIME,
        };
        let limits = Limits { move_time: Some(time), ..Limits::default() };
        let found = engine.search(&task.game, &limits, &SearchOptions::default(), signals, &mut |_| {});
        let (best, score) = match found.lines.into_iter().next() {
            Some(line) => (line.moves, Some(line.score)),
            None => (Vec::new(), None),
        };
        self.tell(Event::Advice { task: Box::new(task.clone()), best, score });
    }

    /// `None` if it was stopped.
    fn explain(&self, task: &ExplainTask, engine: &mut Engine, signals: &Signals) -> Option<()> {
        let limits = Limits { move_time: Some(EXPLAIN_TIME), ..Limits::default() };
        let played = match &task.played {
            Some(it) => Some(explain::compare(engine, &it.position, Some(it.mv), &limits, signals)?),
            None => None,
        };
        let here = explain::explain(engine, &task.position, None, &limits, signals)?;
        let (played, here) = (played.map(Box::new), Box::new(here));
        self.tell(Event::Explained { task: Box::new(task.clone()), played, here });
        Some(())
    }

    /// Makes a place for what an analysis will find; for how long it has been going on before.
    fn begin_analysis(&self, task: &AnalysisTask, beginning: Beginning) -> Duration {
        let mut spent = Duration::ZERO;
        self.update(|progress| match progress {
            Some(known) if beginning == Beginning::Again => spent = known.resume(),
            _ => *progress = Some(Progress::new(task.clone())),
        });
        spent
    }

    fn analyse(
        &self,
        task: &AnalysisTask,
        spent: Duration,
        engine: &mut Engine,
        signals: &Signals,
        turn: &Turn,
    ) {
        self.tell_news();
        let options = SearchOptions { lines: task.lines, ..SearchOptions::default() };
        let limits = Limits { move_time: Some(ANALYSIS_TIME.saturating_sub(spent)), ..Limits::default() };
        let mut note = |report: &Report| {
            if let Report::Line(line) = report
                && !signals.is_stopped()
            {
                let (line, idle) = (line.clone(), turn.idle());
                self.update(|progress| progress.iter_mut().for_each(|it| it.note(&line, idle)));
            }
        };
        let found = engine.search(&task.game, &limits, &options, signals, &mut note);
        if !signals.is_stopped() {
            let idle = turn.idle();
            self.update(|progress| progress.iter_mut().for_each(|it| it.finish(&found, idle)));
        }
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
    fn what_was_found_in_one_game_is_not_told_of_the_next() {
        let (events, _heard) = unbounded_channel();
        let mut searcher = Engines::new(1, 1, None).searcher(events, Arc::default());
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
        let is_found = |searcher: &Searcher, numbering| {
            let news = searcher.analysis(numbering).ok().flatten();
            let first = news.and_then(|news| news.lines.first()?.moves.uci.first().cloned());
            let rank = if numbering % 2 == 0 { ['1', '2'] } else { ['7', '8'] };
            first.inspect(|uci| assert!(uci[1..].starts_with(rank), "{uci} is of the last game")).is_some()
        };
        for numbering in 1..20 {
            searcher.order(Order::Analyse(Some(task(numbering))));
            let deadline = Instant::now() + Duration::from_secs(30);
            while !is_found(&searcher, numbering) {
                assert!(Instant::now() < deadline, "no line");
                thread::sleep(Duration::from_micros(100));
            }
        }
        searcher.order(Order::Analyse(None));
        assert!(!is_found(&searcher, 20));
    }
}
