//! Puzzles: a position with one good move on the board, while the game waits.

use std::time::Duration;

use ferz_board::{CastlingMode, Color, Move, Outcome, Position};
use ferz_notation::pgn::{GameTree, NodeId, Reader};

use super::notation::{self, castling_mode, game_at};
use super::orders::{JudgeTask, Order, Ticket};
use super::play::Play;
use super::refusal::Refusal;
use super::study::Aside;
use super::{MAX_LINE, Outbox, Session};
use crate::protocol::{Intent, Message, PuzzleEntry, PuzzleText, PuzzleWish};

/// The most puzzles that are read from a text.
const MAX_PUZZLES: usize = 1_000;
/// Longer titles and names are cut.
const LONGEST_TEXT: usize = 120;

/// The puzzle on the board.
#[derive(Debug)]
pub(super) struct RunningPuzzle {
    /// The solver's moves and the replies in turn.
    solution: Vec<Move>,
    /// How many of them are on the board.
    done: usize,
    /// The node from which the solver goes on.
    head: NodeId,
    color: Color,
    /// Whether only the solution is right. Otherwise the engine judges other moves.
    is_strict: bool,
    /// Wrong moves so far, and the last one in SAN.
    mistakes: u32,
    wrong: Option<String>,
    /// A move that the engine is judging.
    judged: Option<(Ticket, Move)>,
    is_solved: bool,
    is_shown: bool,
    /// The game that waits.
    aside: Aside,
    play: Option<Play>,
}

impl Session {
    /// Whether a puzzle is on the board that is not solved yet: nothing must give its solution away.
    pub(super) fn is_puzzling(&self) -> bool {
        self.puzzle.as_ref().is_some_and(|puzzle| !puzzle.is_solved)
    }

    /// Sees to it that an intent does not change the tree of an open puzzle, and that a game comes back before it is
    /// replaced or reviewed.
    pub(super) fn prepare_puzzle_for(&mut self, intent: &Intent, out: &mut Outbox) -> Result<(), Refusal> {
        match intent {
            Intent::New(_)
            | Intent::Load { .. }
            | Intent::Choose { .. }
            | Intent::Play { .. }
            | Intent::Review { .. } => self.end_puzzle(out),
            Intent::Setup(wish) if wish.accept => self.end_puzzle(out),
            Intent::Line { .. }
            | Intent::Promote { .. }
            | Intent::Demote { .. }
            | Intent::Delete { .. }
            | Intent::DeleteAfter { .. }
            | Intent::Undo {}
            | Intent::Redo {}
                if self.is_puzzling() =>
            {
                return Err(Refusal::new("Solve the puzzle first, or look at its solution."));
            }
            _ => {}
        }
        Ok(())
    }

    /// Puts a puzzle on the board. The game waits until [`Session::end_puzzle`].
    pub(super) fn start_puzzle(&mut self, wish: &PuzzleWish, out: &mut Outbox) -> Result<(), Refusal> {
        self.refuse_to_replace_game()?;
        let (position, _) = Position::from_fen_lenient(wish.fen.trim())?;
        if wish.moves.is_empty() || wish.moves.len() > MAX_LINE {
            return Err(Refusal::new(format!("The solution of a puzzle has 1 to {MAX_LINE} moves.")));
        }
        let mut tree = GameTree::starting_from(position);
        if wish.chess960 {
            tree.set_tag("Variant", "Chess960")?;
        }
        // Nothing changes if the solution is not legal.
        let (mut solution, mut after) = (Vec::new(), position);
        for text in &wish.moves {
            let mv =
                after.parse_uci(text).map_err(|error| Refusal::new(format!("The solution: {error}.")))?;
            after.play(mv)?;
            solution.push(mv);
        }
        self.end_puzzle(out);
        self.stop_review(out);
        let (aside, play) = (self.study.set_aside(tree), self.play.take());
        self.puzzle = Some(RunningPuzzle {
            solution,
            done: 0,
            head: NodeId::ROOT,
            color: position.side_to_move(),
            is_strict: wish.strict,
            mistakes: 0,
            wrong: None,
            judged: None,
            is_solved: false,
            is_shown: false,
            aside,
            play,
        });
        Ok(())
    }

    /// Puts the game back on the board.
    pub(super) fn end_puzzle(&mut self, out: &mut Outbox) {
        let Some(puzzle) = self.puzzle.take() else { return };
        self.leave(out);
        self.study.bring_back(puzzle.aside);
        self.play = puzzle.play;
    }

    /// Tries a move in a puzzle.
    pub(super) fn try_move(&mut self, mv: Move, out: &mut Outbox) -> Result<(), Refusal> {
        let ticket = self.ticket();
        let Some(puzzle) = &mut self.puzzle else { return Ok(()) };
        if self.study.node() != puzzle.head {
            return Err(Refusal::new("Go to the end of the line to go on with the puzzle."));
        }
        if puzzle.judged.is_some() {
            return Err(Refusal::new("The engine is still judging your last move."));
        }
        let game = game_at(self.study.tree(), puzzle.head).ok_or_else(Refusal::no_node)?;
        let expected = puzzle.solution.get(puzzle.done).copied();
        let is_mate = {
            let mut after = game.clone();
            after.play(mv)?;
            matches!(after.outcome(), Some(Outcome::Checkmate { .. }))
        };
        puzzle.wrong = None;
        if Some(mv) == expected {
            let reply = puzzle.solution.get(puzzle.done + 1).copied();
            let line: Vec<_> = [Some(mv), reply].into_iter().flatten().map(Some).collect();
            puzzle.done += line.len();
            puzzle.is_solved = puzzle.done >= puzzle.solution.len();
            puzzle.head = self.study.add_line(puzzle.head, &line)?;
            self.study.go(puzzle.head);
        } else if is_mate {
            // There may be several mates.
            self.accept(mv)?;
        } else if puzzle.is_strict {
            puzzle.refuse(notation::san(game.position(), Some(mv)));
        } else if let Some(best) = expected {
            puzzle.judged = Some((ticket, mv));
            out.orders.push(Order::Judge(JudgeTask { ticket, game, best, mv }));
        }
        Ok(())
    }

    /// Ends the puzzle with a good move that is not that of the solution.
    fn accept(&mut self, mv: Move) -> Result<(), Refusal> {
        if let Some(puzzle) = &mut self.puzzle {
            puzzle.is_solved = true;
            puzzle.head = self.study.add(puzzle.head, mv)?;
            self.study.go(puzzle.head);
        }
        Ok(())
    }

    /// The engine has judged a move.
    pub(super) fn on_judged(&mut self, ticket: Ticket, is_good: bool, now: Duration, out: &mut Outbox) {
        let Some(puzzle) = &mut self.puzzle else { return };
        let Some((_, mv)) = puzzle.judged.take_if(|(judged, _)| *judged == ticket) else { return };
        let position = self.study.position_at(puzzle.head);
        if !is_good {
            puzzle.refuse(position.map(|position| notation::san(&position, Some(mv))).unwrap_or_default());
        } else if let Err(refusal) = self.accept(mv) {
            out.notice(refusal.0);
        }
        self.show(None, now, out);
    }

    /// Shows the solution.
    pub(super) fn show_solution(&mut self) -> Result<(), Refusal> {
        let Some(puzzle) = &mut self.puzzle else { return Err(Refusal::new("No puzzle is on the board.")) };
        let rest: Vec<_> = puzzle.solution[puzzle.done..].iter().copied().map(Some).collect();
        puzzle.is_shown |= !puzzle.is_solved;
        puzzle.is_solved = true;
        puzzle.judged = None;
        puzzle.wrong = None;
        puzzle.done = puzzle.solution.len();
        puzzle.head = self.study.add_line(puzzle.head, &rest)?;
        self.study.go(puzzle.head);
        Ok(())
    }

    /// The mistakes that the review of the game has found: a better move is to be found for each.
    pub(super) fn mistakes(&self) -> Result<Message, Refusal> {
        let (tree, mode) = (self.study.tree(), self.study.mode());
        let source = source(tree);
        let puzzle = |node: NodeId| {
            let review = self.study.review(node).filter(|review| review.judgement.is_error())?;
            let (best, before) = (review.best.as_ref()?, tree.position_at(tree.parent(node)?)?);
            let played = notation::san(&before, tree.mv(node));
            Some(PuzzleText {
                fen: before.to_string(),
                moves: vec![best.uci.clone()],
                title: format!("{} to move: find a better move than {played}", before.side_to_move()),
                source: source.clone(),
                strict: false,
                chess960: mode == CastlingMode::Chess960,
            })
        };
        let puzzles: Vec<_> = tree.main_line().filter_map(puzzle).take(MAX_PUZZLES).collect();
        if puzzles.is_empty() {
            return Err(Refusal::new("No mistakes are known in this game. Review it first."));
        }
        Ok(Message::Puzzles { count: puzzles.len(), puzzles, problems: 0 })
    }

    pub(super) fn puzzle_entry(&self) -> Option<PuzzleEntry> {
        self.puzzle.as_ref().map(|puzzle| PuzzleEntry {
            color: puzzle.color.into(),
            moves: puzzle.solution.len().div_ceil(2),
            found: puzzle.done.div_ceil(2),
            mistakes: puzzle.mistakes,
            wrong: puzzle.wrong.clone(),
            judging: puzzle.judged.is_some(),
            solved: puzzle.is_solved,
            shown: puzzle.is_shown,
        })
    }
}

impl RunningPuzzle {
    fn refuse(&mut self, san: String) {
        self.mistakes += 1;
        self.wrong = Some(san);
    }
}

/// Reads puzzles: games that start from a position, whose moves are the solution.
pub(super) fn read(text: &str) -> Result<Message, Refusal> {
    let (mut puzzles, mut count, mut problems) = (Vec::new(), 0, 0);
    let mut reader = Reader::new(text.as_bytes());
    let mut tree = GameTree::new();
    while tree.read(&mut reader)? {
        problems += tree.problems().len() + tree.omitted_problems() as usize;
        let Some(puzzle) = puzzle_of(&tree) else { continue };
        count += 1;
        if puzzles.len() < MAX_PUZZLES {
            puzzles.push(puzzle);
        }
    }
    if count == 0 {
        return Err(Refusal::new(
            "The text contains no puzzles. A puzzle is a game with a FEN whose moves are the solution.",
        ));
    }
    Ok(Message::Puzzles { puzzles, count, problems })
}

fn cut(tree: &GameTree, tag: &str) -> Option<String> {
    tree.tag(tag).map(|value| value.chars().take(LONGEST_TEXT).collect())
}

/// The players and the source, as far as they are known.
fn source(tree: &GameTree) -> String {
    let known = ["White", "Black", "Source"].into_iter().filter_map(|tag| cut(tree, tag));
    known.filter(|text| !text.is_empty() && text != "?").collect::<Vec<_>>().join(", ")
}

fn puzzle_of(tree: &GameTree) -> Option<PuzzleText> {
    let mode = castling_mode(tree);
    let mut moves: Vec<_> = tree.main_line().take(MAX_LINE).map_while(|node| tree.mv(node)).collect();
    // The last move is the solver's.
    if moves.len() % 2 == 0 {
        moves.pop();
    }
    (!moves.is_empty() && tree.tag("FEN").is_some()).then(|| PuzzleText {
        fen: tree.start().to_string(),
        moves: moves.into_iter().map(|mv| notation::uci(Some(mv), mode)).collect(),
        title: match cut(tree, "Goal") {
            Some(goal) => format!("{} to move and {goal}", tree.start().side_to_move()),
            None => format!("{} to move", tree.start().side_to_move()),
        },
        source: source(tree),
        strict: true,
        chess960: mode == CastlingMode::Chess960,
    })
}
