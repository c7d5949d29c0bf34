#![doc = include_str!("../README.md")]

mod classical;
mod evaluator;
mod nnue;

pub use classical::tuning;
pub use classical::{EvalBreakdown, TaperedScore, Term, TermScores, explain, phase, piece_square};
pub use evaluator::{EvalState, Evaluator, VALUE_LIMIT};
pub use nnue::{Network, NetworkError, NetworkParameters};
