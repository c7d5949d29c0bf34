//! Reviews games: judges every move and finds the better ones.
//!
//! [`review`] searches every position of a game's main line, with one engine and from the last position to the first,
//! so that the transposition table has the later positions when the earlier moves are judged. It prints nothing; a
//! callback receives every judged move, and signals stop the review.
//!
//! A move is judged by the [expected score](Assessment::expected_score) that it loses, see [`Judgement`]. The accuracy of
//! a side sums up its moves.

mod accuracy;
mod annotate;
mod assessment;
mod judgement;
mod report;
#[cfg(test)]
mod tests;

use std::mem;

use ferz_board::{Color, Game, Move, Position};
use ferz_notation::openings::{self, Opening};
use ferz_notation::pgn::{GameTree, Nag, NodeId};
use ferz_search::{Engine, Limits, SearchOptions, Signals};

pub use assessment::Assessment;
pub use judgement::{Judgement, Remark, compare};
pub use report::{AssessmentReport, GameReport, OpeningReport};

use crate::explain::LossReason;
use judgement::Evidence;

/// The value of a position and that of the move played differ by this much expected score: one of the searches was wrong,
/// or the move.
const SWING: f64 = 0.1;

/// The search effort of a review.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReviewSettings {
    /// The limits for each position.
    pub limits: Limits,
    /// The number of lines per position (MultiPV). Two or more are needed to find only moves.
    #[doc(alias = "multipv")]
    pub lines: usize,
}

impl ReviewSettings {
    /// A review with these limits for each position, and two lines.
    #[must_use]
    pub const fn new(limits: Limits) -> ReviewSettings {
        ReviewSettings { limits, lines: 2 }
    }

    /// Sets [`ReviewSettings::lines`](field@ReviewSettings::lines).
    #[must_use]
    pub const fn lines(mut self, lines: usize) -> ReviewSettings {
        self.lines = lines;
        self
    }
}

/// The review of a game.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Review {
    /// The opening, if it has a name, and the move that led to it.
    pub opening: Option<(NodeId, &'static Opening)>,
    /// The moves of the main line in order, without null moves.
    pub moves: Vec<ReviewedMove>,
}

/// A reviewed move.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReviewedMove {
    /// The node of the tree.
    pub node: NodeId,
    /// The position before the move.
    pub position: Position,
    /// The move.
    pub mv: Move,
    /// The assessment with the best move.
    pub before: Assessment,
    /// The assessment after the move played.
    pub after: Assessment,
    /// The best line; it starts with the move played if that was best.
    pub best_line: Vec<Move>,
    /// The line expected after the move played, without the move.
    pub reply_line: Vec<Move>,
    /// The judgement.
    pub judgement: Judgement,
    /// A missed or allowed mate.
    pub remark: Option<Remark>,
    /// The expected score that the move lost, 0 to 1.
    pub loss: f64,
    /// Why an error is one, if the reason can be named.
    pub reason: Option<LossReason>,
    /// For the only good move: whether all others lose.
    pub others_lose: bool,
}

impl ReviewedMove {
    /// The glyph: that of the [judgement](Judgement::nag), or `$7` for an only move if all others lose.
    #[must_use]
    pub fn nag(&self) -> Option<Nag> {
        match self.judgement {
            Judgement::Only if self.others_lose => Some(judgement::FORCED),
            judgement => judgement.nag(),
        }
    }

    /// The side that moved.
    #[must_use]
    pub fn color(&self) -> Color {
        self.position.side_to_move()
    }

    /// The accuracy of the move, 0 to 100.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        accuracy::of_loss(self.loss)
    }
}

impl Review {
    /// The accuracy of a side, 0 to 100; `None` if all its moves were book moves or forced.
    #[must_use]
    pub fn accuracy(&self, color: Color) -> Option<f64> {
        accuracy::of_side(&self.moves, color)
    }
}

/// The progress of a review.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ReviewStep<'a> {
    /// Positions searched so far.
    pub done: usize,
    /// All positions to search.
    pub total: usize,
    /// The move that was just judged. The last move of the game comes first.
    pub judged: Option<&'a ReviewedMove>,
}

/// Consecutive moves without a null move between them.
#[derive(Debug)]
struct Stretch {
    start: Position,
    moves: Vec<Played>,
}

/// A move of the game.
#[derive(Clone, Copy, Debug)]
struct Played {
    node: NodeId,
    mv: Move,
    captures: bool,
    /// Recaptures on the square of the opponent's last capture.
    takes_back: bool,
}

/// Reviews the main line of a game. Returns `None` if it was stopped.
pub fn review(
    engine: &mut Engine,
    tree: &GameTree,
    settings: &ReviewSettings,
    signals: &Signals,
    progress: &mut dyn FnMut(ReviewStep<'_>),
) -> Option<Review> {
    engine.clear();
    let mut reviewer = Reviewer::new(tree, settings.clone());
    while let Some(step) = reviewer.step(engine, signals) {
        progress(step);
    }
    reviewer.finish()
}

/// The main line, cut at null moves.
fn stretches(tree: &GameTree) -> Vec<Stretch> {
    let mut stretches = vec![Stretch { start: *tree.start(), moves: Vec::new() }];
    let mut position = *tree.start();
    for node in tree.main_line() {
        let moves = &mut stretches.last_mut().expect("there is always a stretch").moves;
        match tree.mv(node) {
            Some(mv) if position.is_legal(mv) => {
                let captures = position.captured(mv).is_some();
                let takes_back = moves.last().is_some_and(|last| last.captures && last.mv.to() == mv.to());
                moves.push(Played { node, mv, captures, takes_back: captures && takes_back });
                position.play_unchecked(mv);
            }
            _ => {
                let Some(next) = position.null_move() else { break };
                position = next;
                stretches.push(Stretch { start: position, moves: Vec::new() });
            }
        }
    }
    stretches.retain(|stretch| !stretch.moves.is_empty());
    stretches
}

fn opening(tree: &GameTree) -> Option<(NodeId, &'static Opening)> {
    tree.main_line_positions()
        .filter_map(|(node, position)| Some((node, openings::lookup(&position)?)))
        .last()
}

/// The book moves: the moves up to which all positions are in the table of openings.
fn book(tree: &GameTree) -> Vec<NodeId> {
    let is_known = |(_, position): &(NodeId, Position)| openings::contains(position);
    tree.main_line_positions().take_while(is_known).map(|(node, _)| node).collect()
}

/// A running review, for callers that do other things between two positions. [`review`] is the loop around it.
///
/// All steps use the same engine, which is new or [cleared](Engine::clear) before the first one.
#[derive(Debug)]
pub struct Reviewer {
    settings: ReviewSettings,
    book: Vec<NodeId>,
    opening: Option<(NodeId, &'static Opening)>,
    /// Those that are not finished. The last one comes first.
    stretches: Vec<Stretch>,
    /// The game up to the last searched position of the current stretch, the assessment of that position and its line.
    current: Option<(Game, Assessment, Vec<Move>)>,
    /// The judged moves, the last one first.
    judged: Vec<ReviewedMove>,
    done: usize,
    total: usize,
}

/// The search result of a position.
struct Searched {
    assessment: Assessment,
    /// The assessment with the second-best move, if the search had several lines.
    second: Option<Assessment>,
    line: Vec<Move>,
}

impl Reviewer {
    /// A review of the main line of a game.
    #[must_use]
    pub fn new(tree: &GameTree, settings: ReviewSettings) -> Reviewer {
        let stretches = stretches(tree);
        Reviewer {
            settings,
            book: book(tree),
            opening: opening(tree),
            total: stretches.iter().map(|stretch| stretch.moves.len() + 1).sum(),
            stretches,
            current: None,
            judged: Vec::new(),
            done: 0,
        }
    }

    /// Searches the next position and judges the move that was played there. Returns `None` if no position is left, or
    /// if it was stopped. A stopped review cannot go on.
    pub fn step(&mut self, engine: &mut Engine, signals: &Signals) -> Option<ReviewStep<'_>> {
        let stretch = self.stretches.last_mut()?;
        let mut is_judged = false;
        match &mut self.current {
            None => {
                let game = stretch.last_position();
                let Searched { assessment, line, .. } = self.settings.search(&game, engine, signals)?;
                self.current = Some((game, assessment, line));
            }
            Some((game, after, reply_line)) => {
                let played = stretch.moves.pop()?;
                game.undo();
                let is_book = self.book.contains(&played.node);
                let reply_line = (*after, mem::take(reply_line));
                let judged = self.settings.judge(game, played, is_book, reply_line, engine, signals)?;
                // The next move is judged by the same value, so that the curve and the judgements agree.
                let line = judged.best_line.clone();
                self.current = Some((game.clone(), judged.before, line));
                self.judged.push(judged);
                is_judged = true;
                if stretch.moves.is_empty() {
                    self.stretches.pop();
                    self.current = None;
                }
            }
        }
        self.done += 1;
        let judged = self.judged.last().filter(|_| is_judged);
        Some(ReviewStep { done: self.done, total: self.total, judged })
    }

    /// The review; `None` if positions are left.
    #[must_use]
    pub fn finish(mut self) -> Option<Review> {
        self.judged.reverse();
        (self.done == self.total).then_some(Review { opening: self.opening, moves: self.judged })
    }
}

impl Stretch {
    /// The game up to the position after the last move.
    fn last_position(&self) -> Game {
        let mut game = Game::new(self.start);
        for played in &self.moves {
            game.play(played.mv).expect("the moves of a stretch are legal");
        }
        game
    }
}

impl ReviewSettings {
    /// Searches a position. Returns `None` if the search was stopped.
    fn search(&self, game: &Game, engine: &mut Engine, signals: &Signals) -> Option<Searched> {
        if let Some(outcome) = game.outcome() {
            return Some(Searched { assessment: Assessment::of(outcome), second: None, line: Vec::new() });
        }
        let options = SearchOptions::default().lines(self.lines);
        let mut search = |limits: &Limits| engine.search(game, limits, &options, signals, &mut |_| {});
        let mut conclusion = search(&self.limits);
        if conclusion.lines.is_empty() {
            // The limits end the search before it has a value. The smallest depth does not.
            conclusion = search(&Limits::default().depth(1));
        }
        if signals.is_stopped() {
            return None;
        }
        let color = game.position().side_to_move();
        let mut lines = conclusion.lines.into_iter();
        let best = lines.next()?;
        Some(Searched {
            assessment: Assessment::of_line(&best, color),
            second: lines.next().map(|line| Assessment::of_line(&line, color)),
            line: best.moves,
        })
    }

    /// The same with more effort, for positions where the first search was wrong.
    fn thorough(&self) -> ReviewSettings {
        let mut limits = self.limits.clone();
        limits.nodes = limits.nodes.map(|nodes| nodes.saturating_mul(8));
        limits.soft_nodes = limits.soft_nodes.map(|nodes| nodes.saturating_mul(8));
        limits.move_time = limits.move_time.map(|time| time.saturating_mul(8));
        limits.depth = limits.depth.map(|depth| depth.saturating_add(3));
        ReviewSettings { limits, lines: self.lines }
    }

    /// Judges a move by the search before it, and by the assessment and the line after it. Returns `None` if a search was
    /// stopped.
    fn judge(
        &self,
        game: &mut Game,
        played: Played,
        is_book: bool,
        (after, reply_line): (Assessment, Vec<Move>),
        engine: &mut Engine,
        signals: &Signals,
    ) -> Option<ReviewedMove> {
        let Played { node, mv, takes_back, .. } = played;
        let position = *game.position();
        let color = position.side_to_move();
        let value_of_move = after.a_move_earlier(color);
        let is_forced = position.count_legal() == 1;
        let mut searched = self.search(game, engine, signals)?;
        // A swing: the searches before and after the move disagree, or the move is an error. Search again.
        if value_of_move.expected_score_above(&searched.assessment, color).abs() >= SWING && !is_forced {
            let thorough = self.thorough();
            searched = thorough.search(game, engine, signals)?;
            // The search before the move saw one ply less of each line than the search after it. Search the best move to
            // the same depth for a fair comparison.
            if let Some(&best) = searched.line.first().filter(|&&best| best != mv) {
                game.play(best).expect("the search finds legal moves");
                let instead = thorough.search(game, engine, signals)?;
                game.undo();
                searched.assessment = instead.assessment.a_move_earlier(color);
                searched.line.truncate(1);
                searched.line.extend(instead.line);
            }
        }
        let is_move_better = value_of_move.expected_score_above(&searched.assessment, color) > 0.0;
        let is_best = searched.line.first() == Some(&mv) || is_forced || is_move_better;
        let (before, best_line) = if is_best {
            (value_of_move, [mv].into_iter().chain(reply_line.iter().copied()).collect())
        } else {
            (searched.assessment, searched.line)
        };
        let evidence = Evidence {
            color,
            before,
            after,
            is_best,
            second: searched.second,
            is_forced,
            takes_back,
            is_book,
        };
        let (judgement, remark) = evidence.judge();
        let reason = judgement.is_error().then(|| {
            let played: Vec<Move> = [mv].into_iter().chain(reply_line.iter().copied()).collect();
            LossReason::find(&position, &played, &best_line, (&before, &after), remark)
        });
        Some(ReviewedMove {
            node,
            position,
            mv,
            before,
            after,
            best_line,
            reply_line,
            judgement,
            remark,
            loss: evidence.loss(),
            reason: reason.flatten(),
            others_lose: evidence.others_lose(),
        })
    }
}
