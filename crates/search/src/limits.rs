//! What ends a search.

use std::time::Duration;

use ferz_board::Move;

/// What ends a search. Every limit that is set holds. With none set the search runs until it is stopped or has reached
/// its maximum depth.
///
/// Set limits by chaining, or assign to the fields:
///
/// ```
/// use std::time::Duration;
/// use ferz_search::{Limits, TimeControl};
///
/// let analysis = Limits::new().depth(12).nodes(10_000);
/// let clock = TimeControl::new(Duration::from_secs(60)).increment(Duration::from_secs(1));
/// let mut limits = Limits::new().time_control(clock);
/// limits.depth = analysis.depth;
/// assert_eq!(limits.depth, Some(12));
/// ```
#[doc(alias = "go")]
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Limits {
    /// The depth of the last iteration, in plies; at least 1.
    pub depth: Option<u32>,
    /// The number of nodes, of all threads together. With one thread the limit is exact.
    pub nodes: Option<u64>,
    /// The number of nodes after which no further iteration begins.
    pub soft_nodes: Option<u64>,
    /// Mate search: ends as soon as a mate in this number of moves, or fewer, is proven.
    pub mate: Option<u32>,
    /// The time for this move.
    #[doc(alias = "movetime")]
    pub move_time: Option<Duration>,
    /// The clock of the side to move. The search decides how much of it to use.
    #[doc(alias("clock", "wtime", "btime"))]
    pub time_control: Option<TimeControl>,
    /// The search does not end by itself, even with nothing left to search.
    pub infinite: bool,
    /// Pondering: as `infinite` until [`Signals::ponder_hit`](crate::Signals::ponder_hit), then the other limits hold.
    pub ponder: bool,
    /// The root moves to search; if empty, all of them. Illegal moves are ignored.
    #[doc(alias = "searchmoves")]
    pub search_moves: Vec<Move>,
    /// When the clock started to run, if that was before the search is called: a time on the axis of
    /// [`Host::now`](field@crate::Host::now), by default [`monotonic_now`](crate::monotonic_now). A time in the future
    /// counts as the present.
    pub started: Option<Duration>,
}

impl Limits {
    /// No limits.
    #[must_use]
    pub const fn new() -> Limits {
        Limits {
            depth: None,
            nodes: None,
            soft_nodes: None,
            mate: None,
            move_time: None,
            time_control: None,
            infinite: false,
            ponder: false,
            search_moves: Vec::new(),
            started: None,
        }
    }

    /// Sets [`Limits::depth`](field@Limits::depth).
    #[must_use]
    pub const fn depth(mut self, plies: u32) -> Limits {
        self.depth = Some(plies);
        self
    }

    /// Sets [`Limits::nodes`](field@Limits::nodes).
    #[must_use]
    pub const fn nodes(mut self, nodes: u64) -> Limits {
        self.nodes = Some(nodes);
        self
    }

    /// Sets [`Limits::soft_nodes`](field@Limits::soft_nodes).
    #[must_use]
    pub const fn soft_nodes(mut self, nodes: u64) -> Limits {
        self.soft_nodes = Some(nodes);
        self
    }

    /// Sets [`Limits::mate`](field@Limits::mate).
    #[must_use]
    pub const fn mate(mut self, moves: u32) -> Limits {
        self.mate = Some(moves);
        self
    }

    /// Sets [`Limits::move_time`](field@Limits::move_time).
    #[doc(alias = "movetime")]
    #[must_use]
    pub const fn move_time(mut self, time: Duration) -> Limits {
        self.move_time = Some(time);
        self
    }

    /// Sets [`Limits::time_control`](field@Limits::time_control).
    #[must_use]
    pub const fn time_control(mut self, clock: TimeControl) -> Limits {
        self.time_control = Some(clock);
        self
    }

    /// Sets [`Limits::infinite`](field@Limits::infinite).
    #[must_use]
    pub const fn infinite(mut self) -> Limits {
        self.infinite = true;
        self
    }

    /// Sets [`Limits::ponder`](field@Limits::ponder).
    #[must_use]
    pub const fn ponder(mut self) -> Limits {
        self.ponder = true;
        self
    }

    /// Sets [`Limits::search_moves`](field@Limits::search_moves).
    #[doc(alias = "searchmoves")]
    #[must_use]
    pub fn search_moves(mut self, moves: impl IntoIterator<Item = Move>) -> Limits {
        self.search_moves = moves.into_iter().collect();
        self
    }

    /// Sets [`Limits::started`](field@Limits::started).
    #[must_use]
    pub const fn started(mut self, time: Duration) -> Limits {
        self.started = Some(time);
        self
    }
}

/// The state of a chess clock for its owner at the start of a move.
#[doc(alias = "clock")]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct TimeControl {
    /// The time left.
    #[doc(alias("wtime", "btime"))]
    pub remaining: Duration,
    /// The time added for every move.
    #[doc(alias("winc", "binc"))]
    pub increment: Duration,
    /// The number of moves to the next time control, if there is one.
    #[doc(alias = "movestogo")]
    pub moves_to_go: Option<u32>,
}

impl TimeControl {
    /// A clock with this time left for the rest of the game, without increment.
    #[must_use]
    pub const fn new(remaining: Duration) -> TimeControl {
        TimeControl { remaining, increment: Duration::ZERO, moves_to_go: None }
    }

    /// Sets [`TimeControl::increment`](field@TimeControl::increment).
    #[must_use]
    pub const fn increment(mut self, increment: Duration) -> TimeControl {
        self.increment = increment;
        self
    }

    /// Sets [`TimeControl::moves_to_go`](field@TimeControl::moves_to_go).
    #[must_use]
    pub const fn moves_to_go(mut self, moves: u32) -> TimeControl {
        self.moves_to_go = Some(moves);
        self
    }
}
