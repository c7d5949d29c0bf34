//! Explains why a move is good or bad.
//!
//! An explanation consists of typed [`Fact`]s about a move and of facts about the line that the search expects: its
//! material balance, its end, and the evaluation terms that it changes. The sentences are made from these facts alone.

mod exchange;
mod fact;
mod line;
mod motifs;
mod report;
#[cfg(test)]
mod tests;
mod words;

use ferz_board::{Game, Move, Position};
use ferz_search::{Engine, Limits, Line, SearchOptions, Signals};

pub use fact::{Fact, PlacedPiece};
pub use line::ExpectedLine;
pub use motifs::facts;
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

/// A threat costs at least this much expected score …
const MIN_THREAT: f64 = 0.1;
/// … or this much if it wins no material: a null move alone costs almost as much in most positions.
const MIN_QUIET_THREAT: f64 = 0.2;
/// A move replaces the best move of the search if its expected score is higher by this much.
const CLEARLY_BETTER: f64 = 0.05;
/// A shorter line is extended, unless it ends the game, …
const MIN_PLIES: usize = 6;
/// … by searches of at most this many nodes.
const EXTENSION_NODES: u64 = 30_000;

/// Explains a position, and optionally a move in it. Returns `None` if the game is over or the search was stopped. An
/// illegal move is ignored.
///
/// The limits apply to each of up to three searches. A few short searches follow.
pub fn explain(
    engine: &mut Engine,
    position: &Position,
    asked: Option<Move>,
    limits: &Limits,
    signals: &Signals,
) -> Option<Explanation> {
    let explanation = compare(engine, position, asked, limits, signals)?;
    // In check there is no null move, and so no threat.
    let threat = match position.null_move().filter(|passed| passed.outcome().is_none()) {
        Some(passed) => Some(Explainer { engine, limits, signals }.choose(&passed, None)?),
        None => None,
    };
    let threat = threat.filter(|threat| is_threat(threat, &explanation.best));
    Some(Explanation { threat, ..explanation })
}

/// The same without the threat, which saves a search.
pub fn compare(
    engine: &mut Engine,
    position: &Position,
    asked: Option<Move>,
    limits: &Limits,
    signals: &Signals,
) -> Option<Explanation> {
    if position.outcome().is_some() {
        return None;
    }
    let mut explainer = Explainer { engine, limits, signals };
    let best = explainer.choose(position, None)?;
    let asked = match asked.filter(|&mv| position.is_legal(mv)) {
        None => None,
        Some(mv) if mv == best.mv => Some(best.clone()),
        Some(mv) => Some(explainer.choose(position, Some(mv))?),
    };
    // A search of one move sees further than a search of all moves, so the asked move may turn out to be better.
    let best = asked.clone().filter(|asked| is_better(asked, &best)).unwrap_or(best);
    let asked = asked.map(|asked| AskedMove::new(asked, &best));
    Some(Explanation { position: *position, best, asked, threat: None })
}

/// Whether a move is clearly better than a different move in the same position.
fn is_better(choice: &ExplainedMove, other: &ExplainedMove) -> bool {
    let us = choice.position.side_to_move();
    let (ours, others) = (&choice.line.assessment, &other.line.assessment);
    let is_mate = ours.mate_by(us).is_some() && others.mate_by(us).is_none();
    is_mate || ours.expected_score_above(others, us) >= CLEARLY_BETTER
}

/// Whether a null move would cost enough to call the answer a threat.
fn is_threat(threat: &ExplainedMove, best: &ExplainedMove) -> bool {
    let us = best.position.side_to_move();
    let (with_move, without) = (&best.line.assessment, &threat.line.assessment);
    let is_mate = without.mate_by(!us).is_some() && with_move.mate_by(!us).is_none();
    let wins_material = threat.line.settled.as_ref().is_some_and(|settled| settled.worth() > 0);
    let least = if wins_material { MIN_THREAT } else { MIN_QUIET_THREAT };
    is_mate || with_move.expected_score_above(without, us) >= least
}

struct Explainer<'a> {
    engine: &'a mut Engine,
    limits: &'a Limits,
    signals: &'a Signals,
}

impl Explainer<'_> {
    /// The best move, or the move given by `only`, with its facts. Returns `None` if the search was stopped.
    fn choose(&mut self, position: &Position, only: Option<Move>) -> Option<ExplainedMove> {
        let limits = self.limits.clone().search_moves(only);
        let mut line = self.search(position, &limits)?;
        self.extend(position, &mut line.moves)?;
        let mv = *line.moves.first()?;
        let facts = facts(position, mv);
        Some(ExplainedMove { position: *position, mv, facts, line: ExpectedLine::new(position, &line) })
    }

    fn search(&mut self, position: &Position, limits: &Limits) -> Option<Line> {
        let game = Game::new(*position);
        let mut search = |limits: &Limits| {
            self.engine.search(&game, limits, &SearchOptions::default(), self.signals, &mut |_| {})
        };
        let mut conclusion = search(limits);
        if conclusion.lines.is_empty() {
            // The limits end the search before it has a value. The smallest depth does not.
            let search_moves = limits.search_moves.clone();
            conclusion = search(&Limits::default().depth(1).search_moves(search_moves));
        }
        conclusion.lines.into_iter().next().filter(|_| !self.signals.is_stopped())
    }

    /// Extends a line that the search cut short because of a TT entry.
    fn extend(&mut self, position: &Position, moves: &mut Vec<Move>) -> Option<()> {
        let nodes = self.limits.nodes.map_or(EXTENSION_NODES, |nodes| nodes.min(EXTENSION_NODES));
        let limits = self.limits.clone().nodes(nodes);
        while moves.len() < MIN_PLIES {
            let mut end = *position;
            if moves.iter().any(|&mv| end.play(mv).is_err()) || end.outcome().is_some() {
                break;
            }
            moves.extend(self.search(&end, &limits)?.moves);
        }
        Some(())
    }
}

impl AskedMove {
    fn new(choice: ExplainedMove, best: &ExplainedMove) -> AskedMove {
        let color = choice.position.side_to_move();
        let verdict = if choice.mv == best.mv {
            Verdict::Best
        } else {
            let (judgement, remark, loss) =
                review::compare(color, best.line.assessment, choice.line.assessment);
            Verdict::Other { loss, judgement, remark }
        };
        let mut after = choice.position;
        after.play_unchecked(choice.mv);
        let answer = choice.line.moves.get(1).map(|&answer| (after, answer, facts(&after, answer)));
        AskedMove { choice, answer, verdict }
    }
}
