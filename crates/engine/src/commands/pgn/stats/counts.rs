//! Counting numbers and results.

use std::collections::BTreeMap;

use ferz_board::Color;
use ferz_notation::pgn::GameResult;
use serde::Serialize;

/// How often each number occurred.
#[derive(Default)]
pub(super) struct NumberCounts(BTreeMap<u32, u64>);

impl NumberCounts {
    pub(super) fn add(&mut self, number: u32) {
        *self.0.entry(number).or_default() += 1;
    }

    pub(super) fn merge(&mut self, other: NumberCounts) {
        for (number, count) in other.0 {
            *self.0.entry(number).or_default() += count;
        }
    }

    /// A summary with a histogram whose bars have this width; `None` without numbers.
    pub(super) fn summary(&self, bar_width: u32) -> Option<Summary> {
        let count: u64 = self.0.values().sum();
        let (&min, &max) = (self.0.keys().next()?, self.0.keys().next_back()?);
        let sum: f64 = self.0.iter().map(|(&number, &count)| f64::from(number) * count as f64).sum();
        let mut histogram = BTreeMap::<u32, u64>::new();
        for (&number, &count) in &self.0 {
            *histogram.entry(number - number % bar_width).or_default() += count;
        }
        Some(Summary {
            count,
            min,
            max,
            mean: (sum / count as f64 * 10.0).round() / 10.0,
            median: self.nth(count.div_ceil(2)),
            bar_width,
            histogram: histogram.into_iter().map(|(from, count)| HistogramBar { from, count }).collect(),
        })
    }

    /// The n-th smallest number, from 1.
    fn nth(&self, n: u64) -> u32 {
        let mut passed = 0;
        let reaches = |&(_, &count): &(&u32, &u64)| {
            passed += count;
            passed >= n
        };
        self.0.iter().find(reaches).map_or(0, |(&number, _)| number)
    }
}

/// Statistics of many numbers.
#[derive(Serialize)]
pub(super) struct Summary {
    pub(super) count: u64,
    pub(super) min: u32,
    pub(super) max: u32,
    pub(super) mean: f64,
    pub(super) median: u32,
    pub(super) bar_width: u32,
    pub(super) histogram: Vec<HistogramBar>,
}

#[derive(Serialize)]
pub(super) struct HistogramBar {
    pub(super) from: u32,
    pub(super) count: u64,
}

/// Counts of game results.
#[derive(Clone, Copy, Default, Serialize)]
pub(super) struct GameResults {
    pub(super) white: u64,
    pub(super) draw: u64,
    pub(super) black: u64,
    pub(super) unknown: u64,
}

impl GameResults {
    pub(super) fn add(&mut self, result: GameResult) {
        *match result {
            GameResult::Win(Color::White) => &mut self.white,
            GameResult::Win(Color::Black) => &mut self.black,
            GameResult::Draw => &mut self.draw,
            GameResult::Unknown => &mut self.unknown,
        } += 1;
    }

    pub(super) fn merge(&mut self, other: GameResults) {
        self.white += other.white;
        self.draw += other.draw;
        self.black += other.black;
        self.unknown += other.unknown;
    }

    pub(super) fn games(&self) -> u64 {
        self.white + self.draw + self.black + self.unknown
    }

    /// White's score in per cent; `None` if no game has a result.
    pub(super) fn score(&self) -> Option<f64> {
        let ended = self.games() - self.unknown;
        let points = self.white as f64 + self.draw as f64 / 2.0;
        (ended > 0).then(|| (points / ended as f64 * 1000.0).round() / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_exact() {
        let mut counts = NumberCounts::default();
        assert!(counts.summary(10).is_none());
        [7, 3, 3, 12, 25].into_iter().for_each(|number| counts.add(number));
        let mut more = NumberCounts::default();
        more.add(3);
        counts.merge(more);
        let summary = counts.summary(10).expect("there are numbers");
        assert_eq!((summary.count, summary.min, summary.max), (6, 3, 25));
        assert_eq!((summary.median, summary.mean), (3, 8.8));
        let bars: Vec<_> = summary.histogram.iter().map(|bar| (bar.from, bar.count)).collect();
        assert_eq!(bars, [(0, 4), (10, 1), (20, 1)]);
    }
}
