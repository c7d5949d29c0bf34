//! The opening explorer: which moves were played in a position, how often and with what results.
//!
//! An [`Index`] is a folder with sorted runs, merged like a log-structured tree. A record is a position key, a move and
//! the [results](MoveStats) of the games that played it. Moves belong to keys, so games that reach a position by
//! different orders of moves meet there.
//!
//! A game is removed by counting it down in a newer run. A [`LibraryIndex`] follows the changes of a library that way: it
//! keeps the moves of every game that it has counted.
//!
//! What is kept:
//!
//! * the first [`MAX_PLIES`] half-moves of every game, each of them exactly;
//! * a game counts once in a position: at its first visit;
//! * of each move the [`SAMPLES`] games with the highest ratings.
//!
//! ```
//! use ferz_board::Position;
//! use ferz_library::explorer::{Index, pgn};
//!
//! # let folder = std::env::temp_dir().join(format!("ferz-explorer-doc-{}", std::process::id()));
//! let games = "1. e4 e5 2. Nf3 1-0\n\n[Result \"0-1\"]\n\n1. Nf3 e5 2. e4 0-1\n";
//! let mut index = Index::open(&folder, "two games")?;
//! pgn::add_games(&mut index, games.as_bytes(), 1)?;
//! let found = index.reader().explore(&Position::start())?;
//! assert_eq!((found.total, found.moves.len()), (2, 2));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checksum;
mod error;
mod index;
mod library;
mod line;
mod manifest;
mod merge;
pub mod pgn;
mod run;
mod stats;
#[cfg(test)]
mod tests;
mod varint;

pub use error::IndexError;
pub use index::{Exploration, ExploredMove, Index, IndexReader, Update};
pub use library::LibraryIndex;
pub use line::OpeningLine;
pub use stats::{IndexedGame, MoveStats};

/// The half-moves of a game that are kept.
pub const MAX_PLIES: usize = 40;
/// The games that are named for each move.
pub const SAMPLES: usize = 4;
