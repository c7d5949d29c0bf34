//! Tidying up a tree.

use std::collections::VecDeque;
use std::mem;

use super::remarks::{Comment, NodeNag};
use super::tags::StoredTag;
use super::unread::Unread;
use super::{GameTree, NodeId};

impl GameTree {
    /// Gives back the memory of everything deleted or replaced, and stores the moves of every line next to each
    /// other. All nodes but the root get new ids.
    pub fn compact(&mut self) {
        let old = mem::take(self);
        (self.start, self.result) = (old.start, old.result);
        for tag in &old.tags {
            let name = self.text.push(old.text.bytes(tag.name));
            let value = self.text.push(old.text.bytes(tag.value));
            self.tags.push(StoredTag { name, value });
        }
        let new_ids = self.copy_lines(&old);
        let new_id = |node: NodeId| new_ids.get(node.index()).copied().flatten();
        for comment in &old.comments {
            if let Some(node) = new_id(comment.node) {
                let text = self.text.push(old.text.bytes(comment.text));
                self.comments.push(Comment { node, text, ..*comment });
            }
        }
        let nags = old.nags.iter().filter_map(|entry| Some(NodeNag { node: new_id(entry.node)?, ..*entry }));
        self.nags.extend(nags);
        for unread in &old.unread {
            if let Some(node) = new_id(unread.node) {
                let text = self.text.push(old.text.bytes(unread.text));
                self.unread.push(Unread { node, text, ..*unread });
            }
        }
        self.sort_remarks();
        self.problems = old.problems;
    }

    /// Copies the moves of a tree into this empty one, line by line; the new ids by the old indices.
    fn copy_lines(&mut self, old: &GameTree) -> Vec<Option<NodeId>> {
        let mut new_ids = vec![None; old.nodes.len()];
        new_ids[0] = Some(NodeId::ROOT);
        // Lines in the order in which they branch off, so that siblings keep theirs.
        let mut lines: VecDeque<_> = old.children(NodeId::ROOT).collect();
        while let Some(first) = lines.pop_front() {
            for node in std::iter::once(first).chain(old.line(first)) {
                let parent = old.parent(node).and_then(|parent| new_ids[parent.index()]);
                new_ids[node.index()] = parent.and_then(|parent| self.push_child(parent, old.mv(node)));
                lines.extend(old.children(node).skip(1));
            }
        }
        new_ids
    }
}
