//! Navigation in a tree.

use std::iter::FusedIterator;

use ferz_board::{Color, Move, Position};

use super::walk::play;
use super::{GameTree, NodeId};

impl GameTree {
    /// The move of a node; `None` if it is a null move, and for the root.
    #[inline]
    #[must_use]
    pub fn mv(&self, node: NodeId) -> Option<Move> {
        self.node(node)?.mv
    }

    /// Whether the move of a node is a null move.
    #[must_use]
    pub fn is_null_move(&self, node: NodeId) -> bool {
        node != NodeId::ROOT && self.node(node).is_some_and(|node| node.mv.is_none())
    }

    /// Whether the tree has this node: false for a deleted one, and for those behind it.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.ancestors(node).last() == Some(NodeId::ROOT)
    }

    /// The move before; `None` for the root.
    #[inline]
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.node(node)?.parent
    }

    /// The next move of the same line; `None` at its end.
    #[inline]
    #[must_use]
    pub fn next(&self, node: NodeId) -> Option<NodeId> {
        Some(self.node(self.node(node)?.last_child?)?.next_in_ring)
    }

    /// All that may follow a node: the next move of its line, then the first moves of the variations.
    #[must_use]
    pub fn children(&self, node: NodeId) -> Children<'_> {
        let last = self.node(node).and_then(|node| node.last_child);
        Children { tree: self, next: self.next(node), last }
    }

    /// The next alternative to a move; `None` for the last.
    #[inline]
    #[must_use]
    pub fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        let this = self.node(node)?;
        let last = self.node(this.parent?)?.last_child;
        (last != Some(node)).then_some(this.next_in_ring)
    }

    /// Whether a move begins a variation.
    #[inline]
    #[must_use]
    pub fn is_variation(&self, node: NodeId) -> bool {
        self.parent(node).is_some_and(|parent| self.next(parent) != Some(node))
    }

    /// The first move of the variation that a node is in; the root for a node of the main line.
    ///
    /// ```
    /// use ferz_notation::pgn::{GameTree, NodeId};
    /// let tree: GameTree = "1. e4 e5 (1... c5 2. Nf3 d6) *".parse()?;
    /// let e4 = tree.next(NodeId::ROOT).unwrap();
    /// let sicilian = tree.children(e4).nth(1).unwrap();
    /// assert_eq!(tree.line_start(tree.line_end(sicilian)), sicilian);
    /// assert_eq!(tree.line_start(e4), NodeId::ROOT);
    /// # Ok::<(), ferz_notation::pgn::NoGame>(())
    /// ```
    #[must_use]
    pub fn line_start(&self, node: NodeId) -> NodeId {
        self.ancestors(node)
            .find(|&node| self.parent(node).is_none() || self.is_variation(node))
            .unwrap_or(node)
    }

    /// The last move of the line that a node is in.
    #[must_use]
    pub fn line_end(&self, node: NodeId) -> NodeId {
        self.line(node).last().unwrap_or(node)
    }

    /// The moves of a line behind a node.
    #[must_use]
    pub fn line(&self, node: NodeId) -> LineMoves<'_> {
        LineMoves { tree: self, next: self.next(node) }
    }

    /// The moves of the main line.
    #[must_use]
    pub fn main_line(&self) -> LineMoves<'_> {
        self.line(NodeId::ROOT)
    }

    /// Whether a node is in the main line. The root is.
    #[must_use]
    pub fn is_main_line(&self, node: NodeId) -> bool {
        self.line_start(node) == NodeId::ROOT
    }

    /// The moves from the start to a node, which is the last.
    #[must_use]
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path: Vec<_> = self.ancestors(node).take_while(|&node| node != NodeId::ROOT).collect();
        path.reverse();
        path
    }

    /// How many moves lead from the start to a node.
    #[must_use]
    pub fn ply(&self, node: NodeId) -> usize {
        self.ancestors(node).count().saturating_sub(1)
    }

    /// The number of a node's move and the side that made it. The root has those of the move before the start.
    ///
    /// ```
    /// use ferz_board::Color;
    /// use ferz_notation::pgn::{GameTree, NodeId};
    /// let tree: GameTree = "1. e4 e5 2. Nf3 Nc6 *".parse()?;
    /// assert_eq!(tree.move_number(tree.line_end(NodeId::ROOT)), (2, Color::Black));
    /// # Ok::<(), ferz_notation::pgn::NoGame>(())
    /// ```
    #[must_use]
    pub fn move_number(&self, node: NodeId) -> (u32, Color) {
        // Counted in half moves from White's first.
        let first = 2 * u64::from(self.start.fullmove_number()) + self.start.side_to_move() as u64;
        let half_moves = (first + self.ply(node) as u64).saturating_sub(1);
        let color = if half_moves.is_multiple_of(2) { Color::White } else { Color::Black };
        (u32::try_from(half_moves / 2).unwrap_or(u32::MAX), color)
    }

    /// The position after a node's move; `None` if the tree has no such node.
    ///
    /// The moves that lead to it are played, so for all positions of a tree ask [`GameTree::positions`].
    #[must_use]
    pub fn position_at(&self, node: NodeId) -> Option<Position> {
        if !self.contains(node) {
            return None;
        }
        let mut position = self.start;
        for node in self.path(node) {
            if !play(&mut position, self.mv(node)) {
                return None;
            }
        }
        Some(position)
    }

    /// A node, the one before it, and so on.
    fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let first = Some(node).filter(|&node| self.node(node).is_some());
        std::iter::successors(first, |&node| self.parent(node))
    }
}

/// The moves of a line; made by [`GameTree::line`] and [`GameTree::main_line`].
#[derive(Clone, Debug)]
pub struct LineMoves<'a> {
    tree: &'a GameTree,
    next: Option<NodeId>,
}

impl Iterator for LineMoves<'_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        let node = self.next?;
        self.next = self.tree.next(node);
        Some(node)
    }
}

impl FusedIterator for LineMoves<'_> {}

/// The moves that may follow a node; made by [`GameTree::children`].
#[derive(Clone, Debug)]
pub struct Children<'a> {
    tree: &'a GameTree,
    next: Option<NodeId>,
    last: Option<NodeId>,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let child = self.next?;
        self.next =
            if self.last == Some(child) { None } else { self.tree.node(child).map(|node| node.next_in_ring) };
        Some(child)
    }
}

impl FusedIterator for Children<'_> {}
