//! The engine of one tab: moves to be found first, then the analysis.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use ferz_search::{Conclusion, Engine, Limits, Options, Report, Signals};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use super::analysis::Progress;
use super::reviewer::Reviewer;
use super::scheduler::Standing;
use super::{Admission, Engines, FAULT, FULL, NO_MEMORY, give_way};
use crate::search_thread::STACK_SIZE;
use crate::serve::protocol::Analysis;
use crate::serve::session::{
    ANALYSIS_TIME, AdviceKind, AdviceTask, AnalysisTask, Event, Order, ReviewTask, ThinkTask,
};

/// Searches for one tab; when it is dropped, so is the search.
#[derive(Debug)]
pub(crate) struct Searcher {
    desk: Arc<Desk>,
    review: Option<Reviewer>,
}

/// What lies on the desk of an engine.
#[derive(Debug)]
struct Desk {
    engines: Arc<Engines>,
    work: Mutex<Work>,
    changed: Condvar,
    events: UnboundedSender<Event>,
    news: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Work {
    urgent: VecDeque<Job>,
    analysis: Option<Progress>,
    /// What is being done now, and how to stop it.
    current: Option<(Kind, Arc<Signals>)>,
    /// Whether there is a thread at the desk.
    is_manned: bool,
    is_closed: bool,
}

/// Something that somebody waits for.
#[derive(Debug)]
enum Job {
    Think(ThinkTask),
    Advise(AdviceTask),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Think,
    Advise,
    Analyse,
}

/// Jobs that can wait.
const MAX_JOBS: usize = 4;
/// An engine that has nothing to do for so long gives its memory back.
const PATIENCE: Duration = Duration::from_secs(60);
/// For a hint.
const HINT_TIME: Duration = Duration::from_millis(500);
/// For a threat.
const THREAT_TIME: Duration = Duration::from_millis(300);

impl Searcher {
    pub(super) fn new(engines: Arc<Engines>, events: UnboundedSender<Event>, news: Arc<Notify>) -> Searcher {
        let desk = Desk { engines, work: Mutex::default(), changed: Condvar::new(), events, news };
        Searcher { desk: Arc::new(desk), review: None }
    }

    /// Carries out an order, as soon as it can be done.
    pub(crate) fn order(&mut self, order: Order) {
        match order {
            Order::Analyse(task) => self.analyse(task),
            Order::Think(task) => self.add(Job::Think(task)),
            Order::Advise(task) => self.add(Job::Advise(task)),
            Order::StopThinking => {
                let mut work = self.desk.lock();
                work.urgent.retain(|job| !matches!(job, Job::Think(_)));
                self.desk.stop_current(&work, &[Kind::Think]);
            }
            Order::Review(task) => self.review(task),
            Order::StopReview => self.review = None,
        }
    }

    fn analyse(&self, task: Option<AnalysisTask>) {
        let mut work = self.desk.lock();
        let is_wanted = task.is_some();
        match task {
            Some(task) => work.analysis = Some(Progress::new(task)),
            None => work.analysis.iter_mut().for_each(Progress::switch_off),
        }
        self.desk.stop_current(&work, &[Kind::Analyse]);
        if is_wanted {
            self.desk.man(work);
        }
        self.desk.news.notify_one();
    }

    fn add(&self, job: Job) {
        let mut work = self.desk.lock();
        if work.urgent.len() >= MAX_JOBS {
            drop(work);
            self.desk.fail(&job, "The engine is busy; ask again in a moment.");
            return;
        }
        work.urgent.push_back(job);
        self.desk.stop_current(&work, &[Kind::Analyse]);
        self.desk.man(work);
    }

    fn review(&mut self, task: ReviewTask) {
        self.review = None;
        let ticket = task.ticket;
        match Reviewer::start(&self.desk.engines, task, self.desk.events.clone()) {
            Ok(reviewer) => self.review = Some(reviewer),
            Err(message) => self.desk.tell(Event::ReviewFailed { ticket, message: message.to_owned() }),
        }
    }

    /// What there is to tell about the analysis.
    pub(crate) fn analysis(&self) -> Option<Analysis> {
        let work = self.desk.lock();
        let progress = work.analysis.as_ref()?;
        let standing = match &work.current {
            Some((Kind::Analyse, signals)) => self.desk.engines.scheduler.standing(signals),
            _ => Standing::Gone,
        };
        Some(progress.message(standing))
    }
}

impl Drop for Searcher {
    fn drop(&mut self) {
        let mut work = self.desk.lock();
        work.is_closed = true;
        work.urgent.clear();
        work.analysis = None;
        self.desk.stop_current(&work, &[Kind::Think, Kind::Advise, Kind::Analyse]);
        drop(work);
        self.desk.changed.notify_all();
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop_current(&self, work: &Work, kinds: &[Kind]) {
        if let Some((kind, signals)) = &work.current
            && kinds.contains(kind)
        {
            self.engines.scheduler.stop(signals);
        }
    }

    /// Nobody listens if the tab is closed: then it does not matter.
    fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }

    fn fail(&self, job: &Job, message: &str) {
        let message = message.to_owned();
        match job {
            // The game must not wait for ever.
            Job::Think(task) => self.tell(Event::Thought { ticket: task.ticket, best: None, score: None }),
            Job::Advise(task) => self.tell(Event::Failed { re: task.re, message }),
        }
    }

    /// Sees to it that somebody is at the desk.
    fn man(self: &Arc<Self>, mut work: MutexGuard<'_, Work>) {
        if work.is_manned {
            drop(work);
            self.changed.notify_all();
            return;
        }
        let started = self.start();
        match started {
            Ok(()) => work.is_manned = true,
            Err(message) => {
                let jobs: Vec<_> = work.urgent.drain(..).collect();
                let had_analysis = work.analysis.take().is_some();
                drop(work);
                jobs.iter().for_each(|job| self.fail(job, message));
                if had_analysis || jobs.iter().any(|job| matches!(job, Job::Think(_))) {
                    self.tell(Event::Failed { re: None, message: message.to_owned() });
                }
            }
        }
    }

    fn start(self: &Arc<Self>) -> Result<(), &'static str> {
        let admission = self.engines.admit().ok_or(FULL)?;
        let engine = self.engines.new_engine().ok_or(NO_MEMORY)?;
        let desk = Arc::clone(self);
        let builder = thread::Builder::new().name("search".to_owned()).stack_size(STACK_SIZE);
        builder.spawn(move || desk.serve(engine, &admission)).map_err(|_| NO_MEMORY)?;
        Ok(())
    }

    /// Works off what lies on the desk until the tab is closed, or nothing has come for some time.
    fn serve(self: &Arc<Self>, mut engine: Engine, _admission: &Admission) {
        give_way();
        while let Some((task, signals)) = self.next() {
            let done = panic::catch_unwind(AssertUnwindSafe(|| self.carry_out(&task, &mut engine, &signals)));
            self.lock().current = None;
            if done.is_err() {
                self.break_down(&task);
                match self.engines.new_engine() {
                    Some(fresh) => engine = fresh,
                    None => engine.clear(),
                }
            }
            self.news.notify_one();
        }
    }

    /// The next thing to do.
    fn next(&self) -> Option<(Task, Arc<Signals>)> {
        let mut work = self.lock();
        loop {
            if work.is_closed {
                return None;
            }
            let task = match work.urgent.pop_front() {
                Some(job) => Some(Task::Job(job)),
                None => work.analysis.as_mut().filter(|it| it.is_open()).map(|progress| {
                    progress.begin();
                    Task::Analysis(progress.task().clone(), progress.time())
                }),
            };
            if let Some(task) = task {
                let signals = Arc::new(Signals::new());
                work.current = Some((task.kind(), Arc::clone(&signals)));
                return Some((task, signals));
            }
            let waited = self.changed.wait_timeout(work, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            work = waited.0;
            if waited.1.timed_out()
                && work.urgent.is_empty()
                && !work.analysis.as_ref().is_some_and(Progress::is_open)
            {
                work.is_manned = false;
                return None;
            }
        }
    }

    fn carry_out(&self, task: &Task, engine: &mut Engine, signals: &Arc<Signals>) {
        match task {
            Task::Job(Job::Think(task)) => {
                let found = self.search(engine, signals, task);
                let best = found.best;
                let score = found.lines.first().map(|line| line.score);
                self.tell(Event::Thought { ticket: task.ticket, best, score });
            }
            Task::Job(Job::Advise(task)) => self.advise(task, engine, signals),
            Task::Analysis(task, spent) => self.analyse(task, *spent, engine, signals),
        }
    }

    fn search(&self, engine: &mut Engine, signals: &Arc<Signals>, task: &ThinkTask) -> Conclusion {
        let Some(_turn) = self.engines.scheduler.enter(signals, true) else { return Conclusion::default() };
        engine.search(&task.game, &task.limits, &task.options, signals, &mut |_| {})
    }

    fn advise(&self, task: &AdviceTask, engine: &mut Engine, signals: &Arc<Signals>) {
        let time = match task.kind {
            AdviceKind::Hint => HINT_TIME,
            AdviceKind::Threat => THREAT_TIME,
        };
        let Some(_turn) = self.engines.scheduler.enter(signals, true) else { return };
        let limits = Limits { move_time: Some(time), ..Limits::default() };
        let found = engine.search(&task.game, &limits, &Options::default(), signals, &mut |_| {});
        let (best, score) = match found.lines.into_iter().next() {
            Some(line) => (line.moves, Some(line.score)),
            None => (Vec::new(), None),
        };
        self.tell(Event::Advice { task: Box::new(task.clone()), best, score });
    }

    fn analyse(&self, task: &AnalysisTask, spent: Duration, engine: &mut Engine, signals: &Arc<Signals>) {
        self.news.notify_one();
        let Some(turn) = self.engines.scheduler.enter(signals, false) else { return };
        self.news.notify_one();
        let options = Options { lines: task.lines, ..Options::default() };
        let mut note = |report: &Report| {
            let Report::Line(line) = report else { return };
            let idle = turn.idle();
            let mut work = self.lock();
            // When it is stopped, what lies on the desk may be another analysis.
            if !signals.is_stopped()
                && let Some(progress) = &mut work.analysis
            {
                progress.note(line, idle);
                drop(work);
                self.news.notify_one();
            }
        };
        let left = ANALYSIS_TIME.saturating_sub(spent);
        let limits = Limits { move_time: Some(left), ..Limits::default() };
        let found = engine.search(&task.game, &limits, &options, signals, &mut note);
        let idle = turn.idle();
        drop(turn);
        let mut work = self.lock();
        if !signals.is_stopped()
            && let Some(progress) = &mut work.analysis
        {
            progress.finish(&found, idle);
        }
    }

    /// A search has broken down; the analysis is not tried again.
    fn break_down(&self, task: &Task) {
        match task {
            Task::Job(job) => self.fail(job, FAULT),
            Task::Analysis(..) => self.lock().analysis.iter_mut().for_each(Progress::give_up),
        }
        self.tell(Event::Failed { re: None, message: FAULT.to_owned() });
    }
}

/// What an engine does next.
#[derive(Debug)]
enum Task {
    Job(Job),
    /// And for how long it has been done already.
    Analysis(AnalysisTask, Duration),
}

impl Task {
    fn kind(&self) -> Kind {
        match self {
            Task::Job(Job::Think(_)) => Kind::Think,
            Task::Job(Job::Advise(_)) => Kind::Advise,
            Task::Analysis(..) => Kind::Analyse,
        }
    }
}
