//! Tunes parameters by games (SPSA: simultaneous perturbation stochastic approximation), as fishtest and OpenBench do.
//!
//! For every pair all parameters move a little up or down at random. These values play against their mirror image, and
//! the parameters take a small step towards the winner. A parameter has a step `c` and a rate `a` that shrink from pair
//! to pair to their final values: `c` with the power 0.101 of the pairs, `a` with the power 0.602 after a tenth of them.

use std::ops::ControlFlow;
use std::path::PathBuf;

use ferz_search::SearchParameters;

use super::game::PlayedPair;
use super::run::{MatchPlan, MatchSpeed};
use super::spsa_state::SpsaState;
use crate::Error;
use crate::datagen::random::SplitMix64;

const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// The share of the pairs after which the rate begins to shrink in earnest.
const STABILITY: f64 = 0.1;
/// Directions and openings use different random numbers.
const DIRECTIONS: u64 = 0x5b5a_c0de;

/// The perturbation of a parameter for a pair.
struct Push {
    /// Up or down.
    sign: f64,
    /// Added before both players' values are rounded down, so that rounding has no bias.
    rounding: f64,
}

/// The schedule of a run.
#[derive(Clone, Debug)]
pub struct SpsaSchedule {
    /// The total number of pairs.
    pub pairs: u64,
    /// The rate at the end (`r_end`).
    pub rate: f64,
    /// The seed of the directions.
    pub seed: u64,
    /// The parameters that are not tuned.
    pub base: SearchParameters,
}

/// A run of tuning.
#[derive(Debug)]
pub struct SpsaRun {
    state: SpsaState,
    out: PathBuf,
    schedule: SpsaSchedule,
    /// Since the start of this run.
    games: u64,
    draws: u64,
}

impl SpsaRun {
    /// A run that begins with this state and writes it to this file.
    #[must_use]
    pub fn new(state: SpsaState, out: PathBuf, schedule: SpsaSchedule) -> SpsaRun {
        SpsaRun { state, out, schedule, games: 0, draws: 0 }
    }

    /// The present state.
    #[must_use]
    pub fn state(&self) -> &SpsaState {
        &self.state
    }

    /// Writes the state.
    pub fn save(&self) -> Result<(), Error> {
        self.state.write(&self.out)
    }

    /// The share of draws since the start of this run.
    #[must_use]
    pub fn draw_share(&self) -> f64 {
        self.draws as f64 / self.games.max(1) as f64
    }

    /// The factor of all steps for the pair with this number; 1 at the end.
    fn step(&self, number: u64) -> f64 {
        (self.schedule.pairs as f64 / (number + 1) as f64).powf(GAMMA)
    }

    /// By how much of its step a parameter moves for each game won, for the pair with this number.
    fn gain(&self, number: u64) -> f64 {
        let (pairs, stability) = (self.schedule.pairs as f64, STABILITY * self.schedule.pairs as f64);
        let rate = self.schedule.rate * ((stability + pairs) / (stability + (number + 1) as f64)).powf(ALPHA);
        rate / self.step(number)
    }

    /// The perturbations of all parameters for a pair.
    fn pushes(&self, number: u64) -> impl Iterator<Item = Push> + use<> {
        let mut random = SplitMix64::for_number(self.schedule.seed ^ DIRECTIONS, number);
        std::iter::repeat_with(move || Push {
            sign: if random.below(2) == 1 { 1.0 } else { -1.0 },
            rounding: random.next_u64() as f64 / 2f64.powi(64),
        })
    }
}

impl MatchPlan for SpsaRun {
    type Error = Error;

    fn parameters(&mut self, number: u64) -> [SearchParameters; 2] {
        [1.0, -1.0].map(|side| {
            let mut parameters = self.schedule.base;
            for (tuned, push) in self.state.parameters.iter().zip(self.pushes(number)) {
                let value = tuned.now + side * push.sign * self.step(number) * tuned.parameter().step;
                parameters.set(tuned.index, (value + push.rounding).floor() as i32);
            }
            parameters
        })
    }

    fn note(&mut self, pair: &PlayedPair, _: &MatchSpeed) -> Result<ControlFlow<()>, Error> {
        let points = pair.points();
        let gain = self.gain(pair.number) * f64::from(points[0] + points[1]);
        let pushes = self.pushes(pair.number);
        for (tuned, push) in self.state.parameters.iter_mut().zip(pushes) {
            tuned.move_by(gain * push.sign * tuned.parameter().step);
        }
        self.state.pairs = pair.number + 1;
        self.games += 2;
        self.draws += points.iter().filter(|&&points| points == 0).count() as u64;
        Ok(ControlFlow::Continue(()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::{MatchEnding, MatchGame};
    use super::super::spsa_state::TunedParameter;
    use super::*;
    use ferz_board::{Color, Position};

    fn run(pairs: u64) -> SpsaRun {
        let only = ["aspiration_delta", "nmp"].map(str::to_owned);
        let schedule = SpsaSchedule { pairs, rate: 0.005, seed: 0, base: SearchParameters::default() };
        let state = SpsaState::new(&only, false, &schedule.base, String::new()).unwrap();
        SpsaRun::new(state, PathBuf::new(), schedule)
    }

    #[test]
    fn steps_and_gains_end_as_asked_for() {
        let run = run(5000);
        assert!((run.step(4999) - 1.0).abs() < 1e-12 && run.step(0) > 2.0);
        assert!((run.gain(4999) - 0.005).abs() < 1e-12 && run.gain(0) > run.gain(4999));
    }

    /// The player with the wider aspiration window wins, and nothing else matters.
    #[test]
    fn it_climbs_where_the_points_are() {
        let mut run = run(2000);
        let window =
            run.state.parameters.iter().position(|it| it.parameter().name == "aspiration_delta").unwrap();
        let index = run.state.parameters[window].index;
        for number in 0..2000 {
            let [first, second] = run.parameters(number).map(|side| side.values()[index]);
            let game = |first_plays: Color| MatchGame {
                start: Position::start(),
                moves: Vec::new(),
                first_plays,
                winner: match first.cmp(&second) {
                    std::cmp::Ordering::Less => Some(!first_plays),
                    std::cmp::Ordering::Equal => None,
                    std::cmp::Ordering::Greater => Some(first_plays),
                },
                ending: MatchEnding::Rules,
            };
            let pair = PlayedPair { number, games: Color::ALL.map(game) };
            assert!(run.note(&pair, &MatchSpeed::start(2000, None)).unwrap().is_continue());
        }
        let distances: Vec<_> = run.state.parameters.iter().map(TunedParameter::distance).collect();
        assert!(distances[window] > 10.0, "{distances:?}");
        let others = (0..distances.len()).filter(|&it| it != window);
        assert!(others.map(|it| distances[it].abs()).all(|it| it < 3.0), "{distances:?}");
    }
}
