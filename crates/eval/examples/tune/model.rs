//! The evaluation as a function of its weights, and its gradient.

use std::thread;

use ferz_eval::TaperedScore;
use ferz_eval::tuning::{
    ATTACK_EG_UNIT, ATTACK_UNIT, Coefficient, FULL_PHASE, FULL_SCALE, MAX_ATTACK, Trace, WEIGHT_COUNT,
};

/// Positions as sparse coefficients, in a few long arrays.
#[derive(Default)]
pub struct Samples {
    positions: Vec<Sample>,
    weights: Vec<u16>,
    counts: Vec<i8>,
}

/// One position: its coefficients and its target.
struct Sample {
    start: usize,
    /// The number of coefficients: linear, of White's attack, of Black's attack.
    lens: [u16; 3],
    /// The shares of the middlegame and endgame halves in the value.
    shares: [f32; 2],
    result: f32,
    score: Option<f32>,
    /// The target of the prediction.
    target: f32,
}

impl Samples {
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    pub fn bytes(&self) -> usize {
        self.len() * size_of::<Sample>() + self.weights.len() * 3
    }

    /// Adds a position with its game result and the search score for White.
    pub fn push(&mut self, trace: &Trace, result: f32, score: Option<f32>) {
        let parts = [&trace.linear, &trace.attacks[0], &trace.attacks[1]];
        let phase = trace.phase as f32 / FULL_PHASE as f32;
        let scale = trace.scale as f32 / FULL_SCALE as f32;
        self.positions.push(Sample {
            start: self.weights.len(),
            lens: parts.map(|counts| counts.len() as u16),
            shares: [phase, (1.0 - phase) * scale],
            result,
            score,
            target: result,
        });
        for &Coefficient { weight, count } in parts.into_iter().flatten() {
            self.weights.push(weight);
            self.counts.push(count);
        }
    }

    pub fn append(&mut self, other: Samples) {
        let offset = self.weights.len();
        let moved = other.positions.into_iter().map(|it| Sample { start: it.start + offset, ..it });
        self.positions.extend(moved);
        self.weights.extend(other.weights);
        self.counts.extend(other.counts);
    }

    /// Mixes game results and search scores into targets.
    pub fn set_targets(&mut self, lambda: f32, scale: f32) {
        for sample in &mut self.positions {
            sample.target = sample.score.map_or(sample.result, |score| {
                lambda * sample.result + (1.0 - lambda) * sigmoid(score / scale)
            });
        }
    }

    /// The search scores with the results that followed.
    pub fn scores(&self) -> Vec<(f32, f32)> {
        self.positions.iter().filter_map(|it| it.score.map(|score| (score, it.result))).collect()
    }

    /// The values of a model with the results.
    pub fn values(&self, model: &Model) -> Vec<(f32, f32)> {
        self.positions.iter().map(|it| (model.judge(self, it).value, it.result)).collect()
    }

    /// The counts of a sample: linear, White's attack, Black's attack.
    fn parts(&self, sample: &Sample) -> [impl Iterator<Item = (usize, f32)> + Clone; 3] {
        let mut end = sample.start;
        sample.lens.map(|len| {
            let range = end..end + usize::from(len);
            end = range.end;
            let counts = self.counts[range.clone()].iter().map(|&count| f32::from(count));
            self.weights[range].iter().map(|&weight| usize::from(weight)).zip(counts)
        })
    }
}

/// A win probability from a value in units of its scale.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// A weight, or its gradient: middlegame and endgame.
pub type Pair = [f32; 2];

/// Weights that are not rounded yet.
#[derive(Clone)]
pub struct Model {
    pub weights: Vec<Pair>,
}

/// A value, and how it changes with the sums it is made of.
struct Judgement {
    value: f32,
    /// Of White's attack and Black's: middlegame, endgame.
    attack_slopes: [Pair; 2],
}

impl Model {
    pub fn from_weights(weights: &[TaperedScore]) -> Model {
        Model { weights: weights.iter().map(|it| [it.mg() as f32, it.eg() as f32]).collect() }
    }

    pub fn to_weights(&self) -> Vec<TaperedScore> {
        self.weights.iter().map(|&[mg, eg]| TaperedScore::new(mg.round() as i32, eg.round() as i32)).collect()
    }

    /// The model that the compiled weights will be.
    pub fn rounded(&self) -> Model {
        Model::from_weights(&self.to_weights())
    }

    fn sum(&self, counts: impl Iterator<Item = (usize, f32)>) -> Pair {
        counts.fold([0.0; 2], |[mg, eg], (weight, count)| {
            let [a, b] = self.weights[weight];
            [mg + a * count, eg + b * count]
        })
    }

    fn judge(&self, samples: &Samples, sample: &Sample) -> Judgement {
        let [linear, white, black] = samples.parts(sample);
        let [mut mg, mut eg] = self.sum(linear);
        let mut attack_slopes = [[0.0; 2]; 2];
        for (counts, sign, slopes) in [(white, 1.0, 0), (black, -1.0, 1)] {
            let [attack_mg, attack_eg] = self.sum(counts);
            let bounded = |sum: f32| sum.clamp(0.0, MAX_ATTACK as f32);
            let slope = |sum: f32, slope: f32| if bounded(sum) == sum { slope * sign } else { 0.0 };
            mg += sign * bounded(attack_mg) * bounded(attack_mg) / ATTACK_UNIT as f32;
            eg += sign * bounded(attack_eg) / ATTACK_EG_UNIT as f32;
            attack_slopes[slopes] = [
                slope(attack_mg, 2.0 * attack_mg / ATTACK_UNIT as f32),
                slope(attack_eg, 1.0 / ATTACK_EG_UNIT as f32),
            ];
        }
        Judgement { value: mg * sample.shares[0] + eg * sample.shares[1], attack_slopes }
    }

    /// The mean squared error of the predictions.
    pub fn loss(&self, samples: &Samples, scale: f32, threads: usize) -> f64 {
        let chunk = samples.len().div_ceil(threads).max(1);
        let total: f64 = thread::scope(|scope| {
            let loss = |part: &[Sample]| {
                part.iter()
                    .map(|it| f64::from(sigmoid(self.judge(samples, it).value / scale) - it.target).powi(2))
                    .sum::<f64>()
            };
            let workers: Vec<_> =
                samples.positions.chunks(chunk).map(|part| scope.spawn(move || loss(part))).collect();
            workers.into_iter().map(|worker| worker.join().expect("no worker panics")).sum()
        });
        total / samples.len() as f64
    }

    /// The gradient of the mean squared error of some of the samples.
    pub fn gradient(&self, samples: &Samples, chosen: &[u32], scale: f32, threads: usize) -> Vec<Pair> {
        let chunk = chosen.len().div_ceil(threads).max(1);
        let mut total = vec![[0.0; 2]; WEIGHT_COUNT];
        thread::scope(|scope| {
            let workers: Vec<_> = chosen
                .chunks(chunk)
                .map(|part| scope.spawn(move || self.partial_gradient(samples, part, scale)))
                .collect();
            for worker in workers {
                let partial = worker.join().expect("no worker panics");
                for (sum, [mg, eg]) in total.iter_mut().zip(partial) {
                    *sum = [sum[0] + mg / chosen.len() as f32, sum[1] + eg / chosen.len() as f32];
                }
            }
        });
        total
    }

    fn partial_gradient(&self, samples: &Samples, chosen: &[u32], scale: f32) -> Vec<Pair> {
        let mut gradient = vec![[0.0; 2]; WEIGHT_COUNT];
        for &index in chosen {
            let sample = &samples.positions[index as usize];
            let judgement = self.judge(samples, sample);
            let predicted = sigmoid(judgement.value / scale);
            let slope = 2.0 * (predicted - sample.target) * predicted * (1.0 - predicted) / scale;
            for_each_slope(samples, sample, &judgement, |weight, [mg, eg]| {
                gradient[weight][0] += slope * mg;
                gradient[weight][1] += slope * eg;
            });
        }
        gradient
    }

    /// How strongly each weight moves the value of a position it occurs in: the mean of the squared slopes.
    pub fn leverage(&self, samples: &Samples) -> Vec<Pair> {
        let mut sums = vec![([0.0; 2], 0.0f32); WEIGHT_COUNT];
        for sample in &samples.positions {
            let judgement = self.judge(samples, sample);
            for_each_slope(samples, sample, &judgement, |weight, [mg, eg]| {
                let ([mg_sum, eg_sum], count) = &mut sums[weight];
                *mg_sum += mg * mg;
                *eg_sum += eg * eg;
                *count += 1.0;
            });
        }
        sums.into_iter().map(|([mg, eg], count)| [mg / count.max(1.0), eg / count.max(1.0)]).collect()
    }
}

/// Calls with each weight of a position and how the value changes with it: its halves.
fn for_each_slope(
    samples: &Samples,
    sample: &Sample,
    judgement: &Judgement,
    mut visit: impl FnMut(usize, Pair),
) {
    let [mg, eg] = sample.shares;
    let [white, black] = judgement.attack_slopes;
    let slopes = [[mg, eg], [mg * white[0], eg * white[1]], [mg * black[0], eg * black[1]]];
    for (counts, [mg, eg]) in samples.parts(sample).into_iter().zip(slopes) {
        counts.for_each(|(weight, count)| visit(weight, [mg * count, eg * count]));
    }
}
