//! The protocol between page and session: intents in, messages out. `docs/page-protocol.md` describes both.

mod intent;
mod message;
mod words;

pub use intent::{
    AnalysisWish, ArrowWish, CircleWish, ClockWish, Envelope, ExportKind, GameStart, Hello, Intent,
    PlayColor, PlayFrom, ReviewDepth, SavedClock, SavedPlay, SetupWish, SliderName, StartNumber, Step,
};
pub use message::*;
pub use words::{ColorName, ResultName, ShapeColor, SquareName};
