//! Movetext that could not be read.

use std::borrow::Cow;
use std::iter::FusedIterator;
use std::ops::Range;
use std::slice;

use super::text::{Span, TextStore};
use super::{GameTree, NodeId};
use crate::pgn::reader::{is_chess, position_of};

/// Movetext at a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unread {
    pub(super) node: NodeId,
    pub(super) kind: UnreadKind,
    pub(super) text: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnreadKind {
    /// The line goes on with it behind the node, which has no children.
    Tail,
    /// An alternative to the node, in brackets.
    Variation,
    /// While a game is read: a variation before the node, where it replaces nothing.
    Before,
}

/// What could not be read: the moves of a game whose start is unknown, of a line behind an illegal move, and of
/// variations that replace no move.
///
/// The tree keeps it as text, with the comments in it, and writes it where it was. So a file that is read and written
/// has all of its moves. Only words that are not moves, stray characters and results of variations are left out.
///
/// ```
/// use ferz_notation::pgn::{EditError, GameTree};
///
/// let mut tree: GameTree = "1. e4 e5 2. Ke3 {oops} Nf6 (2... d5 1-0) 3. d4 1-0".parse()?;
/// let e5 = tree.main_line().last().unwrap();
/// assert!(!tree.is_complete());
/// assert_eq!(tree.unread(e5).as_deref(), Some("Ke3 {oops} Nf6 (2... d5 1-0) 3. d4"));
/// assert!(tree.to_string().ends_with("1. e4 e5 2. Ke3 {oops} Nf6 (2... d5 1-0) 3. d4 1-0\n"));
/// assert_eq!(tree.add_move(e5, None), Err(EditError::UnreadMoves));
///
/// tree.remove_unread(e5);
/// assert!(tree.is_complete());
/// tree.add_move(e5, None)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl GameTree {
    /// Whether all moves of the game could be read.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.unread.iter().any(|unread| self.contains(unread.node))
    }

    /// Whether the moves of the game can be played: it is chess, and the `FEN` tag, if there is one, is a legal position.
    /// Otherwise the tree has no moves, and none can be added.
    #[must_use]
    pub fn has_known_start(&self) -> bool {
        self.tags().all(|(name, value)| match &*name {
            "Variant" => is_chess(&value),
            "FEN" => position_of(&value).is_some(),
            _ => true,
        })
    }

    /// The movetext behind a node, if the line goes on with moves that could not be read.
    #[must_use]
    pub fn unread(&self, node: NodeId) -> Option<Cow<'_, str>> {
        let tail = self.unread_at(node).iter().find(|unread| unread.kind == UnreadKind::Tail)?;
        Some(self.text.unread(tail.text))
    }

    /// The alternatives to a move that could not be read, each in its brackets. Those of the root stand before the first
    /// move.
    pub fn unread_variations(&self, node: NodeId) -> UnreadVariations<'_> {
        UnreadVariations { text: &self.text, rest: self.unread_at(node).iter() }
    }

    /// Removes all movetext at a node that could not be read; returns whether there was any.
    pub fn remove_unread(&mut self, node: NodeId) -> bool {
        let range = self.unread_range(node);
        self.unread.drain(range).next().is_some()
    }

    pub(super) fn remove_tail(&mut self, node: NodeId) {
        self.unread.retain(|unread| (unread.node, unread.kind) != (node, UnreadKind::Tail));
    }

    pub(super) fn unread_at(&self, node: NodeId) -> &[Unread] {
        &self.unread[self.unread_range(node)]
    }

    fn unread_range(&self, node: NodeId) -> Range<usize> {
        let start = self.unread.partition_point(|unread| unread.node < node);
        start..start + self.unread[start..].iter().take_while(|unread| unread.node == node).count()
    }
}

/// Movetext of variations; made by [`GameTree::unread_variations`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct UnreadVariations<'a> {
    text: &'a TextStore,
    rest: slice::Iter<'a, Unread>,
}

impl<'a> Iterator for UnreadVariations<'a> {
    type Item = Cow<'a, str>;

    fn next(&mut self) -> Option<Cow<'a, str>> {
        let variation = self.rest.find(|unread| unread.kind == UnreadKind::Variation)?;
        Some(self.text.unread(variation.text))
    }
}

impl FusedIterator for UnreadVariations<'_> {}
