//! The climb to better parameters, as fishtest and OpenBench do it.
//!
//! A parameter has a step `c` and a rate `a` that shrink from pair to pair to their final values: `c` with the power
//! 0.101 of the pairs, `a` with the power 0.602 after a tenth of them.

use std::fmt::Write;
use std::path::PathBuf;

use ferz_search::SearchParameters;

use crate::game::{Points, rng_of_pair};
use crate::options::Options;
use crate::pairs::{Pace, Plan};
use crate::state::State;

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

/// A run of tuning.
#[derive(Debug)]
pub struct Climb {
    state: State,
    out: PathBuf,
    /// The total.
    pairs: u64,
    /// The final rate.
    rate: f64,
    seed: u64,
    every: u64,
    /// Since the start of this run.
    games: u64,
    draws: u64,
}

impl Climb {
    pub fn new(state: State, options: &Options) -> Climb {
        let Options { pairs, rate, seed, every, .. } = *options;
        Climb { state, out: options.out.clone(), pairs, rate, seed, every, games: 0, draws: 0 }
    }

    /// Writes the state.
    pub fn save(&self) -> Result<(), String> {
        self.state.write(&self.out)
    }

    /// The changes of all parameters.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        for tuned in &self.state.parameters {
            let (name, distance) = (tuned.parameter().name, tuned.distance());
            // Writing to a text does not fail.
            let _ = writeln!(text, "{name:30} {:5} -> {:5.0} ({distance:+.2} steps)", tuned.start, tuned.now);
        }
        text
    }

    /// The factor of all steps for the pair with this number; 1 at the end.
    fn step(&self, number: u64) -> f64 {
        (self.pairs as f64 / (number + 1) as f64).powf(GAMMA)
    }

    /// By how much of its step a parameter moves for each game won, for the pair with this number.
    fn gain(&self, number: u64) -> f64 {
        let (pairs, stability) = (self.pairs as f64, STABILITY * self.pairs as f64);
        let rate = self.rate * ((stability + pairs) / (stability + (number + 1) as f64)).powf(ALPHA);
        rate / self.step(number)
    }

    /// The perturbations of all parameters for a pair.
    fn pushes(&self, number: u64) -> impl Iterator<Item = Push> + use<> {
        let mut random = rng_of_pair(self.seed ^ DIRECTIONS, number);
        std::iter::repeat_with(move || Push {
            sign: if random.bool() { 1.0 } else { -1.0 },
            rounding: random.f64(),
        })
    }
}

impl Plan for Climb {
    fn sides(&mut self, number: u64) -> [SearchParameters; 2] {
        [1.0, -1.0].map(|side| {
            let mut parameters = SearchParameters::default();
            for (tuned, push) in self.state.parameters.iter().zip(self.pushes(number)) {
                let value = tuned.now + side * push.sign * self.step(number) * tuned.parameter().step;
                parameters.set(tuned.index, (value + push.rounding).floor() as i32);
            }
            parameters
        })
    }

    fn note(&mut self, number: u64, points: [Points; 2], pace: &Pace) -> Result<(), String> {
        let gain = self.gain(number) * f64::from(points[0] + points[1]);
        let pushes = self.pushes(number);
        for (tuned, push) in self.state.parameters.iter_mut().zip(pushes) {
            tuned.move_by(gain * push.sign * tuned.parameter().step);
        }
        self.state.pairs = number + 1;
        self.games += 2;
        self.draws += points.iter().filter(|&&points| points == 0).count() as u64;
        if self.state.pairs.is_multiple_of(self.every) {
            eprintln!(
                "{} of {} pairs, {:.2} games/s, {}, {:.1} % drawn, {:.3} steps from the start on average",
                self.state.pairs,
                self.pairs,
                pace.games_per_second(),
                pace.time_left(),
                100.0 * self.draws as f64 / self.games as f64,
                self.state.distance(),
            );
            self.save()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Tuned;

    fn climb(pairs: u64) -> Climb {
        let arguments = ["--only", "aspiration_delta,nmp", "--every", "1000000", "--rate", "0.005"];
        let options = Options::parse(arguments.into_iter().map(str::to_owned)).unwrap();
        let options = Options { pairs, ..options };
        Climb::new(State::new(&options.only).unwrap(), &options)
    }

    #[test]
    fn steps_and_gains_end_as_asked_for() {
        let climb = climb(5000);
        assert!((climb.step(4999) - 1.0).abs() < 1e-12 && climb.step(0) > 2.0);
        assert!((climb.gain(4999) - 0.005).abs() < 1e-12 && climb.gain(0) > climb.gain(4999));
    }

    /// The player with the wider aspiration window wins, and nothing else matters.
    #[test]
    fn it_climbs_where_the_points_are() {
        let mut climb = climb(2000);
        let window =
            climb.state.parameters.iter().position(|it| it.parameter().name == "aspiration_delta").unwrap();
        let index = climb.state.parameters[window].index;
        for number in 0..2000 {
            let [first, second] = climb.sides(number).map(|side| side.values()[index]);
            let points = (first - second).signum();
            climb.note(number, [points, points], &Pace::start(2000)).unwrap();
        }
        let distances: Vec<_> = climb.state.parameters.iter().map(Tuned::distance).collect();
        assert!(distances[window] > 10.0, "{distances:?}");
        let others = (0..distances.len()).filter(|&it| it != window);
        assert!(others.map(|it| distances[it].abs()).all(|it| it < 3.0), "{distances:?}");
    }
}
