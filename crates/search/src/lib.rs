#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod aspiration;
pub mod bench;
mod check_info;
mod cuckoo;
mod engine;
mod errors;
mod history;
mod host;
#[allow(unsafe_code, reason = "memory that is aligned to huge pages")]
mod huge_table;
mod iterative_deepening;
mod limits;
mod lmr;
mod move_picker;
mod node;
mod options;
mod parameters;
mod quiescence;
mod report;
mod root_move;
#[cfg(feature = "sample")]
mod sampler;
mod score;
mod see;
mod signals;
mod stack;
mod strength;
mod tablebases;
mod threats;
mod time_management;
mod tt;
mod value;
mod voting;
mod wdl;
mod worker;

pub use engine::Engine;
pub use errors::{OutOfMemory, ThreadsError};
pub use host::{Host, monotonic_now};
pub use limits::{Limits, TimeControl};
pub use options::SearchOptions;
#[cfg(feature = "tune")]
pub use parameters::{SearchParameter, SearchParameters};
pub use report::{Bound, Conclusion, Cutoffs, Line, Report};
#[cfg(feature = "sample")]
pub use sampler::{SampleRates, SampledPosition, Sampler};
pub use score::{ParseScoreError, ParseWdlError, Score, Wdl};
pub use signals::Signals;
pub use stack::{SEARCH_STACK_SIZE, with_search_stack};
pub use tt::{TtProbe, TtSlot};
pub use wdl::WdlModel;
