//! Tests of the evaluation from outside.

mod endings;
mod explanation;
mod kpk;
mod laws;
mod nets;
mod sample;
