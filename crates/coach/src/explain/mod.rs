//! Why a move is good or bad, from what the program knows.
//!
//! Everything said is a typed [`Fact`] about a move, or a fact about a line that the search expects: what it comes to in
//! material, how it ends, which terms of the evaluation it changes. [`words`] makes sentences of them; nothing is said
//! that is not among the facts.

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

pub use fact::{Fact, Man};
pub use line::ExpectedLine;
pub use motifs::facts;
pub use report::ExplanationReport;
pub use words::Moves;

use crate::review::{self, Judgement, Remark};

/// Why a move is best, why another is not, and what was threatened.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The position explained.
    pub position: Position,
    /// The best move.
    pub best: Choice,
    /// The move that was asked about.
    pub asked: Option<Asked>,
    /// What the opponent would do if it were its turn, if that is worth a word.
    pub threat: Option<Choice>,
}

/// A move, what it does, and what is expected to follow.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The position it is played in.
    pub position: Position,
    /// The move.
    pub mv: Move,
    /// What it does.
    pub facts: Vec<Fact>,
    /// What is expected to follow.
    pub line: ExpectedLine,
}

/// A move that somebody has asked about.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The move and its line.
    pub choice: Choice,
    /// The best answer to it, if there is one.
    pub answer: Option<(Position, Move, Vec<Fact>)>,
    /// How it compares with the best move.
    pub verdict: Verdict,
}

/// How a move compares with the best.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    /// It is the best.
    Best,
    /// A different move is better.
    Other {
        /// The expected score it gives away.
        loss: f64,
        /// What it is called.
        judgement: Judgement,
        /// What happened to a mate.
        remark: Option<Remark>,
    },
}

/// A threat that would cost less of the expected score is none …
const LEAST_THREAT: f64 = 0.1;
/// … nor is one that wins no material and costs less than this: in most positions just passing costs as much.
const LEAST_QUIET_THREAT: f64 = 0.2;
/// A move is better than the one the search has found if it promises so much more of the expected score.
const CLEARLY_BETTER: f64 = 0.05;
/// A line that ends sooner, though the game does not, is continued …
const LEAST_PLIES: usize = 6;
/// … by searches of no more than so many nodes.
const NODES_TO_GO_ON: u64 = 30_000;

/// Explains a position and perhaps a move in it; `None` if the game is over there, or if it was stopped. An illegal move
/// is not asked about.
///
/// The limits hold for each of up to three searches, which others follow that are short. The thread that calls it
/// searches, so its stack should have some MiB.
pub fn explain(
    engine: &mut Engine,
    position: &Position,
    asked: Option<Move>,
    limits: &Limits,
    signals: &Signals,
) -> Option<Explanation> {
    let explanation = compare(engine, position, asked, limits, signals)?;
    // In check there is no time for threats.
    let threat = match position.null_move().filter(|passed| passed.outcome().is_none()) {
        Some(passed) => Some(Explainer { engine, limits, signals }.choose(&passed, None)?),
        None => None,
    };
    let threat = threat.filter(|threat| is_threat(threat, &explanation.best));
    Some(Explanation { threat, ..explanation })
}

/// The same without a look at threats, which saves a search.
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
    // A search of one move sees further than one of all, and may show that the other was wrong.
    let best = asked.clone().filter(|asked| is_better(asked, &best)).unwrap_or(best);
    let asked = asked.map(|asked| Asked::new(asked, &best));
    Some(Explanation { position: *position, best, asked, threat: None })
}

/// Whether a move is clearly better than another of the same position.
fn is_better(choice: &Choice, other: &Choice) -> bool {
    let us = choice.position.side_to_move();
    let (ours, others) = (&choice.line.assessment, &other.line.assessment);
    let is_mate = ours.mate_by(us).is_some() && others.mate_by(us).is_none();
    is_mate || ours.expected_score_above(others, us) >= CLEARLY_BETTER
}

/// Whether passing the turn would cost something.
fn is_threat(threat: &Choice, best: &Choice) -> bool {
    let us = best.position.side_to_move();
    let (with_move, without) = (&best.line.assessment, &threat.line.assessment);
    let is_mate = without.mate_by(!us).is_some() && with_move.mate_by(!us).is_none();
    let wins_material = threat.line.settled.as_ref().is_some_and(|settled| settled.worth() > 0);
    let least = if wins_material { LEAST_THREAT } else { LEAST_QUIET_THREAT };
    is_mate || with_move.expected_score_above(without, us) >= least
}

struct Explainer<'a> {
    engine: &'a mut Engine,
    limits: &'a Limits,
    signals: &'a Signals,
}

impl Explainer<'_> {
    /// The best move, or the only one allowed, with all there is to say about it; `None` if it was stopped.
    fn choose(&mut self, position: &Position, only: Option<Move>) -> Option<Choice> {
        let limits = Limits { search_moves: only.into_iter().collect(), ..self.limits.clone() };
        let mut line = self.search(position, &limits)?;
        self.go_on(position, &mut line.moves)?;
        let mv = *line.moves.first()?;
        let facts = facts(position, mv);
        Some(Choice { position: *position, mv, facts, line: ExpectedLine::new(position, &line) })
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
            conclusion = search(&Limits { depth: Some(1), search_moves, ..Limits::default() });
        }
        conclusion.lines.into_iter().next().filter(|_| !self.signals.is_stopped())
    }

    /// Searches can cut their lines short, where they knew the rest already.
    fn go_on(&mut self, position: &Position, moves: &mut Vec<Move>) -> Option<()> {
        let nodes = self.limits.nodes.map_or(NODES_TO_GO_ON, |nodes| nodes.min(NODES_TO_GO_ON));
        let limits = Limits { nodes: Some(nodes), ..self.limits.clone() };
        while moves.len() < LEAST_PLIES {
            let mut end = *position;
            if moves.iter().any(|&mv| end.play(mv).is_err()) || end.outcome().is_some() {
                break;
            }
            moves.extend(self.search(&end, &limits)?.moves);
        }
        Some(())
    }
}

impl Asked {
    fn new(choice: Choice, best: &Choice) -> Asked {
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
        Asked { choice, answer, verdict }
    }
}
