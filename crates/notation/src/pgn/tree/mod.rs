//! The tree of a game: its moves with all variations, comments and glyphs.

mod annotate;
mod bounded;
mod build;
mod compact;
mod compare;
mod edit;
mod navigate;
mod node;
mod remarks;
mod tags;
mod text;
mod unread;
mod walk;

use std::sync::LazyLock;

use ferz_board::{CastlingStyle, EnPassantMode, Position};

pub use bounded::{BoundedDiagnostics, BoundedTree, GameTooLarge, TreeLimit, TreeLimits};
pub use build::{Games, NoGame, TreeBuilder, games};
pub use edit::EditError;
pub use navigate::{Children, LineMoves};
pub use node::NodeId;
pub use remarks::{Comments, Nags};
pub use tags::{TagError, Tags};
pub use unread::UnreadVariations;
pub use walk::{MainLinePositions, Positions, Walk, WalkEvent};

pub(super) use tags::escape;
pub(super) use walk::Boards;

use super::{Diagnostic, GameResult};
use build::Reading;
use node::Node;
use remarks::{Comment, NodeNag};
use tags::StoredTag;
use text::TextStore;
use unread::Unread;

/// A game with everything that a PGN file can hold: tags in their order, the start position, moves with
/// variations, comments, annotation glyphs and the result.
///
/// Moves are nodes, and every node is named by a [`NodeId`]; the [root](NodeId::ROOT) stands for the start
/// position. The first child of a node continues its line, further children begin variations. A comment
/// belongs to the move before it; only the comments with which a variation begins belong to the move behind
/// them, and those with which the game begins to the root.
///
/// An id is meant for the tree it comes from, as long as its node is neither [deleted](GameTree::delete) nor
/// [renumbered](GameTree::compact). Any other id is harmless: the tree has nothing there.
///
/// Nodes, comments, glyphs and all text are in one vector each. A tree that is reused for one game after the
/// other soon allocates no more memory.
///
/// ```
/// use ferz_notation::pgn::{GameTree, NodeId};
/// use ferz_notation::san::{self, San};
///
/// let mut tree: GameTree = "[White \"Ada\"]\n\n1. e4 e5 (1... c5 {Sicilian}) 2. Nf3 *".parse()?;
/// assert_eq!(tree.tag("White").as_deref(), Some("Ada"));
/// assert_eq!(tree.main_line().count(), 3);
///
/// let e4 = tree.next(NodeId::ROOT).unwrap();
/// let sicilian = tree.children(e4).nth(1).unwrap();
/// assert_eq!(tree.comments(sicilian).collect::<Vec<_>>(), ["Sicilian"]);
///
/// let position = tree.position_at(sicilian).unwrap();
/// let alapin = tree.add_move(sicilian, san::parse(&position, "c3")?)?;
/// tree.set_comment(alapin, "Alapin");
/// assert!(tree.to_string().ends_with("1. e4 e5 (1... c5 {Sicilian} 2. c3 {Alapin}) 2. Nf3 *\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameTree {
    start: Position,
    tags: Vec<StoredTag>,
    /// The root first. Deleted nodes stay where they are.
    nodes: Vec<Node>,
    /// Ordered by node, and by their order within.
    comments: Vec<Comment>,
    nags: Vec<NodeNag>,
    /// Ordered by node.
    unread: Vec<Unread>,
    text: TextStore,
    result: Option<GameResult>,
    problems: BoundedDiagnostics,
    reading: Reading,
}

/// The start position, which nearly every game has.
static START: LazyLock<Position> = LazyLock::new(Position::start);

impl GameTree {
    /// A game from the usual start position, without tags and moves.
    #[must_use]
    pub fn new() -> GameTree {
        GameTree {
            start: *START,
            tags: Vec::new(),
            nodes: vec![Node::ROOT],
            comments: Vec::new(),
            nags: Vec::new(),
            unread: Vec::new(),
            text: TextStore::default(),
            result: None,
            problems: BoundedDiagnostics::default(),
            reading: Reading::default(),
        }
    }

    /// A game from a position, with the tags for it: `SetUp` and `FEN`, and `Variant` if the castling
    /// rights are those of Chess960.
    ///
    /// ```
    /// use ferz_board::Position;
    /// use ferz_notation::pgn::GameTree;
    ///
    /// let tree = GameTree::starting_from(Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")?);
    /// assert_eq!(tree.tag("FEN").as_deref(), Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
    /// assert_eq!(GameTree::starting_from(Position::start()), GameTree::new());
    /// # Ok::<(), ferz_board::FenError>(())
    /// ```
    #[must_use]
    pub fn starting_from(start: Position) -> GameTree {
        let mut tree = GameTree::new();
        if start != tree.start {
            tree.start = start;
            if !start.has_standard_castling() {
                tree.put_tag("Variant", "Chess960");
            }
            tree.put_tag("SetUp", "1");
            let fen = start.fen(EnPassantMode::Always, CastlingStyle::XFen);
            tree.put_tag("FEN", fen.as_str());
        }
        tree
    }

    /// Empties the tree but keeps its memory.
    pub fn clear(&mut self) {
        self.clear_game();
        self.problems.clear();
    }

    /// Everything but the problems, which may have been found before the game began.
    fn clear_game(&mut self) {
        self.start = *START;
        self.tags.clear();
        self.nodes.truncate(1);
        self.nodes[0] = Node::ROOT;
        self.comments.clear();
        self.nags.clear();
        self.unread.clear();
        self.text.clear();
        self.result = None;
        self.reading.clear();
    }

    /// How many moves the tree holds, those of variations included. What was deleted counts until
    /// [`compact`](GameTree::compact) is called.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Where the game starts: the usual position, or that of the `FEN` tag.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The result that stood behind the moves, if one did. See also [`termination`](GameTree::termination).
    #[must_use]
    pub fn result(&self) -> Option<GameResult> {
        self.result
    }

    /// How the game ended: the result behind the moves, or else that of the `Result` tag, or else unknown.
    /// This is what is written behind the moves.
    #[must_use]
    pub fn termination(&self) -> GameResult {
        self.result
            .or_else(|| GameResult::from_ascii(self.tag("Result")?.as_bytes()))
            .unwrap_or(GameResult::Unknown)
    }

    /// Sets the result, both behind the moves and in the `Result` tag.
    pub fn set_result(&mut self, result: GameResult) {
        self.result = Some(result);
        self.put_tag("Result", result.as_str());
    }

    /// What was wrong with the game's text when it was read: the first [`MAX_PROBLEMS`](GameTree::MAX_PROBLEMS)
    /// problems. They belong to the file, not the game, and are ignored by comparisons.
    #[must_use]
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems.kept
    }

    /// How many more problems there were than [`problems`](GameTree::problems) holds.
    ///
    /// ```
    /// use ferz_notation::pgn::GameTree;
    ///
    /// let tree: GameTree = format!("1. e4 {} *", "& ".repeat(5_000)).parse()?;
    /// assert_eq!(tree.problems().len(), GameTree::MAX_PROBLEMS);
    /// assert_eq!(tree.omitted_problems(), 4_000);
    /// # Ok::<(), ferz_notation::pgn::NoGame>(())
    /// ```
    #[must_use]
    pub fn omitted_problems(&self) -> u64 {
        self.problems.omitted
    }

    /// The number of problems that a tree keeps. A file that is not PGN has a problem in every line, and they must not
    /// take more memory than the file.
    pub const MAX_PROBLEMS: usize = 1_000;

    /// Whether the game had more than a tree can hold: 4 GiB of text, or as many moves. The rest was left out.
    /// [`BoundedTree`] sets lower limits.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.text.is_truncated() || self.reading.is_truncated
    }
}

impl Default for GameTree {
    fn default() -> GameTree {
        GameTree::new()
    }
}
