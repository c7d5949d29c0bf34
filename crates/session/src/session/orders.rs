//! Searches that a session orders, and their results.

use ferz_board::{CastlingMode, Game, Move, Outcome, Position};
use ferz_notation::pgn::{GameTree, NodeId};
use ferz_search::{Limits, Score, SearchOptions};

use crate::protocol::{ReviewDepth, StopRule};
use ferz_coach::explain::Explanation;
use ferz_coach::review::Review;

/// An order for the engine.
#[derive(Clone, Debug)]
pub enum Order {
    /// Analyse this position from now on; `None` ends the analysis.
    Analyse(Option<AnalysisTask>),
    /// Let another engine analyse this position from now on; `None` ends its analysis.
    AnalyseWithOther(Option<OtherTask>),
    /// Find a move to play.
    Think(ThinkTask),
    /// Stop the search for a move.
    StopThinking,
    /// Find a hint or a threat.
    Advise(AdviceTask),
    /// Explain why moves are good or bad.
    Explain(ExplainTask),
    /// Judge a move in a puzzle.
    Judge(JudgeTask),
    /// Review all moves of a game.
    Review(ReviewTask),
    /// Stop the review.
    StopReview,
}

/// A position to analyse until the next order.
#[derive(Clone, Debug)]
pub struct AnalysisTask {
    /// The numbering of the nodes: nodes of different games can have the same number.
    pub numbering: u64,
    /// The node of the tree.
    pub node: NodeId,
    /// The game up to that node.
    pub game: Game,
    /// How many lines to compare (MultiPV).
    pub lines: usize,
    /// How castling moves are written.
    pub mode: CastlingMode,
    /// The number of threads.
    pub threads: usize,
    /// The size of the transposition table, in MiB.
    pub hash_mb: usize,
    /// When the analysis ends by itself.
    pub limit: Option<StopRule>,
}

/// A position for another engine.
#[derive(Clone, Debug)]
pub struct OtherTask {
    /// The id of the engine.
    pub engine: String,
    /// What to analyse.
    pub analysis: AnalysisTask,
}

/// Names a search, so that the result of a cancelled one can be recognised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket(pub u64);

/// The search for a move in a game against a human.
#[derive(Clone, Debug)]
pub struct ThinkTask {
    /// Names the task in its result.
    pub ticket: Ticket,
    /// The game so far.
    pub game: Game,
    /// The limits of the search.
    pub limits: Limits,
    /// The options of the search.
    pub options: SearchOptions,
    /// A move of the opening book: it is played without a search.
    pub book_move: Option<Move>,
}

/// The search for a hint or a threat.
#[derive(Clone, Debug)]
pub struct AdviceTask {
    /// The number of the intent that asked for it.
    pub re: Option<u64>,
    /// The node of the tree.
    pub node: NodeId,
    /// The game up to that node.
    pub game: Game,
    /// A hint or a threat.
    pub kind: AdviceKind,
    /// How castling moves are written.
    pub mode: CastlingMode,
}

/// The kind of advice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AdviceKind {
    /// The best move.
    Hint,
    /// What the opponent would win with a move now.
    Threat,
}

/// A position to explain, and the move that led to it.
#[derive(Clone, Debug)]
pub struct ExplainTask {
    /// The number of the intent that asked for it.
    pub re: Option<u64>,
    /// The node of the tree.
    pub node: NodeId,
    /// The position.
    pub position: Position,
    /// The move that led here.
    pub played: Option<PlayedMove>,
    /// How the game ended here, if it did.
    pub outcome: Option<Outcome>,
    /// How castling moves are written.
    pub mode: CastlingMode,
}

/// A move of the tree.
#[derive(Clone, Copy, Debug)]
pub struct PlayedMove {
    /// The node before the move.
    pub at: NodeId,
    /// The position before the move.
    pub position: Position,
    /// The move.
    pub mv: Move,
}

/// A move to compare with the best one.
#[derive(Clone, Debug)]
pub struct JudgeTask {
    /// Names the task in its result.
    pub ticket: Ticket,
    /// The game before the move.
    pub game: Game,
    /// The best move.
    pub best: Move,
    /// The move to judge.
    pub mv: Move,
}

/// A game to review.
#[derive(Clone, Debug)]
pub struct ReviewTask {
    /// Names the task in its result.
    pub ticket: Ticket,
    /// The game to review.
    pub tree: GameTree,
    /// How thorough the review is.
    pub depth: ReviewDepth,
}

/// The result of a search.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // fields are named after the types they hold
pub enum SearchEvent {
    /// A move for a game against a human; `None` if the engine found none.
    Thought { ticket: Ticket, best: Option<Move>, score: Option<Score> },
    /// The answer to [`Order::Advise`].
    Advice { task: Box<AdviceTask>, best: Vec<Move>, score: Option<Score> },
    /// The answer to [`Order::Explain`]: about the move played, if there is one, and about the position, unless the game
    /// is over.
    Explained { task: Box<ExplainTask>, played: Option<Box<Explanation>>, here: Option<Box<Explanation>> },
    /// Whether a move is nearly as good as the best one.
    Judged { ticket: Ticket, is_good: bool },
    /// The progress of a review.
    ReviewStep { ticket: Ticket, done: usize, total: usize },
    /// A review is done.
    Reviewed { ticket: Ticket, review: Box<Review> },
    /// A review cannot be made.
    ReviewFailed { ticket: Ticket, message: String },
    /// An order could not be carried out.
    Failed { re: Option<u64>, message: String },
}
