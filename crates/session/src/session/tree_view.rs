//! The tree as the page has it, and the messages about its changes.

use std::borrow::Cow;
use std::collections::HashMap;

use ferz_board::{Color, Position};
use ferz_notation::pgn::NodeId;
use ferz_notation::pgn::annotation::{self, EvalScore};

use super::notation::{position_after, san, uci};
use super::study::Study;
use crate::protocol::{ArrowEntry, CircleEntry, EvalEntry, NodeEntry, ScoreEntry, SquareName, TreeChange};

/// The most nodes in a message.
const PAGE: usize = 400;

/// What the page knows of the tree.
#[derive(Debug, Default)]
pub(crate) struct TreeView {
    known: HashMap<u32, NodeEntry>,
    /// The version and numbering that the page has.
    sent: Option<(u64, u64)>,
}

impl TreeView {
    /// The messages that bring the page up to date.
    pub(crate) fn update(&mut self, study: &Study) -> Vec<TreeChange> {
        let (version, numbering) = (study.version(), study.numbering());
        if self.sent == Some((version, numbering)) {
            return Vec::new();
        }
        let reset = self.sent.is_none_or(|(_, sent)| sent != numbering);
        self.sent = Some((version, numbering));
        if reset {
            self.known.clear();
        }
        let entries = entries(study);
        let mut known = HashMap::with_capacity(entries.len());
        let mut changed = Vec::new();
        for entry in entries {
            if self.known.remove(&entry.id).as_ref() != Some(&entry) {
                changed.push(entry.clone());
            }
            known.insert(entry.id, entry);
        }
        let mut removed: Vec<_> = self.known.drain().map(|(id, _)| id).collect();
        removed.sort_unstable();
        self.known = known;
        pages(version, reset, changed, removed)
    }
}

fn pages(version: u64, reset: bool, nodes: Vec<NodeEntry>, removed: Vec<u32>) -> Vec<TreeChange> {
    let mut pages = Vec::new();
    let mut first = Some((reset, removed));
    let mut rest = nodes.into_iter();
    while rest.len() > 0 || first.is_some() {
        // Collected, not split off: each page has memory for its own nodes alone.
        let mut page = Vec::with_capacity(rest.len().min(PAGE));
        page.extend(rest.by_ref().take(PAGE));
        let (reset, removed) = first.take().unwrap_or_default();
        pages.push(TreeChange { version, reset, more: rest.len() > 0, nodes: page, removed });
    }
    pages
}

/// All nodes, parents before their children.
pub(crate) fn entries(study: &Study) -> Vec<NodeEntry> {
    let tree = study.tree();
    let mode = study.mode();
    let mut entries = Vec::with_capacity(tree.size() + 1);
    // Each node with the position before its move, its ply, and whether it is in the main line.
    let mut open = vec![(NodeId::ROOT, *tree.start(), 0, true)];
    while let Some((node, before, ply, main)) = open.pop() {
        let mv = tree.mv(node);
        let (mut after, mut san_text, mut uci_text) = (before, None, None);
        if node != NodeId::ROOT {
            san_text = Some(san(&before, mv));
            uci_text = Some(uci(mv, mode));
            // Trees have legal moves only.
            after = position_after(&before, mv).unwrap_or(before);
        }
        let children: Vec<_> = tree.children(node).collect();
        let (number, color) = move_number(tree.start(), ply);
        let notes = tree.annotations(node);
        entries.push(NodeEntry {
            id: node.number(),
            parent: tree.parent(node).map(NodeId::number),
            children: children.iter().map(|child| child.number()).collect(),
            san: san_text,
            uci: uci_text,
            number,
            color: color.into(),
            ply,
            main,
            comment: plain(tree.comments(node)),
            before: plain(tree.comments_before(node)),
            nags: tree.nags(node).map(|nag| nag.0).collect(),
            arrows: notes
                .arrows
                .iter()
                .map(|it| ArrowEntry {
                    from: SquareName(it.from),
                    to: SquareName(it.to),
                    color: it.color.into(),
                })
                .collect(),
            circles: notes
                .circles
                .iter()
                .map(|it| CircleEntry { square: SquareName(it.square), color: it.color.into() })
                .collect(),
            clock_ms: notes.clock.map(|clock| u64::try_from(clock.as_millis()).unwrap_or(u64::MAX)),
            eval: notes.eval.map(|eval| EvalEntry { score: white_score(eval.score), depth: eval.depth }),
            review: study.review(node).cloned(),
        });
        for (place, &child) in children.iter().enumerate().rev() {
            open.push((child, after, ply + 1, main && place == 0));
        }
    }
    entries
}

/// The number and colour of the move that leads to this ply; at ply 0, of the move before the start.
fn move_number(start: &Position, ply: usize) -> (u32, Color) {
    let first = 2 * u64::from(start.fullmove_number()) + start.side_to_move().index() as u64;
    let half_moves = (first + ply as u64).saturating_sub(1);
    let color = if half_moves.is_multiple_of(2) { Color::White } else { Color::Black };
    (u32::try_from(half_moves / 2).unwrap_or(u32::MAX), color)
}

/// Scores in games are White's.
fn white_score(score: EvalScore) -> ScoreEntry {
    match score {
        EvalScore::Centipawns(value) => ScoreEntry::Cp(value),
        EvalScore::Mate(moves) => ScoreEntry::Mate(moves),
    }
}

/// The plain text of comments.
fn plain<'a>(comments: impl Iterator<Item = Cow<'a, str>>) -> String {
    let texts: Vec<_> = comments.map(|comment| annotation::plain_text(&comment).trim().to_owned()).collect();
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}
