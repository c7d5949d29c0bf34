//! How an engine searches, apart from limits.

use std::time::Duration;

/// How an engine searches, apart from [`Limits`](crate::Limits).
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// The number of lines to report (MultiPV), at least 1. More lines cost depth.
    pub lines: usize,
    /// Time reserved in every move for what happens outside the search, for example on the way to the user interface.
    pub move_overhead: Duration,
    /// Limited strength: the Elo rating to play at, within [`Engine::ELO`](crate::Engine::ELO). The classical
    /// evaluation is used, with which the ratings were measured. `None` is full strength.
    pub elo: Option<u32>,
    /// The seed of the mistakes at limited strength: the same seed makes the same mistakes. `None` is a different
    /// seed for every search.
    pub seed: Option<u64>,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions { lines: 1, move_overhead: Duration::from_millis(10), elo: None, seed: None }
    }
}
