//! A match of tuned parameters against those in the source.

use std::fmt;

use ferz_search::SearchParameters;

use crate::game::Points;
use crate::pairs::{Pace, Plan};
use crate::state::State;

/// Standard errors on either side of a 95 % confidence interval.
const CONFIDENCE: f64 = 1.96;

#[derive(Debug)]
pub struct Check {
    tuned: SearchParameters,
    every: u64,
    pairs: u64,
    won: u32,
    drawn: u32,
    lost: u32,
    /// Pairs by points: 0, ½, 1, 1½, 2 (pentanomial statistics).
    by_points: [u32; 5],
}

impl Check {
    pub fn new(state: &State, every: u64, pairs: u64) -> Check {
        Check { tuned: state.rounded(), every, pairs, won: 0, drawn: 0, lost: 0, by_points: [0; 5] }
    }

    /// The share of the points, and its standard error. The games of a pair are not independent.
    fn score(&self) -> (f64, f64) {
        let pairs = f64::from(self.by_points.iter().sum::<u32>().max(1));
        let average = |of: &dyn Fn(f64) -> f64| {
            let parts = self.by_points.iter().enumerate();
            parts.map(|(points, &count)| of(points as f64 / 4.0) * f64::from(count)).sum::<f64>() / pairs
        };
        let mean = average(&|share| share);
        let variance = average(&|share| (share - mean) * (share - mean));
        (mean, (variance / pairs).sqrt())
    }
}

impl Plan for Check {
    fn sides(&mut self, _: u64) -> [SearchParameters; 2] {
        [self.tuned, SearchParameters::default()]
    }

    fn note(&mut self, number: u64, points: [Points; 2], pace: &Pace) -> Result<(), String> {
        for points in points {
            *match points {
                1.. => &mut self.won,
                0 => &mut self.drawn,
                _ => &mut self.lost,
            } += 1;
        }
        self.by_points[(points[0] + points[1] + 2) as usize] += 1;
        if (number + 1).is_multiple_of(self.every) {
            let (rate, left) = (pace.games_per_second(), pace.time_left());
            eprintln!("{} of {} pairs, {rate:.2} games/s, {left}: {self}", number + 1, self.pairs);
        }
        Ok(())
    }
}

/// The rating difference for this share of the points.
fn elo(share: f64) -> f64 {
    -400.0 * (1.0 / share - 1.0).log10()
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Check { won, drawn, lost, by_points, .. } = self;
        let (score, error) = self.score();
        let error = CONFIDENCE * error;
        write!(f, "+{won} ={drawn} -{lost}, {:.1} ± {:.1} %", 100.0 * score, 100.0 * error)?;
        if score - error > 0.0 && score + error < 1.0 {
            let half_width = (elo(score + error) - elo(score - error)) / 2.0;
            write!(f, ", {:+.1} ± {half_width:.1} Elo", elo(score))?;
        }
        write!(f, ", pairs by points {by_points:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_has_an_error() {
        let state = State::new(&[]).unwrap();
        let mut check = Check::new(&state, 1000, 100);
        check.by_points = [5, 20, 40, 25, 10];
        let (score, error) = check.score();
        assert!((score - 0.5375).abs() < 1e-9);
        assert!((error - 0.0254).abs() < 1e-3, "{error}");
        assert!((elo(score) - 26.1).abs() < 0.1, "{}", elo(score));
    }
}
