//! Reviews, each on a thread and with an engine of its own.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ferz_search::{Engine, Signals};
use tokio::sync::mpsc::UnboundedSender;

use super::{Admission, Engines, FAULT, FULL, NO_MEMORY, give_way};
use ferz_coach::review::{Review, ReviewStep, review};
use ferz_session::{Event, ReviewTask};

/// How often progress is reported.
const INTERVAL: Duration = Duration::from_millis(100);

/// Begins a review, if an engine and a thread are to be had. Its signals stop it.
pub(super) fn start(
    engines: &Arc<Engines>,
    task: ReviewTask,
    signals: Arc<Signals>,
    events: UnboundedSender<Event>,
) -> Result<(), &'static str> {
    let admission = engines.admit().ok_or(FULL)?;
    let work = Work { admission, signals, task, events };
    let builder = thread::Builder::new().name("review".to_owned());
    builder.spawn(move || work.run()).map(drop).map_err(|_| NO_MEMORY)
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
        // A closed tab needs no answer.
        let _ = self.events.send(event);
    }

    /// `None` if it was stopped.
    fn review(&self, engine: &mut Engine) -> Option<Review> {
        let mut reported = Instant::now();
        let mut report = |step: ReviewStep<'_>| {
            if step.done == step.total || reported.elapsed() >= INTERVAL {
                reported = Instant::now();
                let ticket = self.task.ticket;
                let _ = self.events.send(Event::ReviewStep { ticket, done: step.done, total: step.total });
            }
        };
        review(engine, &self.task.tree, &self.task.depth.settings(), &self.signals, &mut report)
    }
}
