//! Who may search, and for how long at a time.
//!
//! There are as many slots as processors. While others wait, a search is paused at the end of its slice and goes to
//! the end of the line. Urgent ones (somebody waits for a move) need not stand in line, but have no longer slices.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use ferz_search::Signals;

/// How long a search may run while others wait.
const SLICE: Duration = Duration::from_millis(300);

/// Shares the processors among searches.
#[derive(Debug)]
pub(super) struct Scheduler {
    slots: usize,
    queue: Mutex<Queue>,
    /// Somebody came, went, or may run.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    running: Vec<Seat>,
    waiting: VecDeque<Seat>,
    next_id: u64,
}

/// One search.
#[derive(Debug)]
struct Seat {
    id: u64,
    signals: Arc<Signals>,
    /// When it began to run or to wait.
    since: Instant,
    /// Whether it has run before, so that it must be resumed.
    is_begun: bool,
    /// How long it has been paused.
    idle: Duration,
}

/// Where a search stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    Running,
    /// With so many before it.
    Waiting(usize),
    Gone,
}

/// The right to search. Given back when it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    scheduler: Arc<Scheduler>,
    id: u64,
}

impl Scheduler {
    /// A scheduler and the thread that keeps its time.
    pub(super) fn start(slots: usize) -> Arc<Scheduler> {
        let scheduler =
            Arc::new(Scheduler { slots: slots.max(1), queue: Mutex::default(), changed: Condvar::new() });
        let weak = Arc::downgrade(&scheduler);
        // Without the thread searches take turns only when they end: better than no searches.
        let _ = thread::Builder::new().name("turns".to_owned()).spawn(move || keep_time(&weak));
        scheduler
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stands in line until it is its turn; `None` if the search was stopped before.
    pub(super) fn enter(self: &Arc<Self>, signals: &Arc<Signals>, is_urgent: bool) -> Option<Turn> {
        let mut queue = self.lock();
        let now = Instant::now();
        let id = queue.next_id;
        queue.next_id += 1;
        let seat =
            Seat { id, signals: Arc::clone(signals), since: now, is_begun: false, idle: Duration::ZERO };
        if is_urgent {
            queue.waiting.push_front(seat);
            if queue.running.len() >= self.slots {
                queue.pause_longest(now, 1);
            }
        } else {
            queue.waiting.push_back(seat);
        }
        queue.fill(self.slots, now);
        self.changed.notify_all();
        let turn = Turn { scheduler: Arc::clone(self), id };
        while !queue.is_running(id) {
            if signals.is_stopped() {
                drop(queue);
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        drop(queue);
        Some(turn)
    }

    /// Ends a search, whether it runs or waits.
    pub(super) fn stop(&self, signals: &Signals) {
        // With the lock held, so that nobody looks at the signal before and falls asleep after.
        let queue = self.lock();
        signals.stop();
        drop(queue);
        self.changed.notify_all();
    }

    fn leave(&self, id: u64) {
        let mut queue = self.lock();
        queue.running.retain(|seat| seat.id != id);
        queue.waiting.retain(|seat| seat.id != id);
        queue.fill(self.slots, Instant::now());
        self.changed.notify_all();
    }

    /// Where the search with these signals stands.
    pub(super) fn standing(&self, signals: &Arc<Signals>) -> Standing {
        let queue = self.lock();
        let is_meant = |seat: &Seat| Arc::ptr_eq(&seat.signals, signals);
        if queue.running.iter().any(is_meant) {
            return Standing::Running;
        }
        queue.waiting.iter().position(is_meant).map_or(Standing::Gone, Standing::Waiting)
    }
}

impl Queue {
    fn is_running(&self, id: u64) -> bool {
        self.running.iter().any(|seat| seat.id == id)
    }

    /// Gives free slots to those who wait.
    fn fill(&mut self, slots: usize, now: Instant) {
        while self.running.len() < slots
            && let Some(mut seat) = self.waiting.pop_front()
        {
            if seat.is_begun {
                seat.idle += now.saturating_duration_since(seat.since);
                seat.signals.resume();
            }
            seat.is_begun = true;
            seat.since = now;
            self.running.push(seat);
        }
    }

    /// Pauses the search that has run longest and puts it at this place in the line.
    fn pause_longest(&mut self, now: Instant, place: usize) {
        if let Some(longest) = (0..self.running.len()).min_by_key(|&index| self.running[index].since) {
            self.pause(longest, now, place);
        }
    }

    fn pause(&mut self, index: usize, now: Instant, place: usize) {
        let mut seat = self.running.remove(index);
        seat.signals.pause();
        seat.since = now;
        self.waiting.insert(place.min(self.waiting.len()), seat);
    }

    /// Pauses those whose slice is over while others wait. When to look again, if anybody waits.
    fn rotate(&mut self, slots: usize, now: Instant) -> Option<Duration> {
        let over = |seat: &Seat| now.saturating_duration_since(seat.since) >= SLICE;
        let mut changes = self.waiting.len();
        while changes > 0
            && let Some(index) = self.running.iter().position(over)
        {
            self.pause(index, now, usize::MAX);
            self.fill(slots, now);
            changes -= 1;
        }
        if self.waiting.is_empty() {
            return None;
        }
        let next = self.running.iter().map(|seat| seat.since + SLICE).min()?;
        Some(next.saturating_duration_since(now).max(Duration::from_millis(1)))
    }
}

/// Ends slices until nobody searches any more.
fn keep_time(scheduler: &Weak<Scheduler>) {
    /// To notice that the server is gone.
    const IDLE: Duration = Duration::from_secs(1);
    while let Some(scheduler) = scheduler.upgrade() {
        let mut queue = scheduler.lock();
        let next = queue.rotate(scheduler.slots, Instant::now());
        scheduler.changed.notify_all();
        let waited = scheduler.changed.wait_timeout(queue, next.unwrap_or(IDLE));
        drop(waited);
    }
}

impl Turn {
    /// How long the search has been paused.
    pub(super) fn idle(&self) -> Duration {
        let queue = self.scheduler.lock();
        let mut seats = queue.running.iter().chain(&queue.waiting);
        seats.find(|seat| seat.id == self.id).map_or(Duration::ZERO, |seat| seat.idle)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.scheduler.leave(self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn signals() -> Arc<Signals> {
        Arc::new(Signals::new())
    }

    #[test]
    fn no_more_than_the_slots_run_and_everybody_has_a_turn() {
        let scheduler = Scheduler::start(2);
        let all: Vec<_> = (0..6).map(|_| signals()).collect();
        let entered = AtomicUsize::new(0);
        thread::scope(|scope| {
            for signals in &all {
                let (scheduler, entered) = (&scheduler, &entered);
                scope.spawn(move || {
                    let turn = scheduler.enter(signals, false);
                    entered.fetch_add(usize::from(turn.is_some()), Ordering::SeqCst);
                    while !signals.is_stopped() {
                        thread::sleep(Duration::from_millis(1));
                    }
                });
            }
            let deadline = Instant::now() + Duration::from_secs(30);
            while entered.load(Ordering::SeqCst) < all.len() {
                let running = all.iter().filter(|it| scheduler.standing(it) == Standing::Running).count();
                assert!(running <= 2, "{running} at a time");
                assert!(Instant::now() < deadline, "somebody waits for ever");
                thread::sleep(Duration::from_millis(1));
            }
            all.iter().for_each(|signals| scheduler.stop(signals));
        });
        assert!(all.iter().all(|signals| scheduler.standing(signals) == Standing::Gone));
    }

    #[test]
    fn who_is_urgent_need_not_wait() {
        let scheduler = Scheduler::start(1);
        let (slow, urgent) = (signals(), signals());
        let turn = scheduler.enter(&slow, false);
        let start = Instant::now();
        let first = scheduler.enter(&urgent, true);
        assert!(start.elapsed() < SLICE);
        assert_eq!(scheduler.standing(&slow), Standing::Waiting(0));
        drop(first);
        assert_eq!(scheduler.standing(&slow), Standing::Running);
        assert!(turn.is_some_and(|turn| turn.idle() > Duration::ZERO));
    }

    #[test]
    fn who_is_stopped_in_line_goes_away() {
        let scheduler = Scheduler::start(1);
        let (first, second) = (signals(), signals());
        let _turn = scheduler.enter(&first, true);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| scheduler.enter(&second, false).is_none());
            while scheduler.standing(&second) == Standing::Gone {
                thread::yield_now();
            }
            scheduler.stop(&second);
            assert!(waiting.join().expect("it does not panic"));
        });
        assert_eq!(scheduler.standing(&second), Standing::Gone);
    }
}
