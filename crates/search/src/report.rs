//! What a search tells while it runs, and what it concludes.

use std::time::Duration;

use ferz_board::Move;

use crate::{Score, Wdl};

/// Something that happened in a running search.
#[derive(Clone, Debug)]
pub enum Report {
    /// A line and its score.
    Line(Line),
    /// The search has run for some seconds and begins to look at this move at the root.
    CurrentMove {
        /// Of the iteration.
        depth: u32,
        /// The move.
        mv: Move,
        /// Its place in the order of moves, from 1.
        number: usize,
    },
}

/// Whether a score is known or only bounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The score is the result of the iteration.
    Exact,
    /// It is at least this.
    Lower,
    /// It is at most this.
    Upper,
}

/// A line of play and what the search thinks of it, from the side to move's point of view.
#[derive(Clone, Debug)]
pub struct Line {
    /// Plies the iteration looked ahead.
    pub depth: u32,
    /// The most plies it looked ahead in any line.
    pub selective_depth: u32,
    /// 1 for the best line, 2 for the second …
    pub rank: usize,
    /// Its worth.
    pub score: Score,
    /// Whether the score is final.
    pub bound: Bound,
    /// Chances of winning, drawing and losing.
    pub wdl: Wdl,
    /// Positions looked at, by all threads.
    pub nodes: u64,
    /// How full the transposition table is, in thousandths.
    pub hashfull: u32,
    /// How well moves were ordered so far.
    pub cutoffs: Cutoffs,
    /// Successful look-ups in endgame tables.
    pub tablebase_hits: u64,
    /// Since the search began.
    pub time: Duration,
    /// The moves, all legal, ending where the game does.
    pub moves: Vec<Move>,
}

/// How often a move was good enough to leave out the others, counted by one thread since its search began: the one
/// that tells the line. With perfect order it is always the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cutoffs {
    /// Nodes that failed high, those that only look at captures left out.
    pub all: u64,
    /// How many of them did with their first move.
    pub first: u64,
}

/// What a search came to.
#[derive(Clone, Debug, Default)]
pub struct Conclusion {
    /// The move to play; `None` if the game is over.
    pub best: Option<Move>,
    /// The answer expected.
    pub ponder: Option<Move>,
    /// The last complete lines, best first; empty if the game is over.
    pub lines: Vec<Line>,
    /// Positions looked at, by all threads.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}
