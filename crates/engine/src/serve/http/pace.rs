//! The rate limit of a tab.

use std::time::{Duration, Instant};

/// Messages that may arrive at once.
const BURST: f64 = 200.0;
/// Messages per second after that.
const RATE: f64 = 100.0;
/// A message that takes longer than this counts as several.
const USUAL_WORK: Duration = Duration::from_millis(4);
/// The most that one message counts.
const MAX_COUNT: f64 = 50.0;

/// How many times as many frames as messages may arrive: a message may have several.
const FRAMES_PER_MESSAGE: f64 = 4.0;

/// A token bucket.
#[derive(Debug)]
pub(super) struct Pace {
    burst: f64,
    rate: f64,
    left: f64,
    at: Instant,
}

impl Pace {
    /// The pace of messages.
    pub(super) fn new(now: Instant) -> Pace {
        Pace { burst: BURST, rate: RATE, left: BURST, at: now }
    }

    /// The pace of WebSocket frames.
    pub(super) fn of_frames(now: Instant) -> Pace {
        let (burst, rate) = (FRAMES_PER_MESSAGE * BURST, FRAMES_PER_MESSAGE * RATE);
        Pace { burst, rate, left: burst, at: now }
    }

    /// Counts a message that took `work`, and returns how long to wait before the next one is read.
    pub(super) fn take(&mut self, now: Instant, work: Duration) -> Duration {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        let count = work.div_duration_f64(USUAL_WORK).floor().clamp(1.0, MAX_COUNT);
        self.left = (self.left + passed * self.rate).min(self.burst) - count;
        self.at = now;
        if self.left >= 0.0 { Duration::ZERO } else { Duration::from_secs_f64(-self.left / self.rate) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_a_flood_waits() {
        let mut now = Instant::now();
        let mut pace = Pace::new(now);
        let free = (0..1000).filter(|_| pace.take(now, Duration::ZERO).is_zero()).count();
        assert_eq!(free, BURST as usize);
        // A sender that waits as long gets through at the rate.
        let (start, mut pace) = (now, Pace::new(now));
        for _ in 0..1200 {
            now += pace.take(now, Duration::ZERO);
        }
        let seconds = (now - start).as_secs_f64();
        assert!((9.5..10.5).contains(&seconds), "{seconds}");
    }

    #[test]
    fn costly_messages_count_as_several() {
        let now = Instant::now();
        let free = |work| {
            let mut pace = Pace::new(now);
            (0..1000).filter(|_| pace.take(now, work).is_zero()).count()
        };
        assert_eq!(free(Duration::from_millis(3)), 200);
        assert_eq!(free(Duration::from_millis(40)), 20);
        assert_eq!(free(Duration::from_secs(9)), 4);
    }
}
