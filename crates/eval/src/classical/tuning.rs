//! Support for Texel tuning: positions as coefficients of the weights, and weights as source text.
//!
//! For `examples/tune` only: hidden from the documentation, and any release may change it.
//!
//! ```
//! use ferz_board::Position;
//! use ferz_eval::{explain, tuning};
//!
//! // The trace and the weights together give the value of the evaluation.
//! let position: Position = "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1".parse().unwrap();
//! let trace = tuning::Trace::new(&position).unwrap();
//! assert_eq!(trace.value(&tuning::current_weights()), explain(&position).value);
//! ```

use std::fmt::Write;

use ferz_board::{Color, Position};

use super::psqt::PsqtState;
use super::score::TaperedScore;
use super::tracer::Tracer;
use super::weights::WEIGHTS;
use super::{king, scale, taper, traced_score};
use crate::endgame;

pub use super::params::{FIELDS, Field, Term, WEIGHT_COUNT};

/// The phase with all pieces on the board.
pub const FULL_PHASE: i32 = super::psqt::FULL_PHASE;
/// The scale factor with which the endgame score counts in full.
pub const FULL_SCALE: i32 = scale::FULL_SCALE;
/// In the middlegame the sum of an attack's weights is squared and divided by this.
pub const ATTACK_UNIT: i32 = king::ATTACK_UNIT;
/// In the endgame the sum of an attack's weights is divided by this.
pub const ATTACK_EG_UNIT: i32 = king::ATTACK_EG_UNIT;
/// The sum of an attack's weights is clamped to zero and this.
pub const MAX_ATTACK: i32 = king::MAX_ATTACK;

/// The coefficient of a weight in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Coefficient {
    /// The flat index of the weight.
    pub weight: u16,
    /// How often it counts; negative if Black has more.
    pub count: i8,
}

/// The coefficients of all weights in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The linear terms: White's counts minus Black's.
    pub linear: Vec<Coefficient>,
    /// The weights of White's attack on the king and of Black's.
    pub attacks: [Vec<Coefficient>; 2],
    /// The game phase, from 0 to [`FULL_PHASE`].
    pub phase: i32,
    /// The scale factor, from 0 to [`FULL_SCALE`], with the current weights.
    pub scale: i32,
}

impl Trace {
    /// The trace of a position; `None` where endgame knowledge speaks.
    #[must_use]
    pub fn new(position: &Position) -> Option<Trace> {
        if endgame::probe(position).is_some() {
            return None;
        }
        let mut counter = Counter { counts: [[0; WEIGHT_COUNT]; 2] };
        let score = traced_score(position, &mut counter);
        let [white, black] = counter.counts;
        let attack = attack_weights();
        let sparse = |counts: &dyn Fn(usize) -> i32, is_attack: bool| {
            (0..WEIGHT_COUNT)
                .filter(|weight| attack.contains(weight) == is_attack && counts(*weight) != 0)
                .map(|weight| Coefficient {
                    weight: weight as u16,
                    count: i8::try_from(counts(weight)).expect("no feature occurs that often"),
                })
                .collect()
        };
        Some(Trace {
            linear: sparse(&|weight| white[weight] - black[weight], false),
            attacks: [sparse(&|weight| white[weight], true), sparse(&|weight| black[weight], true)],
            phase: PsqtState::new(position).phase(),
            scale: scale::scale(position, score.eg()),
        })
    }

    /// The value for White with these weights; the scale factor stays as traced.
    #[must_use]
    pub fn value(&self, weights: &[TaperedScore]) -> i32 {
        let sum = |counts: &[Coefficient]| {
            counts.iter().fold(TaperedScore::ZERO, |sum, it| {
                sum + weights[usize::from(it.weight)] * i32::from(it.count)
            })
        };
        let [white, black] = &self.attacks;
        let attacks = king::attack_value(sum(white)) - king::attack_value(sum(black));
        taper(sum(&self.linear) + attacks, self.phase, self.scale)
    }
}

/// The flat indices of the weights of the attack on the king.
#[must_use]
pub fn attack_weights() -> std::ops::Range<usize> {
    let of_attack = || FIELDS.iter().filter(|field| field.term == Term::KingAttack);
    let start = of_attack().map(|field| field.start).min().unwrap_or(WEIGHT_COUNT);
    start..start + of_attack().map(|field| field.len).sum::<usize>()
}

/// A tracer that counts weights.
struct Counter {
    counts: [[i32; WEIGHT_COUNT]; 2],
}

impl Tracer for Counter {
    fn counted(&mut self, color: Color, weight: usize, count: i32) {
        self.counts[color.index()][weight] += count;
    }

    fn combined(&mut self, _: Color, _: Term, _: TaperedScore) {}
}

/// The weights the evaluation is compiled with, by flat index.
#[must_use]
pub fn current_weights() -> Vec<TaperedScore> {
    WEIGHTS.flat()
}

/// The source text of `weights.rs` for these weights, with a note on their origin.
#[must_use]
pub fn render(weights: &[TaperedScore], origin: &str) -> String {
    let mut text = String::from(
        "//! The weights of the evaluation, in the order of their declaration. Written by `examples/tune`.\n//!\n",
    );
    for line in origin.lines() {
        writeln!(text, "//! {line}").expect("writing to a string cannot fail");
    }
    text += "\nuse super::params::Weights;\nuse super::score::{TaperedScore, s};\n\n";
    text += "#[rustfmt::skip]\npub(crate) static WEIGHTS: Weights = Weights {\n";
    for field in FIELDS {
        let weights = &weights[field.start..field.start + field.len];
        let (mg, eg): (Vec<i32>, Vec<i32>) = weights.iter().map(|it| (it.mg(), it.eg())).unzip();
        if let (&[mg], &[eg]) = (&mg[..], &eg[..]) {
            writeln!(text, "    {}: [s({mg}, {eg})],", field.name).expect("writing to a string cannot fail");
        } else {
            let (mg, eg) = (rows(&mg), rows(&eg));
            writeln!(text, "    {}: table([{mg}], [{eg}]),", field.name)
                .expect("writing to a string cannot fail");
        }
    }
    text += "};\n\n";
    text += "/// Scores from their middlegame and endgame halves.\n";
    text += "const fn table<const N: usize>(mg: [i16; N], eg: [i16; N]) -> [TaperedScore; N] {\n";
    text += "    let mut scores = [TaperedScore::ZERO; N];\n    let mut i = 0;\n    while i < N {\n";
    text += "        scores[i] = s(mg[i] as i32, eg[i] as i32);\n        i += 1;\n    }\n    scores\n}\n";
    text
}

/// Numbers on one line, or those of a whole board on eight.
fn rows(numbers: &[i32]) -> String {
    if numbers.len() < 64 {
        return numbers.iter().map(i32::to_string).collect::<Vec<_>>().join(", ");
    }
    let mut text = String::from("\n");
    for row in numbers.chunks(8) {
        let row: String = row.iter().map(|number| format!(" {number:>4},")).collect();
        writeln!(text, "       {row}").expect("writing to a string cannot fail");
    }
    text + "    "
}
