//! Tracing the evaluation: which weights count how often.

use ferz_board::Color;

use super::params::Term;
use super::score::TaperedScore;

/// Receives every weight that the evaluation counts.
///
/// The breakdown and the tuner are tracers, so they cannot disagree with the search. The search uses the null tracer
/// `()`, which compiles to nothing.
pub(super) trait Tracer {
    /// The weight with this flat index counts this often for a side.
    fn counted(&mut self, color: Color, weight: usize, count: i32);

    /// The score for a side of a term that is not a sum of its weights.
    fn combined(&mut self, color: Color, term: Term, score: TaperedScore);
}

impl Tracer for () {
    #[inline(always)]
    fn counted(&mut self, _: Color, _: usize, _: i32) {}

    #[inline(always)]
    fn combined(&mut self, _: Color, _: Term, _: TaperedScore) {}
}
