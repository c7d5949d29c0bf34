//! The numbers of the search that only games can choose: margins, weights and rates.
//!
//! Each is a constant. With the feature `tune` each is a variable of the thread that searches, so that games can be
//! played with others; see the example `spsa`.

/// Declares the numbers: for each a meaning, a name, its value, the range in which a better one is sought, and how
/// far apart two values must be for games to tell the difference.
macro_rules! parameters {
    ($(#[doc = $meaning:literal] $name:ident = $value:literal, $range:expr, $step:literal;)+) => {
        /// The numbers as the search reads them.
        pub(crate) mod tuned {
            $(
                #[doc = $meaning]
                #[cfg(not(feature = "tune"))]
                #[inline(always)]
                pub(crate) const fn $name() -> i32 {
                    $value
                }

                #[doc = $meaning]
                #[cfg(feature = "tune")]
                #[inline]
                pub(crate) fn $name() -> i32 {
                    super::variable::of_thread(super::variable::Index::$name)
                }
            )+
        }

        #[cfg(feature = "tune")]
        mod variable {
            use std::cell::Cell;

            use super::Parameter;

            /// Where a number stands in the lists.
            #[allow(non_camel_case_types, reason = "they are the names of the numbers")]
            #[derive(Clone, Copy)]
            pub(super) enum Index {
                $($name),+
            }

            pub(super) static ALL: [Parameter; [$($value),+].len()] = [
                $(Parameter {
                    name: stringify!($name),
                    meaning: $meaning.trim_ascii_start(),
                    value: $value,
                    range: $range,
                    step: $step,
                }),+
            ];

            thread_local! {
                static CURRENT: [Cell<i32>; ALL.len()] = const { [$(Cell::new($value)),+] };
            }

            #[inline]
            pub(super) fn of_thread(index: Index) -> i32 {
                CURRENT.with(|current| current[index as usize].get())
            }

            pub(super) fn install(values: &[i32; ALL.len()]) {
                CURRENT.with(|current| current.iter().zip(values).for_each(|(cell, &value)| cell.set(value)));
            }
        }
    };
}

parameters! {
    /// Razoring: how far below alpha, before depth counts.
    razoring_base = 300, 50..=600, 25.0;
    /// Razoring: how much further for each square of the depth.
    razoring_slope = 260, 80..=500, 20.0;

    /// Reverse futility: how far above beta for each ply of depth.
    reverse_futility_slope = 85, 40..=140, 5.0;
    /// Reverse futility: how much less if the position improves.
    reverse_futility_improving = 75, 10..=150, 7.0;

    /// Null move: how far above beta the evaluation must be, before depth counts.
    null_move_base = 160, 0..=320, 16.0;
    /// Null move: how much less for each ply of depth.
    null_move_slope = 20, 4..=40, 2.0;
    /// Null move: eighths of a ply of depth for each ply of reduction.
    null_move_depth = 24, 12..=48, 2.0;
    /// Null move: centipawns above beta for each ply of reduction.
    null_move_eval = 200, 80..=400, 16.0;

    /// ProbCut: how far above beta a capture must be.
    prob_cut_margin = 190, 80..=320, 12.0;
    /// ProbCut: how much less if the position improves.
    prob_cut_improving = 50, 0..=110, 6.0;

    /// Late moves: how many quiet ones are searched, before depth counts.
    late_moves_base = 6, 2..=14, 0.6;
    /// Late moves: sixteenths of a move more for each square of the depth.
    late_moves_slope = 32, 10..=64, 3.0;
    /// Pruning of quiet moves: eighths of a point of experience for each 1024th of a ply of depth.
    pruning_history = 96, 40..=240, 10.0;
    /// History pruning: points of bad experience for each ply of depth.
    history_pruning = 5000, 1500..=9000, 375.0;
    /// Futility: how far below alpha, before depth counts.
    futility_base = 110, 20..=260, 12.0;
    /// Futility: how much further for each ply of depth.
    futility_slope = 100, 40..=180, 7.0;
    /// Exchanges: what a quiet move may lose for each square of the depth.
    quiet_exchange = 28, 8..=60, 2.5;
    /// Exchanges: what a capture may lose for each ply of depth.
    capture_exchange = 100, 40..=200, 8.0;
    /// Exchanges: eighths of a point of experience for each centipawn that a capture may lose.
    capture_exchange_history = 320, 120..=800, 34.0;

    /// Singular moves: 48ths of a centipawn below the table's value for each ply of depth.
    singular_margin = 48, 16..=128, 5.0;
    /// Singular moves: the same where the principal variation once was.
    singular_margin_pv = 80, 24..=200, 8.0;
    /// Singular moves: by how many centipawns for two plies.
    singular_double = 14, 0..=50, 2.5;
    /// Singular moves: by how many centipawns for three plies.
    singular_triple = 100, 30..=220, 9.0;

    /// Reductions, in 1024ths of a ply: of every late move.
    reduction_base = 600, 0..=1400, 70.0;
    /// Reductions: for the product of the logarithms of depth and number.
    reduction_slope = 460, 240..=720, 24.0;
    /// Reductions: less for a capture or promotion.
    reduction_tactical = 700, 0..=1600, 80.0;
    /// Reductions: less where the principal variation is or was.
    reduction_pv = 900, 0..=2000, 100.0;
    /// Reductions: less still if the table's value is above alpha.
    reduction_pv_value = 500, 0..=1400, 70.0;
    /// Reductions: more where a fail high is expected.
    reduction_cut_node = 1100, 200..=2400, 110.0;
    /// Reductions: more still without a move from the table.
    reduction_no_table_move = 700, 0..=1800, 90.0;
    /// Reductions: more if the position does not improve.
    reduction_not_improving = 500, 0..=1200, 60.0;
    /// Reductions: more for a quiet move if the table's move is a capture.
    reduction_tactical_table_move = 800, 0..=1800, 90.0;
    /// Reductions: less for a check.
    reduction_check = 900, 0..=2000, 100.0;
    /// Reductions: more if many answers failed high.
    reduction_cutoffs = 700, 0..=1600, 80.0;
    /// Reductions: less for the killer.
    reduction_killer = 900, 0..=2000, 100.0;
    /// Reductions: eighths of a point of experience for each 1024th of a ply.
    reduction_history = 112, 48..=280, 11.0;
    /// After a reduction: how much better than the best for a ply more.
    deeper_margin = 40, 8..=100, 4.5;
    /// After a reduction: how much better than the best for not a ply less.
    shallower_margin = 8, 0..=30, 1.5;

    /// Experience: what the best move gains for each ply of depth.
    bonus_slope = 160, 60..=320, 13.0;
    /// Experience: what it gains less at any depth.
    bonus_offset = 80, -100..=300, 20.0;
    /// Experience: what it gains at most.
    bonus_most = 1600, 600..=3200, 130.0;
    /// Experience: what the others lose for each ply of depth.
    malus_slope = 180, 60..=400, 17.0;
    /// Experience: what they lose less at any depth.
    malus_offset = 60, -100..=300, 20.0;
    /// Experience: what they lose at most.
    malus_most = 1400, 500..=3000, 125.0;

    /// Corrections, in 1024ths: the weight of the pawns'.
    correction_pawns = 70, 10..=160, 7.5;
    /// Corrections: the weight of knights' and bishops'.
    correction_minors = 45, 0..=140, 7.0;
    /// Corrections: the weight of either side's pieces'.
    correction_pieces = 60, 10..=160, 7.5;
    /// Corrections: the weight of the last two moves'.
    correction_moves = 60, 10..=160, 7.5;
    /// Corrections: eighths of a centipawn and ply for each step.
    correction_rate = 64, 24..=160, 7.0;
    /// Corrections: how many steps at once at most.
    correction_most = 256, 64..=600, 27.0;
    /// Evaluation: plies without progress after which all would be drawn.
    clock_damping = 220, 140..=500, 18.0;

    /// Windows: how far the value is expected from that of the iterations before.
    window = 12, 4..=40, 1.8;

    /// Quiescence: how far below alpha, with what is captured.
    quiescence_futility = 180, 60..=360, 15.0;
    /// Quiescence: what a capture may lose.
    quiescence_exchange = 40, 0..=120, 6.0;
    /// Ordering: eighths of a point for each centipawn that a good capture may lose.
    good_capture = 160, 64..=480, 20.0;
}

/// `x` divided by a number of eighths.
#[inline(always)]
pub(crate) const fn in_eighths(x: i32, eighths: i32) -> i32 {
    // The value is the same either way, but a constant without a fraction costs a multiplication less.
    if eighths % 8 == 0 { x / (eighths / 8) } else { 8 * x / eighths }
}

/// A number of sixteenths of `x`.
#[inline(always)]
pub(crate) const fn sixteenths(x: i32, sixteenths: i32) -> i32 {
    // As above.
    if sixteenths % 16 == 0 { x * (sixteenths / 16) } else { x * sixteenths / 16 }
}

/// The numbers an engine searches with: always the same ones.
#[cfg(not(feature = "tune"))]
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Parameters {}

#[cfg(not(feature = "tune"))]
impl Parameters {
    /// There is nothing to install.
    pub(crate) fn install(self) {}
}

/// What is known of a number of the search that can be tuned.
#[cfg(feature = "tune")]
#[derive(Debug)]
pub struct Parameter {
    /// Its name in the source.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// Its value in a build without tuning.
    pub value: i32,
    /// Values that make sense.
    pub range: std::ops::RangeInclusive<i32>,
    /// How far apart two values must be for games to tell the difference.
    pub step: f64,
}

#[cfg(feature = "tune")]
impl Parameter {
    /// Every one there is.
    pub fn all() -> &'static [Parameter] {
        &variable::ALL
    }
}

/// As OpenBench takes it: name, type, value, least, most, step at the end, rate at the end.
#[cfg(feature = "tune")]
impl std::fmt::Display for Parameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Parameter { name, value, range, step, .. } = self;
        write!(f, "{name}, int, {value}, {}, {}, {step}, 0.002", range.start(), range.end())
    }
}

/// The numbers an engine searches with, in the order of [`Parameter::all`].
#[cfg(feature = "tune")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters([i32; variable::ALL.len()]);

/// As in a build without tuning.
#[cfg(feature = "tune")]
impl Default for Parameters {
    fn default() -> Parameters {
        let mut all = Parameter::all().iter();
        Parameters(std::array::from_fn(|_| all.next().map_or(0, |parameter| parameter.value)))
    }
}

#[cfg(feature = "tune")]
impl Parameters {
    /// Their values.
    pub fn values(&self) -> &[i32] {
        &self.0
    }

    /// Changes the one with this index, to the nearest value in its range.
    pub fn set(&mut self, index: usize, value: i32) {
        let range = &Parameter::all()[index].range;
        self.0[index] = value.clamp(*range.start(), *range.end());
    }

    /// Lets this thread search with them.
    pub(crate) fn install(&self) {
        variable::install(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_that_are_whole_make_no_difference() {
        for x in -1000..1000 {
            for whole in 1..20 {
                assert_eq!(in_eighths(x, 8 * whole), x / whole);
                assert_eq!(in_eighths(x, 8 * whole), 8 * x / (8 * whole));
                assert_eq!(sixteenths(x, 16 * whole), x * whole);
            }
        }
        assert_eq!(in_eighths(100, 12), 66);
        assert_eq!(sixteenths(9, 24), 13);
    }
}
