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
    /// Limited strength: the Elo rating to play at, within [`Engine::ELO`](crate::Engine::ELO). The ratings were
    /// measured with the embedded network. A search with a different rating clears the engine, since a weak player must
    /// not profit from what a strong one has seen. `None` is full strength.
    #[doc(alias("UCI_Elo", "UCI_LimitStrength"))]
    pub elo: Option<u32>,
    /// The seed of the mistakes at limited strength: the same seed makes the same mistakes. `None` is a different
    /// seed for every search.
    pub seed: Option<u64>,
    /// Endgame tables: positions with the most men of all tables are probed at this depth and above. See
    /// [`Engine::set_tablebases`](crate::Engine::set_tablebases).
    #[doc(alias = "SyzygyProbeDepth")]
    pub probe_depth: u32,
    /// Endgame tables: positions with more men are not probed; 0 switches the tables off.
    #[doc(alias = "SyzygyProbeLimit")]
    pub probe_limit: u32,
    /// Endgame tables: whether wins that the 50-move rule prevents count as draws.
    #[doc(alias = "Syzygy50MoveRule")]
    pub fifty_move_rule: bool,
}

impl SearchOptions {
    /// One line, 10 ms of move overhead, full strength, tables wherever they help.
    #[must_use]
    pub const fn new() -> SearchOptions {
        SearchOptions {
            lines: 1,
            move_overhead: Duration::from_millis(10),
            elo: None,
            seed: None,
            probe_depth: 1,
            probe_limit: 7,
            fifty_move_rule: true,
        }
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

    /// Sets [`SearchOptions::probe_depth`](field@SearchOptions::probe_depth).
    #[doc(alias = "SyzygyProbeDepth")]
    #[must_use]
    pub const fn probe_depth(mut self, depth: u32) -> SearchOptions {
        self.probe_depth = depth;
        self
    }

    /// Sets [`SearchOptions::probe_limit`](field@SearchOptions::probe_limit).
    #[doc(alias = "SyzygyProbeLimit")]
    #[must_use]
    pub const fn probe_limit(mut self, men: u32) -> SearchOptions {
        self.probe_limit = men;
        self
    }

    /// Sets [`SearchOptions::fifty_move_rule`](field@SearchOptions::fifty_move_rule).
    #[doc(alias = "Syzygy50MoveRule")]
    #[must_use]
    pub const fn fifty_move_rule(mut self, counts: bool) -> SearchOptions {
        self.fifty_move_rule = counts;
        self
    }
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions::new()
    }
}
