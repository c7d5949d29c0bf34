//! Plays matches of two versions of the engine.
//!
//! A match consists of pairs of games: the same opening with colours exchanged. A pair depends on the seed, its number
//! and the players alone, and results are used in the order of the numbers. So any number of threads gives the same
//! result, and a match that ends early is the beginning of a longer one. Only clocks make a difference.
//!
//! With the feature `tune` the players can have different search parameters: `SpsaRun` tunes them, and `Screen`
//! measures the effects of many of them at once.

mod game;
mod run;
mod sprt;
mod stats;

#[cfg(feature = "tune")]
mod parameters;
#[cfg(feature = "tune")]
mod regression;
#[cfg(feature = "tune")]
mod screen;
#[cfg(feature = "tune")]
mod spsa;
#[cfg(feature = "tune")]
mod spsa_state;

pub use game::{
    Adjudication, MatchEnding, MatchGame, MatchOpenings, MatchPlayer, MatchPoints, MoveLimit, PlayedPair,
};
#[cfg(feature = "tune")]
pub use parameters::{Factor, FactorParameter, ParameterError, parse_factors, parse_values};
pub use run::{MatchEnd, MatchPlan, MatchRun, MatchSpeed};
#[cfg(feature = "tune")]
pub use screen::{Screen, ScreenDesign, ScreenTable};
pub use sprt::{EloModel, Hypothesis, Sprt};
#[cfg(feature = "tune")]
pub use spsa::{SpsaRun, SpsaSchedule};
#[cfg(feature = "tune")]
pub use spsa_state::{SpsaState, TunedParameter};
pub use stats::{MatchStats, elo_of_score};
