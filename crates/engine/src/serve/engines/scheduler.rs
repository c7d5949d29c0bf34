//! Who may search, and for how long at a time.
//!
//! There are as many slots as processors. While others wait, a search is paused at the end of its slice and goes to
//! the end of the line. Urgent ones (somebody waits for a move) need not stand in line, but have no longer slices.
//!
//! Searches have a low priority and may be put to sleep by the system anywhere, with this lock held. So nobody who must
//! answer quickly waits for it: a search is stopped by its signals alone, whether it runs, waits or is paused.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
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
    /// Somebody stands in line.
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
    /// Paused while it waits.
    signals: Arc<Signals>,
    /// When it began to run or to wait.
    since: Instant,
    is_begun: bool,
    /// Microseconds for which it was paused after it had begun.
    idle: Arc<AtomicU64>,
}

/// The right to search, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    scheduler: Arc<Scheduler>,
    id: u64,
    idle: Arc<AtomicU64>,
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
        let (id, idle) = (queue.next_id, Arc::new(AtomicU64::new(0)));
        queue.next_id += 1;
        let turn = Turn { scheduler: Arc::clone(self), id, idle: Arc::clone(&idle) };
        let seat = Seat { id, signals: Arc::clone(signals), since: now, is_begun: false, idle };
        signals.pause();
        if is_urgent {
            queue.waiting.push_front(seat);
            if queue.running.len() >= self.slots {
                queue.pause_longest(now, 1);
            }
        } else {
            queue.waiting.push_back(seat);
        }
        queue.fill(self.slots, now);
        drop(queue);
        self.changed.notify_all();
        signals.wait_while_paused();
        (!signals.is_stopped()).then_some(turn)
    }

    fn leave(&self, id: u64) {
        let mut queue = self.lock();
        queue.running.retain(|seat| seat.id != id);
        queue.waiting.retain(|seat| seat.id != id);
        queue.fill(self.slots, Instant::now());
    }

    /// How many stand in line before the search with these signals; `None` if it does not wait, and if that cannot
    /// be said without waiting.
    pub(super) fn before(&self, signals: &Arc<Signals>) -> Option<usize> {
        let queue = match self.queue.try_lock() {
            Ok(queue) => queue,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        queue.waiting.iter().position(|seat| Arc::ptr_eq(&seat.signals, signals))
    }
}

impl Queue {
    /// Gives free slots to those who wait.
    fn fill(&mut self, slots: usize, now: Instant) {
        while self.running.len() < slots
            && let Some(mut seat) = self.waiting.pop_front()
        {
            if seat.is_begun {
                let idle = now.saturating_duration_since(seat.since).as_micros();
                seat.idle.fetch_add(u64::try_from(idle).unwrap_or(u64::MAX), Relaxed);
            }
            seat.is_begun = true;
            seat.since = now;
            seat.signals.resume();
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

/// Ends slices for as long as there is a scheduler.
fn keep_time(scheduler: &Weak<Scheduler>) {
    /// To notice that the scheduler is gone.
    const IDLE: Duration = Duration::from_secs(1);
    while let Some(scheduler) = scheduler.upgrade() {
        let mut queue = scheduler.lock();
        let next = queue.rotate(scheduler.slots, Instant::now());
        drop(scheduler.changed.wait_timeout(queue, next.unwrap_or(IDLE)));
    }
}

impl Turn {
    /// How long the search has been paused.
    pub(super) fn idle(&self) -> Duration {
        Duration::from_micros(self.idle.load(Relaxed))
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
                let running = scheduler.lock().running.len();
                assert!(running <= 2, "{running} at a time");
                assert!(Instant::now() < deadline, "somebody waits for ever");
                thread::sleep(Duration::from_millis(1));
            }
            all.iter().for_each(|signals| signals.stop());
        });
        assert!(scheduler.lock().running.is_empty() && scheduler.lock().waiting.is_empty());
    }

    #[test]
    fn who_is_urgent_need_not_wait() {
        let scheduler = Scheduler::start(1);
        let (slow, urgent) = (signals(), signals());
        let turn = scheduler.enter(&slow, false);
        let start = Instant::now();
        let first = scheduler.enter(&urgent, true);
        assert!(start.elapsed() < SLICE);
        assert!(slow.is_paused() && scheduler.before(&slow) == Some(0));
        thread::sleep(Duration::from_millis(2));
        drop(first);
        assert!(!slow.is_paused() && scheduler.before(&slow).is_none());
        assert!(turn.is_some_and(|turn| turn.idle() >= Duration::from_millis(2)));
    }

    #[test]
    fn who_is_stopped_in_line_goes_away() {
        let scheduler = Scheduler::start(1);
        let (first, second) = (signals(), signals());
        let _turn = scheduler.enter(&first, true);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| scheduler.enter(&second, false).is_none());
            while scheduler.lock().waiting.is_empty() {
                thread::yield_now();
            }
            second.stop();
            assert!(waiting.join().expect("it does not panic"));
        });
        assert!(scheduler.lock().waiting.is_empty());
    }
}
