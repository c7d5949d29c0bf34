//! Games of the engine against itself.
//!
//! Every game has a number, and everything in it follows from the seed, that number and the engine: the same games
//! come out however many threads play them, and a run that was interrupted goes on where it was.

mod player;
pub mod random;
mod run;
#[cfg(feature = "sample")]
mod sample;
mod writer;

pub use run::{Goal, Run, RunProgress};
#[cfg(feature = "sample")]
pub use sample::SampleFile;
