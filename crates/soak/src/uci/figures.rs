//! What is counted and measured.

use std::fmt;
use std::time::Duration;

/// Times of the same kind.
#[derive(Clone, Default, Debug)]
pub(super) struct Times(Vec<Duration>);

impl Times {
    pub(super) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    fn append(&mut self, other: Times) {
        self.0.extend(other.0);
    }

    pub(super) fn longest(&self) -> Duration {
        self.0.iter().max().copied().unwrap_or_default()
    }
}

/// `n 100, p50 0.1 ms, p99 2.3 ms, max 4.5 ms`
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.0.clone();
        sorted.sort();
        let Some(last) = sorted.len().checked_sub(1) else { return f.write_str("none") };
        let at = |percent: usize| sorted[last * percent / 100].as_secs_f64() * 1000.0;
        let (median, high, most) = (at(50), at(99), at(100));
        write!(f, "n {}, p50 {median:.1} ms, p99 {high:.1} ms, max {most:.1} ms", sorted.len())
    }
}

/// What one session, or all of them, came to.
#[derive(Clone, Default, Debug)]
pub(super) struct Figures {
    pub(super) sessions: usize,
    pub(super) commands: usize,
    pub(super) best_moves: usize,
    /// Lines of play that were checked.
    pub(super) lines: usize,
    pub(super) ready: Times,
    /// The same where something that takes long comes first: another table, a new game, a line of a megabyte.
    pub(super) slow_ready: Times,
    /// From `stop` to the best move.
    pub(super) stop: Times,
    /// The same where something that takes long comes first, or with more threads than cores.
    pub(super) slow_stop: Times,
    /// From `quit`, or the end of the input, to the end of the process.
    pub(super) exit: Times,
}

impl Figures {
    pub(super) fn add(&mut self, other: Figures) {
        self.sessions += other.sessions;
        self.commands += other.commands;
        self.best_moves += other.best_moves;
        self.lines += other.lines;
        self.ready.append(other.ready);
        self.stop.append(other.stop);
        self.slow_ready.append(other.slow_ready);
        self.slow_stop.append(other.slow_stop);
        self.exit.append(other.exit);
    }
}
