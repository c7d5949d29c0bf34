//! What is measured, and what was not as promised.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A promise that was not kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Breach {
    /// What the server says is not what the rules of chess and the page's own moves lead to.
    WrongState,
    /// An answer to another question, a second one, or an error where there is no reason for one.
    WrongAnswer,
    /// No answer in time.
    Silence,
    /// A socket ended, or none opened, though nothing was done to it.
    Lost,
    /// Something wrong got through, or was refused in another way than it should be.
    Unguarded,
    /// The server said something on its standard error, or ended.
    Fault,
    /// Memory, threads, files or processor time that are not given back.
    Leak,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Breach::WrongState => "wrong state",
            Breach::WrongAnswer => "wrong answer",
            Breach::Silence => "no answer",
            Breach::Lost => "lost tab",
            Breach::Unguarded => "not guarded",
            Breach::Fault => "fault of the server",
            Breach::Leak => "leak",
        })
    }
}

/// How long something took, each time.
#[derive(Debug, Default)]
pub(super) struct Times(Mutex<Vec<Duration>>);

impl Times {
    pub(super) fn add(&self, time: Duration) {
        lock(&self.0).push(time);
    }

    pub(super) fn count(&self) -> usize {
        lock(&self.0).len()
    }

    /// The median, that which one in a hundred exceeds, and the longest, in milliseconds.
    pub(super) fn summary(&self) -> String {
        let mut times = lock(&self.0).clone();
        times.sort_unstable();
        let at = |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1)));
        let milliseconds = |share| at(share).map_or(0.0, |time| time.as_secs_f64() * 1e3);
        let [median, late, last] = [50, 99, 100].map(milliseconds);
        format!("p50 {median:.1} p99 {late:.1} max {last:.0} ms")
    }
}

/// Everything that is counted.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// From a move to the state that answers it.
    pub(super) moves: Times,
    /// From a request for a file to its last byte.
    pub(super) gets: Times,
    /// From the start of an analysis, or a move during one, to the first news about the position.
    pub(super) news: Times,
    /// From a question to the engine to its answer.
    pub(super) advice: Times,
    pub(super) intents: AtomicU64,
    pub(super) states: AtomicU64,
    /// Refusals that the protocol knows: no engine or no place left.
    pub(super) refusals: AtomicU64,
    pub(super) faults: AtomicU64,
    pub(super) reconnections: AtomicU64,
    breaches: Mutex<Vec<(Breach, u64)>>,
}

impl Figures {
    /// Notes a broken promise; the first ones of each kind are told at once.
    pub(super) fn note(&self, breach: Breach, what: &str) {
        const TOLD: u64 = 8;
        let mut breaches = lock(&self.breaches);
        let count = match breaches.iter_mut().find(|(known, _)| *known == breach) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                breaches.push((breach, 1));
                1
            }
        };
        if count <= TOLD {
            eprintln!("{breach}: {what}");
        }
    }

    pub(super) fn breaches(&self, kind: Breach) -> u64 {
        lock(&self.breaches).iter().find(|(known, _)| *known == kind).map_or(0, |(_, count)| *count)
    }

    pub(super) fn is_clean(&self) -> bool {
        lock(&self.breaches).is_empty()
    }
}

pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

/// Nothing is left half done where these locks are held.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_up() {
        let times = Times::default();
        assert_eq!(times.summary(), "p50 0.0 p99 0.0 max 0 ms");
        (0..100).rev().for_each(|time| times.add(Duration::from_millis(time)));
        assert_eq!(times.summary(), "p50 50.0 p99 99.0 max 99 ms");
    }

    #[test]
    fn broken_promises_are_counted_by_kind() {
        let figures = Figures::default();
        assert!(figures.is_clean());
        figures.note(Breach::Leak, "only a test");
        figures.note(Breach::Leak, "only a test");
        assert_eq!((figures.breaches(Breach::Leak), figures.breaches(Breach::Lost)), (2, 0));
        assert!(!figures.is_clean());
    }
}
