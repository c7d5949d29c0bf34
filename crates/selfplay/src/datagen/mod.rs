//! Plays games of the engine against itself.
//!
//! Every game has a number and depends on the seed, that number and the engine alone. So any number of threads plays the
//! same games, and an interrupted run can be resumed.

mod opening;
mod player;
pub mod random;
mod run;
#[cfg(feature = "sample")]
mod sample;
mod writer;

pub use opening::{OpeningRules, Openings};
pub use player::HARD_LIMIT;
pub use run::{DatagenRun, Goal, RunProgress};
#[cfg(feature = "sample")]
pub use sample::SampleFile;
