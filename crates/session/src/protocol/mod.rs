//! The protocol between page and session: intents in, messages out. `docs/page-protocol.md` describes both.

mod explorer;
mod intent;
mod library;
mod message;
mod words;

pub use explorer::*;
pub use intent::{
    AnalysisWish, ArrowWish, CircleWish, ClockWish, EngineWish, Envelope, ExportKind, GameStart, Hello,
    Intent, PlayColor, PlayFrom, PuzzleWish, ReviewDepth, SavedClock, SavedPlay, SetupWish, SliderName,
    StartNumber, Step, StopRule,
};
pub use library::*;
pub use message::*;
pub use words::{ColorName, ResultName, ShapeColor, SquareName};
