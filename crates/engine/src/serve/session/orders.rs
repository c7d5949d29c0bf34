//! What a session wants searched, and what comes of it.

use ferz_board::{CastlingMode, Game, Move, Position};
use ferz_notation::pgn::{GameTree, NodeId};
use ferz_search::{Limits, Score, SearchOptions};

use crate::explain::Explanation;
use crate::review::Review;
use crate::serve::protocol::ReviewDepth;

/// Something for the engine to do.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    /// Analyse this from now on, or nothing.
    Analyse(Option<AnalysisTask>),
    /// Find a move to play.
    Think(ThinkTask),
    /// Forget about the move.
    StopThinking,
    /// Find a hint or a threat.
    Advise(AdviceTask),
    /// Say why moves are good or bad.
    Explain(ExplainTask),
    /// Look at all moves of a game.
    Review(ReviewTask),
    /// Enough of that.
    StopReview,
}

/// A position to be analysed until further notice.
#[derive(Clone, Debug)]
pub(crate) struct AnalysisTask {
    /// Of the nodes: another game may have one with the same number.
    pub(crate) numbering: u64,
    pub(crate) node: NodeId,
    pub(crate) game: Game,
    pub(crate) lines: usize,
    pub(crate) mode: CastlingMode,
}

/// Names a thought, so that one that is no longer wanted is known when it comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ticket(pub(crate) u64);

/// A move to be found for a game against a human.
#[derive(Clone, Debug)]
pub(crate) struct ThinkTask {
    pub(crate) ticket: Ticket,
    pub(crate) game: Game,
    pub(crate) limits: Limits,
    pub(crate) options: SearchOptions,
}

/// A hint or a threat to be found.
#[derive(Clone, Debug)]
pub(crate) struct AdviceTask {
    pub(crate) re: Option<u64>,
    pub(crate) node: NodeId,
    /// For a threat: with the other side to move.
    pub(crate) game: Game,
    pub(crate) kind: AdviceKind,
    pub(crate) mode: CastlingMode,
}

/// What a user wants to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AdviceKind {
    Hint,
    Threat,
}

/// A position to be explained, and the move that led to it.
#[derive(Clone, Debug)]
pub(crate) struct ExplainTask {
    pub(crate) re: Option<u64>,
    pub(crate) node: NodeId,
    pub(crate) position: Position,
    pub(crate) played: Option<PlayedMove>,
    pub(crate) mode: CastlingMode,
}

/// A move of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlayedMove {
    /// The node it was played at.
    pub(crate) at: NodeId,
    pub(crate) position: Position,
    pub(crate) mv: Move,
}

/// A game to be looked at move by move.
#[derive(Clone, Debug)]
pub(crate) struct ReviewTask {
    pub(crate) ticket: Ticket,
    pub(crate) tree: GameTree,
    pub(crate) depth: ReviewDepth,
}

/// What a search has come to.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// A move for a game against a human; `None` if the engine found none.
    Thought { ticket: Ticket, best: Option<Move>, score: Option<Score> },
    /// The answer to [`Order::Advise`].
    Advice { task: Box<AdviceTask>, best: Vec<Move>, score: Option<Score> },
    /// The answer to [`Order::Explain`]: about the move played, if there is one, and about the position.
    Explained { task: Box<ExplainTask>, played: Option<Box<Explanation>>, here: Box<Explanation> },
    /// A review has come so far.
    ReviewStep { ticket: Ticket, done: usize, total: usize },
    /// A review is done.
    Reviewed { ticket: Ticket, review: Box<Review> },
    /// A review cannot be made.
    ReviewFailed { ticket: Ticket, message: String },
    /// An order that could not be carried out.
    Failed { re: Option<u64>, message: String },
}
