//! What is said on standard error while a command runs.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Work that is done sooner needs no progress line.
const PATIENCE: Duration = Duration::from_secs(1);
const REFRESH: Duration = Duration::from_millis(200);
/// Columns of the progress line: it must not wrap, or it could not be overwritten.
const WIDTH: usize = 78;

/// Writes a line to standard error. Nobody reading it is no reason to stop.
pub(crate) fn tell(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// The progress line while work goes on; lets other output through.
pub(crate) struct Progress {
    /// Whether the line is on the screen now.
    shown: Mutex<bool>,
}

impl Progress {
    /// Does the work. If it takes longer than a second and standard error is a terminal, a line there says how
    /// far it has come.
    pub(crate) fn watch<R>(line: impl Fn() -> String + Sync, work: impl FnOnce(&Progress) -> R) -> R {
        let progress = Progress { shown: Mutex::new(false) };
        if !io::stderr().is_terminal() {
            return work(&progress);
        }
        let (line, progress) = (&line, &progress);
        thread::scope(|scope| {
            // Dropping the sender ends the drawing, also when the work panics.
            let (_at_work, until_done) = mpsc::channel();
            // Without a thread for it there is no line.
            let _ = thread::Builder::new().spawn_scoped(scope, move || progress.redraw(line, &until_done));
            work(progress)
        })
    }

    /// Prints something else, without the progress line getting in its way.
    pub(crate) fn suspend<R>(&self, print: impl FnOnce() -> R) -> R {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        clear(&mut shown);
        print()
    }

    fn redraw(&self, line: impl Fn() -> String, until_done: &Receiver<()>) {
        let mut pause = PATIENCE;
        while until_done.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = write!(io::stderr(), "\r{:<WIDTH$.WIDTH$}", line());
            *shown = true;
            pause = REFRESH;
        }
        clear(&mut self.shown.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

fn clear(shown: &mut bool) {
    if std::mem::take(shown) {
        let _ = write!(io::stderr(), "\r{:WIDTH$}\r", "");
    }
}

/// How long it will still take, judged by how long a share of the work took.
pub(crate) fn time_left(share: f64, elapsed: Duration) -> String {
    if share <= 0.0 {
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
    fn time_left_is_readable() {
        let after = |share, seconds| time_left(share, Duration::from_secs(seconds));
        assert_eq!(after(0.0, 10), "? left");
        assert_eq!(after(0.5, 10), "10 s left");
        assert_eq!(after(0.1, 10), "1:30 min left");
        assert_eq!(after(0.001, 10), "2:46 h left");
        assert_eq!(after(1.2, 10), "0 s left");
    }
}
