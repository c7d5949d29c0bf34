//! How an engine searches, apart from limits.

use std::time::Duration;

/// How an engine searches, apart from [`Limits`](crate::Limits).
///
/// ```
/// use ferz_search::SearchOptions;
///
/// let options = SearchOptions::new().lines(3);
/// assert_eq!(options.lines, 3);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SearchOptions {
    /// The number of lines to report (MultiPV), at least 1. More lines cost depth.
    #[doc(alias = "multipv")]
    pub lines: usize,
    /// Time reserved in every move for what happens outside the search, for example on the way to the user interface.
    pub move_overhead: Duration,
    /// Limited strength: the Elo rating to play at, within [`Engine::ELO`](crate::Engine::ELO). The classical
    /// evaluation is used, with which the ratings were measured. `None` is full strength.
    #[doc(alias("UCI_Elo", "UCI_LimitStrength"))]
    pub elo: Option<u32>,
    /// The seed of the mistakes at limited strength: the same seed makes the same mistakes. `None` is a different
    /// seed for every search.
    pub seed: Option<u64>,
}

impl SearchOptions {
    /// One line, 10 ms of move overhead, full strength.
    #[must_use]
    pub const fn new() -> SearchOptions {
        SearchOptions { lines: 1, move_overhead: Duration::from_millis(10), elo: None, seed: None }
    }

    /// Sets [`SearchOptions::lines`](field@SearchOptions::lines).
    #[doc(alias = "multipv")]
    #[must_use]
    pub const fn lines(mut self, lines: usize) -> SearchOptions {
        self.lines = lines;
        self
    }

    /// Sets [`SearchOptions::move_overhead`](field@SearchOptions::move_overhead).
    #[must_use]
    pub const fn move_overhead(mut self, time: Duration) -> SearchOptions {
        self.move_overhead = time;
        self
    }

    /// Sets [`SearchOptions::elo`](field@SearchOptions::elo).
    #[must_use]
    pub const fn elo(mut self, rating: u32) -> SearchOptions {
        self.elo = Some(rating);
        self
    }

    /// Sets [`SearchOptions::seed`](field@SearchOptions::seed).
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> SearchOptions {
        self.seed = Some(seed);
        self
    }
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions::new()
    }
}
