//! Writing a review into the tree of its game.

use std::borrow::Cow;

use ferz_board::Color;
use ferz_notation::pgn::annotation::{self, Annotation};
use ferz_notation::pgn::{GameTree, Nag, NodeId};
use ferz_notation::san::San;

use super::{Assessment, Review, ReviewedMove};

/// The plies of a better line that are shown.
const SHOWN_PLIES: usize = 10;

impl Review {
    /// Writes evaluations, glyphs, comments and better lines into the tree. Existing comments, variations and move
    /// judgements stay. Only evaluations are replaced.
    pub fn annotate(&self, tree: &mut GameTree) {
        if let Some((_, opening)) = self.opening {
            set_missing_tag(tree, "ECO", opening.eco);
            set_missing_tag(tree, "Opening", opening.name);
        }
        set_missing_tag(tree, "Annotator", concat!("Ferz ", env!("CARGO_PKG_VERSION")));
        for (color, tag) in [(Color::White, "WhiteAccuracy"), (Color::Black, "BlackAccuracy")] {
            match self.accuracy(color) {
                Some(accuracy) => tree.set_tag(tag, &format!("{accuracy:.1}")).expect("a valid tag name"),
                // The value of an earlier review no longer applies.
                None => _ = tree.remove_tag(tag),
            }
        }
        self.moves.iter().for_each(|reviewed| reviewed.annotate(tree));
    }
}

impl ReviewedMove {
    fn annotate(&self, tree: &mut GameTree) {
        match self.after.eval() {
            Some(eval) => tree.annotate(self.node, &Annotation::Eval(eval)),
            None => tree.remove_annotation(self.node, "eval"),
        }
        if let Some(nag) = self.nag()
            && !tree.nags(self.node).any(is_judgement)
        {
            tree.add_nag(self.node, nag);
        }
        if let Some(words) = self.words() {
            add_words(tree, self.node, &words);
        }
        if self.judgement.is_error() {
            self.add_better_line(tree);
        }
    }

    /// The comment about the move, if there is one: `Blunder: hangs the knight on c3. Be7 was better.`
    #[must_use]
    pub fn words(&self) -> Option<String> {
        if !self.judgement.is_error() {
            return self.remark.map(|remark| format!("{remark}."));
        }
        let chances = |it: &Assessment| (100.0 * it.expected_score(self.color())).round();
        let reason = match &self.reason {
            Some(reason) => reason.words(),
            None => {
                let (before, after) = (chances(&self.before), chances(&self.after));
                format!("{}'s chances fall from {before} % to {after} %", self.color())
            }
        };
        let best = self.best_line.first().map(|&mv| San::new(&self.position, mv));
        let better = best.map_or(String::new(), |best| format!(" {best} was better."));
        Some(format!("{}: {reason}.{better}", self.judgement.name()))
    }

    /// Adds the best line as a variation, unless there is already a variation with its first move.
    fn add_better_line(&self, tree: &mut GameTree) {
        let (Some(parent), Some(&best)) = (tree.parent(self.node), self.best_line.first()) else { return };
        if tree.children(parent).any(|child| tree.mv(child) == Some(best)) {
            return;
        }
        // The line is legal, so this fails only if the tree has no room for another move.
        let Ok(first) = tree.add_move(parent, best) else { return };
        let rest = self.best_line.iter().copied().take(SHOWN_PLIES).skip(1);
        let is_mate = |eval: &annotation::Eval| matches!(eval.score, annotation::EvalScore::Mate(_));
        // The distance to mate changes with the first move.
        if let Some(eval) = self.before.eval().filter(|eval| !is_mate(eval)) {
            tree.annotate(first, &Annotation::Eval(eval));
        }
        _ = tree.add_line(first, rest);
    }
}

/// `!` to `?!`.
fn is_judgement(nag: Nag) -> bool {
    (Nag::GOOD..=Nag::DUBIOUS).contains(&nag)
}

fn set_missing_tag(tree: &mut GameTree, name: &str, value: &str) {
    if tree.tag(name).is_none() {
        tree.set_tag(name, value).expect("a valid tag name");
    }
}

/// Adds words to the comments of a move: after its evaluation if that comment has no text, otherwise as a new comment.
/// A second review does not repeat them.
fn add_words(tree: &mut GameTree, node: NodeId, words: &str) {
    let mut comments: Vec<String> = tree.comments(node).map(Cow::into_owned).collect();
    if comments.iter().any(|comment| comment.contains(words)) {
        return;
    }
    match comments.last_mut() {
        Some(last) if annotation::plain_text(last).is_empty() => {
            last.push(' ');
            last.push_str(words);
        }
        _ => comments.push(words.to_owned()),
    }
    tree.remove_comments(node);
    comments.iter().for_each(|comment| tree.add_comment(node, comment));
}
