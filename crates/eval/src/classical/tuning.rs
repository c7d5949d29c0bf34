//! What the tuner needs: positions as counts of weights, and weights as source text.

use std::fmt::Write;

use ferz_board::{Color, Position};

use super::increments::Increments;
use super::score::Score;
use super::tracer::Tracer;
use super::weights::WEIGHTS;
use super::{blend, endgame, king, traced_score};

pub use super::params::{FIELDS, Field, Term, WEIGHT_COUNT};

/// The phase with all pieces on the board.
pub const FULL_PHASE: i32 = super::increments::FULL_PHASE;
/// The scale of an end game in which everything counts.
pub const FULL_SCALE: i32 = endgame::FULL_SCALE;
/// The sum of an attack's weights is squared and divided by this, in the middle game.
pub const ATTACK_UNIT: i32 = king::ATTACK_UNIT;
/// The sum of an attack's weights is divided by this, in the end game.
pub const ATTACK_EG_UNIT: i32 = king::ATTACK_EG_UNIT;
/// No attack's sum counts beyond this; none below zero.
pub const MAX_ATTACK: i32 = king::MAX_ATTACK;

/// So much of a weight: its flat index and how often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// The flat index.
    pub weight: u16,
    /// How often; negative if Black has more.
    pub count: i8,
}

/// A position as the evaluation sees it, apart from the weights.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The weights that are summed: White's counts minus Black's.
    pub linear: Vec<Count>,
    /// The weights of White's attack on the king and of Black's.
    pub attacks: [Vec<Count>; 2],
    /// From 0 to [`FULL_PHASE`].
    pub phase: i32,
    /// From 0 to [`FULL_SCALE`], with the weights as they are.
    pub scale: i32,
}

impl Trace {
    /// The trace of a position; `None` for endings that are valued by rule.
    pub fn new(position: &Position) -> Option<Trace> {
        if endgame::bare_king(position).is_some() {
            return None;
        }
        let mut counter = Counter { counts: [[0; WEIGHT_COUNT]; 2] };
        let score = traced_score(position, &mut counter);
        let [white, black] = counter.counts;
        let attack = attack_weights();
        let sparse = |counts: &dyn Fn(usize) -> i32, is_attack: bool| {
            (0..WEIGHT_COUNT)
                .filter(|weight| attack.contains(weight) == is_attack && counts(*weight) != 0)
                .map(|weight| Count {
                    weight: weight as u16,
                    count: i8::try_from(counts(weight)).expect("no feature occurs that often"),
                })
                .collect()
        };
        Some(Trace {
            linear: sparse(&|weight| white[weight] - black[weight], false),
            attacks: [sparse(&|weight| white[weight], true), sparse(&|weight| black[weight], true)],
            phase: Increments::new(position).phase(),
            scale: endgame::scale(position, score.eg()),
        })
    }

    /// The value for White, from these weights instead of the compiled ones (but the scale as it was traced).
    pub fn value(&self, weights: &[Score]) -> i32 {
        let sum = |counts: &[Count]| {
            counts
                .iter()
                .fold(Score::ZERO, |sum, it| sum + weights[usize::from(it.weight)] * i32::from(it.count))
        };
        let [white, black] = &self.attacks;
        let attacks = king::attack_value(sum(white)) - king::attack_value(sum(black));
        blend(sum(&self.linear) + attacks, self.phase, self.scale)
    }
}

/// The flat indices of the weights of the attack on the king.
pub fn attack_weights() -> std::ops::Range<usize> {
    let of_attack = || FIELDS.iter().filter(|field| field.term == Term::KingAttack);
    let start = of_attack().map(|field| field.start).min().unwrap_or(WEIGHT_COUNT);
    start..start + of_attack().map(|field| field.len).sum::<usize>()
}

/// A tracer that counts.
struct Counter {
    counts: [[i32; WEIGHT_COUNT]; 2],
}

impl Tracer for Counter {
    fn counted(&mut self, color: Color, weight: usize, count: i32) {
        self.counts[color.index()][weight] += count;
    }

    fn combined(&mut self, _: Color, _: Term, _: Score) {}
}

/// The weights the evaluation is compiled with, by flat index.
pub fn current_weights() -> Vec<Score> {
    WEIGHTS.flat()
}

/// Weights as the source text of `weights.rs`, with a remark on where they come from.
pub fn render(weights: &[Score], origin: &str) -> String {
    let mut text = String::from(
        "//! The weights of the evaluation, in the order of their declaration. Written by `examples/tune`.\n//!\n",
    );
    for line in origin.lines() {
        writeln!(text, "//! {line}").expect("a string takes all");
    }
    text += "\nuse super::params::Weights;\nuse super::score::{Score, s};\n\n";
    text += "#[rustfmt::skip]\npub(crate) static WEIGHTS: Weights = Weights {\n";
    for field in FIELDS {
        let weights = &weights[field.start..field.start + field.len];
        let (mg, eg): (Vec<i32>, Vec<i32>) = weights.iter().map(|it| (it.mg(), it.eg())).unzip();
        if let (&[mg], &[eg]) = (&mg[..], &eg[..]) {
            writeln!(text, "    {}: [s({mg}, {eg})],", field.name).expect("a string takes all");
        } else {
            let (mg, eg) = (rows(&mg), rows(&eg));
            writeln!(text, "    {}: table([{mg}], [{eg}]),", field.name).expect("a string takes all");
        }
    }
    text += "};\n\n";
    text += "/// Scores from their values for the middle game and for the end game.\n";
    text += "const fn table<const N: usize>(mg: [i16; N], eg: [i16; N]) -> [Score; N] {\n";
    text += "    let mut scores = [Score::ZERO; N];\n    let mut i = 0;\n    while i < N {\n";
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
        writeln!(text, "       {row}").expect("a string takes all");
    }
    text + "    "
}
