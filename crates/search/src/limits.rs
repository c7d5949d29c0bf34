//! What ends a search.

use std::time::Duration;

use ferz_board::Move;

/// What ends a search. Every limit that is set holds. With none set the search runs until it is stopped or has reached
/// its maximum depth.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The depth of the last iteration, in plies.
    pub depth: Option<u32>,
    /// The number of nodes, of all threads together. With one thread the limit is exact.
    pub nodes: Option<u64>,
    /// The number of nodes after which no further iteration begins.
    pub soft_nodes: Option<u64>,
    /// Mate search: ends as soon as a mate in this number of moves, or fewer, is proven.
    pub mate: Option<u32>,
    /// The time for this move.
    pub move_time: Option<Duration>,
    /// The clock of the side to move. The search decides how much of it to use.
    pub time_control: Option<TimeControl>,
    /// The search does not end by itself, even with nothing left to search.
    pub infinite: bool,
    /// Pondering: as `infinite` until [`Signals::ponder_hit`](crate::Signals::ponder_hit), then the other limits hold.
    pub ponder: bool,
    /// The root moves to search; if empty, all of them. Illegal moves are ignored.
    pub search_moves: Vec<Move>,
    /// When the clock started to run, if that was before the search is called: a time on the axis of
    /// [`Host::now`](crate::Host::now), by default [`monotonic_now`](crate::monotonic_now). A time in the future counts
    /// as the present.
    pub started: Option<Duration>,
}

/// The state of a chess clock for its owner at the start of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeControl {
    /// The time left.
    pub remaining: Duration,
    /// The time added for every move.
    pub increment: Duration,
    /// The number of moves to the next time control, if there is one.
    pub moves_to_go: Option<u32>,
}
