//! A chess clock. The caller supplies the time.

use std::time::Duration;

use ferz_board::Color;

use crate::protocol::{ClockEntry, ClockWish, SavedClock};
use crate::session::refusal::Refusal;

/// The times of both sides. At most one of them is running.
#[derive(Clone, Debug)]
pub(crate) struct ChessClock {
    initial: Duration,
    increment: Duration,
    /// By colour; for the running side, the time when its clock started.
    left: [Duration; 2],
    running: Option<(Color, Duration)>,
}

const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(3 * 60 * 60);
const LARGEST_INCREMENT: Duration = Duration::from_secs(3 * 60);

impl ChessClock {
    /// A stopped clock.
    pub(crate) fn new(wish: ClockWish) -> Result<ChessClock, Refusal> {
        let initial = Duration::from_millis(wish.initial_ms);
        let increment = Duration::from_millis(wish.increment_ms);
        if !(SHORTEST..=LONGEST).contains(&initial) {
            return Err(Refusal::new("The time must be between one second and three hours."));
        }
        if increment > LARGEST_INCREMENT {
            return Err(Refusal::new("The increment must be at most three minutes."));
        }
        Ok(ChessClock { initial, increment, left: [initial; 2], running: None })
    }

    /// A clock that the page has kept, resumed now.
    pub(crate) fn resumed(saved: &SavedClock, now: Duration) -> Result<ChessClock, Refusal> {
        let wish = ClockWish { initial_ms: saved.initial_ms, increment_ms: saved.increment_ms };
        let mut clock = ChessClock::new(wish)?;
        let kept = |ms| Duration::from_millis(ms).min(LONGEST * 2);
        clock.left = [kept(saved.white_ms), kept(saved.black_ms)];
        clock.running = saved.running.map(|name| (name.into(), now));
        Ok(clock)
    }

    /// The remaining time of a side.
    pub(crate) fn left(&self, color: Color, now: Duration) -> Duration {
        let left = self.left[color.index()];
        match self.running {
            Some((running, since)) if running == color => left.saturating_sub(now.saturating_sub(since)),
            _ => left,
        }
    }

    /// A side has moved: its clock stops and gets the increment, and the opponent's clock starts.
    pub(crate) fn press(&mut self, mover: Color, now: Duration) {
        // The first move of a game costs no time.
        if self.running.is_some() {
            self.left[mover.index()] = self.left(mover, now) + self.increment;
        }
        self.running = Some((!mover, now));
    }

    /// Stops both clocks.
    pub(crate) fn stop(&mut self, now: Duration) {
        if let Some((color, _)) = self.running {
            self.left[color.index()] = self.left(color, now);
        }
        self.running = None;
    }

    /// A move was taken back: if a clock is running, it is now the clock of this side.
    pub(crate) fn turn(&mut self, color: Color, now: Duration) {
        if self.running.is_some() {
            self.stop(now);
            self.running = Some((color, now));
        }
    }

    /// The side that runs out of time next, and when.
    pub(crate) fn flag(&self) -> Option<(Color, Duration)> {
        self.running.map(|(color, since)| (color, since + self.left[color.index()]))
    }

    /// The time control for a search.
    pub(crate) fn for_search(&self, color: Color, now: Duration) -> ferz_search::TimeControl {
        ferz_search::TimeControl::new(self.left(color, now)).increment(self.increment)
    }

    /// The clock for the page.
    pub(crate) fn entry(&self, now: Duration) -> ClockEntry {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        ClockEntry {
            initial_ms: ms(self.initial),
            increment_ms: ms(self.increment),
            white_ms: ms(self.left(Color::White, now)),
            black_ms: ms(self.left(Color::Black, now)),
            running: self.running.map(|(color, _)| color.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(initial_ms: u64, increment_ms: u64) -> ClockWish {
        ClockWish { initial_ms, increment_ms }
    }

    #[test]
    fn time_runs_for_one_side_at_a_time() {
        let start = Duration::from_secs(1_000);
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut clock = ChessClock::new(wish(60_000, 2_000)).unwrap();
        assert_eq!(clock.flag(), None);
        clock.press(Color::White, at(5));
        assert_eq!(clock.left(Color::White, at(9)), Duration::from_secs(60), "the first move is free");
        assert_eq!(clock.left(Color::Black, at(9)), Duration::from_secs(56));
        clock.press(Color::Black, at(15));
        assert_eq!(
            clock.left(Color::Black, at(100)),
            Duration::from_secs(52),
            "ten seconds used, two seconds added"
        );
        assert_eq!(clock.flag(), Some((Color::White, at(75))));
        assert_eq!(clock.left(Color::White, at(80)), Duration::ZERO);
        clock.stop(at(20));
        assert_eq!(clock.flag(), None);
        assert_eq!(clock.entry(at(90)).white_ms, 55_000);
    }

    #[test]
    fn a_clock_resumes_with_the_times_that_were_left() {
        let now = Duration::from_secs(1_000);
        let mut clock = ChessClock::new(wish(60_000, 0)).unwrap();
        clock.press(Color::White, now);
        let entry = clock.entry(now + Duration::from_secs(7));
        let saved = SavedClock {
            initial_ms: entry.initial_ms,
            increment_ms: entry.increment_ms,
            white_ms: entry.white_ms,
            black_ms: entry.black_ms,
            running: entry.running,
        };
        let later = now + Duration::from_secs(1000);
        let resumed = ChessClock::resumed(&saved, later).unwrap();
        assert_eq!(resumed.flag(), Some((Color::Black, later + Duration::from_secs(53))));
    }

    #[test]
    fn absurd_clocks_are_refused() {
        for (initial, increment) in [(0, 0), (999, 0), (u64::MAX, 0), (60_000, 180_001), (60_000, u64::MAX)] {
            assert!(ChessClock::new(wish(initial, increment)).is_err(), "{initial} {increment}");
        }
    }
}
