//! What a run counts and measures, and the promises that were broken.

use std::fmt;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Locks a mutex whose data stays consistent even if a holder panics.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A promise that was broken: which kind, and how.
#[derive(Debug)]
pub(crate) struct Breach {
    pub(crate) kind: &'static str,
    pub(crate) what: String,
}

/// An error that is a [`Breach`].
pub(crate) fn breach<T>(kind: &'static str, what: impl fmt::Display) -> Result<T, Breach> {
    Err(Breach { kind, what: what.to_string() })
}

/// The figures of a run, by name and in the order in which they first came up.
#[derive(Default, Debug)]
pub(crate) struct SoakFigures(Mutex<FigureLists>);

#[derive(Default, Debug)]
struct FigureLists {
    counts: Vec<(&'static str, u64)>,
    times: Vec<(&'static str, Vec<Duration>)>,
    breaches: Vec<(&'static str, u64)>,
}

/// The entry of this name, which is added if it is missing.
fn entry<'a, T: Default>(list: &'a mut Vec<(&'static str, T)>, name: &'static str) -> &'a mut T {
    let place = list.iter().position(|(known, _)| *known == name).unwrap_or(list.len());
    if place == list.len() {
        list.push((name, T::default()));
    }
    &mut list[place].1
}

impl SoakFigures {
    pub(crate) fn count(&self, name: &'static str, more: usize) {
        *entry(&mut lock(&self.0).counts, name) += more as u64;
    }

    /// Keeps the largest value.
    pub(crate) fn peak(&self, name: &'static str, value: u64) {
        let mut lists = lock(&self.0);
        let peak = entry(&mut lists.counts, name);
        *peak = value.max(*peak);
    }

    /// Keeps how long something took.
    pub(crate) fn time(&self, name: &'static str, time: Duration) {
        entry(&mut lock(&self.0).times, name).push(time);
    }

    pub(crate) fn longest(&self, name: &'static str) -> Duration {
        entry(&mut lock(&self.0).times, name).iter().max().copied().unwrap_or_default()
    }

    /// Counts a broken promise. The first ones of each kind are printed at once.
    pub(crate) fn note(&self, kind: &'static str, what: impl fmt::Display) {
        const PRINTED: u64 = 10;
        let mut lists = lock(&self.0);
        let count = entry(&mut lists.breaches, kind);
        *count += 1;
        if *count <= PRINTED {
            eprintln!("{kind}: {what}");
        }
    }

    pub(crate) fn breaches(&self) -> u64 {
        lock(&self.0).breaches.iter().map(|(_, count)| count).sum()
    }

    /// Prints all figures. Fails if a promise was broken.
    pub(crate) fn finish(&self, title: &str) -> ExitCode {
        println!("{}", self.report(title));
        if self.breaches() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn report(&self, title: &str) -> String {
        let lists = lock(&self.0);
        let mut parts: Vec<String> =
            lists.counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
        for (name, times) in &lists.times {
            let mut times = times.clone();
            times.sort_unstable();
            let at = |permille: usize| times[(times.len() - 1) * permille / 1000].as_secs_f64() * 1e3;
            let [min, median, p99, max] = [0, 500, 990, 1000].map(at);
            parts.push(format!("\n  {name}: min {min:.1}, p50 {median:.1}, p99 {p99:.1}, max {max:.1} ms"));
        }
        let breaches = lists.breaches.iter().map(|(kind, count)| format!("{count} × {kind}"));
        let breaches: Vec<_> = breaches.collect();
        let none = if breaches.is_empty() { "no broken promises" } else { "BROKEN PROMISES: " };
        format!("{title}: {}\n  {none}{}", parts.join(", ").replace(", \n", "\n"), breaches.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_reported() {
        let figures = SoakFigures::default();
        figures.count("moves", 2);
        figures.count("moves", 3);
        figures.peak("MiB at most", 7);
        figures.peak("MiB at most", 5);
        (0..=1000).rev().for_each(|time| figures.time("stop", Duration::from_millis(time)));
        let expected =
            "test: 5 moves, 7 MiB at most\n  stop: min 0.0, p50 500.0, p99 990.0, max 1000.0 ms\n  ";
        assert_eq!(figures.report("test"), format!("{expected}no broken promises"));
        figures.note("leak", "only a test");
        figures.note("leak", "only a test");
        assert_eq!(figures.report("test"), format!("{expected}BROKEN PROMISES: 2 × leak"));
        assert_eq!((figures.breaches(), figures.longest("stop")), (2, Duration::from_secs(1)));
    }
}
