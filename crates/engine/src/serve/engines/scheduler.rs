//! Sharing the processors among the searches of all tabs.
//!
//! There are as many slots as processors, and a search takes one for each of its threads. While other searches wait, a
//! search is paused at the end of its time slice and queued again. The queue is ordered by the time at which a turn is
//! due. A new search is due at once, and so is an urgent one (the user waits for a move) until it has run for
//! [`FAVOUR`]. Any other search is due that much later. So first results arrive quickly, no search starves, and equal
//! searches are served in the order of their arrival.
//!
//! Searches have a low priority, and the system may suspend them while they hold the lock. So the tabs never wait for
//! it: signals alone stop a search, whether it runs, waits or is paused.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use ferz_search::Signals;

/// How long a search may run while others wait.
const SLICE: Duration = Duration::from_millis(300);
/// How long an urgent search is preferred, and how long others that have had a slice yield to new searches.
const FAVOUR: Duration = Duration::from_secs(3);

/// Shares the processors among searches.
#[derive(Debug)]
pub(super) struct Scheduler {
    slots: usize,
    queue: Mutex<TurnQueue>,
    /// Signalled when a search is queued.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct TurnQueue {
    running: Vec<QueuedSearch>,
    /// Ordered by `due`.
    waiting: VecDeque<QueuedSearch>,
    next_id: u64,
}

/// A search that runs or waits.
#[derive(Debug)]
struct QueuedSearch {
    id: u64,
    /// The number of its threads.
    slots: usize,
    /// Paused while it waits.
    signals: Arc<Signals>,
    /// When it started to run or to wait.
    since: Instant,
    /// When its next turn is due.
    due: Instant,
    /// How much longer it counts as urgent.
    favour: Duration,
    has_started: bool,
    /// Microseconds for which it was paused after its start.
    idle: Arc<AtomicU64>,
}

/// The right to search, returned on drop.
#[derive(Debug)]
pub(super) struct Turn {
    scheduler: Arc<Scheduler>,
    id: u64,
    idle: Arc<AtomicU64>,
}

impl Scheduler {
    /// Starts a scheduler and its timer thread.
    pub(super) fn start(slots: usize) -> Arc<Scheduler> {
        let scheduler =
            Arc::new(Scheduler { slots: slots.max(1), queue: Mutex::default(), changed: Condvar::new() });
        let weak = Arc::downgrade(&scheduler);
        // If the thread cannot be started, searches take turns only when they end.
        let _ = thread::Builder::new().name("scheduler".to_owned()).spawn(move || run_timer(&weak));
        scheduler
    }

    /// The number of slots.
    pub(super) fn slots(&self) -> usize {
        self.slots
    }

    fn lock(&self) -> MutexGuard<'_, TurnQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn of a search with this many threads; `None` if the search was stopped before.
    pub(super) fn enter(
        self: &Arc<Self>,
        signals: &Arc<Signals>,
        is_urgent: bool,
        threads: usize,
    ) -> Option<Turn> {
        let mut queue = self.lock();
        let now = Instant::now();
        let (id, idle) = (queue.next_id, Arc::new(AtomicU64::new(0)));
        queue.next_id += 1;
        let turn = Turn { scheduler: Arc::clone(self), id, idle: Arc::clone(&idle) };
        let favour = if is_urgent { FAVOUR } else { Duration::ZERO };
        let search = QueuedSearch {
            id,
            slots: threads.clamp(1, self.slots),
            signals: Arc::clone(signals),
            since: now,
            due: now,
            favour,
            has_started: false,
            idle,
        };
        signals.pause();
        queue.push(search);
        if is_urgent && queue.used() >= self.slots {
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
        queue.running.retain(|search| search.id != id);
        queue.waiting.retain(|search| search.id != id);
        queue.fill(self.slots, Instant::now());
    }

    /// The number of searches queued before the one with these signals; `None` if it is not queued, or if the lock is
    /// taken.
    pub(super) fn before(&self, signals: &Arc<Signals>) -> Option<usize> {
        let queue = match self.queue.try_lock() {
            Ok(queue) => queue,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        queue.waiting.iter().position(|search| Arc::ptr_eq(&search.signals, signals))
    }
}

impl TurnQueue {
    /// The slots that are not free.
    fn used(&self) -> usize {
        self.running.iter().map(|search| search.slots).sum()
    }

    /// The next search that can start. The first one waits until there are enough slots for it, and only urgent ones
    /// overtake it: a search with many threads would starve otherwise.
    fn next(&self, free: usize) -> Option<usize> {
        let can_start = |(index, search): (usize, &QueuedSearch)| {
            let may_start = index == 0 || !search.favour.is_zero();
            (may_start && search.slots <= free).then_some(index)
        };
        self.waiting.iter().enumerate().find_map(can_start)
    }

    /// Gives free slots to waiting searches.
    fn fill(&mut self, slots: usize, now: Instant) {
        let mut free = slots.saturating_sub(self.used());
        while let Some(index) = self.next(free)
            && let Some(mut search) = self.waiting.remove(index)
        {
            free -= search.slots;
            if search.has_started {
                let idle = now.saturating_duration_since(search.since).as_micros();
                search.idle.fetch_add(u64::try_from(idle).unwrap_or(u64::MAX), Relaxed);
            }
            search.has_started = true;
            search.since = now;
            search.signals.resume();
            self.running.push(search);
        }
    }

    /// Queues a search by the time its turn is due.
    fn push(&mut self, search: QueuedSearch) {
        let place = self.waiting.partition_point(|other| other.due <= search.due);
        self.waiting.insert(place, search);
    }

    /// Pauses the search that has run longest among those that are not urgent. Its next turn is due at once.
    fn make_room(&mut self, now: Instant) {
        let others = (0..self.running.len()).filter(|&index| self.running[index].favour.is_zero());
        if let Some(longest) = others.min_by_key(|&index| self.running[index].since) {
            self.pause(longest, now, now);
        }
    }

    fn pause(&mut self, index: usize, now: Instant, due: Instant) {
        let mut search = self.running.remove(index);
        search.signals.pause();
        (search.since, search.due) = (now, due);
        self.push(search);
    }

    /// Pauses searches whose slice is over while others wait. Returns when to call it again, if any still wait.
    fn rotate(&mut self, slots: usize, now: Instant) -> Option<Duration> {
        let over = |search: &QueuedSearch| now.saturating_duration_since(search.since) >= SLICE;
        let mut changes = self.waiting.len();
        while changes > 0
            && let Some(index) = self.running.iter().position(over)
        {
            let search = &mut self.running[index];
            search.favour = search.favour.saturating_sub(now.saturating_duration_since(search.since));
            let due = if search.favour.is_zero() { now + FAVOUR } else { now };
            self.pause(index, now, due);
            self.fill(slots, now);
            changes -= 1;
        }
        if self.waiting.is_empty() {
            return None;
        }
        let next = self.running.iter().map(|search| search.since + SLICE).min()?;
        Some(next.saturating_duration_since(now).max(Duration::from_millis(1)))
    }
}

/// Ends slices until the scheduler is dropped.
fn run_timer(scheduler: &Weak<Scheduler>) {
    /// The interval at which to notice that the scheduler was dropped.
    const IDLE: Duration = Duration::from_secs(1);
    while let Some(scheduler) = scheduler.upgrade() {
        let mut queue = scheduler.lock();
        let next = queue.rotate(scheduler.slots, Instant::now());
        drop(scheduler.changed.wait_timeout(queue, next.unwrap_or(IDLE)));
    }
}

impl Turn {
    /// How long the search has been paused since its start.
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
    fn no_more_than_the_slots_run_and_every_search_has_a_turn() {
        let scheduler = Scheduler::start(2);
        let all: Vec<_> = (0..6).map(|_| signals()).collect();
        let entered = AtomicUsize::new(0);
        thread::scope(|scope| {
            for signals in &all {
                let (scheduler, entered) = (&scheduler, &entered);
                scope.spawn(move || {
                    let turn = scheduler.enter(signals, false, 1);
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
                assert!(Instant::now() < deadline, "a search starves");
                thread::sleep(Duration::from_millis(1));
            }
            all.iter().for_each(|signals| signals.stop());
        });
        assert!(scheduler.lock().running.is_empty() && scheduler.lock().waiting.is_empty());
    }

    #[test]
    fn an_urgent_search_does_not_wait() {
        let scheduler = Scheduler::start(1);
        let (slow, urgent) = (signals(), signals());
        let turn = scheduler.enter(&slow, false, 1);
        let start = Instant::now();
        let first = scheduler.enter(&urgent, true, 1);
        assert!(start.elapsed() < SLICE);
        assert!(slow.is_paused() && scheduler.before(&slow) == Some(0));
        thread::sleep(Duration::from_millis(2));
        drop(first);
        assert!(!slow.is_paused() && scheduler.before(&slow).is_none());
        assert!(turn.is_some_and(|turn| turn.idle() >= Duration::from_millis(2)));
    }

    #[test]
    fn urgent_searches_are_served_in_the_order_of_arrival() {
        let scheduler = Scheduler::start(1);
        let all: Vec<_> = (0..4).map(|_| signals()).collect();
        let first = scheduler.enter(&all[0], true, 1);
        thread::scope(|scope| {
            let mut others = Vec::new();
            for (index, signals) in all.iter().enumerate().skip(1) {
                let scheduler = &scheduler;
                others.push(scope.spawn(move || scheduler.enter(signals, true, 1)));
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
    fn new_searches_go_first_but_not_for_ever() {
        let start = Instant::now();
        let mut queue = TurnQueue::default();
        let search = |id, favour| QueuedSearch {
            id,
            slots: 1,
            signals: signals(),
            since: start,
            due: start,
            favour,
            has_started: false,
            idle: Arc::default(),
        };
        let line = |queue: &TurnQueue| queue.waiting.iter().map(|search| search.id).collect::<Vec<_>>();
        queue.push(search(0, Duration::ZERO));
        queue.push(search(1, FAVOUR));
        queue.fill(2, start);
        // Both have had a slice: the urgent one is due at once, the other one later.
        queue.push(search(2, Duration::ZERO));
        queue.push(search(3, Duration::ZERO));
        queue.rotate(2, start + SLICE);
        assert_eq!(line(&queue), [1, 0]);
        // Searches that come before that time go first, later ones do not.
        queue.push(QueuedSearch { due: start + FAVOUR, ..search(4, Duration::ZERO) });
        queue.push(QueuedSearch { due: start + SLICE + FAVOUR, ..search(5, Duration::ZERO) });
        assert_eq!(line(&queue), [1, 4, 0, 5]);
        // An urgent search is preferred only for a while.
        let mut now = start + SLICE;
        queue.waiting.clear();
        queue.running.clear();
        queue.push(search(6, FAVOUR));
        queue.fill(1, now);
        for _ in 0..FAVOUR.as_millis() / SLICE.as_millis() {
            queue.push(QueuedSearch { due: now + 2 * FAVOUR, ..search(7, Duration::ZERO) });
            now += SLICE;
            queue.rotate(1, now);
            queue.waiting.retain(|search| search.id == 6);
            queue.running.retain(|search| search.id == 6);
            queue.fill(1, now);
        }
        assert!(queue.running[0].favour.is_zero() && queue.running[0].due == now + FAVOUR);
    }

    #[test]
    fn a_search_takes_a_slot_for_each_thread() {
        let start = Instant::now();
        let mut queue = TurnQueue::default();
        let search = |id, slots| QueuedSearch {
            id,
            slots,
            signals: signals(),
            since: start,
            due: start,
            favour: Duration::ZERO,
            has_started: false,
            idle: Arc::default(),
        };
        let running = |queue: &TurnQueue| queue.running.iter().map(|search| search.id).collect::<Vec<_>>();
        queue.push(search(0, 1));
        queue.push(search(1, 1));
        queue.push(search(2, 3));
        queue.push(search(3, 1));
        queue.fill(3, start);
        // Two slots are taken: the third search waits for all three, and nobody overtakes it.
        assert_eq!((running(&queue), queue.used()), (vec![0, 1], 2));
        // But an urgent one does.
        queue.push(QueuedSearch { favour: FAVOUR, ..search(4, 1) });
        queue.fill(3, start);
        assert_eq!(running(&queue), [0, 1, 4]);
        queue.running.pop();
        queue.rotate(3, start + SLICE);
        assert_eq!((running(&queue), queue.used()), (vec![2], 3));
        queue.rotate(3, start + 2 * SLICE);
        assert_eq!((running(&queue), queue.used()), (vec![3, 0, 1], 3));
    }

    #[test]
    fn a_stopped_search_leaves_the_queue() {
        let scheduler = Scheduler::start(1);
        let (first, second) = (signals(), signals());
        let _turn = scheduler.enter(&first, true, 1);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| scheduler.enter(&second, false, 1).is_none());
            while scheduler.lock().waiting.is_empty() {
                thread::yield_now();
            }
            second.stop();
            assert!(waiting.join().expect("it does not panic"));
        });
        assert!(scheduler.lock().waiting.is_empty());
    }
}
