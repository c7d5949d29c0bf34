//! Reviewing a game: what every move was worth, which were mistakes, and what would have been better.
//!
//! [`review`] searches every position of a game's main line, with one engine and from the last position to the first,
//! so that what is found later in the game is known when the moves before it are judged. It prints nothing; whoever
//! calls it is told of every move as it is judged, and can stop it.
//!
//! A move is judged by the [expected score](Assessment::expected_score) it loses, see [`Judgement`]; how good the moves
//! of a side were together is its [accuracy].

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

/// How far a review looks.
#[derive(Clone, Debug)]
pub struct ReviewSettings {
    /// For each position.
    pub limits: Limits,
    /// How many lines are compared in each position; with two or more it shows where there was but one good move.
    pub lines: usize,
}

/// What was found out about a game.
#[derive(Clone, Debug)]
pub struct Review {
    /// The opening, if it has a name, and the move that led to it.
    pub opening: Option<(NodeId, &'static Opening)>,
    /// The moves of the main line, in their order; null moves are left out.
    pub moves: Vec<ReviewedMove>,
}

/// A move of the game, and what it was worth.
#[derive(Clone, Debug)]
pub struct ReviewedMove {
    /// Where it is in the tree.
    pub node: NodeId,
    /// The position it was played in.
    pub position: Position,
    /// The move.
    pub mv: Move,
    /// What the position was worth with the best move.
    pub before: Assessment,
    /// What it was worth after the move played.
    pub after: Assessment,
    /// The best line instead, with the move played if that was it.
    pub best_line: Vec<Move>,
    /// What it is called.
    pub judgement: Judgement,
    /// What happened to a mate.
    pub remark: Option<Remark>,
    /// The expected score that the move gave away, 0 to 1.
    pub loss: f64,
}

impl ReviewedMove {
    /// Who played it.
    pub fn color(&self) -> Color {
        self.position.side_to_move()
    }

    /// How good the move was, 0 to 100.
    pub fn accuracy(&self) -> f64 {
        accuracy::of_loss(self.loss)
    }
}

impl Review {
    /// How good the moves of a side were together, 0 to 100; `None` if it made none of its own.
    pub fn accuracy(&self, color: Color) -> Option<f64> {
        accuracy::of_side(&self.moves, color)
    }
}

/// How far a review has come.
#[derive(Clone, Copy, Debug)]
pub struct ReviewStep<'a> {
    /// Positions that have been searched.
    pub done: usize,
    /// Of how many.
    pub total: usize,
    /// The move that can be judged now. The last move of the game comes first.
    pub judged: Option<&'a ReviewedMove>,
}

/// Moves that follow each other without a null move between them.
struct Stretch {
    start: Position,
    moves: Vec<Played>,
}

/// A move of the game.
#[derive(Clone, Copy)]
struct Played {
    node: NodeId,
    mv: Move,
    captures: bool,
    /// Captures where the opponent has just captured.
    takes_back: bool,
}

/// Reviews the main line of a game; `None` if it was stopped.
pub fn review(
    engine: &mut Engine,
    tree: &GameTree,
    settings: &ReviewSettings,
    signals: &Signals,
    progress: &mut dyn FnMut(ReviewStep<'_>),
) -> Option<Review> {
    engine.clear();
    let stretches = stretches(tree);
    let mut reviewer = Reviewer {
        engine,
        settings,
        signals,
        book: book(tree),
        done: 0,
        total: stretches.iter().map(|stretch| stretch.moves.len() + 1).sum(),
        progress,
    };
    let mut moves = Vec::new();
    for stretch in stretches.iter().rev() {
        reviewer.review_stretch(stretch, &mut moves)?;
    }
    moves.reverse();
    Some(Review { opening: opening(tree), moves })
}

/// The main line, cut at null moves.
fn stretches(tree: &GameTree) -> Vec<Stretch> {
    let mut stretches = vec![Stretch { start: *tree.start(), moves: Vec::new() }];
    let mut position = *tree.start();
    for node in tree.main_line() {
        let moves = &mut stretches.last_mut().expect("there is always one").moves;
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

/// The moves with which the game follows the lines of the table of openings.
fn book(tree: &GameTree) -> Vec<NodeId> {
    let is_known = |(_, position): &(NodeId, Position)| openings::contains(position);
    tree.main_line_positions().take_while(is_known).map(|(node, _)| node).collect()
}

/// A review under way.
struct Reviewer<'a> {
    engine: &'a mut Engine,
    settings: &'a ReviewSettings,
    signals: &'a Signals,
    book: Vec<NodeId>,
    done: usize,
    total: usize,
    progress: &'a mut dyn FnMut(ReviewStep<'_>),
}

/// What a search says of a position.
struct Searched {
    assessment: Assessment,
    /// With the second best move, if the search compared several.
    second: Option<Assessment>,
    line: Vec<Move>,
}

impl Reviewer<'_> {
    /// Judges the moves of a stretch, the last one first; `None` if it was stopped.
    fn review_stretch(&mut self, stretch: &Stretch, judged: &mut Vec<ReviewedMove>) -> Option<()> {
        let mut game = Game::new(stretch.start);
        for played in &stretch.moves {
            game.play(played.mv).expect("the moves of a stretch are legal");
        }
        let mut after = self.search(&game)?.assessment;
        self.step(None);
        for &played in stretch.moves.iter().rev() {
            game.undo();
            let searched = self.search(&game)?;
            let before = searched.assessment;
            let reviewed = self.judge(&mut game, played, searched, after)?;
            after = before;
            self.step(Some(&reviewed));
            judged.push(reviewed);
        }
        Some(())
    }

    fn step(&mut self, judged: Option<&ReviewedMove>) {
        self.done += 1;
        (self.progress)(ReviewStep { done: self.done, total: self.total, judged });
    }

    /// What a position is worth; `None` if the search was stopped.
    fn search(&mut self, game: &Game) -> Option<Searched> {
        if let Some(outcome) = game.outcome() {
            return Some(Searched { assessment: Assessment::of(outcome), second: None, line: Vec::new() });
        }
        let options = SearchOptions { lines: self.settings.lines, ..SearchOptions::default() };
        let mut search =
            |limits: &Limits| self.engine.search(game, limits, &options, self.signals, &mut |_| {});
        let mut conclusion = search(&self.settings.limits);
        if conclusion.lines.is_empty() {
            // The limits end the search before it has a value. The smallest depth does not.
            conclusion = search(&Limits { depth: Some(1), ..Limits::default() });
        }
        if self.signals.is_stopped() {
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

    fn judge(
        &mut self,
        game: &mut Game,
        played: Played,
        searched: Searched,
        after: Assessment,
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
            is_book: self.book.contains(&node),
        };
        if evidence.seems_wrong()
            && let Some(best) = best
        {
            // The position before was searched a move less deep than the one after: only with the same depth behind
            // both moves one is certainly better.
            game.play(best).expect("the search finds legal moves");
            let instead = self.search(game)?;
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
