//! What the search promises: one binary, one module for each promise.

mod determinism;
mod draws;
mod extremes;
mod host;
mod hostile;
mod interface;
mod lines;
mod mates;
mod museum;
mod options;
mod referee;
mod runs;
mod sample;
mod signals;
mod solver;
mod tablebases;
#[cfg(feature = "tune")]
mod tuning;
