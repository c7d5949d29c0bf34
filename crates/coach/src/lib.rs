//! What a chess teacher does: reviews games, and says why moves are good or bad.

pub mod explain;
pub mod review;
#[cfg(test)]
mod search_thread;
