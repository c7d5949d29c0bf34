//! Explains why a move is good or bad.
//!
//! An explanation consists of typed [`Fact`]s about a move and of facts about the line that the search expects: its
//! material balance, its end, and what else it [changes](Change). A bad move has a [`LossReason`]. The sentences are made
//! from these facts alone.

mod exchange;
mod explainer;
mod fact;
mod line;
mod loss;
mod motifs;
mod report;
#[cfg(test)]
mod tests;
mod words;

use ferz_board::{Move, Outcome, Position};
use ferz_search::{Engine, Limits, Score, Signals};

pub use explainer::{Explainer, KnownLine};
pub use fact::{Fact, PlacedPiece};
pub use line::{Change, ExpectedLine, QuietPoint};
pub use loss::LossReason;
pub use motifs::{facts, line_facts};
pub use report::ExplanationReport;
pub use words::LineDisplay;

use crate::review::{self, Judgement, Remark};

/// Why a move is best, why a different move is worse, and what the opponent threatens.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The position explained.
    pub position: Position,
    /// The best move.
    pub best: ExplainedMove,
    /// The move that was asked about.
    pub asked: Option<AskedMove>,
    /// What the opponent would play if it were their turn, if that is a threat.
    pub threat: Option<ExplainedMove>,
}

/// A move with its facts and its expected line.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainedMove {
    /// The position before the move.
    pub position: Position,
    /// The move.
    pub mv: Move,
    /// The facts about it.
    pub facts: Vec<Fact>,
    /// The expected line, starting with the move.
    pub line: ExpectedLine,
    /// Why the obvious reply fails. Only looked for if the move is best.
    pub refutation: Option<Refutation>,
}

/// The refutation of an obvious reply: of the capture or promotion that wins the most material at first sight, if it is
/// not the expected reply.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refutation {
    /// The obvious reply.
    pub reply: Move,
    /// The line with it, starting with the move that is explained.
    pub line: ExpectedLine,
}

/// A move that the user asked about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AskedMove {
    /// The move and its line.
    pub choice: ExplainedMove,
    /// The best answer to it, if there is one.
    pub answer: Option<(Position, Move, Vec<Fact>)>,
    /// How it compares with the best move.
    pub verdict: Verdict,
    /// Why it is worse, if it is an error with a reason that can be named.
    pub reason: Option<LossReason>,
    /// How it ends the game, if it does.
    pub outcome: Option<Outcome>,
}

/// How a move compares with the best move.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// It is the best move.
    Best,
    /// A different move is better.
    Other {
        /// The expected score that the move loses.
        loss: f64,
        /// The judgement of the move.
        judgement: Judgement,
        /// A missed or allowed mate.
        remark: Option<Remark>,
    },
}

/// A threat wins material or mates, and costs at least this much expected score …
const MIN_THREAT: f64 = 0.1;
/// … or, in a position that is decided anyway, this many centipawns.
const MIN_THREAT_CENTIPAWNS: i32 = 150;
/// A move replaces the best move of the search if its expected score is higher by this much.
const CLEARLY_BETTER: f64 = 0.05;

/// Explains a position, and optionally a move in it. Returns `None` if the game is over or the search was stopped. An
/// illegal move is ignored.
///
/// The limits apply to each of up to three searches, which end before them when their line is stable. A few short
/// searches follow. An [`Explainer`] has more to offer.
pub fn explain(
    engine: &mut Engine,
    position: &Position,
    asked: Option<Move>,
    limits: &Limits,
    signals: &Signals,
) -> Option<Explanation> {
    Explainer::new(engine, limits, signals).explain(position, asked)
}

/// Whether a move is clearly better than a different move in the same position.
fn is_better(choice: &ExplainedMove, other: &ExplainedMove) -> bool {
    let us = choice.position.side_to_move();
    let (ours, others) = (&choice.line.assessment, &other.line.assessment);
    let is_mate = ours.mate_by(us).is_some() && others.mate_by(us).is_none();
    is_mate || ours.expected_score_above(others, us) >= CLEARLY_BETTER
}

/// Whether a null move would lose material or allow mate.
fn is_threat(threat: &ExplainedMove, best: &ExplainedMove) -> bool {
    let us = best.position.side_to_move();
    let (with_move, without) = (&best.line.assessment, &threat.line.assessment);
    if without.mate_by(!us).is_some() {
        return with_move.mate_by(!us).is_none();
    }
    let wins_material = threat.line.settled.as_ref().is_some_and(|settled| settled.worth() > 0);
    let is_dear = match (with_move.score, without.score) {
        (Score::Centipawns(with_move), Score::Centipawns(without)) => {
            (with_move - without).abs() >= MIN_THREAT_CENTIPAWNS
        }
        _ => false,
    };
    let loss = with_move.expected_score_above(without, us);
    wins_material && (loss >= MIN_THREAT || loss > 0.0 && is_dear)
}

impl AskedMove {
    fn new(choice: ExplainedMove, best: &ExplainedMove, outcome: Option<Outcome>) -> AskedMove {
        let color = choice.position.side_to_move();
        let mut reason = None;
        let verdict = if choice.mv == best.mv {
            Verdict::Best
        } else {
            let assessments = (&best.line.assessment, &choice.line.assessment);
            let (judgement, remark, loss) = review::compare(color, *assessments.0, *assessments.1);
            if judgement.is_error() {
                let (played, best) = (&choice.line.moves, &best.line.moves);
                reason = LossReason::find(&choice.position, played, best, assessments, remark);
            }
            Verdict::Other { loss, judgement, remark }
        };
        let mut after = choice.position;
        after.play_unchecked(choice.mv);
        let outcome = outcome.or(after.outcome());
        let answer = choice.line.moves.get(1).map(|&answer| (after, answer, facts(&after, answer)));
        AskedMove { choice, answer, verdict, reason, outcome }
    }
}
