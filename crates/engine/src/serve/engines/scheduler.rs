//! Who may search, and for how long at a time.
//!
//! There are as many slots as processors. While others wait, a search is paused at the end of its slice and stands in line
//! again. The line is in the order in which turns are due: that of a newcomer and of an urgent search (somebody waits for
//! a move) at once, that of a search which has run already some time later. So answers and the first news of an analysis
//! come soon, nobody is forgotten, and those who are equal are served in the order in which they came.
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
/// How long an urgent search may run before it is one among others.
const FAVOUR: Duration = Duration::from_secs(3);
/// How long a search that has had its slice gives way to whoever comes.
const COURTESY: Duration = Duration::from_secs(2);

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
    /// In the order in which their turns are due.
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
    /// When its next turn is due.
    due: Instant,
    /// How long it may still run as an urgent one.
    favour: Duration,
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
        let favour = if is_urgent { FAVOUR } else { Duration::ZERO };
        let seat =
            Seat { id, signals: Arc::clone(signals), since: now, due: now, favour, is_begun: false, idle };
        signals.pause();
        queue.line_up(seat);
        if is_urgent && queue.running.len() >= self.slots {
            queue.make_room(now);
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

    /// Puts a search in its place in the line.
    fn line_up(&mut self, seat: Seat) {
        let place = self.waiting.partition_point(|other| other.due <= seat.due);
        self.waiting.insert(place, seat);
    }

    /// Pauses the search that has run longest, if there is one that is not urgent. Its turn is due again at once.
    fn make_room(&mut self, now: Instant) {
        let others = (0..self.running.len()).filter(|&index| self.running[index].favour.is_zero());
        if let Some(longest) = others.min_by_key(|&index| self.running[index].since) {
            self.pause(longest, now, now);
        }
    }

    fn pause(&mut self, index: usize, now: Instant, due: Instant) {
        let mut seat = self.running.remove(index);
        seat.signals.pause();
        (seat.since, seat.due) = (now, due);
        self.line_up(seat);
    }

    /// Pauses those whose slice is over while others wait. When to look again, if anybody waits.
    fn rotate(&mut self, slots: usize, now: Instant) -> Option<Duration> {
        let over = |seat: &Seat| now.saturating_duration_since(seat.since) >= SLICE;
        let mut changes = self.waiting.len();
        while changes > 0
            && let Some(index) = self.running.iter().position(over)
        {
            let seat = &mut self.running[index];
            seat.favour = seat.favour.saturating_sub(now.saturating_duration_since(seat.since));
            let due = if seat.favour.is_zero() { now + COURTESY } else { now };
            self.pause(index, now, due);
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
    fn urgent_ones_are_served_in_the_order_in_which_they_come() {
        let scheduler = Scheduler::start(1);
        let all: Vec<_> = (0..4).map(|_| signals()).collect();
        let first = scheduler.enter(&all[0], true);
        thread::scope(|scope| {
            let mut others = Vec::new();
            for (index, signals) in all.iter().enumerate().skip(1) {
                let scheduler = &scheduler;
                others.push(scope.spawn(move || scheduler.enter(signals, true)));
                while scheduler.lock().waiting.len() < index {
                    thread::yield_now();
                }
            }
            assert_eq!(
                [1, 2, 3].map(|index: usize| scheduler.before(&all[index])),
                [Some(0), Some(1), Some(2)]
            );
            drop(first);
            others.into_iter().for_each(|other| drop(other.join().expect("it does not panic")));
        });
    }

    #[test]
    fn newcomers_go_before_those_who_have_run_but_not_for_ever() {
        let start = Instant::now();
        let mut queue = Queue::default();
        let seat = |id, favour| Seat {
            id,
            signals: signals(),
            since: start,
            due: start,
            favour,
            is_begun: false,
            idle: Arc::default(),
        };
        let line = |queue: &Queue| queue.waiting.iter().map(|seat| seat.id).collect::<Vec<_>>();
        queue.line_up(seat(0, Duration::ZERO));
        queue.line_up(seat(1, FAVOUR));
        queue.fill(2, start);
        // Both have had a slice: the urgent one is due at once, the other one some time later.
        queue.line_up(seat(2, Duration::ZERO));
        queue.line_up(seat(3, Duration::ZERO));
        queue.rotate(2, start + SLICE);
        assert_eq!(line(&queue), [1, 0]);
        // Who comes before that time is over is before it, and behind it afterwards.
        queue.line_up(Seat { due: start + COURTESY, ..seat(4, Duration::ZERO) });
        queue.line_up(Seat { due: start + SLICE + COURTESY, ..seat(5, Duration::ZERO) });
        assert_eq!(line(&queue), [1, 4, 0, 5]);
        // Favour is used up.
        let mut now = start + SLICE;
        queue.waiting.clear();
        queue.running.clear();
        queue.line_up(seat(6, FAVOUR));
        queue.fill(1, now);
        for _ in 0..FAVOUR.as_millis() / SLICE.as_millis() {
            queue.line_up(Seat { due: now + 2 * COURTESY, ..seat(7, Duration::ZERO) });
            now += SLICE;
            queue.rotate(1, now);
            queue.waiting.retain(|seat| seat.id == 6);
            queue.running.retain(|seat| seat.id == 6);
            queue.fill(1, now);
        }
        assert!(queue.running[0].favour.is_zero() && queue.running[0].due == now + COURTESY);
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
