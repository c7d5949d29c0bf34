//! Game reviews, each with its own thread and engine.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ferz_search::{Engine, Signals};
use tokio::sync::mpsc::UnboundedSender;

use super::{Engines, FAULT, FULL, NO_MEMORY, Reservation, lower_priority};
use ferz_coach::review::{Review, ReviewStep, review};
use ferz_session::{ReviewTask, SearchEvent};

/// The interval of progress reports.
const INTERVAL: Duration = Duration::from_millis(100);

/// Starts a review. The signals stop it.
pub(super) fn start(
    engines: &Arc<Engines>,
    task: ReviewTask,
    signals: Arc<Signals>,
    events: UnboundedSender<SearchEvent>,
) -> Result<(), &'static str> {
    let reservation = engines.reserve().ok_or(FULL)?;
    let work = ReviewThread { reservation, signals, task, events };
    let builder = thread::Builder::new().name("review".to_owned());
    builder.spawn(move || work.run()).map(drop).map_err(|_| NO_MEMORY)
}

/// The thread of a review.
struct ReviewThread {
    reservation: Reservation,
    signals: Arc<Signals>,
    task: ReviewTask,
    events: UnboundedSender<SearchEvent>,
}

impl ReviewThread {
    fn run(self) {
        lower_priority();
        let ticket = self.task.ticket;
        let failed = |message: &str| SearchEvent::ReviewFailed { ticket, message: message.to_owned() };
        let Some(_turn) = self.reservation.0.scheduler.enter(&self.signals, false) else { return };
        let event = match self.reservation.0.new_engine() {
            None => failed(NO_MEMORY),
            Some(mut engine) => match panic::catch_unwind(AssertUnwindSafe(|| self.review(&mut engine))) {
                Ok(None) => return,
                Ok(Some(review)) => SearchEvent::Reviewed { ticket, review: Box::new(review) },
                Err(_) => failed(FAULT),
            },
        };
        // An error means that the tab is closed.
        let _ = self.events.send(event);
    }

    /// `None` if it was stopped.
    fn review(&self, engine: &mut Engine) -> Option<Review> {
        let mut reported = Instant::now();
        let mut report = |step: ReviewStep<'_>| {
            if step.done == step.total || reported.elapsed() >= INTERVAL {
                reported = Instant::now();
                let ticket = self.task.ticket;
                let _ =
                    self.events.send(SearchEvent::ReviewStep { ticket, done: step.done, total: step.total });
            }
        };
        review(engine, &self.task.tree, &self.task.depth.settings(), &self.signals, &mut report)
    }
}
