//! A game against the engine.

use std::time::Instant;

use ferz_board::{Color, DrawClaim, Game, Outcome};
use ferz_notation::pgn::NodeId;
use ferz_search::{Limits, Score};

use super::clock::ChessClock;
use super::level::Level;
use super::orders::{ThinkTask, Ticket};
use super::refusal::Refusal;
use crate::protocol::{Over, sentence};

/// A game between a human and the engine, as a line of the tree.
#[derive(Debug)]
pub struct Play {
    pub human: Color,
    pub level: &'static Level,
    /// Where it began.
    pub from: NodeId,
    /// Its last move.
    pub head: NodeId,
    pub clock: Option<ChessClock>,
    pub over: Option<Over>,
    /// What the engine thinks about, if it does.
    pub thought: Option<Ticket>,
    /// What the engine thought of its last move.
    pub last_score: Option<Score>,
}

/// Before this many half-moves no draw is agreed to.
const EARLIEST_AGREEMENT: usize = 20;
/// With less of an advantage, in centipawns, the engine agrees to a draw.
const CONTENT: i32 = 5;

impl Play {
    /// Whether moves are still to be made.
    pub fn is_on(&self) -> bool {
        self.over.is_none()
    }

    /// The engine's colour.
    pub fn engine(&self) -> Color {
        !self.human
    }

    /// A move was made and led to this game.
    pub fn moved(&mut self, mover: Color, head: NodeId, game: &Game, now: Instant) {
        self.head = head;
        self.thought = None;
        if let Some(clock) = &mut self.clock {
            clock.press(mover, now);
        }
        if let Some(outcome) = game.outcome() {
            self.end(outcome.into(), now);
        }
    }

    /// The game is over.
    pub fn end(&mut self, over: Over, now: Instant) {
        self.thought = None;
        if let Some(clock) = &mut self.clock {
            clock.stop(now);
        }
        self.over = Some(over);
    }

    /// What the engine has to think about, if it is its turn.
    pub fn task(&mut self, ticket: Ticket, game: &Game, now: Instant) -> Option<ThinkTask> {
        if !self.is_on() || game.position().side_to_move() != self.engine() {
            return None;
        }
        self.thought = Some(ticket);
        let clock = self.clock.as_ref().map(|clock| clock.for_search(self.engine(), now));
        Some(ThinkTask {
            ticket,
            game: game.clone(),
            // While it stands in line, its clock runs.
            limits: Limits {
                started: Some(ferz_search::monotonic_now().saturating_sub(now.elapsed())),
                ..self.level.limits(clock)
            },
            options: self.level.options(),
        })
    }

    /// The human gives up.
    pub fn resign(&mut self, now: Instant) {
        let winner = self.engine();
        let text = format!("{} resigns, {winner} wins", sentence(&self.human.to_string()));
        self.end(won(winner, "resignation", text), now);
    }

    /// Whether the engine agrees to a draw.
    pub fn agrees_to_draw(&self, game: &Game) -> bool {
        let content = match self.last_score {
            Some(Score::Centipawns(value)) => value <= CONTENT,
            Some(Score::Mate(moves)) => moves < 0,
            None => false,
        };
        content && game.ply() >= EARLIEST_AGREEMENT
    }

    /// Both sides agree to a draw.
    pub fn agree(&mut self, now: Instant) {
        self.end(drawn("agreement", "Draw by agreement"), now);
    }

    /// The human claims a draw.
    pub fn claim(&mut self, game: &Game, now: Instant) -> Result<(), Refusal> {
        if game.position().side_to_move() != self.human {
            return Err(Refusal::new("A draw is claimed by the side to move."));
        }
        if game.can_claim(DrawClaim::ThreefoldRepetition) {
            self.end(drawn("threefold_repetition", "Draw by threefold repetition"), now);
        } else if game.can_claim(DrawClaim::FiftyMoves) {
            self.end(drawn("fifty_moves", "Draw by the 50-move rule"), now);
        } else {
            return Err(Refusal::new(
                "There is no draw to be claimed: the position has not stood on the board three times, nor have fifty moves passed without a capture or pawn move.",
            ));
        }
        Ok(())
    }

    /// Somebody's time is up, if it is.
    pub fn look_at_clock(&mut self, game: &Game, now: Instant) -> bool {
        let flag = self.clock.as_ref().and_then(ChessClock::flag).filter(|_| self.is_on());
        let Some((loser, _)) = flag.filter(|&(_, falls)| falls <= now) else { return false };
        let name = sentence(&loser.to_string());
        let over = if game.position().cannot_mate(!loser) {
            let text = format!("{name}'s time is up, but {} cannot mate: draw", !loser);
            drawn("time_insufficient_material", &text)
        } else {
            won(!loser, "time", format!("{name}'s time is up, {} wins", !loser))
        };
        self.end(over, now);
        true
    }
}

fn won(winner: Color, reason: &str, text: String) -> Over {
    let result = Outcome::Checkmate { winner }.result();
    Over { result: result.to_owned(), reason: reason.to_owned(), text }
}

fn drawn(reason: &str, text: &str) -> Over {
    Over { result: "1/2-1/2".to_owned(), reason: reason.to_owned(), text: text.to_owned() }
}
