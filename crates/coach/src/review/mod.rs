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

use ferz_board::{Color, Game, Move, Position};
use ferz_notation::openings::{self, Opening};
use ferz_notation::pgn::{GameTree, NodeId};
use ferz_search::{Engine, Limits, SearchOptions, Signals};

pub use assessment::Assessment;
pub use judgement::{Judgement, Remark, compare};
pub use report::{AssessmentReport, GameReport, OpeningReport};

use judgement::Evidence;

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
    /// The judgement.
    pub judgement: Judgement,
    /// A missed or allowed mate.
    pub remark: Option<Remark>,
    /// The expected score that the move lost, 0 to 1.
    pub loss: f64,
}

impl ReviewedMove {
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
    /// The game up to the last searched position of the current stretch, and the assessment of that position.
    current: Option<(Game, Assessment)>,
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
                let after = self.settings.search(&game, engine, signals)?.assessment;
                self.current = Some((game, after));
            }
            Some((game, after)) => {
                let played = stretch.moves.pop()?;
                game.undo();
                let searched = self.settings.search(game, engine, signals)?;
                let before = searched.assessment;
                let is_book = self.book.contains(&played.node);
                let judged = self.settings.judge(game, played, is_book, searched, *after, engine, signals)?;
                *after = before;
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

    /// Judges a move. Returns `None` if a search was stopped.
    fn judge(
        &self,
        game: &mut Game,
        played: Played,
        is_book: bool,
        searched: Searched,
        after: Assessment,
        engine: &mut Engine,
        signals: &Signals,
    ) -> Option<ReviewedMove> {
        let Played { node, mv, takes_back, .. } = played;
        let position = *game.position();
        let mut best_line = searched.line;
        let best = best_line.first().copied();
        let mut evidence = Evidence {
            color: position.side_to_move(),
            before: searched.assessment,
            after,
            is_best: best == Some(mv),
            second: searched.second,
            is_forced: position.count_legal() == 1,
            takes_back,
            is_book,
        };
        if evidence.seems_wrong()
            && let Some(best) = best
        {
            // The search before the move saw one ply less of each line than the search after it. Search the best move to
            // the same depth for a fair comparison.
            game.play(best).expect("the search finds legal moves");
            let instead = self.search(game, engine, signals)?;
            game.undo();
            evidence.before = instead.assessment.a_move_earlier(evidence.color);
            best_line.truncate(1);
            best_line.extend(instead.line);
        }
        let (judgement, remark) = evidence.judge();
        Some(ReviewedMove {
            node,
            position,
            mv,
            before: evidence.before,
            after,
            best_line,
            judgement,
            remark,
            loss: evidence.loss(),
        })
    }
}
