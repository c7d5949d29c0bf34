//! Game reviews, each with its own thread and engine.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread;

use ferz_search::monotonic_now;
use ferz_session::SearchEvent;
use ferz_session::desk::ReviewJob;
use tokio::sync::mpsc::UnboundedSender;

use super::{Engines, FAULT, FULL, NO_MEMORY, Reservation, lower_priority};

/// Starts a review. Its signals stop it. An error is the event for the session.
pub(super) fn start(
    engines: &Arc<Engines>,
    job: ReviewJob,
    events: UnboundedSender<SearchEvent>,
) -> Result<(), SearchEvent> {
    let reservation = engines.reserve().ok_or_else(|| job.failure(FULL))?;
    let refused = job.failure(NO_MEMORY);
    let work = ReviewThread { reservation, job, events };
    let builder = thread::Builder::new().name("review".to_owned());
    builder.spawn(move || work.run()).map(drop).map_err(|_| refused)
}

/// The thread of a review.
struct ReviewThread {
    reservation: Reservation,
    job: ReviewJob,
    events: UnboundedSender<SearchEvent>,
}

impl ReviewThread {
    fn run(mut self) {
        lower_priority();
        let engines = Arc::clone(&self.reservation.engines);
        let Some(_turn) = engines.scheduler.enter(&self.job.signals, false, 1) else { return };
        let Some(mut engine) = engines.new_engine() else { return self.send(self.job.failure(NO_MEMORY)) };
        while !self.job.is_over() {
            let job = &mut self.job;
            match panic::catch_unwind(AssertUnwindSafe(|| job.step(&mut engine, monotonic_now))) {
                Ok(event) => event.into_iter().for_each(|event| self.send(event)),
                Err(_) => return self.send(self.job.failure(FAULT)),
            }
        }
    }

    /// Sends an event. An error means that the tab is closed.
    fn send(&self, event: SearchEvent) {
        let _ = self.events.send(event);
    }
}
