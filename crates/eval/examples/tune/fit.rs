//! Optimises the weights: Adam on mini-batches, with early stopping on held-out positions.

use ferz_eval::tuning::WEIGHT_COUNT;

use crate::model::{Model, Pair, Samples, sigmoid};
use crate::options::Options;

/// The scales of the logistic curve: how many centipawns of a value, and of a search score, are one unit.
pub struct Scales {
    pub value: f32,
    pub score: f32,
}

/// Fits both scales to the results, with the weights as they are.
pub fn fit_scale(model: &Model, samples: &Samples) -> Scales {
    let value = best_scale(&samples.values(model));
    let scores = samples.scores();
    Scales { value, score: if scores.is_empty() { value } else { best_scale(&scores) } }
}

/// The scale with which values predict results best (by ternary search).
fn best_scale(pairs: &[(f32, f32)]) -> f32 {
    // The loss has one minimum, so a third of the interval can be cut off at a time.
    let loss = |scale: f32| -> f64 {
        pairs.iter().map(|&(value, result)| f64::from(sigmoid(value / scale) - result).powi(2)).sum()
    };
    let (mut low, mut high) = (40.0, 1500.0);
    while high - low > 1.0 {
        let third = (high - low) / 3.0;
        if loss(low + third) < loss(high - third) { high -= third } else { low += third }
    }
    f32::midpoint(low, high)
}

/// Epochs without gain after which the learning rate is reduced, and how often that is done.
const PATIENCE: usize = 3;
const REDUCTIONS: usize = 4;

/// The weights with the least loss on the positions held out.
pub fn fit(start: &Model, train: &Samples, held_out: &Samples, scale: f32, options: &Options) -> Model {
    let loss = |model: &Model| model.loss(held_out, scale, options.threads);
    // Near even chances, a position bends the loss in a weight by 1/(8 scale²) times its squared slope. The old
    // weights pull as strongly as the positions they stand for, so features that hardly occur stay as they are.
    let unit = options.prior / (8.0 * scale * scale * train.len() as f32);
    let pull: Vec<Pair> = start.leverage(train).into_iter().map(|it| it.map(|slope| unit * slope)).collect();
    let mut model = start.clone();
    let mut adam = Adam::new(options.rate);
    let mut order: Vec<u32> = (0..train.len() as u32).collect();
    let mut rng = fastrand::Rng::with_seed(1);
    let (mut best, mut best_loss) = (start.clone(), loss(start));
    let (mut idle, mut reductions) = (0, 0);
    eprintln!("held out: {best_loss:.6}");
    for epoch in 1..=options.epochs {
        rng.shuffle(&mut order);
        for batch in order.chunks(options.batch) {
            let mut gradient = model.gradient(train, batch, scale, options.threads);
            for (weight, sum) in gradient.iter_mut().enumerate() {
                for (half, slope) in sum.iter_mut().enumerate() {
                    *slope +=
                        pull[weight][half] * (model.weights[weight][half] - start.weights[weight][half]);
                }
            }
            adam.step(&mut model.weights, &gradient);
        }
        let now = loss(&model);
        eprintln!("pass {epoch}: {now:.6}, steps of {:.3}", adam.rate);
        // Smaller gains would vanish when the weights are rounded.
        if now < best_loss - 1e-7 {
            (best, best_loss, idle) = (model.clone(), now, 0);
            continue;
        }
        idle += 1;
        if idle >= PATIENCE {
            if reductions == REDUCTIONS {
                break;
            }
            (model, idle) = (best.clone(), 0);
            adam.rate /= 3.0;
            reductions += 1;
        }
    }
    best
}

/// The Adam optimiser (Kingma & Ba 2015): steps of the same size for each weight, whatever the size of its gradient.
struct Adam {
    rate: f32,
    steps: i32,
    mean: Vec<Pair>,
    square: Vec<Pair>,
}

impl Adam {
    fn new(rate: f32) -> Adam {
        Adam { rate, steps: 0, mean: vec![[0.0; 2]; WEIGHT_COUNT], square: vec![[0.0; 2]; WEIGHT_COUNT] }
    }

    fn step(&mut self, weights: &mut [Pair], gradient: &[Pair]) {
        const MEAN_DECAY: f32 = 0.9;
        const SQUARE_DECAY: f32 = 0.999;
        self.steps += 1;
        let mean_bias = 1.0 - MEAN_DECAY.powi(self.steps);
        let square_bias = 1.0 - SQUARE_DECAY.powi(self.steps);
        for (i, slopes) in gradient.iter().enumerate() {
            for (half, &slope) in slopes.iter().enumerate() {
                let (mean, square) = (&mut self.mean[i][half], &mut self.square[i][half]);
                *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * slope;
                *square = SQUARE_DECAY * *square + (1.0 - SQUARE_DECAY) * slope * slope;
                // Below this a gradient is noise of the arithmetic.
                let size = (*square / square_bias).sqrt() + 1e-12;
                weights[i][half] -= self.rate * (*mean / mean_bias) / size;
            }
        }
    }
}
