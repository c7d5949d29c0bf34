//! Evaluation of chess positions.
//!
//! [`Evaluator`] is what a search uses: one per thread, told of every move, asked for values. [`explain`] gives
//! the same value taken apart, term by term, for a human to read. The evaluation is a classical one: a sum of
//! small terms, each a function with its chess reason (see the modules of `classical`), whose weights are
//! fitted to our own games by the `tune` example.

mod classical;

pub use classical::tuning;
pub use classical::{Evaluator, Explanation, Increments, Row, Score, Term, VALUE_LIMIT, explain};
