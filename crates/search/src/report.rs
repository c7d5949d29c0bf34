//! What a search reports while it runs, and its result.

use std::time::Duration;

use ferz_board::Move;
use ferz_syzygy::ProbeError;

use crate::tt::TtProbe;
use crate::{Score, Wdl};

/// An event of a running search.
///
/// ```
/// use ferz_board::Game;
/// use ferz_search::{Engine, Limits, Report, SearchOptions, Signals};
///
/// let mut engine = Engine::new(1)?;
/// let limits = Limits::default().depth(6);
/// let mut depths = Vec::new();
/// engine.search(&Game::default(), &limits, &SearchOptions::default(), &Signals::new(), &mut |report| {
///     if let Report::Line(line) = report {
///         println!("depth {}: {} {:?}", line.depth, line.score, line.moves);
///         depths.push(line.depth);
///     }
/// });
/// assert_eq!(depths, [1, 2, 3, 4, 5, 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Report {
    /// A line and its score.
    Line(Line),
    /// The search begins to search this root move. Reported after the first seconds of a search.
    CurrentMove {
        /// The depth of the iteration.
        depth: u32,
        /// The move.
        mv: Move,
        /// Its place in the order of moves, from 1.
        number: usize,
    },
    /// An endgame table is damaged or cannot be read. Each file is reported once; the search goes on without it.
    TableProblem(ProbeError),
}

/// Whether a score is exact or a bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Bound {
    /// The score is the result of the iteration.
    Exact,
    /// The true score is at least this (fail high).
    Lower,
    /// The true score is at most this (fail low).
    Upper,
}

/// A principal variation and its score, from the side to move's point of view.
#[doc(alias("pv", "variation"))]
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Line {
    /// The depth of the iteration, in plies; at least 1.
    pub depth: u32,
    /// The length of the longest line searched, in plies.
    #[doc(alias = "seldepth")]
    pub selective_depth: u32,
    /// 1 for the best line, 2 for the second …
    #[doc(alias = "multipv")]
    pub rank: usize,
    /// The value inside the search, before the WDL model makes a [`Score`] of it. Its unit depends on the evaluation;
    /// a mate in `n` plies is 32000 - `n`, being mated in `n` plies is `n` - 32000, and a win by endgame tables that
    /// is reached in `n` plies is 30000 - `n`. Unlike the score it does not change when the model is fitted anew.
    pub value: i32,
    /// The score for users.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: Bound,
    /// The probabilities of a win, a draw and a loss.
    pub wdl: Wdl,
    /// Nodes searched so far, by all threads.
    pub nodes: u64,
    /// Successful probes of endgame tables so far, by all threads.
    #[doc(alias = "tbhits")]
    pub tablebase_hits: u64,
    /// How full the transposition table is, in thousandths.
    pub hashfull: u32,
    /// What the transposition table has for the root.
    pub tt_probe: Box<TtProbe>,
    /// How good the move ordering was so far.
    pub cutoffs: Cutoffs,
    /// Time since the search began.
    pub time: Duration,
    /// The moves. All are legal, and none comes after the end of the game.
    pub moves: Vec<Move>,
}

/// Beta cutoffs (fail highs) of one thread since its search began: a measure of move ordering. With perfect ordering
/// the first move always causes the cutoff.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Cutoffs {
    /// Nodes of the main search that failed high.
    pub all: u64,
    /// Those that failed high with their first move.
    pub first: u64,
}

/// The result of a search.
#[doc(alias = "bestmove")]
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Conclusion {
    /// The move to play; `None` if the game is over.
    pub best: Option<Move>,
    /// The expected reply, to ponder on.
    pub ponder: Option<Move>,
    /// The last searched lines, best first.
    ///
    /// A limit may end the search in the middle of an iteration. Then the depths of the lines may differ by one, and
    /// lines that were never searched are missing: there may be fewer than
    /// [`SearchOptions::lines`](field@crate::SearchOptions::lines). There are none if the game is over, or if the
    /// search ended before it knew the value of a single move.
    pub lines: Vec<Line>,
    /// Nodes searched, by all threads.
    pub nodes: u64,
    /// Successful probes of endgame tables, by all threads.
    #[doc(alias = "tbhits")]
    pub tablebase_hits: u64,
    /// Time the search took.
    pub time: Duration,
}
