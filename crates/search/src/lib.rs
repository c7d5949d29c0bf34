//! A chess search.
//!
//! An [`Engine`] takes a [`Game`](ferz_board::Game), [`Limits`] and [`Signals`], hands out typed [`Report`]s
//! while it works and a [`Conclusion`] at the end. It prints nothing and knows no protocol.

#![deny(unsafe_code)]

mod cycle;
mod deepen;
mod engine;
mod exchange;
mod history;
mod limits;
mod node;
mod parameters;
mod picker;
mod quiescence;
mod reductions;
mod report;
mod score;
mod strength;
mod table;
mod time;
mod value;
mod wdl;
mod worker;

pub use engine::{Engine, Options, OutOfMemory, ThreadsError};
pub use limits::{Clock, Limits, Signals};
#[cfg(feature = "tune")]
pub use parameters::{Parameter, Parameters};
pub use report::{Bound, Conclusion, Cutoffs, Line, Report};
pub use score::{Score, Wdl};
pub use wdl::WdlModel;
