//! Counting repeated positions in bounded memory.

use std::collections::HashMap;

/// The maximum number of stored keys.
const MAX_KEYS: usize = 1 << 21;

/// Counts keys. When there are too many, only keys with one more trailing zero bit are kept: what remains is a sample
/// of the keys with all their occurrences.
#[derive(Debug)]
pub(super) struct Duplicates {
    counts: HashMap<u64, u32>,
    /// Keys with one of these bits are not counted.
    mask: u64,
    max_keys: usize,
}

impl Default for Duplicates {
    fn default() -> Duplicates {
        Duplicates { counts: HashMap::new(), mask: 0, max_keys: MAX_KEYS }
    }
}

impl Duplicates {
    pub(super) fn add(&mut self, key: u64) {
        if key & self.mask != 0 {
            return;
        }
        *self.counts.entry(key).or_default() += 1;
        while self.counts.len() > self.max_keys && self.mask != u64::MAX {
            self.mask = self.mask << 1 | 1;
            let mask = self.mask;
            self.counts.retain(|key, _| key & mask == 0);
        }
    }

    /// The share of repeated positions, and whether it is an estimate.
    pub(super) fn share(&self) -> (f64, bool) {
        let seen: u64 = self.counts.values().map(|&count| u64::from(count)).sum();
        let share = 1.0 - self.counts.len() as f64 / seen.max(1) as f64;
        (if seen == 0 { 0.0 } else { share }, self.mask != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferz_selfplay::datagen::random::SplitMix64;

    #[test]
    fn a_sample_estimates_the_share() {
        for (max_keys, is_estimate) in [(1 << 20, false), (500, true)] {
            let mut duplicates = Duplicates { max_keys, ..Duplicates::default() };
            assert_eq!(duplicates.share(), (0.0, false));
            for number in 0..30_000 {
                // Two of three are new.
                duplicates.add(SplitMix64::new(number / 3 * 2 + u64::from(number % 3 == 1)).next_u64());
            }
            assert!(duplicates.counts.len() <= max_keys);
            let (share, estimate) = duplicates.share();
            assert!((share - 1.0 / 3.0).abs() < 0.05, "{share}");
            assert_eq!(estimate, is_estimate);
        }
    }
}
