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
    /// The node of the tree.
    pub node: NodeId,
    /// The game up to that node.
    pub game: Game,
    /// How many lines to compare (MultiPV).
    pub lines: usize,
    /// How castling moves are written.
    pub mode: CastlingMode,
}

/// Names a thought, so that one that is no longer wanted is known when it comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket(pub u64);

/// A move to be found for a game against a human.
#[derive(Clone, Debug)]
pub struct ThinkTask {
    /// Names the task in its answer.
    pub ticket: Ticket,
    /// The game up to that node.
    pub game: Game,
    /// The limits of the search.
    pub limits: Limits,
    /// The options of the search.
    pub options: SearchOptions,
}

/// A hint or a threat to be found.
#[derive(Clone, Debug)]
pub struct AdviceTask {
    /// The number of the intent that asked for it.
    pub re: Option<u64>,
    /// The node of the tree.
    pub node: NodeId,
    /// For a threat: with the other side to move.
    pub game: Game,
    /// A hint or a threat.
    pub kind: AdviceKind,
    /// How castling moves are written.
    pub mode: CastlingMode,
}

/// What a user wants to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AdviceKind {
    /// The best move.
    Hint,
    /// What the opponent would do.
    Threat,
}

/// A position to be explained, and the move that led to it.
#[derive(Clone, Debug)]
pub struct ExplainTask {
    /// The number of the intent that asked for it.
    pub re: Option<u64>,
    /// The node of the tree.
    pub node: NodeId,
    /// The position explained.
    pub position: Position,
    /// The move that led here.
    pub played: Option<PlayedMove>,
    /// How castling moves are written.
    pub mode: CastlingMode,
}

/// A move of the tree.
#[derive(Clone, Copy, Debug)]
pub struct PlayedMove {
    /// The node it was played at.
    pub at: NodeId,
    /// The position explained.
    pub position: Position,
    /// The move.
    pub mv: Move,
}

/// A game to be looked at move by move.
#[derive(Clone, Debug)]
pub struct ReviewTask {
    /// Names the task in its answer.
    pub ticket: Ticket,
    /// The game to review.
    pub tree: GameTree,
    /// How thorough the review is.
    pub depth: ReviewDepth,
}

/// What a search has come to.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // fields are named after the types they hold
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
