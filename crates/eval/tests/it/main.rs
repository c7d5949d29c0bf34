//! Tests of the evaluation from outside.

mod endings;
mod explanation;
mod laws;
mod nets;
mod sample;
