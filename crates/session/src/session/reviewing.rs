//! Reviews of games for the page.

use std::collections::{BTreeMap, HashMap};

use ferz_board::{CastlingMode, Color, Position};
use ferz_notation::openings;
use ferz_notation::pgn::annotation::{Eval, EvalScore};
use ferz_notation::pgn::{GameTree, Nag, NodeId};
use ferz_search::Score;

use super::notation::{castling_mode, position_after, san, uci};
use crate::protocol::{BestMove, MoveReview, ReviewProgress, ReviewStatus, ScoreEntry, SideReview};
use ferz_coach::review::{Assessment, Judgement, Review, ReviewedMove};

/// The results of a review: by move, and by side.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) moves: HashMap<NodeId, MoveReview>,
    pub(super) summary: ReviewProgress,
}

/// The most that a move can lose, in centipawns: a lost game is lost.
const MOST: i32 = 1000;

impl Findings {
    /// The results of a review that has just finished.
    pub(super) fn of(review: &Review, tree: &GameTree) -> Findings {
        let mode = castling_mode(tree);
        let entry = |it: &ReviewedMove| (it.node, move_review(it, mode));
        let moves: HashMap<_, _> = review.moves.iter().map(entry).collect();
        let mut sides =
            Color::ALL.map(|color| SideTally { accuracy: review.accuracy(color), ..SideTally::default() });
        for reviewed in &review.moves {
            let loss = if reviewed.loss > 0.0 { centipawn_loss(reviewed) } else { 0 };
            sides[reviewed.color().index()].add(reviewed.judgement, loss);
        }
        Findings { summary: summary(review.moves.len(), sides), moves }
    }

    /// The results of an earlier review that is written in the game. A game does not record which of the good moves
    /// were best.
    pub(super) fn recall(tree: &GameTree) -> Option<Findings> {
        let accuracy = |name: &str| tree.tag(name).and_then(|value| value.parse::<f64>().ok());
        let accuracies = [accuracy("WhiteAccuracy"), accuracy("BlackAccuracy")];
        if accuracies.iter().all(Option::is_none) {
            return None;
        }
        let mode = castling_mode(tree);
        let mut moves = HashMap::new();
        let mut sides = accuracies.map(|accuracy| SideTally { accuracy, ..SideTally::default() });
        let mut before = *tree.start();
        let mut is_book = true;
        let mut eval: Option<Eval> = None;
        for node in tree.main_line() {
            let Some(after) = position_after(&before, tree.mv(node)) else { break };
            is_book &= openings::contains(&after);
            let (old, new) = (eval, tree.annotations(node).eval);
            eval = new;
            let Some(new) = new else {
                before = after;
                continue;
            };
            let judgement = remembered_judgement(tree, node, &before, is_book);
            let side = before.side_to_move();
            let loss = old.map_or(0, |old| (value_of(old.score) - value_of(new.score)) * sign(side));
            sides[side.index()].add(judgement, loss.clamp(0, MOST));
            let win_after = chance(new.score);
            let entry = MoveReview {
                judgement,
                best: remembered_best(tree, node, &before, mode),
                win_before: old.map_or(win_after, |old| chance(old.score)),
                win_after,
                text: String::new(),
            };
            moves.insert(node, entry);
            before = after;
        }
        Some(Findings { summary: summary(moves.len(), sides), moves })
    }
}

/// The statistics of a side.
#[derive(Debug, Default)]
struct SideTally {
    accuracy: Option<f64>,
    moves: u32,
    loss: i64,
    counts: BTreeMap<Judgement, u32>,
}

impl SideTally {
    fn add(&mut self, judgement: Judgement, loss: i32) {
        self.moves += 1;
        self.loss += i64::from(loss);
        *self.counts.entry(judgement).or_default() += 1;
    }
}

impl From<SideTally> for SideReview {
    fn from(tally: SideTally) -> SideReview {
        SideReview {
            accuracy: tally.accuracy.map(tenths),
            loss: (tally.loss / i64::from(tally.moves.max(1))) as u32,
            counts: tally.counts,
        }
    }
}

fn summary(count: usize, sides: [SideTally; 2]) -> ReviewProgress {
    let [white, black] = sides.map(SideReview::from);
    ReviewProgress {
        status: ReviewStatus::Done,
        done: count,
        total: count,
        waiting: 0,
        white: Some(white),
        black: Some(black),
    }
}

fn move_review(reviewed: &ReviewedMove, mode: CastlingMode) -> MoveReview {
    let best = reviewed.best_line.first().filter(|&&best| best != reviewed.mv).map(|&best| BestMove {
        uci: uci(Some(best), mode),
        san: san(&reviewed.position, Some(best)),
        score: white_score(reviewed.before.score),
    });
    let percent = |assessment: &Assessment| tenths(100.0 * assessment.expected_score(Color::White));
    MoveReview {
        judgement: reviewed.judgement,
        best,
        win_before: percent(&reviewed.before),
        win_after: percent(&reviewed.after),
        text: reviewed.words().unwrap_or_default(),
    }
}

/// Assessments of reviews are already White's.
fn white_score(score: Score) -> ScoreEntry {
    match score {
        Score::Centipawns(value) => ScoreEntry::Cp(value),
        Score::Mate(moves) => ScoreEntry::Mate(moves),
    }
}

fn centipawn_loss(reviewed: &ReviewedMove) -> i32 {
    let value = |assessment: &Assessment| match assessment.score {
        Score::Centipawns(value) => value.clamp(-MOST, MOST),
        Score::Mate(_) if assessment.expected_score(Color::White) == 1.0 => MOST,
        Score::Mate(_) => -MOST,
    };
    ((value(&reviewed.before) - value(&reviewed.after)) * sign(reviewed.color())).clamp(0, MOST)
}

fn sign(color: Color) -> i32 {
    if color == Color::White { 1 } else { -1 }
}

fn value_of(score: EvalScore) -> i32 {
    match score {
        EvalScore::Centipawns(value) => value.clamp(-MOST, MOST),
        EvalScore::Mate(moves) if moves >= 0 => MOST,
        EvalScore::Mate(_) => -MOST,
    }
}

/// White's expected score in per cent, roughly: the material is not taken into account.
fn chance(score: EvalScore) -> f64 {
    /// With 100 centipawns, half of the games are won and nearly half drawn.
    const SPREAD: f64 = 110.0;
    tenths(100.0 / (1.0 + (-f64::from(value_of(score)) / SPREAD).exp()))
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn remembered_judgement(tree: &GameTree, node: NodeId, before: &Position, is_book: bool) -> Judgement {
    /// `$7` and `$8`: all other moves lose, or there was no reasonable alternative.
    const ONLY: [Nag; 2] = [Nag(7), Nag(8)];
    let by_glyph = tree.nags(node).find_map(|nag| match nag {
        Nag::BLUNDER => Some(Judgement::Blunder),
        Nag::MISTAKE => Some(Judgement::Mistake),
        Nag::DUBIOUS => Some(Judgement::Inaccuracy),
        nag if ONLY.contains(&nag) => Some(Judgement::Only),
        _ => None,
    });
    by_glyph.unwrap_or_else(|| match before.count_legal() {
        1 => Judgement::Forced,
        _ if is_book => Judgement::Book,
        _ => Judgement::Good,
    })
}

/// The better move that a review has written as a variation.
fn remembered_best(tree: &GameTree, node: NodeId, before: &Position, mode: CastlingMode) -> Option<BestMove> {
    let is_error = tree.nags(node).any(|nag| [Nag::BLUNDER, Nag::MISTAKE, Nag::DUBIOUS].contains(&nag));
    let sibling = tree.next_sibling(node).filter(|_| is_error)?;
    let score = match tree.annotations(sibling).eval?.score {
        EvalScore::Centipawns(value) => ScoreEntry::Cp(value),
        EvalScore::Mate(moves) => ScoreEntry::Mate(moves),
    };
    Some(BestMove { uci: uci(tree.mv(sibling), mode), san: san(before, tree.mv(sibling)), score })
}
