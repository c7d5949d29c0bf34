//! Reviews, each on a thread and with an engine of its own.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ferz_search::{Engine, Limits, Signals};
use tokio::sync::mpsc::UnboundedSender;

use super::{Admission, Engines, FAULT, FULL, NO_MEMORY, give_way};
use ferz_coach::review::{Review, Settings, Step, review};
use ferz_session::protocol::ReviewDepth;
use ferz_session::session::{Event, ReviewTask};

/// How often progress is told.
const INTERVAL: Duration = Duration::from_millis(100);

/// A review under way; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Reviewer {
    signals: Arc<Signals>,
}

impl Drop for Reviewer {
    fn drop(&mut self) {
        self.signals.stop();
    }
}

impl Reviewer {
    /// Begins a review, if there is an engine for it.
    pub(super) fn start(
        engines: &Arc<Engines>,
        task: ReviewTask,
        events: UnboundedSender<Event>,
    ) -> Result<Reviewer, &'static str> {
        let admission = engines.admit().ok_or(FULL)?;
        let signals = Arc::new(Signals::new());
        let work = Work { admission, signals: Arc::clone(&signals), task, events };
        let builder = thread::Builder::new().name("review".to_owned());
        builder.spawn(move || work.run()).map_err(|_| NO_MEMORY)?;
        Ok(Reviewer { signals })
    }
}

/// What the thread of a review has.
struct Work {
    admission: Admission,
    signals: Arc<Signals>,
    task: ReviewTask,
    events: UnboundedSender<Event>,
}

impl Work {
    fn run(self) {
        give_way();
        let ticket = self.task.ticket;
        let failed = |message: &str| Event::ReviewFailed { ticket, message: message.to_owned() };
        let Some(_turn) = self.admission.0.scheduler.enter(&self.signals, false) else { return };
        let event = match self.admission.0.new_engine() {
            None => failed(NO_MEMORY),
            Some(mut engine) => match panic::catch_unwind(AssertUnwindSafe(|| self.review(&mut engine))) {
                Ok(None) => return,
                Ok(Some(review)) => Event::Reviewed { ticket, review: Box::new(review) },
                Err(_) => failed(FAULT),
            },
        };
        // Nobody listens if the tab is closed.
        let _ = self.events.send(event);
    }

    /// `None` if it was stopped.
    fn review(&self, engine: &mut Engine) -> Option<Review> {
        let mut told = Instant::now();
        let mut tell = |step: Step<'_>| {
            if step.done == step.total || told.elapsed() >= INTERVAL {
                told = Instant::now();
                let ticket = self.task.ticket;
                let _ = self.events.send(Event::ReviewStep { ticket, done: step.done, total: step.total });
            }
        };
        review(engine, &self.task.tree, &settings(self.task.depth), &self.signals, &mut tell)
    }
}

/// Nodes for each position. Two lines show where there was but one good move.
fn settings(depth: ReviewDepth) -> Settings {
    let nodes = match depth {
        ReviewDepth::Quick => 15_000,
        ReviewDepth::Normal => 120_000,
        ReviewDepth::Deep => 1_000_000,
    };
    Settings { limits: Limits { nodes: Some(nodes), ..Limits::default() }, lines: 2 }
}
