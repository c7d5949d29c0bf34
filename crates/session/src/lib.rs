#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod analysis;
pub mod desk;
pub mod protocol;
mod session;
pub mod xray;

pub use session::{
    ANALYSIS_TIME, AdviceKind, AdviceTask, AnalysisTask, ExplainTask, MAX_MESSAGE, Order, Outbox, PlayedMove,
    ReviewTask, SearchEvent, Session, ThinkTask, Ticket,
};
