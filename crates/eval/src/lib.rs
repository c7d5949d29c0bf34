#![cfg_attr(feature = "embedded-net", doc = include_str!("../README.md"))]
#![cfg_attr(not(feature = "embedded-net"), doc = "Static evaluation of chess positions.")]

mod classical;
mod endgame;
mod evaluator;
mod nnue;

#[doc(hidden)]
pub use classical::tuning;
pub use classical::{EvalBreakdown, TaperedScore, Term, TermScores, explain, phase, piece_square};
pub use endgame::{EndgameRule, endgame_rule};
pub use evaluator::{EvalState, Evaluator, VALUE_LIMIT};
pub use nnue::{AccumulatorTrace, Network, NetworkError, NetworkParameters, NetworkTrace, kernel_name};
