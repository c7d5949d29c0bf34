//! The sequential probability ratio test (SPRT), as fishtest, OpenBench and fastchess compute it.
//!
//! The log-likelihood ratio is that of the most likely distributions of pairs with the two rating differences (Michel
//! Van den Bergh, "Normalized Elo in practice" and "Comparing the approximations for the generalized log likelihood
//! ratio of a multinomial distribution").

use std::fmt;

use super::stats::MatchStats;

/// The meaning of the rating differences of a test.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum EloModel {
    /// Normalised Elo: the number of games needed does not depend on the share of draws.
    #[default]
    Normalized,
    /// Ordinary (logistic) Elo.
    Logistic,
}

/// A hypothesis of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hypothesis {
    /// The rating difference is the smaller one or less.
    H0,
    /// The rating difference is the larger one or more.
    H1,
}

/// A sequential test whether the first player is stronger.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The rating difference of H0.
    pub elo0: f64,
    /// The rating difference of H1, which is larger.
    pub elo1: f64,
    /// The probability of accepting H1 although H0 is true.
    pub alpha: f64,
    /// The probability of accepting H0 although H1 is true.
    pub beta: f64,
    /// The meaning of the rating differences.
    pub model: EloModel,
}

/// Shares of the points of a pair.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// The count of a result that did not occur.
const NEVER: f64 = 1e-3;

impl Sprt {
    /// A test with errors of 5 %.
    #[must_use]
    pub fn new(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, model }
    }

    /// The log-likelihood ratios at which H0 and H1 are accepted.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio (LLR): positive if H1 is more likely than H0.
    #[must_use]
    pub fn llr(&self, stats: &MatchStats) -> f64 {
        let counts = stats.pentanomial.map(|count| if count == 0 { NEVER } else { count as f64 });
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / total);
        let most_likely = |elo: f64| match self.model {
            EloModel::Normalized => {
                with_t_value(&observed, 2f64.sqrt() * elo * std::f64::consts::LN_10 / 800.0)
            }
            EloModel::Logistic => with_mean(&observed, 1.0 / (1.0 + 10f64.powf(-elo / 400.0))),
        };
        let (under_h0, under_h1) = (most_likely(self.elo0), most_likely(self.elo1));
        let ratios = under_h0.iter().zip(&under_h1).zip(&counts);
        ratios.map(|((p0, p1), count)| count * (p1 / p0).ln()).sum()
    }

    /// The hypothesis that is accepted, if the test is over.
    #[must_use]
    pub fn verdict(&self, stats: &MatchStats) -> Option<Hypothesis> {
        let (llr, (lower, upper)) = (self.llr(stats), self.bounds());
        if stats.pairs() == 0 {
            None
        } else if llr >= upper {
            Some(Hypothesis::H1)
        } else {
            (llr <= lower).then_some(Hypothesis::H0)
        }
    }

    /// The state of the test as text: `LLR 1.20 (-2.94, 2.94) [0, 8] normalized`.
    #[must_use]
    pub fn describe(&self, stats: &MatchStats) -> String {
        let (lower, upper) = self.bounds();
        let Sprt { elo0, elo1, model, .. } = self;
        format!("LLR {:.2} ({lower:.2}, {upper:.2}) [{elo0}, {elo1}] {model}", self.llr(stats))
    }
}

impl fmt::Display for EloModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EloModel::Normalized => "normalized",
            EloModel::Logistic => "logistic",
        })
    }
}

impl fmt::Display for Hypothesis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hypothesis::H0 => "H0",
            Hypothesis::H1 => "H1",
        })
    }
}

/// The most likely distribution with this mean.
fn with_mean(observed: &[f64; 5], mean: f64) -> [f64; 5] {
    reweighted(observed, &SHARES.map(|share| share - mean))
}

/// The most likely distribution whose mean is this many of its own standard deviations above one half.
fn with_t_value(observed: &[f64; 5], t: f64) -> [f64; 5] {
    let mut likely = [0.2; 5];
    // Each round solves the equation linearised at the distribution before.
    for _ in 0..10 {
        let mean: f64 = SHARES.iter().zip(&likely).map(|(share, p)| share * p).sum();
        let variance: f64 = SHARES.iter().zip(&likely).map(|(share, p)| (share - mean).powi(2) * p).sum();
        let deviation = variance.sqrt();
        let offsets = SHARES
            .map(|share| share - 0.5 - t * deviation * (1.0 + ((mean - share) / deviation).powi(2)) / 2.0);
        let next = reweighted(observed, &offsets);
        let change = next.iter().zip(&likely).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        likely = next;
        if change < 1e-9 {
            break;
        }
    }
    likely
}

/// The distribution nearest to the observed one in which these offsets have the mean 0: its probabilities are
/// `p / (1 + x · offset)`, with the one `x` for which that holds.
fn reweighted(observed: &[f64; 5], offsets: &[f64; 5]) -> [f64; 5] {
    let least = offsets.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = offsets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least >= 0.0 || greatest <= 0.0 {
        return *observed;
    }
    let mean = |x: f64| -> f64 { observed.iter().zip(offsets).map(|(p, a)| p * a / (1.0 + x * a)).sum() };
    // The mean falls from infinity to minus infinity between these.
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        *(if mean(middle) > 0.0 { &mut low } else { &mut high }) = middle;
    }
    let x = f64::midpoint(low, high);
    let mut likely = *observed;
    likely.iter_mut().zip(offsets).for_each(|(p, a)| *p /= 1.0 + x * a);
    likely
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(pentanomial: [u64; 5]) -> MatchStats {
        MatchStats { pentanomial, ..MatchStats::default() }
    }

    /// The figures of fastchess for these pairs.
    #[test]
    fn ratios_are_those_of_other_programs() {
        use EloModel::{Logistic, Normalized};
        for (pentanomial, elo0, elo1, model, llr) in [
            ([365, 16618, 36229, 16974, 390], 0.0, 2.0, Normalized, 2.25),
            ([127, 4883, 10712, 5150, 104], -1.75, 0.25, Normalized, 3.01),
            ([0, 0, 0, 0, 5550], 0.0, 5.0, Normalized, 111.82),
            ([223, 9863, 21279, 10037, 246], 0.5, 2.5, Logistic, -3.07),
            ([871, 26175, 55983, 26678, 821], 0.0, 2.0, Logistic, -4.98),
        ] {
            let found = Sprt::new(elo0, elo1, model).llr(&stats(pentanomial));
            assert!((found - llr).abs() < 0.01 * llr.abs(), "{pentanomial:?}: {found}, not {llr}");
        }
    }

    #[test]
    fn a_test_ends_at_its_bounds() {
        let sprt = Sprt::new(0.0, 8.0, EloModel::Normalized);
        let (lower, upper) = sprt.bounds();
        assert!((upper - 19f64.ln()).abs() < 1e-12 && (lower + upper).abs() < 1e-12);
        assert_eq!(sprt.verdict(&stats([0; 5])), None);
        assert_eq!(sprt.verdict(&stats([100, 400, 900, 430, 110])), None);
        assert_eq!(sprt.verdict(&stats([100, 400, 900, 700, 200])), Some(Hypothesis::H1));
        assert_eq!(sprt.verdict(&stats([200, 700, 900, 400, 100])), Some(Hypothesis::H0));
        // One game decides nothing.
        assert_eq!(sprt.verdict(&stats([0, 0, 0, 0, 1])), None);
    }
}
