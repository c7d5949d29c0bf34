//! Messages and the progress line on stderr.
//!
//! Written by hand: a crate such as `indicatif` brings templates, styles and several dependencies, and we need one line.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::terminal::visible;

/// Work that ends sooner shows no progress line.
const FIRST_DELAY: Duration = Duration::from_secs(1);
const REFRESH: Duration = Duration::from_millis(200);
/// Columns of the progress line. It must not wrap, or it could not be overwritten.
const WIDTH: usize = 78;

/// Writes a line to stderr, with control characters made visible. Errors are ignored: the command can go on without a
/// reader.
pub(crate) fn note(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", visible(line.to_string().as_bytes()));
}

/// The progress line of running work. Other output can be printed meanwhile.
pub(crate) struct ProgressLine {
    /// Whether the line is on the screen now.
    shown: Mutex<bool>,
}

impl ProgressLine {
    /// Does the work. If it takes longer than a second and stderr is a terminal, a line there shows its progress.
    pub(crate) fn watch<R>(line: impl Fn() -> String + Sync, work: impl FnOnce(&ProgressLine) -> R) -> R {
        let progress = ProgressLine { shown: Mutex::new(false) };
        if !io::stderr().is_terminal() {
            return work(&progress);
        }
        let (line, progress) = (&line, &progress);
        thread::scope(|scope| {
            // Dropping the sender ends the drawing, even if the work panics.
            let (_at_work, until_done) = mpsc::channel();
            // If the thread cannot be started, there is no progress line.
            let _ = thread::Builder::new().spawn_scoped(scope, move || progress.redraw(line, &until_done));
            work(progress)
        })
    }

    /// Prints other output after removing the progress line.
    pub(crate) fn suspend<R>(&self, print: impl FnOnce() -> R) -> R {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        clear(&mut shown);
        print()
    }

    fn redraw(&self, line: impl Fn() -> String, until_done: &Receiver<()>) {
        let mut pause = FIRST_DELAY;
        while until_done.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = write!(io::stderr(), "\r{:<WIDTH$.WIDTH$}", one_line(&line()));
            *shown = true;
            pause = REFRESH;
        }
        clear(&mut self.shown.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Text from files as part of the progress line.
fn one_line(text: &str) -> String {
    visible(text.as_bytes()).replace(['\n', '\t'], " ")
}

fn clear(shown: &mut bool) {
    if std::mem::take(shown) {
        let _ = write!(io::stderr(), "\r{:WIDTH$}\r", "");
    }
}

/// Nodes (or other things) per second.
pub(crate) fn per_second(count: u64, time: Duration) -> u128 {
    u128::from(count) * 1_000_000_000 / time.as_nanos().max(1)
}

/// The remaining time, estimated from the share of the work done so far.
pub(crate) fn time_left(share: f64, elapsed: Duration) -> String {
    // A match without a number of games has hardly any share either.
    if share < 1e-9 {
        return "? left".to_owned();
    }
    let seconds = (elapsed.as_secs_f64() * (1.0 / share.min(1.0) - 1.0)).round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s left"),
        (0, minutes, seconds) => format!("{minutes}:{seconds:02} min left"),
        (hours, minutes, _) => format!("{hours}:{minutes:02} h left"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_stay_on_the_progress_line() {
        assert_eq!(one_line("3 s at \x1b]0;title\x07\tWAC\n.001"), "3 s at ^[]0;title^G WAC .001");
    }

    #[test]
    fn a_rate_needs_no_time() {
        assert_eq!(per_second(2, Duration::ZERO), 2_000_000_000);
        assert_eq!(per_second(30, Duration::from_millis(500)), 60);
    }

    #[test]
    fn time_left_is_readable() {
        let after = |share, seconds| time_left(share, Duration::from_secs(seconds));
        assert_eq!(after(0.0, 10), "? left");
        assert_eq!(after(1.0 / u64::MAX as f64, 10), "? left");
        assert_eq!(after(0.5, 10), "10 s left");
        assert_eq!(after(0.1, 10), "1:30 min left");
        assert_eq!(after(0.001, 10), "2:46 h left");
        assert_eq!(after(1.2, 10), "0 s left");
    }
}
