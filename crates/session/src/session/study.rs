//! The current game tree with its current node, and undo.

use std::collections::HashMap;

use ferz_board::{CastlingMode, Move, Position, UciError};
use ferz_notation::pgn::{GameTree, NodeId, WalkEvent};
use ferz_notation::san;

use super::notation::{self, NULL_MOVE, castling_mode};
use super::refusal::Refusal;
use crate::protocol::{MoveReview, Step};
use ferz_coach::review::Review;

/// A game tree and its current node, with undo and redo.
#[derive(Debug)]
pub(crate) struct Study {
    now: Snapshot,
    before: Vec<Snapshot>,
    undone: Vec<Snapshot>,
    /// How many games there have been.
    games: u64,
    /// Grows with every change of the tree.
    version: u64,
    /// Grows when the ids of nodes change their meaning.
    numbering: u64,
    /// Roughly the bytes that were deleted or replaced since the tree was compacted.
    litter: usize,
}

/// A node, together with the numbering that its id belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    numbering: u64,
    node: NodeId,
}

/// A game that waits while something else is on the board.
#[derive(Debug)]
pub(crate) struct Aside {
    now: Snapshot,
    before: Vec<Snapshot>,
    undone: Vec<Snapshot>,
    litter: usize,
}

/// Everything that an edit can change.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    /// The number of the game in this study.
    game: u64,
    pub(super) tree: GameTree,
    pub(super) node: NodeId,
    /// The Chess960 number of the start position, if it has one.
    start_number: Option<u16>,
    reviews: HashMap<NodeId, MoveReview>,
}

impl Snapshot {
    /// A game without reviews, at its start.
    fn new(tree: GameTree, game: u64) -> Snapshot {
        let is_start = |&number: &u16| Position::chess960_start(number).as_ref() == Some(tree.start());
        let start_number = match castling_mode(&tree) {
            CastlingMode::Standard => None,
            CastlingMode::Chess960 => (0..960).find(is_start),
        };
        Snapshot { game, tree, node: NodeId::ROOT, start_number, reviews: HashMap::new() }
    }
}

/// The most edits that can be undone.
const UNDO_DEPTH: usize = 20;
/// Larger trees are not copied for undo.
const UNDO_NODES: usize = 5_000;
/// Neither are trees with more bytes of comments than this.
const UNDO_TEXT: usize = 256 << 10;
/// Compact a tree after this many deleted bytes.
const MOST_LITTER: usize = 1 << 20;
/// The memory that an edit leaves behind, in addition to its text.
const LITTER_PER_EDIT: usize = 64;
/// The most moves in a tree.
pub(crate) const MAX_NODES: usize = 20_000;

impl Study {
    /// A study of a game, at its start.
    pub(crate) fn new(tree: GameTree) -> Study {
        Study {
            now: Snapshot::new(tree, 1),
            games: 1,
            before: Vec::new(),
            undone: Vec::new(),
            version: 1,
            numbering: 1,
            litter: 0,
        }
    }

    /// Replaces the game. This can be undone.
    pub(crate) fn replace(&mut self, tree: GameTree) {
        let before = self.snapshot();
        self.games += 1;
        self.now = Snapshot::new(tree, self.games);
        self.litter = 0;
        self.changed(before);
        self.numbering += 1;
    }

    /// Puts another game on the board, and returns the present one with all that can be undone.
    pub(crate) fn set_aside(&mut self, tree: GameTree) -> Aside {
        self.games += 1;
        let now = Snapshot::new(tree, self.games);
        self.exchange(Aside { now, before: Vec::new(), undone: Vec::new(), litter: 0 })
    }

    /// Puts a game back on the board.
    pub(crate) fn bring_back(&mut self, aside: Aside) {
        self.exchange(aside);
    }

    fn exchange(&mut self, other: Aside) -> Aside {
        self.version += 1;
        self.numbering += 1;
        Aside {
            now: std::mem::replace(&mut self.now, other.now),
            before: std::mem::replace(&mut self.before, other.before),
            undone: std::mem::replace(&mut self.undone, other.undone),
            litter: std::mem::replace(&mut self.litter, other.litter),
        }
    }

    pub(crate) fn tree(&self) -> &GameTree {
        &self.now.tree
    }

    pub(crate) fn node(&self) -> NodeId {
        self.now.node
    }

    /// The number of the current game.
    pub(crate) fn game_number(&self) -> u64 {
        self.now.game
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn mode(&self) -> CastlingMode {
        castling_mode(&self.now.tree)
    }

    /// The number of the start position in Chess960; `None` for standard chess and for positions without a number.
    pub(crate) fn start_number(&self) -> Option<u16> {
        self.now.start_number
    }

    pub(crate) fn review(&self, node: NodeId) -> Option<&MoveReview> {
        self.now.reviews.get(&node)
    }

    /// The position on the board.
    pub(crate) fn position(&self) -> Position {
        self.position_at(self.now.node).unwrap_or(*self.now.tree.start())
    }

    /// The position after a move of the tree.
    pub(crate) fn position_at(&self, node: NodeId) -> Result<Position, Refusal> {
        self.now.tree.position_at(node).ok_or_else(Refusal::no_node)
    }

    /// While this number stays the same, ids refer to the same nodes.
    pub(crate) fn numbering(&self) -> u64 {
        self.numbering
    }

    /// The current node.
    pub(crate) fn place(&self) -> Place {
        Place { numbering: self.numbering, node: self.now.node }
    }

    pub(crate) fn can_undo(&self) -> bool {
        !self.before.is_empty()
    }

    pub(crate) fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Undoes the last edit.
    pub(crate) fn undo(&mut self) -> Result<(), Refusal> {
        let before = self.before.pop().ok_or_else(|| Refusal::new("There is nothing to undo."))?;
        self.undone.push(std::mem::replace(&mut self.now, before));
        self.version += 1;
        self.numbering += 1;
        Ok(())
    }

    /// Repeats the edit that was undone last.
    pub(crate) fn redo(&mut self) -> Result<(), Refusal> {
        let after = self.undone.pop().ok_or_else(|| Refusal::new("There is nothing to redo."))?;
        self.before.push(std::mem::replace(&mut self.now, after));
        self.version += 1;
        self.numbering += 1;
        Ok(())
    }

    /// Records the state before a change. A change of a large tree cannot be undone, nor anything before it.
    fn changed(&mut self, before: Option<Snapshot>) {
        match before {
            Some(before) => {
                if self.before.len() == UNDO_DEPTH {
                    self.before.remove(0);
                }
                self.before.push(before);
            }
            None => self.before.clear(),
        }
        self.undone.clear();
        self.version += 1;
    }

    /// `None` if it would take too much memory.
    fn snapshot(&self) -> Option<Snapshot> {
        let tree = &self.now.tree;
        if tree.size() > UNDO_NODES {
            return None;
        }
        let moves = tree.walk().filter_map(|event| match event {
            WalkEvent::Move(node) => Some(node),
            _ => None,
        });
        let text = |node| {
            let comments = tree.comments(node).chain(tree.unread_variations(node)).chain(tree.unread(node));
            comments.map(|text| text.len()).sum::<usize>()
        };
        let text: usize = std::iter::once(NodeId::ROOT).chain(moves).map(text).sum();
        (text + self.litter <= UNDO_TEXT).then(|| self.now.clone())
    }

    /// Whether deleted and replaced text takes much memory.
    pub(crate) fn is_untidy(&self) -> bool {
        self.litter > MOST_LITTER
    }

    /// Frees that memory. Nodes get new ids, and reviews are dropped.
    pub(crate) fn compact(&mut self) {
        let path = notation::path(&self.now.tree, self.now.node, self.mode());
        self.now.tree.compact();
        self.now.reviews.clear();
        self.now.node = self.resolve(&path);
        self.litter = 0;
        self.version += 1;
        self.numbering += 1;
    }

    /// The ancestor of a node at this ply.
    pub(crate) fn ancestor(&self, node: NodeId, ply: usize) -> NodeId {
        match ply {
            0 => NodeId::ROOT,
            _ => self.now.tree.path(node).get(ply - 1).copied().unwrap_or(node),
        }
    }

    /// Counts bytes that an edit leaves behind until the tree is compacted.
    pub(super) fn count_litter(&mut self, bytes: usize) {
        self.litter += bytes + LITTER_PER_EDIT;
    }

    /// Changes the tree so that it can be undone. The edit returns whether it changed anything.
    pub(super) fn edit(
        &mut self,
        edit: impl FnOnce(&mut Snapshot) -> Result<bool, Refusal>,
    ) -> Result<(), Refusal> {
        let before = self.snapshot();
        if edit(&mut self.now)? {
            self.changed(before);
        }
        Ok(())
    }

    /// A node of the tree by its number.
    pub(crate) fn find(&self, number: u32) -> Result<NodeId, Refusal> {
        let node = NodeId::from_number(number).filter(|&node| self.now.tree.contains(node));
        node.ok_or_else(Refusal::no_node)
    }

    /// Goes to a node of the tree.
    pub(crate) fn go(&mut self, node: NodeId) {
        debug_assert!(self.now.tree.contains(node));
        self.now.node = node;
    }

    /// Goes to the node that moves from the start lead to, as far as the tree has them.
    pub(crate) fn follow(&mut self, path: &str) {
        let found = self.resolve(path);
        self.now.node = found;
    }

    /// The node that moves from the start lead to, as far as the tree has them. If several variations start with the
    /// same move, the one that continues is taken.
    pub(crate) fn resolve(&self, path: &str) -> NodeId {
        let (tree, mode) = (&self.now.tree, self.mode());
        let mut nodes = vec![NodeId::ROOT];
        for word in path.split_ascii_whitespace() {
            let children = nodes.iter().flat_map(|&node| tree.children(node));
            let meant: Vec<_> =
                children.filter(|&child| notation::uci(tree.mv(child), mode) == word).collect();
            if meant.is_empty() {
                break;
            }
            nodes = meant;
        }
        nodes.first().copied().unwrap_or(NodeId::ROOT)
    }

    /// Goes one step in a direction, if possible.
    pub(crate) fn step(&mut self, step: Step) {
        let tree = &self.now.tree;
        let node = self.now.node;
        let siblings: Vec<_> =
            tree.parent(node).map(|parent| tree.children(parent).collect()).unwrap_or_default();
        let place = siblings.iter().position(|&sibling| sibling == node);
        let to = match step {
            Step::Start => Some(NodeId::ROOT),
            Step::Previous => tree.parent(node),
            Step::Next => tree.next(node),
            Step::End => Some(tree.line_end(node)),
            Step::Up => place.and_then(|place| place.checked_sub(1)).map(|place| siblings[place]),
            Step::Down => place.and_then(|place| siblings.get(place + 1).copied()),
            Step::Out => tree.parent(tree.line_start(node)),
        };
        self.now.node = to.unwrap_or(node);
    }

    /// Parses a move that was typed (SAN) or dragged (UCI).
    pub(crate) fn parse_move(&self, uci: Option<&str>, san: Option<&str>) -> Result<Move, Refusal> {
        let position = self.position();
        match (uci, san) {
            (Some(uci), None) => parse_uci(&position, uci),
            (None, Some(san)) => Ok(san::parse_lenient(&position, san.trim())?),
            _ => Err(Refusal::new("A move needs either uci or san.")),
        }
    }

    /// Adds a move after a node and returns its node.
    pub(crate) fn add(&mut self, node: NodeId, mv: Move) -> Result<NodeId, Refusal> {
        self.add_line(node, &[Some(mv)])
    }

    /// Adds moves after a node and returns the last node.
    pub(crate) fn add_line(&mut self, node: NodeId, moves: &[Option<Move>]) -> Result<NodeId, Refusal> {
        let mut last = node;
        self.edit(|now| {
            let size = now.tree.size();
            if size + moves.len() > MAX_NODES {
                return Err(Refusal::new(format!(
                    "The tree is full: it has {size} moves, and the limit is {MAX_NODES}."
                )));
            }
            last = now.tree.add_line(node, moves.iter().copied())?;
            Ok(now.tree.size() > size)
        })?;
        Ok(last)
    }

    /// Parses moves in UCI notation after a node.
    pub(crate) fn parse_line(&self, node: NodeId, moves: &[String]) -> Result<Vec<Option<Move>>, Refusal> {
        let mut position = self.position_at(node)?;
        let mut line = Vec::with_capacity(moves.len());
        for text in moves {
            let mv = if text == NULL_MOVE { None } else { Some(parse_uci(&position, text)?) };
            match mv {
                Some(mv) => position.play(mv)?,
                None => {
                    let null = position.null_move();
                    position = null.ok_or_else(|| Refusal::new("A null move is not possible in check."))?;
                }
            }
            line.push(mv);
        }
        Ok(line)
    }

    /// Writes a review into the tree.
    pub(crate) fn annotate(&mut self, review: &Review, moves: HashMap<NodeId, MoveReview>) {
        let before = self.snapshot();
        review.annotate(&mut self.now.tree);
        self.now.reviews = moves;
        self.changed(before);
    }

    /// Keeps the reviews of moves that were read from the tree.
    pub(crate) fn set_reviews(&mut self, moves: HashMap<NodeId, MoveReview>) {
        self.now.reviews = moves;
        self.version += 1;
    }

    /// Changes the tree as part of an earlier edit, which is undone together with it: clocks and results of a game
    /// against the engine.
    pub(crate) fn amend(&mut self, change: impl FnOnce(&mut GameTree)) {
        change(&mut self.now.tree);
        self.litter += LITTER_PER_EDIT;
        self.version += 1;
    }
}

/// Parses a move; the refusal names it.
fn parse_uci(position: &Position, text: &str) -> Result<Move, Refusal> {
    position.parse_uci(text).map_err(|error| {
        if let UciError::Illegal { mv, reason } = error {
            return Refusal::new(format!("'{mv}' is not legal: {reason}."));
        }
        let quoted: String = text.chars().take(8).collect();
        Refusal::new(format!("'{}': {error}.", quoted.escape_debug()))
    })
}
