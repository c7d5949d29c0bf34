//! Comments and annotation glyphs.

use std::borrow::Cow;
use std::iter::FusedIterator;
use std::ops::Range;
use std::slice;

use super::text::{Span, TextStore};
use super::{GameTree, NodeId};
use crate::pgn::Nag;

/// On which side of a move a comment stands. (In this order they are stored.)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Side {
    Before,
    After,
}

/// One comment of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment {
    pub(super) node: NodeId,
    pub(super) side: Side,
    pub(super) text: Span,
}

impl Comment {
    /// By which comments are ordered.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        key(self.node, self.side)
    }
}

/// One number, for quick comparisons.
#[inline]
pub(super) fn key(node: NodeId, side: Side) -> u64 {
    2 * node.index() as u64 + side as u64
}

/// One glyph of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeNag {
    pub(super) node: NodeId,
    pub(super) nag: Nag,
}

/// Reading comments.
impl GameTree {
    /// The comments behind a move; those of the root stand before the first move of the game.
    ///
    /// Several comments in a row stay apart. Each is exactly the text between its braces, with all blanks and
    /// line ends.
    pub fn comments(&self, node: NodeId) -> Comments<'_> {
        self.comments_at(node, Side::After)
    }

    /// The comments before a move, which only the first move of a variation has: a comment before any
    /// other move belongs to the move before it.
    pub fn comments_before(&self, node: NodeId) -> Comments<'_> {
        self.comments_at(node, Side::Before)
    }

    fn comments_at(&self, node: NodeId, side: Side) -> Comments<'_> {
        Comments { text: &self.text, rest: self.comments[self.comment_range(node, side)].iter() }
    }

    /// Where in the table the comments of a node are, or would be.
    pub(super) fn comment_range(&self, node: NodeId, side: Side) -> Range<usize> {
        let key = key(node, side);
        let start = self.comments.partition_point(|comment| comment.key() < key);
        start..start + self.comments[start..].iter().take_while(|comment| comment.key() == key).count()
    }
}

/// Editing comments.
///
/// Every comment can be written and read back. For that two things are changed that PGN has no way to write:
/// in a comment with a closing brace, line ends become blanks (it is written behind a semicolon, up to the end
/// of the line); and where a line of the comment looks like the start of a game, it gets a blank in
/// front.
impl GameTree {
    /// Makes this the only comment behind a move.
    pub fn set_comment(&mut self, node: NodeId, text: &str) {
        self.remove_comments(node);
        self.add_comment(node, text);
    }

    /// Adds a comment behind a move and those it has.
    pub fn add_comment(&mut self, node: NodeId, text: &str) {
        self.insert_comment(node, Side::After, text);
    }

    /// Makes this the only comment before the first move of a variation. Before any other move, it is a
    /// comment [behind](GameTree::set_comment) the one that comes before.
    pub fn set_comment_before(&mut self, node: NodeId, text: &str) {
        self.remove_comments_before(node);
        self.add_comment_before(node, text);
    }

    /// Adds a comment right before a move; see [`set_comment_before`](GameTree::set_comment_before).
    pub fn add_comment_before(&mut self, node: NodeId, text: &str) {
        match self.parent(node) {
            Some(parent) if !self.is_variation(node) => self.add_comment(parent, text),
            Some(_) => self.insert_comment(node, Side::Before, text),
            None => {}
        }
    }

    /// Removes the comments behind a move.
    pub fn remove_comments(&mut self, node: NodeId) {
        let range = self.comment_range(node, Side::After);
        self.comments.drain(range);
    }

    /// Removes the comments before the first move of a variation.
    pub fn remove_comments_before(&mut self, node: NodeId) {
        let range = self.comment_range(node, Side::Before);
        self.comments.drain(range);
    }

    /// Removes all comments.
    pub fn strip_comments(&mut self) {
        self.comments.clear();
    }

    fn insert_comment(&mut self, node: NodeId, side: Side, text: &str) {
        if self.node(node).is_some() {
            let text = self.text.push(writable(text).as_bytes());
            let end = self.comments.partition_point(|comment| comment.key() <= key(node, side));
            self.comments.insert(end, Comment { node, side, text });
        }
    }

    /// Replaces the text of the comment at this place of the table.
    pub(super) fn replace_comment(&mut self, place: usize, text: &str) {
        let text = self.text.push(writable(text).as_bytes());
        if let Some(comment) = self.comments.get_mut(place) {
            comment.text = text;
        }
    }

    /// A move no longer begins a variation: the comments before it are now behind the one that comes before.
    pub(super) fn join_comments_before(&mut self, node: NodeId) {
        let Some(parent) = self.parent(node) else { return };
        let range = self.comment_range(node, Side::Before);
        let moved: Vec<_> = self.comments.drain(range).collect();
        let end = self.comment_range(parent, Side::After).end;
        let moved = moved.into_iter().map(|comment| Comment { node: parent, side: Side::After, ..comment });
        self.comments.splice(end..end, moved);
    }
}

impl GameTree {
    /// Brings comments and glyphs into the order of their nodes; those of a node stay in theirs.
    pub(super) fn sort_remarks(&mut self) {
        self.comments.sort_by_key(Comment::key);
        self.nags.sort_by_key(|entry| entry.node);
        self.unread.sort_by_key(|entry| entry.node);
    }
}

/// A comment as it can be written.
fn writable(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\r']) {
        Cow::Borrowed(text)
    } else if text.contains('}') {
        Cow::Owned(text.replace("\r\n", " ").replace(['\n', '\r'], " "))
    } else {
        // So the reader knows a game behind a comment that was never closed.
        Cow::Owned(["\n\n", "\n\r\n"].into_iter().fold(text.to_owned(), |text, empty_line| {
            text.replace(&format!("{empty_line}[Event \""), &format!("{empty_line} [Event \""))
        }))
    }
}

/// Annotation glyphs.
impl GameTree {
    /// The glyphs of a move, in their order.
    ///
    /// ```
    /// use ferz_notation::pgn::{GameTree, Nag, NodeId};
    /// let mut tree: GameTree = "1. e4!? $146 *".parse()?;
    /// let e4 = tree.next(NodeId::ROOT).unwrap();
    /// assert_eq!(tree.nags(e4).collect::<Vec<_>>(), [Nag::INTERESTING, Nag(146)]);
    /// tree.remove_nag(e4, Nag(146));
    /// tree.add_nag(e4, Nag::GOOD);
    /// assert_eq!(tree.nags(e4).collect::<Vec<_>>(), [Nag::INTERESTING, Nag::GOOD]);
    /// # Ok::<(), ferz_notation::pgn::NoGame>(())
    /// ```
    pub fn nags(&self, node: NodeId) -> Nags<'_> {
        Nags { rest: self.nags[self.nag_range(node)].iter() }
    }

    /// Adds a glyph behind those a move has, unless it has it already.
    pub fn add_nag(&mut self, node: NodeId, nag: Nag) {
        if self.node(node).is_some() && !self.nags(node).any(|known| known == nag) {
            let end = self.nag_range(node).end;
            self.nags.insert(end, NodeNag { node, nag });
        }
    }

    /// Removes a glyph; returns whether the move had it.
    pub fn remove_nag(&mut self, node: NodeId, nag: Nag) -> bool {
        let before = self.nags.len();
        self.nags.retain(|entry| (entry.node, entry.nag) != (node, nag));
        self.nags.len() < before
    }

    /// Removes all glyphs of a move.
    pub fn remove_nags(&mut self, node: NodeId) {
        let range = self.nag_range(node);
        self.nags.drain(range);
    }

    /// Removes all glyphs of all moves.
    pub fn strip_nags(&mut self) {
        self.nags.clear();
    }

    fn nag_range(&self, node: NodeId) -> Range<usize> {
        let start = self.nags.partition_point(|entry| entry.node < node);
        start..start + self.nags[start..].iter().take_while(|entry| entry.node == node).count()
    }
}

/// Comments of a node; made by [`GameTree::comments`] and [`GameTree::comments_before`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Comments<'a> {
    text: &'a TextStore,
    rest: slice::Iter<'a, Comment>,
}

impl<'a> Iterator for Comments<'a> {
    type Item = Cow<'a, str>;

    fn next(&mut self) -> Option<Cow<'a, str>> {
        Some(self.text.text(self.rest.next()?.text))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.size_hint()
    }
}

impl<'a> DoubleEndedIterator for Comments<'a> {
    fn next_back(&mut self) -> Option<Cow<'a, str>> {
        Some(self.text.text(self.rest.next_back()?.text))
    }
}

impl ExactSizeIterator for Comments<'_> {}
impl FusedIterator for Comments<'_> {}

/// Annotation glyphs of a node; made by [`GameTree::nags`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Nags<'a> {
    rest: slice::Iter<'a, NodeNag>,
}

impl Iterator for Nags<'_> {
    type Item = Nag;

    fn next(&mut self) -> Option<Nag> {
        Some(self.rest.next()?.nag)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.size_hint()
    }
}

impl DoubleEndedIterator for Nags<'_> {
    fn next_back(&mut self) -> Option<Nag> {
        Some(self.rest.next_back()?.nag)
    }
}

impl ExactSizeIterator for Nags<'_> {}
impl FusedIterator for Nags<'_> {}
