//! The rate limit of a tab.

use std::time::{Duration, Instant};

/// Messages that may arrive at once.
const BURST: f64 = 200.0;
/// Messages per second after that.
const RATE: f64 = 100.0;

/// A token bucket.
#[derive(Debug)]
pub(super) struct Pace {
    left: f64,
    at: Instant,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Pace {
        Pace { left: BURST, at: now }
    }

    /// Counts a message and returns how long to wait before the next one is read.
    pub(super) fn take(&mut self, now: Instant) -> Duration {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * RATE).min(BURST) - 1.0;
        self.at = now;
        if self.left >= 0.0 { Duration::ZERO } else { Duration::from_secs_f64(-self.left / RATE) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_a_flood_waits() {
        let mut now = Instant::now();
        let mut pace = Pace::new(now);
        let free = (0..1000).filter(|_| pace.take(now).is_zero()).count();
        assert_eq!(free, BURST as usize);
        // A sender that waits as long gets through at the rate.
        let (start, mut pace) = (now, Pace::new(now));
        for _ in 0..1200 {
            now += pace.take(now);
        }
        let seconds = (now - start).as_secs_f64();
        assert!((9.5..10.5).contains(&seconds), "{seconds}");
    }
}
