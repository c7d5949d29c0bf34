//! Puzzles: positions with one good move, proven by search.
//!
//! [`prove`] asks whether a position is a puzzle, and finds its solution: one move wins, or saves the draw, and every
//! other move does not. The opponent plays the best defence. The solution goes on as long as the next move is the only
//! good one, too.
//!
//! [`find`] looks for puzzles in a game: where a player has just made a mistake.

#[cfg(test)]
mod tests;

use std::fmt;

use ferz_board::{Game, Move, Position};
use ferz_notation::pgn::{GameTree, NodeId};
use ferz_search::{Engine, Limits, Line, Score, SearchOptions, Signals};

/// The least expected score of a winning move, and the most that any other move may have.
const WON: f64 = 0.92;
const NOT_WON: f64 = 0.65;
/// The same for a move that saves the draw.
const SAVED: f64 = 0.4;
const LOST: f64 = 0.1;
/// In a game, the solver had at most this expected score before the opponent's last move: there must be something new.
const WAS_WON: f64 = 0.8;

/// What the solution of a puzzle achieves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Goal {
    /// Mate in this many moves.
    Mate(u32),
    /// A won game.
    Win,
    /// A draw, where every other move loses.
    Draw,
}

impl Goal {
    /// What the best move achieves; `None` if it is not the only one.
    fn of(best: &Line, second: &Line) -> Option<Goal> {
        let (best_score, second_score) = (best.wdl.expected(), second.wdl.expected());
        match best.score {
            _ if best_score >= WON && second_score > NOT_WON => None,
            Score::Mate(moves) if moves > 0 => Some(Goal::Mate(moves.unsigned_abs())),
            _ if best_score >= WON => Some(Goal::Win),
            _ if best_score >= SAVED && second_score <= LOST => Some(Goal::Draw),
            _ => None,
        }
    }
}

/// The end of a sentence: `mate in 2`.
impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Mate(moves) => write!(f, "mate in {moves}"),
            Goal::Win => f.write_str("win"),
            Goal::Draw => f.write_str("draw"),
        }
    }
}

/// A position with one good move, and the line that shows why.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Puzzle {
    /// The position; its side to move solves the puzzle.
    pub start: Position,
    /// The solver's moves and the replies in turn. The solver's move is the last one.
    pub solution: Vec<Move>,
    /// What the solution achieves.
    pub goal: Goal,
}

impl Puzzle {
    /// The number of moves that the solver has to find.
    #[must_use]
    pub fn moves(&self) -> usize {
        self.solution.len().div_ceil(2)
    }

    /// The puzzle as a game that starts from its position: the solution is the main line.
    #[must_use]
    pub fn to_game(&self) -> GameTree {
        let mut game = GameTree::starting_from(self.start);
        game.add_line(NodeId::ROOT, self.solution.iter().copied()).expect("the solution is legal");
        game
    }
}

/// The task: `White to move and mate in 2`.
impl fmt::Display for Puzzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to move and {}", self.start.side_to_move(), self.goal)
    }
}

/// The effort of the search for puzzles.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PuzzleSettings {
    /// The limits for a first look at each position of a game.
    pub look: Limits,
    /// The limits for each position of a solution.
    pub proof: Limits,
    /// The most moves of a solver.
    pub longest: usize,
}

impl PuzzleSettings {
    /// Solutions of at most six moves, with this many nodes for a first look and for each position of a solution.
    #[must_use]
    pub const fn with_nodes(look: u64, proof: u64) -> PuzzleSettings {
        PuzzleSettings { look: Limits::new().nodes(look), proof: Limits::new().nodes(proof), longest: 6 }
    }
}

impl Default for PuzzleSettings {
    fn default() -> PuzzleSettings {
        PuzzleSettings::with_nodes(20_000, 200_000)
    }
}

/// A puzzle of a game.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct FoundPuzzle {
    /// The move that led to the position; the root for the start.
    pub node: NodeId,
    /// The number of plies before the position.
    pub ply: usize,
    /// The puzzle.
    pub puzzle: Puzzle,
}

/// The progress of [`find`].
#[derive(Debug)]
#[non_exhaustive]
pub struct PuzzleStep {
    /// Positions searched so far.
    pub done: usize,
    /// All positions of the main line.
    pub total: usize,
    /// What was found in the last position.
    pub found: Option<FoundPuzzle>,
}

/// Finds the puzzles in the main line of a game. Returns `None` if it was stopped.
///
/// A position counts if the opponent's last move gave the chance, and if the solution is more than a recapture. Positions
/// inside a solution are left out.
pub fn find(
    engine: &mut Engine,
    tree: &GameTree,
    settings: &PuzzleSettings,
    signals: &Signals,
    progress: &mut dyn FnMut(PuzzleStep),
) -> Option<()> {
    engine.clear();
    let mut game = Game::new(*tree.start());
    let total = tree.main_line().count() + 1;
    let mut node = NodeId::ROOT;
    let mut taken_on = None;
    // The expected score of the side that has just moved, before its move.
    let mut before = None;
    let mut solution_ends = 0;
    for done in 1..=total {
        let mut found = None;
        let lines = search(engine, &game, &settings.look, signals)?;
        let expected = lines.first().map(|best| best.wdl.expected());
        // What the opponent expected is what the solver did not.
        let is_new = before.is_none_or(|opponent: f64| 1.0 - opponent <= WAS_WON);
        if done > solution_ends
            && is_new
            && let [best, second] = lines.as_slice()
            && Goal::of(best, second).is_some()
        {
            let puzzle = prove(engine, &game, settings, signals);
            if signals.is_stopped() {
                return None;
            }
            let is_recapture = |puzzle: &Puzzle| {
                puzzle.solution.len() == 1 && puzzle.solution.first().map(|mv| mv.to()) == taken_on
            };
            found = puzzle.filter(|puzzle| !is_recapture(puzzle)).map(|puzzle| FoundPuzzle {
                node,
                ply: done - 1,
                puzzle,
            });
            if let Some(found) = &found {
                solution_ends = done + found.puzzle.solution.len();
            }
        }
        progress(PuzzleStep { done, total, found });
        before = expected;
        // The rest of a line after a null move is another game.
        let Some((next, mv)) = tree.next(node).and_then(|next| Some((next, tree.mv(next)?))) else { break };
        taken_on = game.position().captured(mv).map(|_| mv.to());
        if game.play(mv).is_err() {
            break;
        }
        node = next;
    }
    Some(())
}

/// The puzzle of a position; `None` if it is not one, or if it was stopped.
///
/// The result depends only on the game, the settings and the network: the engine is cleared first.
#[must_use]
pub fn prove(
    engine: &mut Engine,
    game: &Game,
    settings: &PuzzleSettings,
    signals: &Signals,
) -> Option<Puzzle> {
    engine.clear();
    let start = *game.position();
    let mut game = game.clone();
    let mut solution = Vec::new();
    let mut goal = None;
    // Up to and including the last move that is not forced.
    let mut length = 0;
    for turn in 0..settings.longest {
        let lines = search(engine, &game, &settings.proof, signals)?;
        let best = match lines.as_slice() {
            [best, second] => {
                // The last move may be any mate.
                let is_mate = turn > 0 && best.score == Score::Mate(1);
                let achieved = Goal::of(best, second).or(is_mate.then_some(Goal::Mate(1)));
                let Some(achieved) = achieved else { break };
                goal.get_or_insert(achieved);
                length = solution.len() + 1;
                best
            }
            // A forced move.
            [only] if turn > 0 && game.position().count_legal() == 1 => only,
            _ => break,
        };
        let Some(&mv) = best.moves.first() else { break };
        solution.push(mv);
        game.play(mv).expect("the search finds legal moves");
        if game.outcome().is_some() {
            break;
        }
        let replies = search(engine, &game, &settings.proof, signals)?;
        let Some(&reply) = replies.first().and_then(|line| line.moves.first()) else { break };
        solution.push(reply);
        game.play(reply).expect("the search finds legal moves");
        if game.outcome().is_some() {
            break;
        }
    }
    solution.truncate(length);
    goal.map(|goal| Puzzle { start, solution, goal })
}

/// The two best lines. Returns `None` if the search was stopped.
fn search(engine: &mut Engine, game: &Game, limits: &Limits, signals: &Signals) -> Option<Vec<Line>> {
    if game.outcome().is_some() {
        return Some(Vec::new());
    }
    let options = SearchOptions::default().lines(2);
    let found = engine.search(game, limits, &options, signals, &mut |_| {});
    (!signals.is_stopped()).then_some(found.lines)
}
