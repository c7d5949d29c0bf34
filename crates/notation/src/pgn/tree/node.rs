//! The nodes of a tree.

use std::num::NonZeroU32;

use ferz_board::Move;

use super::GameTree;

/// A move in a [`GameTree`], or the start position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    /// The start position.
    pub const ROOT: NodeId = NodeId(NonZeroU32::MIN);

    /// The id with this number; `None` for zero. The tree may lack such a node: see [`GameTree::contains`].
    pub fn from_number(number: u32) -> Option<NodeId> {
        NonZeroU32::new(number).map(NodeId)
    }

    /// The id as a number, e.g. for files and messages; 1 for the root.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0.get()
    }

    #[inline(always)]
    pub(super) const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    #[inline(always)]
    pub(super) fn from_index(index: usize) -> Option<NodeId> {
        u32::try_from(index + 1).ok().and_then(NonZeroU32::new).map(NodeId)
    }
}

/// A move and its neighbours. Children form a ring, the first one behind the last, so that both ends are at
/// hand by one link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// `None` is a null move. The root has none, either.
    pub(super) mv: Option<Move>,
    /// `None` for the root, and for what has been deleted.
    pub(super) parent: Option<NodeId>,
    pub(super) last_child: Option<NodeId>,
    pub(super) next_in_ring: NodeId,
}

const _: () = assert!(size_of::<Node>() == 16 && size_of::<Option<NodeId>>() == 4);

impl Node {
    pub(super) const ROOT: Node =
        Node { mv: None, parent: None, last_child: None, next_in_ring: NodeId::ROOT };
}

impl GameTree {
    #[inline(always)]
    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    #[inline(always)]
    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id.index())
    }

    /// Adds a last child; `None` if the parent does not exist, or the tree is full.
    #[inline(always)]
    pub(super) fn push_child(&mut self, parent: NodeId, mv: Option<Move>) -> Option<NodeId> {
        let id = NodeId::from_index(self.nodes.len())?;
        let mut node = Node { mv, parent: Some(parent), last_child: None, next_in_ring: id };
        let last = self.node_mut(parent)?.last_child.replace(id);
        if let Some(last) = last.and_then(|last| self.node_mut(last)) {
            node.next_in_ring = std::mem::replace(&mut last.next_in_ring, id);
        }
        self.nodes.push(node);
        Some(id)
    }

    /// Makes these the children of a node, in this order.
    pub(super) fn link_children(&mut self, parent: NodeId, children: &[NodeId]) {
        if let Some(node) = self.node_mut(parent) {
            node.last_child = children.last().copied();
        }
        let followers = children.iter().cycle().skip(1);
        for (&child, &follower) in children.iter().zip(followers) {
            if let Some(node) = self.node_mut(child) {
                node.parent = Some(parent);
                node.next_in_ring = follower;
            }
        }
    }

    /// Removes a node, and what follows it, from the tree. Its parent must have dropped it before.
    pub(super) fn cut_off(&mut self, node: NodeId) {
        if let Some(node) = self.node_mut(node) {
            node.parent = None;
        }
    }
}
