//! Statistics of matches.

use std::fmt;

use super::game::MatchPoints;

/// Standard errors on either side of a 95 % confidence interval.
pub(super) const CONFIDENCE: f64 = 1.959_963_984_540_054;

/// The results of a match for the first player.
///
/// The games of a pair are not independent, so errors follow from the points of pairs (pentanomial statistics).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MatchStats {
    /// Games won.
    pub won: u64,
    /// Games drawn.
    pub drawn: u64,
    /// Games lost.
    pub lost: u64,
    /// Pairs by their points: 0, ½, 1, 1½, 2.
    pub pentanomial: [u64; 5],
}

impl MatchStats {
    /// Counts a pair.
    pub fn add(&mut self, points: [MatchPoints; 2]) {
        for points in points {
            *match points {
                1.. => &mut self.won,
                0 => &mut self.drawn,
                _ => &mut self.lost,
            } += 1;
        }
        self.pentanomial[(points[0].signum() + points[1].signum() + 2) as usize] += 1;
    }

    /// The number of pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.pentanomial.iter().sum()
    }

    /// The share of the points, and the variance of a pair's share.
    #[must_use]
    pub fn mean_and_variance(&self) -> (f64, f64) {
        let pairs = self.pairs().max(1) as f64;
        let average = |of: &dyn Fn(f64) -> f64| {
            let parts = self.pentanomial.iter().enumerate();
            parts.map(|(points, &count)| of(points as f64 / 4.0) * count as f64).sum::<f64>() / pairs
        };
        let mean = average(&|share| share);
        (mean, average(&|share| (share - mean) * (share - mean)))
    }

    /// The share of the points and its 95 % error.
    #[must_use]
    pub fn score(&self) -> (f64, f64) {
        let (mean, variance) = self.mean_and_variance();
        (mean, CONFIDENCE * (variance / self.pairs().max(1) as f64).sqrt())
    }

    /// The rating difference and its 95 % error; `None` if there are too few games.
    #[must_use]
    pub fn elo(&self) -> Option<(f64, f64)> {
        let (score, error) = self.score();
        (self.pairs() > 0 && score - error > 0.0 && score + error < 1.0).then(|| {
            let half_width = (elo_of_score(score + error) - elo_of_score(score - error)) / 2.0;
            (elo_of_score(score), half_width)
        })
    }

    /// The normalised rating difference and its 95 % error: the advantage in standard deviations of a game, times
    /// 800 / ln 10. `None` if all pairs have the same points.
    #[must_use]
    pub fn normalized_elo(&self) -> Option<(f64, f64)> {
        let (mean, variance) = self.mean_and_variance();
        let scale = 800.0 / std::f64::consts::LN_10;
        (variance > 0.0).then(|| {
            (
                scale * (mean - 0.5) / (2.0 * variance).sqrt(),
                scale * CONFIDENCE / (2.0 * self.pairs() as f64).sqrt(),
            )
        })
    }

    /// The likelihood of superiority: how certain it is that the first player is stronger, from 0 to 1.
    #[must_use]
    pub fn los(&self) -> f64 {
        let (mean, variance) = self.mean_and_variance();
        if self.pairs() == 0 || mean == 0.5 {
            return 0.5;
        }
        normal_distribution((mean - 0.5) / (variance / self.pairs() as f64).sqrt())
    }
}

/// The rating difference for this share of the points.
#[must_use]
pub fn elo_of_score(share: f64) -> f64 {
    400.0 * (share / (1.0 - share)).log10()
}

/// The cumulative normal distribution, with an error below 10⁻⁷ (Abramowitz and Stegun 26.2.17).
fn normal_distribution(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] =
        [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let sum = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| (sum + coefficient) * t);
    let tail = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * sum;
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// `+30 =50 -20, 55.0 ± 7.1 %, +34.9 ± 49.9 Elo, LOS 91.6 %, pairs [3, 9, 20, 11, 7]`
impl fmt::Display for MatchStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MatchStats { won, drawn, lost, pentanomial } = self;
        let (score, error) = self.score();
        write!(f, "+{won} ={drawn} -{lost}, {:.1} ± {:.1} %", 100.0 * score, 100.0 * error)?;
        if let Some((elo, error)) = self.elo() {
            write!(f, ", {elo:+.1} ± {error:.1} Elo")?;
        }
        write!(f, ", LOS {:.1} %, pairs {pentanomial:?}", 100.0 * self.los())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(pentanomial: [u64; 5]) -> MatchStats {
        MatchStats { pentanomial, ..MatchStats::default() }
    }

    #[track_caller]
    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.006, "{found}, not {expected}");
    }

    #[test]
    fn pairs_are_counted() {
        let mut stats = MatchStats::default();
        [[1, 1], [1, 0], [0, 0], [1, -1], [-1, 0], [-1, -1]].into_iter().for_each(|pair| stats.add(pair));
        assert_eq!(stats.pentanomial, [1, 1, 2, 1, 1]);
        assert_eq!((stats.won, stats.drawn, stats.lost, stats.pairs()), (4, 4, 4, 6));
        assert_eq!((stats.score().0, stats.los()), (0.5, 0.5));
    }

    /// The figures of fastchess for these pairs.
    #[test]
    fn figures_are_those_of_other_programs() {
        for (pentanomial, [elo, error, normalized, normalized_error, los]) in [
            ([75, 64, 63, 54, 34], [-55.58, 27.65, -57.94, 28.28, 0.0]),
            ([334, 333, 498, 433, 332], [8.64, 10.33, 9.17, 10.96, 94.95]),
            ([9999, 568, 5685, 8757, 7895], [21.04, 2.95, 19.01, 2.65, 100.0]),
        ] {
            // Here seen by the other player.
            let mirrored = {
                let mut it = pentanomial;
                it.reverse();
                it
            };
            for (pentanomial, sign) in [(pentanomial, 1.0), (mirrored, -1.0)] {
                let stats = stats(pentanomial);
                let found = stats.elo().unwrap();
                close(found.0, sign * elo);
                close(found.1, error);
                let found = stats.normalized_elo().unwrap();
                close(found.0, sign * normalized);
                close(found.1, normalized_error);
                close(100.0 * stats.los(), if sign > 0.0 { los } else { 100.0 - los });
            }
        }
    }

    /// 100 pairs by hand: the mean is 53.75 %, the variance of a pair 0.06422.
    #[test]
    fn a_lead_has_an_error() {
        let stats = stats([5, 20, 40, 25, 10]);
        let (mean, variance) = stats.mean_and_variance();
        assert!((mean - 0.5375).abs() < 1e-12 && (variance - 0.064_218_75).abs() < 1e-12, "{variance}");
        close(stats.elo().unwrap().0, 26.11);
    }

    #[test]
    fn few_games_have_no_rating() {
        assert_eq!(stats([0; 5]).elo(), None);
        assert_eq!(stats([0, 0, 0, 0, 3]).elo(), None);
        assert_eq!(stats([0; 5]).to_string(), "+0 =0 -0, 0.0 ± 0.0 %, LOS 50.0 %, pairs [0, 0, 0, 0, 0]");
        assert_eq!(stats([0, 0, 0, 0, 3]).los(), 1.0);
    }
}
