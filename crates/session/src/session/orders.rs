//! What a session wants searched, and what comes of it.

use ferz_board::{CastlingMode, Game, Move, Position};
use ferz_notation::pgn::{GameTree, NodeId};
use ferz_search::{Limits, Score, SearchOptions};

use crate::protocol::ReviewDepth;
use ferz_coach::explain::Explanation;
use ferz_coach::review::Review;

/// Something for the engine to do.
#[derive(Clone, Debug)]
pub enum Order {
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
pub struct AnalysisTask {
    /// Of the nodes: another game may have one with the same number.
    pub numbering: u64,
    pub node: NodeId,
    pub game: Game,
    pub lines: usize,
    pub mode: CastlingMode,
}

/// Names a thought, so that one that is no longer wanted is known when it comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket(pub u64);

/// A move to be found for a game against a human.
#[derive(Clone, Debug)]
pub struct ThinkTask {
    pub ticket: Ticket,
    pub game: Game,
    pub limits: Limits,
    pub options: SearchOptions,
}

/// A hint or a threat to be found.
#[derive(Clone, Debug)]
pub struct AdviceTask {
    pub re: Option<u64>,
    pub node: NodeId,
    /// For a threat: with the other side to move.
    pub game: Game,
    pub kind: AdviceKind,
    pub mode: CastlingMode,
}

/// What a user wants to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AdviceKind {
    Hint,
    Threat,
}

/// A position to be explained, and the move that led to it.
#[derive(Clone, Debug)]
pub struct ExplainTask {
    pub re: Option<u64>,
    pub node: NodeId,
    pub position: Position,
    pub played: Option<PlayedMove>,
    pub mode: CastlingMode,
}

/// A move of the tree.
#[derive(Clone, Copy, Debug)]
pub struct PlayedMove {
    /// The node it was played at.
    pub at: NodeId,
    pub position: Position,
    pub mv: Move,
}

/// A game to be looked at move by move.
#[derive(Clone, Debug)]
pub struct ReviewTask {
    pub ticket: Ticket,
    pub tree: GameTree,
    pub depth: ReviewDepth,
}

/// What a search has come to.
#[derive(Clone, Debug)]
pub enum Event {
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
