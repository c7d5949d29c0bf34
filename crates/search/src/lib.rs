//! A chess search.
//!
//! An [`Engine`] takes a [`Game`](ferz_board::Game), [`Limits`] and [`Signals`], hands out typed [`Report`]s
//! while it works and a [`Conclusion`] at the end. It prints nothing and knows no protocol.

#![deny(unsafe_code)]

mod engine;
mod limits;
mod report;
mod score;

pub use engine::{Engine, Options, OutOfMemory};
pub use limits::{Clock, Limits, Signals};
pub use report::{Bound, Conclusion, Line, Report};
pub use score::{Score, Wdl};
