//! The cost of evaluations, measured in small trees below the positions of the bench.

use std::fmt;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ferz_board::{CastlingMode, Position};
use ferz_eval::{Evaluator, Network, NetworkParameters};

use super::POSITIONS;

/// Widths of random networks to measure. Their weights do not matter for their speed.
const WIDTHS: [usize; 7] = [64, 128, 256, 384, 512, 768, 1024];
/// Repetitions of each walk.
const ROUNDS: usize = 15;
/// The depth of the trees, and the moves per position.
const DEPTH: usize = 4;
const MOVES: usize = 5;

/// The networks to measure: this one, and random ones of several widths.
pub(crate) fn networks(network: Option<Arc<Network>>) -> Result<Vec<Arc<Network>>> {
    let noise =
        |&hidden| Ok(Arc::new(Network::from_bytes(&NetworkParameters::noise(hidden, 8, 1).to_bytes())?));
    network.map(Ok).into_iter().chain(WIDTHS.iter().map(noise)).collect()
}

/// The cost of an evaluation in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EvalCost {
    /// Updating the accumulators; `None` for the classical evaluation.
    update: Option<f64>,
    /// A whole evaluation in a search, the update included.
    evaluation: f64,
    /// An evaluation without accumulators to start from; `None` for the classical evaluation.
    from_scratch: Option<f64>,
}

impl EvalCost {
    /// The header of the table.
    pub(crate) const HEADER: &'static str = "ns per                     update  evaluation  from scratch";

    /// Measures a network, or the classical evaluation.
    pub(crate) fn measure(network: Option<&Arc<Network>>) -> Result<EvalCost> {
        let parse =
            |fen: &&str| Position::from_fen_in(fen, CastlingMode::Chess960).with_context(|| fen.to_string());
        let roots = POSITIONS.iter().map(parse).collect::<Result<Vec<_>>>()?;
        let mut evaluator = Evaluator::with_network(&Position::start(), network.cloned());
        // The fastest walk below each root counts: other processes disturb whole rounds.
        let mut best = vec![[Duration::MAX; 3]; roots.len()];
        let mut evaluations = 0;
        for _ in 0..ROUNDS {
            evaluations = 0;
            for (root, best) in roots.iter().zip(&mut best) {
                for (best, work) in
                    best.iter_mut().zip([WalkWork::None, WalkWork::Update, WalkWork::Evaluation])
                {
                    let mut walker =
                        Walker { evaluator: &mut evaluator, work, visits: 0, evaluations: 0, sum: 0 };
                    let began = Instant::now();
                    walker.evaluator.reset(root);
                    walker.visit(root, DEPTH);
                    black_box(walker.sum);
                    *best = began.elapsed().min(*best);
                    if work == WalkWork::Evaluation {
                        evaluations += walker.evaluations;
                    }
                }
            }
        }
        let nanoseconds = |work: usize| best.iter().map(|best| best[work].as_nanos() as f64).sum::<f64>();
        let [moves, updates, values] =
            [0, 1, 2].map(|work| nanoseconds(work) / f64::from(evaluations.max(1)));
        Ok(EvalCost {
            update: network.map(|_| (updates - moves).max(0.0)),
            evaluation: (values - moves).max(0.0),
            from_scratch: network.map(|network| from_scratch(network, &roots)),
        })
    }
}

/// A row of the table.
impl fmt::Display for EvalCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
        let evaluation = cell(Some(self.evaluation));
        write!(f, "{:>8}  {evaluation:>10}  {:>12}", cell(self.update), cell(self.from_scratch))
    }
}

fn from_scratch(network: &Network, roots: &[Position]) -> f64 {
    const REPEATS: usize = 20;
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS * REPEATS {
        let began = Instant::now();
        roots.iter().for_each(|root| {
            black_box(network.evaluate(black_box(root)));
        });
        best = best.min(began.elapsed());
    }
    best.as_nanos() as f64 / roots.len() as f64
}

/// What a walk does with each position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WalkWork {
    /// Only makes the moves.
    None,
    Update,
    Evaluation,
}

struct Walker<'a> {
    evaluator: &'a mut Evaluator,
    work: WalkWork,
    visits: u32,
    evaluations: u32,
    sum: i64,
}

impl Walker<'_> {
    fn visit(&mut self, position: &Position, depth: usize) {
        self.visits += 1;
        // One in four is skipped, as if the transposition table had its evaluation.
        if !self.visits.is_multiple_of(4) {
            self.evaluations += 1;
            match self.work {
                WalkWork::None => {}
                WalkWork::Update => self.evaluator.update(position),
                WalkWork::Evaluation => self.sum += i64::from(self.evaluator.evaluate(position)),
            }
        }
        if depth > 0 {
            let moves = position.legal_moves();
            for mv in moves.iter().step_by((moves.len() / MOVES).max(1)).take(MOVES) {
                let mut child = *position;
                position.play_into(*mv, &mut child, self.evaluator.push());
                self.visit(&child, depth - 1);
                self.evaluator.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_evaluation_has_a_row() -> Result<()> {
        let nets = networks(Some(Network::embedded()))?;
        assert_eq!((nets.len(), nets[0].to_string()), (1 + WIDTHS.len(), Network::embedded().to_string()));
        let (classical, net) = (EvalCost::measure(None)?, EvalCost::measure(nets.first())?);
        assert_eq!((classical.update.is_some(), net.update.is_some()), (false, true));
        for cost in [classical, net] {
            assert_eq!(cost.to_string().len(), 34);
            assert!(cost.evaluation > 0.0);
        }
        Ok(())
    }
}
