#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod analysis;
pub mod desk;
pub mod other_engine;
pub mod protocol;
mod session;
pub mod xray;

pub use session::{
    ANALYSIS_TIME, AdviceKind, AdviceTask, AnalysisTask, EngineHost, ExplainTask, ExploreTask, MAX_MESSAGE,
    MoveCounts, Order, OtherTask, Outbox, PlayedMove, ReviewTask, SearchEvent, Session, ThinkTask, Ticket,
    book_counts,
};
