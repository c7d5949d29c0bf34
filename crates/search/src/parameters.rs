//! Search parameters: margins, weights and rates that only games can choose.
//!
//! Each is a constant. With the feature `tune` each is a variable of the searching thread, so that games can be played
//! with other values; see `ferz tune`. Limits of depth and of counts are constants beside their technique.

/// Declares the search parameters: for each a meaning, a name, its value, the range in which tuning looks for a better
/// one, and the step between values that games can tell apart.
macro_rules! parameters {
    ($(#[doc = $meaning:literal] $name:ident = $value:literal, $range:expr, $step:literal;)+) => {
        /// The search parameters as the search reads them.
        pub(crate) mod params {
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

            use super::SearchParameter;

            /// The index of a parameter in the lists.
            #[allow(non_camel_case_types, reason = "the names of the parameters")]
            #[derive(Clone, Copy)]
            pub(super) enum Index {
                $($name),+
            }

            pub(super) static ALL: [SearchParameter; [$($value),+].len()] = [
                $(SearchParameter {
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
    /// Razoring: the margin below alpha at any depth.
    razoring_base = 310, 50..=600, 25.0;
    /// Razoring: how much the margin grows with the square of the depth.
    razoring_slope = 276, 80..=500, 20.0;

    /// Reverse futility pruning: the margin above beta for each ply of depth.
    rfp_slope = 76, 40..=140, 5.0;
    /// Reverse futility pruning: how much smaller the margin is if the position improves.
    rfp_improving = 68, 10..=150, 7.0;

    /// Null move pruning: how far above beta the evaluation must be at any depth.
    nmp_base = 203, 0..=320, 16.0;
    /// Null move pruning: how much less for each ply of depth.
    nmp_slope = 18, 4..=40, 2.0;
    /// Null move pruning: eighths of a ply of depth for each ply of reduction.
    nmp_depth_divisor = 30, 12..=48, 2.0;
    /// Null move pruning: the lead over beta for each ply of reduction.
    nmp_eval_divisor = 208, 80..=400, 16.0;

    /// ProbCut: how far above beta a capture must be.
    prob_cut_margin = 162, 80..=320, 12.0;
    /// ProbCut: how much less if the position improves.
    prob_cut_improving = 33, 0..=110, 6.0;

    /// Late move pruning: the number of moves searched at any depth.
    lmp_base = 4, 2..=14, 0.6;
    /// Late move pruning: sixteenths of a move more for each square of the depth.
    lmp_slope = 24, 10..=64, 3.0;
    /// Pruning of quiet moves: eighths of a history point for each 1024th of a ply of depth.
    lmr_depth_history_divisor = 56, 40..=240, 10.0;
    /// History pruning: negative history points for each ply of depth.
    history_pruning_margin = 2718, 1500..=9000, 375.0;
    /// Futility pruning: the margin below alpha at any depth.
    futility_base = 57, 20..=260, 12.0;
    /// Futility pruning: how much the margin grows for each ply of depth.
    futility_slope = 68, 40..=180, 7.0;
    /// Futility pruning: how much smaller the margin is once a best move is known.
    futility_best_move = 56, 0..=120, 8.0;
    /// Futility pruning of losing captures: the margin below alpha at any depth.
    bad_capture_futility_base = 68, 0..=200, 10.0;
    /// Futility pruning of losing captures: how much the margin grows for each ply of depth.
    bad_capture_futility_slope = 58, 10..=120, 6.0;
    /// SEE pruning: what a quiet move may lose for each square of the depth.
    see_quiet_margin = 31, 8..=60, 2.5;
    /// SEE pruning: what a capture may lose for each ply of depth.
    see_capture_margin = 113, 40..=200, 8.0;
    /// SEE pruning: eighths of a history point for each centipawn more that a capture may lose.
    see_capture_history_divisor = 256, 120..=800, 34.0;

    /// Singular extensions: 48ths of a centipawn below the TT value for each ply of depth.
    singular_margin = 42, 16..=128, 5.0;
    /// Singular extensions: the same where the principal variation once was.
    singular_margin_tt_pv = 69, 24..=200, 8.0;
    /// Singular extensions: the lead of the TT move for a double extension.
    double_extension_margin = 15, 0..=50, 2.5;
    /// Singular extensions: the lead of the TT move for a triple extension.
    triple_extension_margin = 94, 30..=220, 9.0;
    /// Singular extensions: how much larger the lead must be for a double extension at PV nodes.
    double_extension_pv = 89, 20..=200, 9.0;
    /// Singular extensions: the same for a triple extension.
    triple_extension_pv = 98, 20..=250, 11.0;
    /// Low depth extensions: how far the evaluation must be below alpha.
    low_depth_extension_margin = 7, 0..=60, 3.0;
    /// Hindsight: what the move must have lost for a ply less.
    hindsight_margin = 37, 5..=120, 6.0;

    /// LMR, in 1024ths of a ply: for every late move.
    lmr_base = 650, 0..=1400, 70.0;
    /// LMR: for the product of the logarithms of depth and move count.
    lmr_slope = 485, 240..=720, 24.0;
    /// LMR: less for a capture or promotion.
    lmr_tactical = 854, 0..=1600, 80.0;
    /// LMR: less where the principal variation is or was.
    lmr_tt_pv = 854, 0..=2000, 100.0;
    /// LMR: less still if the TT value is above alpha.
    lmr_tt_pv_value = 492, 0..=1400, 70.0;
    /// LMR: more in an expected cut node.
    lmr_cut_node = 1115, 200..=2400, 110.0;
    /// LMR: more still without a TT move.
    lmr_no_tt_move = 830, 0..=1800, 90.0;
    /// LMR: more if the position does not improve.
    lmr_not_improving = 372, 0..=1200, 60.0;
    /// LMR: more for a quiet move if the TT move is a capture.
    lmr_tactical_tt_move = 729, 0..=1800, 90.0;
    /// LMR: less for a check.
    lmr_check = 1106, 0..=2000, 100.0;
    /// LMR: more if many replies failed high.
    lmr_cutoff_count = 300, 0..=1600, 80.0;
    /// LMR: less for the killer move.
    lmr_killer = 874, 0..=2000, 100.0;
    /// LMR: eighths of a history point for each 1024th of a ply.
    lmr_history_divisor = 152, 48..=280, 11.0;
    /// LMR: less for each point of correction.
    lmr_complexity = 5, 1..=20, 0.8;
    /// LMR: the correction that makes no difference.
    lmr_complexity_offset = 28, 0..=50, 2.5;
    /// Search without LMR: less for the TT move.
    full_depth_tt_move = 1719, 500..=4000, 180.0;
    /// Search without LMR: more without a TT move.
    full_depth_no_tt_move = 1060, 0..=2400, 120.0;
    /// Search without LMR: the reduction that takes off a ply.
    full_depth_one = 2679, 1200..=4200, 150.0;
    /// Search without LMR: the reduction that takes off two plies.
    full_depth_two = 4659, 2400..=7000, 230.0;
    /// After LMR: the lead over the best value for a search one ply deeper.
    do_deeper_margin = 42, 8..=100, 4.5;
    /// After LMR: the lead over the best value below which the search is one ply shallower.
    do_shallower_margin = 9, 0..=30, 1.5;

    /// History bonus of the best move: for each ply of depth.
    history_bonus_slope = 203, 60..=320, 13.0;
    /// History bonus: less at any depth.
    history_bonus_offset = 80, -100..=300, 20.0;
    /// History bonus: the maximum.
    history_bonus_max = 1851, 600..=3200, 130.0;
    /// History bonus: less in an expected cut node.
    history_bonus_cut_node = 38, 0..=200, 10.0;
    /// History malus of the moves tried before: for each ply of depth.
    history_malus_slope = 278, 60..=400, 17.0;
    /// History malus: less at any depth.
    history_malus_offset = 71, -100..=300, 20.0;
    /// History malus: the maximum.
    history_malus_max = 1090, 500..=3000, 125.0;
    /// History bonus for a change of the evaluation: for each point.
    eval_history_slope = 16, 2..=40, 2.0;
    /// History bonus for a change of the evaluation: the largest malus.
    eval_history_min = 300, 0..=600, 30.0;
    /// History bonus for a change of the evaluation: the largest bonus.
    eval_history_max = 255, 0..=1000, 50.0;
    /// History malus of the opponent's move that was refuted: for each ply of depth.
    prior_malus_slope = 124, 20..=300, 12.0;
    /// History malus of a refuted move: less at any depth.
    prior_malus_offset = 41, -100..=300, 20.0;
    /// History malus of a refuted move: the maximum.
    prior_malus_max = 796, 200..=2400, 100.0;
    /// History malus of a move that the TT refutes.
    tt_prior_malus = 1120, 100..=2400, 100.0;
    /// History bonus of the opponent's move before a fail low, in 128ths of the bonus: at least.
    prior_bonus_base = 81, 0..=300, 15.0;
    /// The same: for each move that was tried before it.
    prior_bonus_move = 16, 0..=60, 3.0;
    /// The same: if the value is far below the evaluation of the node.
    prior_bonus_below_eval = 147, 0..=500, 25.0;
    /// The same: if the value is far below the evaluation of the parent.
    prior_bonus_below_parent = 366, 0..=800, 40.0;
    /// The same: how far below the evaluation of the node.
    prior_bonus_eval_margin = 47, 0..=200, 10.0;
    /// The same: how far below the evaluation of the parent.
    prior_bonus_parent_margin = 69, 0..=200, 10.0;

    /// Correction history, in 1024ths: the weight of the pawn structure.
    correction_pawn_weight = 71, 10..=160, 7.5;
    /// Correction history: the weight of knights and bishops.
    correction_minor_weight = 50, 0..=140, 7.0;
    /// Correction history: the weight of the pieces of either side.
    correction_non_pawn_weight = 57, 10..=160, 7.5;
    /// Correction history: the weight of the last two moves.
    correction_continuation_weight = 54, 10..=160, 7.5;
    /// Correction history: eighths of an error times depth for each point of an update.
    correction_divisor = 61, 24..=160, 7.0;
    /// Correction history: the largest update.
    correction_max = 212, 64..=600, 27.0;
    /// Evaluation: the halfmove clock at which it would be scaled to a draw.
    halfmove_clock_damping = 232, 140..=500, 18.0;
    /// Evaluation: its share without pieces, in 1024ths.
    material_scale_base = 745, 600..=1024, 20.0;

    /// Aspiration window: half of its width at first.
    aspiration_delta = 15, 4..=40, 1.8;

    /// Delta pruning in the quiescence search: the margin beside the captured piece.
    delta_pruning_margin = 265, 60..=360, 15.0;
    /// SEE pruning in the quiescence search: what a capture may lose.
    qsearch_see_margin = 46, 0..=120, 6.0;
    /// Move ordering: eighths of a point of ordering score for each centipawn that a good capture may lose.
    good_capture_see_divisor = 186, 64..=480, 20.0;
    /// Move ordering: the bonus of a quiet check.
    check_order_bonus = 8500, 0..=20000, 800.0;
    /// Move ordering: what a quiet check may lose.
    check_order_see = 10, 0..=1000, 40.0;
    /// Move ordering: the bonus of a move to a safe square from which it attacks something.
    attack_order_bonus = 3500, 0..=10000, 400.0;

    /// Time management: thousandths of the clock for a move at the start.
    time_share = 28, 10..=60, 2.0;
    /// Time management: thousandths of the clock more from move 40 on, half of it at move 20.
    time_share_late = 17, 0..=60, 3.0;
    /// Time management: percent of the increment for a move.
    time_increment = 75, 40..=100, 4.0;
    /// Time management: the factor in percent if the best move took no effort.
    time_effort_base = 245, 120..=400, 15.0;
    /// Time management: how much less if it took all the effort.
    time_effort_slope = 195, 0..=400, 20.0;
    /// Time management: the factor in percent if the best move is new.
    time_stability_base = 130, 100..=200, 5.0;
    /// Time management: thousandths less for each iteration without a change, up to ten.
    time_stability_slope = 55, 0..=120, 8.0;
    /// Time management: the factor in percent if no move took the place of the best one.
    time_changes_base = 97, 60..=120, 4.0;
    /// Time management: how much more with the logarithm of the number of changes.
    time_changes_slope = 35, 0..=120, 6.0;
    /// Time management: thousandths of the factor for each point that was lost.
    time_loss = 20, 0..=80, 3.0;
    /// Time management: the factor in percent for a recapture.
    time_recapture = 80, 40..=100, 4.0;
}

/// `x` divided by a number of eighths.
#[inline(always)]
pub(crate) const fn in_eighths(x: i32, eighths: i32) -> i32 {
    // The result is the same either way, but whole constants cost one multiplication less.
    if eighths % 8 == 0 { x / (eighths / 8) } else { 8 * x / eighths }
}

/// A number of sixteenths of `x`.
#[inline(always)]
pub(crate) const fn sixteenths(x: i32, sixteenths: i32) -> i32 {
    // As above.
    if sixteenths % 16 == 0 { x * (sixteenths / 16) } else { x * sixteenths / 16 }
}

/// The search parameters of an engine: constants without the feature `tune`.
#[cfg(not(feature = "tune"))]
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct SearchParameters {}

#[cfg(not(feature = "tune"))]
impl SearchParameters {
    /// Does nothing: constants need no installation.
    pub(crate) fn install(self) {}
}

/// The description of a search parameter.
#[cfg(feature = "tune")]
#[derive(Debug)]
#[non_exhaustive]
pub struct SearchParameter {
    /// Its name in the source code.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// Its value without tuning.
    pub value: i32,
    /// The values that make sense.
    pub range: std::ops::RangeInclusive<i32>,
    /// The step between values that games can tell apart.
    pub step: f64,
}

#[cfg(feature = "tune")]
impl SearchParameter {
    /// All search parameters.
    pub fn all() -> &'static [SearchParameter] {
        &variable::ALL
    }

    /// Whether it belongs to time management: without a clock it changes nothing.
    pub fn needs_clock(&self) -> bool {
        self.name.starts_with("time_")
    }

    /// The line that OpenBench takes for SPSA: name, type, value, minimum, maximum, final step, final rate.
    pub fn openbench_line(&self) -> String {
        let SearchParameter { name, value, range, step, .. } = self;
        format!("{name}, int, {value}, {}, {}, {step}, 0.002", range.start(), range.end())
    }
}

/// The values of all search parameters, in the order of [`SearchParameter::all`].
#[cfg(feature = "tune")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchParameters([i32; variable::ALL.len()]);

/// The values without tuning.
#[cfg(feature = "tune")]
impl Default for SearchParameters {
    fn default() -> SearchParameters {
        let mut all = SearchParameter::all().iter();
        SearchParameters(std::array::from_fn(|_| all.next().map_or(0, |parameter| parameter.value)))
    }
}

#[cfg(feature = "tune")]
impl SearchParameters {
    /// The values.
    pub fn values(&self) -> &[i32] {
        &self.0
    }

    /// Changes the parameter with this index, to the nearest value in its range.
    pub fn set(&mut self, index: usize, value: i32) {
        let range = &SearchParameter::all()[index].range;
        self.0[index] = value.clamp(*range.start(), *range.end());
    }

    /// Makes them the values of this thread.
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
