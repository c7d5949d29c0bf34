//! Typed annotations of moves, which are kept in their comments.

use super::remarks::Side;
use super::{GameTree, NodeId};
use crate::pgn::annotation::{self, Annotation, Annotations};

impl GameTree {
    /// The clock, evaluation, arrows and so on in the comments behind a move; see
    /// [`annotation`](crate::pgn::annotation).
    ///
    /// ```
    /// use ferz_notation::pgn::annotation::{Annotation, Eval, EvalScore};
    /// use ferz_notation::pgn::{GameTree, NodeId};
    ///
    /// let mut tree: GameTree = "1. e4 {[%clk 0:03:00] Best by test.} *".parse()?;
    /// let e4 = tree.next(NodeId::ROOT).unwrap();
    /// assert_eq!(tree.annotations(e4).clock.unwrap().as_secs(), 180);
    ///
    /// tree.annotate(e4, &Annotation::Eval(Eval { score: EvalScore::Centipawns(31), depth: Some(20) }));
    /// let comment = tree.comments(e4).next().unwrap();
    /// assert_eq!(comment, "[%clk 0:03:00] Best by test. [%eval 0.31,20]");
    /// # Ok::<(), ferz_notation::pgn::NoGame>(())
    /// ```
    #[must_use]
    pub fn annotations(&self, node: NodeId) -> Annotations {
        let mut annotations = Annotations::default();
        self.comments(node).for_each(|comment| annotations.parse_more(&comment));
        annotations
    }

    /// Sets an annotation of a move: in the comment that has one of the same kind, or else at the end of the
    /// last comment, or else in a comment of its own.
    pub fn annotate(&mut self, node: NodeId, annotation: &Annotation<'_>) {
        let name = annotation.name();
        let range = self.comment_range(node, Side::After);
        let with_command = range.clone().find(|&place| self.has_command(place, name));
        match with_command.or(range.clone().next_back()) {
            Some(place) => {
                // Others of the kind, in later comments, would still count.
                range.filter(|&other| other > place).for_each(|other| self.remove_command(other, name));
                let text = annotation::set(&self.text.text(self.comments[place].text), annotation);
                self.replace_comment(place, &text);
            }
            None => self.add_comment(node, &annotation.to_string()),
        }
    }

    /// Removes the annotations of a kind (`clk`, `eval`, …, or any other name) from a move's comments. A comment
    /// that is empty then goes, too.
    pub fn remove_annotation(&mut self, node: NodeId, name: &str) {
        for place in self.comment_range(node, Side::After).rev() {
            if self.has_command(place, name) {
                self.remove_command(place, name);
                if self.text.bytes(self.comments[place].text).trim_ascii().is_empty() {
                    self.comments.remove(place);
                }
            }
        }
    }

    fn has_command(&self, place: usize, name: &str) -> bool {
        let text = self.text.text(self.comments[place].text);
        annotation::commands(&text).any(|command| command.name == name)
    }

    fn remove_command(&mut self, place: usize, name: &str) {
        if self.has_command(place, name) {
            let text = annotation::remove(&self.text.text(self.comments[place].text), name);
            self.replace_comment(place, &text);
        }
    }
}
