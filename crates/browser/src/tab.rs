//! A tab without threads: its session, and the searches it has ordered, one after the other on one stack.
//!
//! While a search runs, its poll hook lets the page speak, so [`Tab::hear`] is called with a search on the stack. That is
//! possible because nothing is locked while an engine searches or the page is polled.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use ferz_eval::Network;
use ferz_search::{Engine, Host};
use ferz_session::analysis::{AnalysisRecord, NEWS_INTERVAL, PriorKnowledge, Standing};
use ferz_session::desk::{Beginning, Desk, DeskJob, DeskStep, DeskTask, Found, ReviewJob};
use ferz_session::protocol::{Analysis, Envelope, Message, Outgoing};
use ferz_session::{EngineHost, Outbox, SearchEvent, Session};

/// How often a search lets the page speak.
const POLL_PERIOD: Duration = Duration::from_millis(2);
/// The first slice of an analysis. Each one is twice as long as the one before: with slices of constant length a search
/// would stop getting deeper.
const FIRST_SLICE: Duration = Duration::from_millis(50);
/// The longest slice.
const LONGEST_SLICE: Duration = Duration::from_secs(1);
/// The largest transposition table, in MiB. A module has at most 4 GiB, and phones grant much less.
const MAX_HASH: usize = 256;
/// The notice if there is no memory for a transposition table.
const NO_MEMORY: &str = "Not enough memory for the engine. Close other tabs and reload the page.";

/// What a tab needs from the program around it.
pub trait Page: Send + Sync {
    /// The time since any fixed moment. It must not run backwards.
    fn now(&self) -> Duration;

    /// Sends a message to the page. Must not call the tab.
    fn say(&self, message: &str);

    /// Called from inside a search if the page is [heard live](Hearing::Live). May call [`Tab::hear`] and
    /// [`Tab::wake`], but not [`Tab::work`].
    fn poll(&self, tab: &Tab);
}

/// When the page is heard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hearing {
    /// Between two calls of [`Tab::work`]. An analysis therefore runs in slices.
    Slices,
    /// While a search runs, from inside [`Page::poll`].
    Live,
}

/// A tab: its session and its engine.
pub struct Tab {
    page: Box<dyn Page>,
    hearing: Hearing,
    /// The size of each transposition table, in MiB.
    hash: usize,
    network: Option<Arc<Network>>,
    /// The time of the last poll, in microseconds.
    polled: AtomicU64,
    state: Mutex<TabState>,
}

#[derive(Debug)]
struct TabState {
    session: Session,
    desk: Desk,
    /// Jobs that have not started. An analysis that has not been stopped is always the last one: whatever is ordered
    /// after it stops it.
    jobs: VecDeque<Box<DeskJob>>,
    /// A review that waits, for its start or for the next position.
    review: Option<Box<ReviewJob>>,
    /// Reviews have an engine of their own, so that a hint can be found in the middle of one.
    engine: Option<Engine>,
    review_engine: Option<Engine>,
    /// Whether a job is on the stack, and whether it is an analysis.
    is_searching: bool,
    is_analysing: bool,
    /// Whether a review is on the stack.
    is_reviewing: bool,
    record: AnalysisRecord,
    /// The last message about the analysis, when it was sent, and whether there may be something new.
    news: Option<Analysis>,
    news_at: Duration,
    is_news_due: bool,
    /// The length of the next slice, and the end of the present one.
    slice: Duration,
    slice_end: Option<Duration>,
}

/// The next thing to do.
enum Work {
    Job(Box<DeskJob>),
    Review(Box<ReviewJob>),
}

impl Tab {
    /// A tab that waits for `hello`. `seed` determines everything that is random; `hash` is the size of a transposition
    /// table in MiB.
    pub fn new(
        page: impl Page + 'static,
        network: Option<Arc<Network>>,
        seed: u64,
        hash: usize,
        hearing: Hearing,
    ) -> Arc<Tab> {
        let state = TabState {
            session: Session::new(network.clone(), seed).with_engine_host(EngineHost {
                threads: 1,
                hash_mb: MAX_HASH.max(hash),
                default_hash_mb: hash,
                engines: Vec::new(),
            }),
            desk: Desk::default(),
            jobs: VecDeque::new(),
            review: None,
            engine: None,
            review_engine: None,
            is_searching: false,
            is_analysing: false,
            is_reviewing: false,
            record: AnalysisRecord::default(),
            news: None,
            news_at: Duration::ZERO,
            is_news_due: false,
            slice: FIRST_SLICE,
            slice_end: None,
        };
        let (page, polled) = (Box::new(page), AtomicU64::new(0));
        Arc::new(Tab { page, hearing, hash, network, polled, state: Mutex::new(state) })
    }

    /// Handles a message of the page.
    pub fn hear(&self, message: &str) {
        let state = &mut *self.lock();
        let out = state.session.handle(Envelope::parse(message), self.page.now());
        self.deliver(state, out);
    }

    /// How long until [`Tab::wake`] must be called, if at all.
    pub fn next_wake(&self) -> Option<Duration> {
        let wake = self.lock().session.next_wake()?;
        Some(wake.saturating_sub(self.page.now()))
    }

    /// Handles the passage of time: clocks and delayed saves.
    pub fn wake(&self) {
        self.wake_if_due(&mut self.lock(), self.page.now());
    }

    fn wake_if_due(&self, state: &mut TabState, now: Duration) {
        if state.session.next_wake().is_some_and(|wake| wake <= now) {
            let out = state.session.wake(now);
            self.deliver(state, out);
        }
    }

    /// Carries out the next job: a search, a slice of an analysis or a position of a review. Returns whether more are
    /// waiting. Does nothing while a search is on the stack.
    pub fn work(self: &Arc<Tab>) -> bool {
        let work = {
            let mut state = self.lock();
            if state.is_searching || state.is_reviewing {
                return false;
            }
            state.next_work()
        };
        match work {
            Some(Work::Job(job)) => self.carry_out(&job),
            Some(Work::Review(job)) => self.review(job),
            None => {}
        }
        self.lock().has_work()
    }

    fn lock(&self) -> MutexGuard<'_, TabState> {
        match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => panic!("the tab is called from inside itself"),
        }
    }

    /// Sends messages and starts what was ordered.
    fn deliver(&self, state: &mut TabState, out: Outbox) {
        for message in out.messages {
            self.page.say(&message.to_text());
        }
        for task in out.explorations {
            let message = "This page has no such source of openings. Reload the page.".to_owned();
            self.page.say(&Outgoing { message: Message::Error { message }, re: task.re }.to_text());
        }
        for order in out.orders {
            let waiting = state.jobs.iter().filter(|job| job.task.is_urgent()).count();
            for step in state.desk.order(order, waiting) {
                self.take_step(state, step);
            }
        }
    }

    fn take_step(&self, state: &mut TabState, step: DeskStep) {
        match step {
            DeskStep::Start(job) => state.push(job),
            DeskStep::StartReview(job) => {
                // The desk has stopped the review that this one replaces.
                state.review = Some(job);
                if state.is_analysing
                    && let Some(DeskStep::Start(resumed)) = state.desk.interrupt_analysis()
                {
                    state.push(resumed);
                }
                self.report_analysis(state);
            }
            DeskStep::Deliver(event) => self.deliver_event(state, event),
            DeskStep::AnalysisOff => self.report_analysis(state),
        }
    }

    fn deliver_event(&self, state: &mut TabState, event: SearchEvent) {
        let out = state.session.on_event(event, self.page.now());
        self.deliver(state, out);
    }

    fn deliver_events(&self, events: Vec<SearchEvent>) {
        let state = &mut *self.lock();
        events.into_iter().for_each(|event| self.deliver_event(state, event));
    }

    /// Sends the results of the analysis if they have changed.
    fn report_analysis(&self, state: &mut TabState) {
        state.is_news_due = false;
        state.news_at = self.page.now();
        let standing = match state.desk.analysis() {
            None => Standing::Off,
            Some(_) if state.is_reviewing || state.review.is_some() => Standing::Waiting(1),
            Some(_) => Standing::Searching,
        };
        let news = state.record.message(state.session.numbering(), standing);
        if let Some(news) = news.filter(|news| state.news.as_ref() != Some(news)) {
            state.news = Some(news.clone());
            let message = Outgoing { message: Message::Analysis(Box::new(news)), re: None };
            self.page.say(&message.to_text());
        }
    }

    /// The same, if there is something to report and the last report was a while ago.
    fn report_analysis_if_due(&self, state: &mut TabState) {
        if state.is_news_due && self.page.now() >= state.news_at + NEWS_INTERVAL {
            self.report_analysis(state);
        }
    }

    fn carry_out(self: &Arc<Tab>, job: &DeskJob) {
        let DeskJob { task, signals } = job;
        if signals.is_stopped() {
            return self.deliver_events(task.stopped());
        }
        let Some(mut engine) = self.take_engine(|state| &mut state.engine) else {
            let events = self.lock().desk.give_up(job, NO_MEMORY);
            return self.deliver_events(events);
        };
        let prior = self.lock().start(task, self.page.now(), self.hearing);
        let mut note = |found: Found<'_>| {
            let state = &mut *self.lock();
            state.record.note(found, Duration::ZERO);
            state.is_news_due = true;
            self.report_analysis_if_due(state);
        };
        let events = task.carry_out(&mut engine, signals, &prior, &mut note);
        let state = &mut *self.lock();
        state.engine = Some(engine);
        (state.is_searching, state.is_analysing) = (false, false);
        events.into_iter().for_each(|event| self.deliver_event(state, event));
        if !task.is_urgent() {
            self.report_analysis(state);
        }
        state.slice_end = None;
        // The poll hook has ended the slice, and the desk has not stopped the analysis.
        let is_wanted = state.desk.analysis().is_some_and(|wanted| Arc::ptr_eq(wanted, signals));
        if is_wanted
            && signals.is_stopped()
            && let Some(DeskStep::Start(resumed)) = state.desk.interrupt_analysis()
        {
            state.slice = (2 * state.slice).min(LONGEST_SLICE);
            state.push(resumed);
        }
    }

    /// Searches the next position of a review.
    fn review(self: &Arc<Tab>, mut job: Box<ReviewJob>) {
        if job.signals.is_stopped() {
            return;
        }
        let Some(mut engine) = self.take_engine(|state| &mut state.review_engine) else {
            return self.deliver_events(vec![job.failure(NO_MEMORY)]);
        };
        self.lock().is_reviewing = true;
        let event = job.step(&mut engine, || self.page.now());
        let state = &mut *self.lock();
        state.is_reviewing = false;
        // A review that was ordered in the meantime begins with a new engine.
        if !job.is_over() && state.review.is_none() {
            state.review = Some(job);
            state.review_engine = Some(engine);
        }
        event.into_iter().for_each(|event| self.deliver_event(state, event));
    }

    /// An engine, new if there was none; `None` if there is not enough memory.
    fn take_engine(self: &Arc<Tab>, place: fn(&mut TabState) -> &mut Option<Engine>) -> Option<Engine> {
        if let Some(engine) = place(&mut self.lock()).take() {
            return Some(engine);
        }
        let mut engine = Engine::new(self.hash).ok()?;
        engine.set_network(self.network.clone());
        // The tab owns the engine.
        let (clock, poller) = (Arc::downgrade(self), Arc::downgrade(self));
        let now = move || clock.upgrade().map_or(Duration::ZERO, |tab| tab.page.now());
        let poll = move || poller.upgrade().into_iter().for_each(|tab| tab.poll());
        engine.set_host(Host::default().now(now).poll(poll));
        Some(engine)
    }

    /// The poll hook of both engines.
    fn poll(self: &Arc<Tab>) {
        let now = self.page.now();
        let since = now.saturating_sub(Duration::from_micros(self.polled.load(Relaxed)));
        if since < POLL_PERIOD {
            return;
        }
        self.polled.store(now.as_micros() as u64, Relaxed);
        if self.hearing == Hearing::Live {
            self.page.poll(self);
        }
        {
            let state = &mut *self.lock();
            self.wake_if_due(state, now);
            self.report_analysis_if_due(state);
            if state.slice_end.is_some_and(|end| end <= now)
                && let Some(signals) = state.desk.analysis()
            {
                signals.stop();
            }
        }
        // The user does not wait for the end of a review.
        loop {
            let Some(job) = self.lock().next_job_in_review() else { break };
            self.carry_out(&job);
        }
    }
}

/// The page has no representation.
impl fmt::Debug for Tab {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tab")
            .field("hearing", &self.hearing)
            .field("hash", &self.hash)
            .finish_non_exhaustive()
    }
}

impl TabState {
    fn push(&mut self, job: Box<DeskJob>) {
        if let DeskTask::Analyse(task, beginning) = &job.task {
            self.record.begin(task, *beginning);
            self.is_news_due = true;
            if *beginning == Beginning::Fresh {
                self.slice = FIRST_SLICE;
            }
        }
        self.jobs.push_back(job);
    }

    /// A job starts. Returns what the analysis knows already.
    fn start(&mut self, task: &DeskTask, now: Duration, hearing: Hearing) -> PriorKnowledge {
        self.is_searching = true;
        if let DeskTask::Analyse(..) = task {
            self.is_analysing = true;
            self.is_news_due = true;
            self.slice_end = (hearing == Hearing::Slices).then_some(now + self.slice);
        }
        self.record.prepare(task)
    }

    /// The next job before which a review has to wait.
    fn next_urgent_job(&mut self) -> Option<Box<DeskJob>> {
        self.jobs.pop_front_if(|job| job.task.is_urgent() || job.signals.is_stopped())
    }

    /// The next job to carry out in the middle of a review.
    fn next_job_in_review(&mut self) -> Option<Box<DeskJob>> {
        if self.is_reviewing && !self.is_searching { self.next_urgent_job() } else { None }
    }

    fn next_work(&mut self) -> Option<Work> {
        if let Some(job) = self.next_urgent_job() {
            return Some(Work::Job(job));
        }
        match self.review.take() {
            Some(review) => Some(Work::Review(review)),
            None => self.jobs.pop_front().map(Work::Job),
        }
    }

    fn has_work(&self) -> bool {
        !self.jobs.is_empty() || self.review.is_some()
    }
}
