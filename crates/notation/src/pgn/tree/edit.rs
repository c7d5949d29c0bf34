//! Changing the moves of a tree.

use std::{error, fmt};

use ferz_board::{CastlingMode, Move};

use super::unread::UnreadKind;
use super::walk::play;
use super::{GameTree, NodeId};

/// Why a move cannot be added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EditError {
    /// The tree has no such node.
    NoSuchNode,
    /// The move is not legal there.
    IllegalMove(Move),
    /// A null move is illegal in check.
    NullMoveInCheck,
    /// The start of the game is unknown, so that no move can be played: see [`GameTree::has_known_start`].
    UnknownStart,
    /// The line goes on with moves that could not be read: see [`GameTree::unread`].
    UnreadMoves,
    /// The tree has as many nodes as it can have.
    Full,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::NoSuchNode => f.write_str("the tree has no such node"),
            EditError::IllegalMove(mv) => {
                write!(f, "the move {} is not legal in this position", mv.uci(CastlingMode::Chess960))
            }
            EditError::NullMoveInCheck => f.write_str("a null move is illegal in check"),
            EditError::UnknownStart => f.write_str("the start of the game is unknown"),
            EditError::UnreadMoves => f.write_str("the line goes on with moves that could not be read"),
            EditError::Full => f.write_str("the tree is full"),
        }
    }
}

impl error::Error for EditError {}

impl GameTree {
    /// Adds a legal move, or a null move (`None`), behind a node: the line goes on, or if it does already, a
    /// variation begins. A move that is there already is found, not added again.
    ///
    /// ```
    /// use ferz_notation::pgn::{GameTree, NodeId};
    ///
    /// let mut tree = GameTree::new();
    /// let e4 = tree.add_move(NodeId::ROOT, tree.start().parse_uci("e2e4")?)?;
    /// let d4 = tree.add_move(NodeId::ROOT, tree.start().parse_uci("d2d4")?)?;
    /// assert_eq!(tree.add_move(NodeId::ROOT, tree.start().parse_uci("e2e4")?), Ok(e4));
    /// assert!(tree.is_variation(d4));
    /// tree.add_move(d4, None)?;
    /// assert!(tree.to_string().ends_with("1. e4 (1. d4 --) *\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_move(&mut self, node: NodeId, mv: impl Into<Option<Move>>) -> Result<NodeId, EditError> {
        self.add_line(node, [mv])
    }

    /// Adds several moves, each behind the one before, and returns the last of them. If one is not legal, those
    /// before it have been added.
    ///
    /// The position is computed only once, so for long lines this is faster than adding move by move.
    pub fn add_line<M: Into<Option<Move>>>(
        &mut self,
        node: NodeId,
        moves: impl IntoIterator<Item = M>,
    ) -> Result<NodeId, EditError> {
        if !self.has_known_start() {
            return Err(EditError::UnknownStart);
        }
        let mut position = self.position_at(node).ok_or(EditError::NoSuchNode)?;
        let mut node = node;
        for mv in moves {
            let mv = mv.into();
            if !play(&mut position, mv) {
                return Err(mv.map_or(EditError::NullMoveInCheck, EditError::IllegalMove));
            }
            let known = self.children(node).find(|&child| self.mv(child) == mv);
            node = match known {
                Some(child) => child,
                None if self.unread(node).is_some() => return Err(EditError::UnreadMoves),
                None => self.push_child(node, mv).ok_or(EditError::Full)?,
            };
        }
        Ok(node)
    }

    /// Deletes a move and all that follows it, with what could not be read there; returns whether there was one. If the line went on with it, the first
    /// variation takes its place.
    pub fn delete(&mut self, node: NodeId) -> bool {
        let deleted = self.rearrange(node, |siblings, place| {
            siblings.remove(place);
            true
        });
        if deleted {
            self.cut_off(node);
        }
        deleted
    }

    /// Deletes all that follows a node, [unread](GameTree::unread) moves included.
    pub fn delete_after(&mut self, node: NodeId) {
        self.remove_tail(node);
        while let Some(child) = self.next(node) {
            self.delete(child);
        }
    }

    /// Puts a variation before the one in front of it; the first becomes the line, and the line a variation.
    /// Returns whether anything changed.
    ///
    /// This is about a variation's first move, see [`GameTree::line_start`].
    ///
    /// ```
    /// use ferz_notation::pgn::{GameTree, NodeId};
    ///
    /// let mut tree: GameTree = "1. e4 e5 (1... c5 2. Nf3) (1... e6) 2. Bc4 *".parse()?;
    /// let e4 = tree.next(NodeId::ROOT).unwrap();
    /// let french = tree.children(e4).nth(2).unwrap();
    /// assert!(tree.promote(french));
    /// assert!(tree.promote(french));
    /// assert!(tree.to_string().ends_with("1. e4 e6 (1... e5 2. Bc4) (1... c5 2. Nf3) *\n"));
    /// assert!(!tree.promote(french));
    /// # Ok::<(), ferz_notation::pgn::NoGame>(())
    /// ```
    pub fn promote(&mut self, node: NodeId) -> bool {
        self.rearrange(node, |siblings, place| {
            place > 0 && {
                siblings.swap(place - 1, place);
                true
            }
        })
    }

    /// Puts a variation behind the one that follows it; the line becomes the first variation. Returns
    /// whether anything changed.
    pub fn demote(&mut self, node: NodeId) -> bool {
        self.rearrange(node, |siblings, place| {
            place + 1 < siblings.len() && {
                siblings.swap(place, place + 1);
                true
            }
        })
    }

    /// Makes a node part of the main line: every move that leads to it becomes the first choice. Returns
    /// whether anything changed.
    pub fn promote_to_main_line(&mut self, node: NodeId) -> bool {
        if !self.contains(node) {
            return false;
        }
        let variations: Vec<_> =
            self.path(node).into_iter().filter(|&node| self.is_variation(node)).collect();
        for &variation in &variations {
            self.rearrange(variation, |siblings, place| {
                siblings[..=place].rotate_right(1);
                true
            });
        }
        !variations.is_empty()
    }

    /// Deletes all variations, those that could not be read included.
    pub fn strip_variations(&mut self) {
        self.unread.retain(|unread| unread.kind == UnreadKind::Tail);
        let mut node = NodeId::ROOT;
        while let Some(next) = self.next(node) {
            let variations: Vec<_> = self.children(node).skip(1).collect();
            self.link_children(node, &[next]);
            variations.into_iter().for_each(|variation| self.cut_off(variation));
            node = next;
        }
    }

    /// Hands the children of a node's parent to a function, together with the node's place among them, and
    /// takes over the order it leaves if it returns true.
    fn rearrange(&mut self, node: NodeId, change: impl FnOnce(&mut Vec<NodeId>, usize) -> bool) -> bool {
        let Some(parent) = self.parent(node) else { return false };
        let mut siblings: Vec<_> = self.children(parent).collect();
        let place = siblings.iter().position(|&sibling| sibling == node);
        let changed = place.is_some_and(|place| change(&mut siblings, place));
        if changed {
            self.link_children(parent, &siblings);
            siblings.first().into_iter().for_each(|&first| self.join_comments_before(first));
        }
        changed
    }
}
