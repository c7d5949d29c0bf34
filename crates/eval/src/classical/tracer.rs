//! Listening to the evaluation while it counts.

use ferz_board::Color;

use super::params::Term;
use super::score::Score;

/// Is told what the evaluation counts, weight by weight.
///
/// The explanation and the tuner are tracers, so they can never disagree with the search about what a position
/// contains. The search uses the null tracer `()`, which compiles to nothing.
pub(super) trait Tracer {
    /// A side has this much of the weight with this flat index.
    fn counted(&mut self, color: Color, weight: usize, count: i32);

    /// What a term that is no sum of its weights comes to for a side.
    fn combined(&mut self, color: Color, term: Term, score: Score);
}

impl Tracer for () {
    #[inline(always)]
    fn counted(&mut self, _: Color, _: usize, _: i32) {}

    #[inline(always)]
    fn combined(&mut self, _: Color, _: Term, _: Score) {}
}
