//! The searches behind an explanation.

use ferz_board::{Game, Move, Outcome, Position};
use ferz_search::{Bound, Engine, Limits, Line, Report, SearchOptions, Signals};

use super::exchange::{exchange, gain};
use super::motifs::line_facts;
use super::{
    AskedMove, ExpectedLine, ExplainedMove, Explanation, Fact, Refutation, facts, is_better, is_threat,
};
use crate::review::Assessment;

/// A line is stable if this many iterations in a row have the same best move …
const STABLE_ITERATIONS: usize = 4;
/// … and expected scores that differ by no more than this. …
const STABLE_MARGIN: f64 = 0.05;
/// … Before this many nodes nothing is stable: the first iterations often agree on a wrong move.
const MIN_STABLE_NODES: u64 = 100_000;
/// A search is interrupted after these eighths of its limits, to see whether its line is stable.
const PARTS: [u32; 4] = [1, 1, 2, 4];
/// A shorter line is extended, unless it ends the game, …
const MIN_PLIES: usize = 6;
/// … by searches of at most this many nodes. The refutation of an obvious reply gets the same number.
const EXTENSION_NODES: u64 = 30_000;
/// A refuted reply mates or loses material, and is worse for the opponent than the expected one by at least this much.
const MIN_REFUTATION: f64 = 0.05;

/// A line that is known before the explanation, for example from a running analysis.
#[derive(Clone, Debug)]
pub struct KnownLine {
    /// The position where the line starts.
    pub position: Position,
    /// The line.
    pub line: Line,
}

/// Explains positions with an engine.
///
/// The limits apply to each search for a best move. A search ends before its limits if its line is stable. Positions
/// whose line is [known](Explainer::known) are not searched.
#[derive(Debug)]
pub struct Explainer<'a> {
    engine: &'a mut Engine,
    limits: &'a Limits,
    signals: &'a Signals,
    known: &'a [KnownLine],
}

/// Moves and their assessment.
struct Valued {
    moves: Vec<Move>,
    assessment: Assessment,
}

impl<'a> Explainer<'a> {
    /// Explanations with these limits for each search.
    pub fn new(engine: &'a mut Engine, limits: &'a Limits, signals: &'a Signals) -> Explainer<'a> {
        Explainer { engine, limits, signals, known: &[] }
    }

    /// Sets the lines that are known. The caller decides which are deep enough.
    #[must_use]
    pub fn known(mut self, lines: &'a [KnownLine]) -> Explainer<'a> {
        self.known = lines;
        self
    }

    /// Explains a position, and optionally a move in it. Returns `None` if the game is over or the search was stopped.
    /// An illegal move is ignored.
    pub fn explain(&mut self, position: &Position, asked: Option<Move>) -> Option<Explanation> {
        if position.outcome().is_some() {
            return None;
        }
        let best = self.choose(position, None)?;
        let asked = match asked.filter(|&mv| position.is_legal(mv)) {
            None => None,
            Some(mv) if mv == best.mv => Some(best.clone()),
            Some(mv) => Some(self.choose(position, Some(mv))?),
        };
        let mut explanation = self.compare(position, best, asked, None)?;
        explanation.threat = self.threat_against(&explanation.best)?;
        Some(explanation)
    }

    /// Explains a move that was played. `after` is the explanation of the position after it, so that both agree;
    /// `None` if the game is over there, which is then explained by `outcome`. Returns `None` if the game was over before
    /// the move, if the move is illegal, or if the search was stopped.
    pub fn explain_played(
        &mut self,
        position: &Position,
        mv: Move,
        after: Option<&Explanation>,
        outcome: Option<Outcome>,
    ) -> Option<Explanation> {
        if position.outcome().is_some() || !position.is_legal(mv) {
            return None;
        }
        let color = position.side_to_move();
        let reply = match (after, outcome) {
            (Some(after), _) => Some((&after.best.line.moves[..], after.best.line.assessment)),
            (None, Some(outcome)) => Some((&[][..], Assessment::of(outcome))),
            (None, None) => None,
        };
        let best = self.choose(position, None)?;
        let played = match reply {
            Some((moves, assessment)) => {
                let moves: Vec<Move> = [mv].into_iter().chain(moves.iter().copied()).collect();
                explained(position, &Valued { moves, assessment: assessment.a_move_earlier(color) })?
            }
            None if mv == best.mv => best.clone(),
            None => self.choose(position, Some(mv))?,
        };
        self.compare(position, best, Some(played), outcome)
    }

    /// The threat of the side that is not to move; the inner value is `None` if there is none. The outer one is `None` if
    /// the game is over or the search was stopped.
    pub fn threat(&mut self, position: &Position) -> Option<Option<ExplainedMove>> {
        if position.outcome().is_some() {
            return None;
        }
        let best = self.choose(position, None)?;
        self.threat_against(&best)
    }

    fn threat_against(&mut self, best: &ExplainedMove) -> Option<Option<ExplainedMove>> {
        // In check there is no null move, and so no threat. A side that mates need not look at threats.
        let is_mating = best.line.assessment.mate_by(best.position.side_to_move()).is_some();
        let passed = best.position.null_move().filter(|passed| passed.outcome().is_none() && !is_mating);
        let Some(passed) = passed else { return Some(None) };
        let threat = self.choose(&passed, None)?;
        Some(Some(threat).filter(|threat| is_threat(threat, best)))
    }

    /// The best move against the move asked about.
    fn compare(
        &mut self,
        position: &Position,
        best: ExplainedMove,
        asked: Option<ExplainedMove>,
        outcome: Option<Outcome>,
    ) -> Option<Explanation> {
        // A search of one move sees further than a search of all moves, so the asked move may turn out to be better.
        let mut best = match &asked {
            Some(asked) if asked.mv == best.mv || is_better(asked, &best) => asked.clone(),
            _ => best,
        };
        best.refutation = self.refute(&best)?;
        let asked = asked.map(|asked| AskedMove::new(asked, &best, outcome));
        Some(Explanation { position: *position, best, asked, threat: None })
    }

    /// The best move, or the move given by `only`, with its facts. Returns `None` if the search was stopped.
    pub(super) fn choose(&mut self, position: &Position, only: Option<Move>) -> Option<ExplainedMove> {
        let known = self.known.iter().find(|known| known.position == *position && only.is_none());
        let mut found = match known.filter(|known| !known.line.moves.is_empty()) {
            Some(KnownLine { line, .. }) => valued(position, line),
            None => self.search_until_stable(position, only)?,
        };
        self.extend(position, &mut found.moves)?;
        explained(position, &found)
    }

    /// Searches until the line is stable or the limits are reached.
    fn search_until_stable(&mut self, position: &Position, only: Option<Move>) -> Option<Valued> {
        let is_divisible =
            self.limits.depth.is_none() && (self.limits.nodes.is_some() || self.limits.move_time.is_some());
        let parts = if is_divisible { &PARTS[..] } else { &[8] };
        // The best move and the expected score of each iteration.
        let mut iterations: Vec<(u32, Move, f64)> = Vec::new();
        let (mut nodes, mut found) = (0, None);
        for &eighths in parts {
            let mut limits = self.limits.clone().search_moves(only);
            limits.nodes = limits.nodes.map(|nodes| (nodes * u64::from(eighths) / 8).max(1));
            limits.move_time = limits.move_time.map(|time| time * eighths / 8);
            let mut note = |report: &Report| {
                if let Report::Line(line) = report
                    && line.bound == Bound::Exact
                    && let Some(&mv) = line.moves.first()
                {
                    iterations.retain(|it| it.0 < line.depth);
                    iterations.push((line.depth, mv, expected(line)));
                }
            };
            let game = Game::new(*position);
            let options = SearchOptions::default();
            let conclusion = self.engine.search(&game, &limits, &options, self.signals, &mut note);
            if self.signals.is_stopped() {
                return None;
            }
            nodes += conclusion.nodes;
            found = conclusion.lines.into_iter().next().or(found);
            let is_mate =
                found.as_ref().is_some_and(|line| matches!(line.score, ferz_search::Score::Mate(_)));
            if is_mate || nodes >= MIN_STABLE_NODES && is_stable(&iterations) {
                break;
            }
        }
        match found {
            Some(line) => Some(valued(position, &line)),
            // The limits end the search before it has a value. The smallest depth does not.
            None => self.search(position, &Limits::default().depth(1).search_moves(only)),
        }
    }

    fn search(&mut self, position: &Position, limits: &Limits) -> Option<Valued> {
        let game = Game::new(*position);
        let options = SearchOptions::default();
        let conclusion = self.engine.search(&game, limits, &options, self.signals, &mut |_| {});
        let line = conclusion.lines.into_iter().next().filter(|_| !self.signals.is_stopped())?;
        Some(valued(position, &line))
    }

    fn short_limits(&self) -> Limits {
        let nodes = self.limits.nodes.map_or(EXTENSION_NODES, |nodes| nodes.min(EXTENSION_NODES));
        self.limits.clone().nodes(nodes)
    }

    /// Extends a line that the search cut short because of a TT entry.
    fn extend(&mut self, position: &Position, moves: &mut Vec<Move>) -> Option<()> {
        let limits = self.short_limits();
        while moves.len() < MIN_PLIES {
            let mut end = *position;
            if moves.iter().any(|&mv| end.play(mv).is_err()) || end.outcome().is_some() {
                break;
            }
            let next = self.search(&end, &limits).or_else(|| {
                let is_stopped = self.signals.is_stopped();
                (!is_stopped).then(|| self.search(&end, &Limits::default().depth(1)))?
            })?;
            moves.extend(next.moves);
        }
        Some(())
    }

    /// The refutation of the obvious reply, if that is not the expected one. `None` if the search was stopped.
    fn refute(&mut self, choice: &ExplainedMove) -> Option<Option<Refutation>> {
        let ExplainedMove { position, mv, line, .. } = choice;
        let us = position.side_to_move();
        let mut after = *position;
        after.play_unchecked(*mv);
        let Some(reply) = obvious_reply(&after).filter(|&reply| line.moves.get(1) != Some(&reply)) else {
            return Some(None);
        };
        let limits = self.short_limits().search_moves(Some(reply));
        let found = match self.search(&after, &limits) {
            Some(found) => found,
            None if self.signals.is_stopped() => return None,
            None => return Some(None),
        };
        let Valued { mut moves, assessment } = found;
        moves.insert(0, *mv);
        self.extend(position, &mut moves)?;
        let assessment = assessment.a_move_earlier(us);
        let is_quicker_mate = match (assessment.mate_by(us), line.assessment.mate_by(us)) {
            (Some(moves), Some(expected)) => moves <= expected,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let is_worse = assessment.expected_score_above(&line.assessment, us) >= MIN_REFUTATION;
        let line = ExpectedLine::new(position, &moves, assessment);
        let wins = line.settled.as_ref().is_some_and(|settled| settled.worth() > 0);
        let is_refuted = is_quicker_mate || is_worse && wins;
        Some(is_refuted.then_some(Refutation { reply, line }))
    }
}

/// The capture or promotion that wins the most material by static exchange evaluation, if any wins some.
fn obvious_reply(position: &Position) -> Option<Move> {
    let winning = position.legal_moves().into_iter().filter(|&mv| gain(position, mv) > 0);
    let valued = winning.map(|mv| (exchange(position, mv), mv)).filter(|&(won, _)| won > 0);
    valued.max_by_key(|&(won, mv)| (won, std::cmp::Reverse((mv.from(), mv.to())))).map(|(_, mv)| mv)
}

fn is_stable(iterations: &[(u32, Move, f64)]) -> bool {
    let Some(last) = iterations.len().checked_sub(STABLE_ITERATIONS).map(|start| &iterations[start..]) else {
        return false;
    };
    let scores = || last.iter().map(|it| it.2);
    let spread = scores().fold(f64::MIN, f64::max) - scores().fold(f64::MAX, f64::min);
    last.iter().all(|it| it.1 == last[0].1) && spread <= STABLE_MARGIN
}

/// The expected score of the side to move.
fn expected(line: &Line) -> f64 {
    f64::from(2 * line.wdl.win() + line.wdl.draw()) / 2000.0
}

fn valued(position: &Position, line: &Line) -> Valued {
    Valued { moves: line.moves.clone(), assessment: Assessment::of_line(line, position.side_to_move()) }
}

fn explained(position: &Position, found: &Valued) -> Option<ExplainedMove> {
    let mv = *found.moves.first()?;
    let mut facts = facts(position, mv);
    facts.splice(0..0, line_facts(position, &found.moves));
    // A trade is one only if the opponent recaptures.
    let is_recaptured = found.moves.get(1).is_none_or(|reply| reply.to() == mv.to());
    facts.retain(|fact| is_recaptured || !matches!(fact, Fact::Trades { .. }));
    let line = ExpectedLine::new(position, &found.moves, found.assessment);
    // A piece has not escaped if the opponent wins it where it went.
    let loses = line.settled.as_ref().is_some_and(|settled| settled.worth() < 0);
    let touches = |&&next: &&Move| next.from() == mv.to() || next.to() == mv.to();
    let is_captured = found.moves.iter().skip(1).find(touches).is_some_and(|next| next.to() == mv.to());
    let is_lost = loses && is_captured;
    facts.retain(|fact| !is_lost || !matches!(fact, Fact::Escapes { .. }));
    Some(ExplainedMove { position: *position, mv, facts, line, refutation: None })
}

#[cfg(test)]
mod tests {
    use ferz_board::Position;

    use super::is_stable;

    #[test]
    fn a_line_is_stable_after_four_equal_iterations() {
        let moves = Position::start().legal_moves();
        let iterations = |scores: &[(usize, f64)]| {
            let numbered = scores.iter().zip(1..);
            numbered.map(|(&(mv, score), depth)| (depth, moves[mv], score)).collect::<Vec<_>>()
        };
        assert!(!is_stable(&iterations(&[(0, 0.5), (0, 0.5), (0, 0.5)])), "too few");
        assert!(is_stable(&iterations(&[(1, 0.9), (0, 0.5), (0, 0.52), (0, 0.5), (0, 0.53)])));
        assert!(!is_stable(&iterations(&[(0, 0.5), (0, 0.5), (1, 0.5), (0, 0.5)])), "another move");
        assert!(!is_stable(&iterations(&[(0, 0.5), (0, 0.5), (0, 0.6), (0, 0.6)])), "another score");
    }
}
