//! Evaluation of chess positions.
//!
//! [`Evaluator`] is what a search uses: one per thread, told of every move, asked for values. There are two
//! evaluations. The classical one is a sum of small terms, each a function with its chess reason (see the modules of
//! `classical`), whose weights are fitted to our own games by the `tune` example; [`explain`] gives the same value
//! taken apart, term by term, for a human to read. The other is a neural network (`nnue`): an evaluator that has a
//! [`Network`] uses it instead.

mod classical;
mod evaluator;
mod nnue;

pub use classical::tuning;
pub use classical::{Explanation, Row, Score, Term, explain, phase, piece_square};
pub use evaluator::{Evaluator, Step, VALUE_LIMIT};
pub use nnue::{Network, NetworkError, Parameters};
