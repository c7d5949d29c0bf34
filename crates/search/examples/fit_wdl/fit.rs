//! Maximum likelihood.
//!
//! The polynomials are sought as sums of Legendre polynomials over the range of material, which unlike the powers
//! of material are nearly independent of each other, by Newton's method with the expected second derivatives
//! (Fisher's scoring), which always lead uphill.

use ferz_search::WdlModel;

use crate::sample::{Outcome, Sample};

/// Curves that leave these bounds at some count of material are held back with [`STIFFNESS`].
const HALF_BOUNDS: (f64, f64) = (60.0, 400.0);
const SPREAD_BOUNDS: (f64, f64) = (20.0, 400.0);
/// The cost of a step beyond the bounds, in multiples of what all positions together could gain.
const STIFFNESS: f64 = 100.0;

/// Coefficients for each of the two curves.
const TERMS: usize = 4;
const UNKNOWNS: usize = 2 * TERMS;
type Vector = [f64; UNKNOWNS];
type Matrix = [[f64; UNKNOWNS]; UNKNOWNS];

/// The mean logarithm of the chance that the model gave to what happened.
pub fn log_likelihood(model: &WdlModel, samples: &[Sample]) -> f64 {
    let total: f64 = samples
        .iter()
        .map(|sample| {
            let (half, spread) = (model.half_at(sample.material), model.spread_at(sample.material));
            Curve { half, spread }.at(sample.value).log_chance(sample.outcome)
        })
        .sum();
    total / samples.len() as f64
}

/// The model that fits best.
pub fn fit(samples: &[Sample], prior: f64) -> WdlModel {
    let mut start = [0.0; UNKNOWNS];
    start[0] = 150.0;
    start[TERMS] = 70.0;
    let constant = Fit { samples, prior: None, terms: 1 }.climb(start);
    let prior = Prior {
        weight: prior,
        stiffness: STIFFNESS * samples.len() as f64,
        constant: Curve::of(&constant, &basis(WdlModel::MATERIAL.0)),
    };
    model(&Fit { samples, prior: Some(prior), terms: TERMS }.climb(constant))
}

/// What the strength of a player is worth in these games: the advantage (see [`Sample::with_advantage`]) that makes
/// their results most likely.
pub fn advantage(model: &WdlModel, samples: &[Sample]) -> f64 {
    let fits = |advantage| {
        let shifted: Vec<_> = samples.iter().map(|sample| sample.with_advantage(advantage)).collect();
        log_likelihood(model, &shifted)
    };
    // The likelihood has one maximum.
    let (mut low, mut high) = (-1000.0, 1000.0);
    while high - low > 0.1 {
        let third = (high - low) / 3.0;
        if fits(low + third) < fits(high - third) {
            low += third;
        } else {
            high -= third;
        }
    }
    f64::midpoint(low, high)
}

/// Every count of material that the model tells apart.
pub fn materials() -> impl Iterator<Item = u32> {
    WdlModel::MATERIAL.0..=WdlModel::MATERIAL.1
}

/// The Legendre polynomials over the range of material.
fn basis(material: u32) -> [f64; TERMS] {
    let (least, most) = (f64::from(WdlModel::MATERIAL.0), f64::from(WdlModel::MATERIAL.1));
    let z = (2.0 * f64::from(material) - least - most) / (most - least);
    [1.0, z, (3.0 * z * z - 1.0) / 2.0, (5.0 * z * z - 3.0) * z / 2.0]
}

/// The same curves as polynomials of material / 58.
fn model(unknowns: &Vector) -> WdlModel {
    let (least, most) = (f64::from(WdlModel::MATERIAL.0), f64::from(WdlModel::MATERIAL.1));
    // z = slope * x + shift
    let (slope, shift) = (116.0 / (most - least), -(least + most) / (most - least));
    let powers = |at: usize| {
        let c = &unknowns[at..at + TERMS];
        // In powers of z, then z replaced.
        let [p0, p1, p2, p3] = [c[0] - c[2] / 2.0, c[1] - 1.5 * c[3], 1.5 * c[2], 2.5 * c[3]];
        [
            p3 * slope.powi(3),
            (3.0 * p3 * shift + p2) * slope.powi(2),
            (3.0 * p3 * shift * shift + 2.0 * p2 * shift + p1) * slope,
            ((p3 * shift + p2) * shift + p1) * shift + p0,
        ]
    };
    WdlModel::new(powers(0), powers(TERMS))
}

/// The model at one count of material.
#[derive(Clone, Copy)]
struct Curve {
    half: f64,
    spread: f64,
}

impl Curve {
    fn of(unknowns: &Vector, basis: &[f64; TERMS]) -> Curve {
        let sum = |at: usize| (0..TERMS).map(|term| unknowns[at + term] * basis[term]).sum();
        Curve { half: sum(0), spread: sum(TERMS) }
    }

    fn at(self, value: f64) -> Point {
        Point {
            win: (value - self.half) / self.spread,
            loss: (-value - self.half) / self.spread,
            spread: self.spread,
        }
    }
}

/// A value on a curve: the logits of the win and loss probabilities.
#[derive(Clone, Copy)]
struct Point {
    win: f64,
    loss: f64,
    spread: f64,
}

impl Point {
    /// With `a` and `b` for the logits, the chance of a draw 1 - 1/(1+e^-a) - 1/(1+e^-b) is the product of the
    /// chances not to win and not to lose and of 1 - e^(a+b): no difference of nearly equal numbers.
    fn log_chance(self, outcome: Outcome) -> f64 {
        match outcome {
            Outcome::Win => -softplus(-self.win),
            Outcome::Loss => -softplus(-self.loss),
            Outcome::Draw => {
                (-(self.win + self.loss).exp_m1()).ln() - softplus(self.win) - softplus(self.loss)
            }
        }
    }

    /// The derivatives of [`Point::log_chance`] by half and by spread.
    fn gradient(self, outcome: Outcome) -> [f64; 2] {
        let ratio = 1.0 / (-(self.win + self.loss)).exp_m1();
        let (by_win, by_loss) = match outcome {
            Outcome::Win => (logistic(-self.win), 0.0),
            Outcome::Loss => (0.0, logistic(-self.loss)),
            Outcome::Draw => (-logistic(self.win) - ratio, -logistic(self.loss) - ratio),
        };
        [-(by_win + by_loss) / self.spread, -(self.win * by_win + self.loss * by_loss) / self.spread]
    }
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Pulls the curves towards constants, so that they do not run away where positions are rare, and keeps them
/// within their bounds.
#[derive(Clone, Copy)]
struct Prior {
    weight: f64,
    stiffness: f64,
    constant: Curve,
}

impl Prior {
    /// The height of the prior for a curve, and its first and second derivatives by half and by spread.
    fn at(&self, curve: Curve) -> (f64, [f64; 2], [f64; 2]) {
        // About what one position says about half or spread.
        let information = 1.0 / (4.0 * self.constant.spread.powi(2));
        let spring = |value: f64, rest: f64, (least, most): (f64, f64)| {
            let (off, beyond) = (value - rest, value - value.clamp(least, most));
            let stiffness = if beyond == 0.0 { 0.0 } else { self.stiffness };
            let height = -(self.weight * off * off + stiffness * beyond * beyond) / 2.0;
            let slope = -(self.weight * off + stiffness * beyond);
            [height, slope, self.weight + stiffness].map(|derivative| derivative * information)
        };
        let half = spring(curve.half, self.constant.half, HALF_BOUNDS);
        let spread = spring(curve.spread, self.constant.spread, SPREAD_BOUNDS);
        (half[0] + spread[0], [half[1], spread[1]], [half[2], spread[2]])
    }
}

/// The problem: the best unknowns, `terms` of them for each curve.
struct Fit<'a> {
    samples: &'a [Sample],
    prior: Option<Prior>,
    terms: usize,
}

impl Fit<'_> {
    fn climb(&self, start: Vector) -> Vector {
        let mut unknowns = start;
        let mut height = self.height(&unknowns);
        for _ in 0..100 {
            let step = self.step(&unknowns);
            let mut length = 1.0;
            let (next, next_height) = loop {
                let next: Vector = std::array::from_fn(|index| unknowns[index] + length * step[index]);
                let next_height = self.height(&next);
                if next_height > height {
                    break (next, next_height);
                }
                length /= 2.0;
                if length < 1e-6 {
                    return unknowns;
                }
            };
            let gained = next_height - height;
            (unknowns, height) = (next, next_height);
            if gained < 1e-6 {
                break;
            }
        }
        unknowns
    }

    /// The logarithm of the likelihood and of the prior; none where a curve is not above 0.
    fn height(&self, unknowns: &Vector) -> f64 {
        let curves: Vec<Curve> = materials().map(|material| Curve::of(unknowns, &basis(material))).collect();
        if curves.iter().any(|curve| curve.half < 1.0 || curve.spread < 1.0) {
            return f64::NEG_INFINITY;
        }
        let curve = |sample: &Sample| curves[(sample.material - WdlModel::MATERIAL.0) as usize];
        let likelihood: f64 =
            self.samples.iter().map(|sample| curve(sample).at(sample.value).log_chance(sample.outcome)).sum();
        let prior = self.prior.map_or(0.0, |prior| curves.iter().map(|&curve| prior.at(curve).0).sum());
        likelihood + prior
    }

    /// Newton's step.
    fn step(&self, unknowns: &Vector) -> Vector {
        let mut gradient = [0.0; UNKNOWNS];
        let mut information = [[0.0; UNKNOWNS]; UNKNOWNS];
        let mut add = |basis: &[f64; TERMS], slope: [f64; 2], curvature: [[f64; 2]; 2]| {
            for i in 0..UNKNOWNS {
                let (curve, term) = (i / TERMS, i % TERMS);
                gradient[i] += slope[curve] * basis[term];
                for j in 0..UNKNOWNS {
                    information[i][j] += curvature[curve][j / TERMS] * basis[term] * basis[j % TERMS];
                }
            }
        };
        for material in materials() {
            let basis = basis(material);
            let curve = Curve::of(unknowns, &basis);
            let (mut slope, mut curvature) = ([0.0; 2], [[0.0; 2]; 2]);
            for sample in self.samples.iter().filter(|sample| sample.material == material) {
                let point = curve.at(sample.value);
                let by = point.gradient(sample.outcome);
                slope = [slope[0] + by[0], slope[1] + by[1]];
                for outcome in [Outcome::Win, Outcome::Draw, Outcome::Loss] {
                    let (chance, by) = (point.log_chance(outcome).exp(), point.gradient(outcome));
                    for i in 0..2 {
                        for j in 0..2 {
                            curvature[i][j] += chance * by[i] * by[j];
                        }
                    }
                }
            }
            if let Some(prior) = &self.prior {
                let (_, prior_slope, prior_curvature) = prior.at(curve);
                for i in 0..2 {
                    slope[i] += prior_slope[i];
                    curvature[i][i] += prior_curvature[i];
                }
            }
            add(&basis, slope, curvature);
        }
        // What is not sought stays.
        for index in (0..UNKNOWNS).filter(|index| index % TERMS >= self.terms) {
            gradient[index] = 0.0;
            information[index] = [0.0; UNKNOWNS];
            information.iter_mut().for_each(|row| row[index] = 0.0);
            information[index][index] = 1.0;
        }
        solve(information, gradient)
    }
}

/// Gauss's elimination, for a positive definite matrix.
fn solve(mut matrix: Matrix, mut right: Vector) -> Vector {
    for pivot in 0..UNKNOWNS {
        let pivot_row = matrix[pivot];
        for row in pivot + 1..UNKNOWNS {
            let factor = matrix[row][pivot] / pivot_row[pivot];
            for (entry, above) in matrix[row].iter_mut().zip(pivot_row) {
                *entry -= factor * above;
            }
            right[row] -= factor * right[pivot];
        }
    }
    for row in (0..UNKNOWNS).rev() {
        let known: f64 = (row + 1..UNKNOWNS).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}
