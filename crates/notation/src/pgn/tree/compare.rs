//! When two trees are the same game.

use super::{GameTree, WalkEvent};

/// Two trees are equal if their export format is: the same [tags](GameTree::export_tags), start,
/// moves in the same variations, [unread](GameTree::unread) movetext, comments, glyphs and [result](GameTree::termination). How the text was
/// encoded and what was wrong with it does not matter.
///
/// A tag of the seven that is missing counts as unknown, a missing result as that of the `Result` tag. So a
/// game that is written and read again is equal to what it was.
impl PartialEq for GameTree {
    fn eq(&self, other: &GameTree) -> bool {
        self.start == other.start
            && self.termination() == other.termination()
            && self.export_tags().eq(other.export_tags())
            && self.has_same_moves(other)
    }
}

impl Eq for GameTree {}

impl GameTree {
    /// Whether moves, variations, comments and glyphs are the same.
    fn has_same_moves(&self, other: &GameTree) -> bool {
        let same_remarks = |ours, theirs| {
            self.nags(ours).eq(other.nags(theirs))
                && self.comments(ours).eq(other.comments(theirs))
                && self.comments_before(ours).eq(other.comments_before(theirs))
                && self.unread(ours) == other.unread(theirs)
                && self.unread_variations(ours).eq(other.unread_variations(theirs))
        };
        let mut theirs = other.walk();
        same_remarks(super::NodeId::ROOT, super::NodeId::ROOT)
            && self.walk().all(|ours| match (ours, theirs.next()) {
                (WalkEvent::Move(ours), Some(WalkEvent::Move(theirs))) => {
                    self.mv(ours) == other.mv(theirs) && same_remarks(ours, theirs)
                }
                (ours, theirs) => Some(ours) == theirs,
            })
            && theirs.next().is_none()
    }
}
