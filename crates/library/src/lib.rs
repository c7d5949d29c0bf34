#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod catalogue;
mod error;
pub mod explorer;
mod facts;
mod import;
mod library;
mod query;
mod reached;
mod schema;
mod strings;

pub use error::LibraryError;
pub use facts::GameFacts;
pub use import::{GameSink, Import, ImportCount};
pub use library::{Folder, Library, ListedGame, Page, Summary, TagCount};
pub use query::{BadQuery, Query, Sort};

/// The number of a game in its library. It is never given to a different game.
pub type GameId = u64;

/// The longest text of one game in bytes.
pub const MAX_GAME: usize = 16 << 20;
