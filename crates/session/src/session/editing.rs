//! Editing a study: comments, glyphs, shapes, variations, tags.

use std::borrow::Cow;

use ferz_notation::pgn::annotation::{self, Annotation, Arrow, Circle};
use ferz_notation::pgn::{GameResult, GameTree, Nag, NodeId};

use super::refusal::Refusal;
use super::study::Study;
use crate::protocol::{ArrowWish, CircleWish};

/// The longest comment in bytes.
const MAX_COMMENT: usize = 10_000;
/// The longest name and the longest value of a tag in bytes.
const MAX_TAG: (usize, usize) = (100, 1_000);
/// Roughly the memory that a deleted move still takes, in bytes.
const LITTER_PER_MOVE: usize = 128;

impl Study {
    /// Replaces the text of a comment. Commands in it, such as clocks and evaluations, stay.
    pub(crate) fn set_comment(&mut self, node: NodeId, text: &str, before: bool) -> Result<(), Refusal> {
        if text.len() > MAX_COMMENT {
            return Err(Refusal::new(format!("A comment has at most {MAX_COMMENT} bytes.")));
        }
        if text.chars().any(|letter| letter.is_control() && letter != '\n') {
            return Err(Refusal::new("A comment cannot contain control characters."));
        }
        self.count_litter(text_at(self.tree(), node) + text.len());
        self.edit(|now| {
            let tree = &mut now.tree;
            if before {
                if !tree.is_variation(node) {
                    return Err(Refusal::new(
                        "Only the first move of a variation can have a comment before it.",
                    ));
                }
                let commands = commands(tree.comments_before(node));
                let comment = joined(text, &commands);
                tree.remove_comments_before(node);
                if !comment.is_empty() {
                    tree.set_comment_before(node, &comment);
                }
            } else {
                let comment = joined(text, &commands(tree.comments(node)));
                tree.remove_comments(node);
                if !comment.is_empty() {
                    tree.set_comment(node, &comment);
                }
            }
            Ok(true)
        })
    }

    /// Replaces the glyphs of a move.
    pub(crate) fn set_nags(&mut self, node: NodeId, nags: &[u8]) -> Result<(), Refusal> {
        if node == NodeId::ROOT {
            return Err(Refusal::new("The start of the game is not a move and has no glyphs."));
        }
        self.edit(|now| {
            now.tree.remove_nags(node);
            nags.iter().for_each(|&nag| now.tree.add_nag(node, Nag(nag)));
            Ok(true)
        })
    }

    /// Replaces the arrows and circles of a position.
    pub(crate) fn set_shapes(
        &mut self,
        node: NodeId,
        arrows: &[ArrowWish],
        circles: &[CircleWish],
    ) -> Result<(), Refusal> {
        let arrow = |it: &ArrowWish| Arrow { color: it.color.into(), from: it.from.0, to: it.to.0 };
        let circle = |it: &CircleWish| Circle { color: it.color.into(), square: it.square.0 };
        let arrows: Vec<Arrow> = arrows.iter().map(arrow).collect();
        let circles: Vec<Circle> = circles.iter().map(circle).collect();
        self.count_litter(text_at(self.tree(), node) + 8 * (arrows.len() + circles.len()));
        self.edit(|now| {
            set_annotation(&mut now.tree, node, &Annotation::Arrows(Cow::Owned(arrows)));
            set_annotation(&mut now.tree, node, &Annotation::Circles(Cow::Owned(circles)));
            Ok(true)
        })
    }

    /// Moves the variation that a node is in one place up, or makes it the main line.
    pub(crate) fn promote(&mut self, node: NodeId, main: bool) -> Result<(), Refusal> {
        self.edit(|now| {
            let start = now.tree.line_start(node);
            let changed = if main { now.tree.promote_to_main_line(node) } else { now.tree.promote(start) };
            if changed { Ok(true) } else { Err(Refusal::new("This is already the main line.")) }
        })
    }

    /// Moves the variation that a node is in one place down.
    pub(crate) fn demote(&mut self, node: NodeId) -> Result<(), Refusal> {
        self.edit(|now| {
            // In the main line, the move itself changes places with its alternatives.
            let start = match now.tree.line_start(node) {
                NodeId::ROOT => node,
                start => start,
            };
            let changed = now.tree.demote(start);
            if changed { Ok(true) } else { Err(Refusal::new("There is no variation after this one.")) }
        })
    }

    /// Deletes a move and everything after it.
    pub(crate) fn delete(&mut self, node: NodeId) -> Result<(), Refusal> {
        if node == NodeId::ROOT {
            return Err(Refusal::new("The start of the game cannot be deleted."));
        }
        self.count_litter(LITTER_PER_MOVE * behind(self.tree(), node));
        self.edit(|now| {
            let parent = now.tree.parent(node).unwrap_or(NodeId::ROOT);
            let deleted = now.tree.delete(node);
            if !now.tree.contains(now.node) {
                now.node = parent;
            }
            Ok(deleted)
        })
    }

    /// Deletes everything after a move.
    pub(crate) fn delete_after(&mut self, node: NodeId) -> Result<(), Refusal> {
        self.count_litter(LITTER_PER_MOVE * behind(self.tree(), node));
        self.edit(|now| {
            let had_any = now.tree.next(node).is_some();
            now.tree.delete_after(node);
            if !now.tree.contains(now.node) {
                now.node = node;
            }
            Ok(had_any)
        })
    }

    /// Sets or removes a tag.
    pub(crate) fn set_header(&mut self, name: &str, value: Option<&str>) -> Result<(), Refusal> {
        if name == "Result" {
            let result = GameResult::from_ascii(value.unwrap_or("*").as_bytes());
            return self
                .set_result(result.ok_or_else(|| Refusal::new("A result is 1-0, 0-1, 1/2-1/2 or *."))?);
        }
        if ["SetUp", "Variant"].contains(&name) {
            return Err(Refusal::new(format!(
                "The tag {name} belongs to the start position and cannot be changed."
            )));
        }
        let (longest_name, longest) = MAX_TAG;
        let is_bad = |value: &str| value.len() > longest || value.chars().any(char::is_control);
        if name.len() > longest_name || value.is_some_and(is_bad) {
            return Err(Refusal::new(format!(
                "A tag is one line of at most {longest} bytes. Its name has at most {longest_name}."
            )));
        }
        self.count_litter(name.len() + value.map_or(0, str::len));
        self.edit(|now| match value {
            Some(value) => {
                now.tree.set_tag(name, value)?;
                Ok(true)
            }
            None => Ok(now.tree.remove_tag(name)),
        })
    }

    /// Sets the result.
    pub(crate) fn set_result(&mut self, result: GameResult) -> Result<(), Refusal> {
        self.edit(|now| {
            now.tree.set_result(result);
            Ok(true)
        })
    }
}

/// The number of moves after a node, including the node.
fn behind(tree: &GameTree, node: NodeId) -> usize {
    let mut open = vec![node];
    let mut count = 0;
    while let Some(node) = open.pop() {
        count += 1;
        open.extend(tree.children(node));
    }
    count
}

/// The bytes of the comments at a move.
fn text_at(tree: &GameTree, node: NodeId) -> usize {
    tree.comments(node).map(|comment| comment.len()).sum()
}

/// The commands in comments, such as clocks and evaluations, joined.
fn commands<'a>(comments: impl Iterator<Item = Cow<'a, str>>) -> String {
    let comments: Vec<_> = comments.collect();
    let all = comments.iter().flat_map(|comment| annotation::commands(comment).map(|it| &comment[it.range]));
    all.collect::<Vec<_>>().join(" ")
}

fn joined(text: &str, commands: &str) -> String {
    // Text that looks like a command must not become one.
    let text = text.replace("[%", "[ %");
    [text.trim(), commands].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Sets an annotation, or removes it if it is empty.
fn set_annotation(tree: &mut GameTree, node: NodeId, annotation: &Annotation<'_>) {
    let is_empty = match annotation {
        Annotation::Arrows(arrows) => arrows.is_empty(),
        Annotation::Circles(circles) => circles.is_empty(),
        _ => false,
    };
    if is_empty {
        tree.remove_annotation(node, annotation.name());
        let trimmed: Vec<_> = tree.comments(node).map(|comment| comment.trim_end().to_owned()).collect();
        tree.remove_comments(node);
        trimmed.iter().for_each(|comment| tree.add_comment(node, comment));
    } else {
        tree.annotate(node, annotation);
    }
}
