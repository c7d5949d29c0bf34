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

/// A hash (FNV-1a) that is the same in every version and on every system, so that it can be kept in files and names.
/// It protects from nothing: others can find texts with the same hash.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The longest text of one game in bytes.
pub const MAX_GAME: usize = 16 << 20;
