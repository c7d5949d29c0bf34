//! A game against the engine.

use std::time::Duration;

use ferz_board::{Color, DrawClaim, Game};
use ferz_notation::pgn::NodeId;
use ferz_search::{Limits, Score, SearchOptions};

use super::clock::ChessClock;
use super::ending::Ending;
use super::level::Level;
use super::orders::{ThinkTask, Ticket};
use super::refusal::Refusal;

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
    pub ending: Option<Ending>,
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
        self.ending.is_none()
    }

    /// The engine's colour.
    pub fn engine(&self) -> Color {
        !self.human
    }

    /// A move was made and led to this game.
    pub fn moved(&mut self, mover: Color, head: NodeId, game: &Game, now: Duration) {
        self.head = head;
        self.thought = None;
        if let Some(clock) = &mut self.clock {
            clock.press(mover, now);
        }
        if let Some(outcome) = game.outcome() {
            self.end(Ending::Rules(outcome), now);
        }
    }

    /// The game is over.
    pub fn end(&mut self, ending: Ending, now: Duration) {
        self.thought = None;
        if let Some(clock) = &mut self.clock {
            clock.stop(now);
        }
        self.ending = Some(ending);
    }

    /// What the engine has to think about, if it is its turn.
    pub fn task(&mut self, ticket: Ticket, game: &Game, seed: u64, now: Duration) -> Option<ThinkTask> {
        if !self.is_on() || game.position().side_to_move() != self.engine() {
            return None;
        }
        self.thought = Some(ticket);
        let clock = self.clock.as_ref().map(|clock| clock.for_search(self.engine(), now));
        Some(ThinkTask {
            ticket,
            game: game.clone(),
            // While it stands in line, its clock runs.
            limits: Limits { started: Some(now), ..self.level.limits(clock) },
            options: SearchOptions { seed: Some(seed), ..self.level.options() },
        })
    }

    /// The human gives up.
    pub fn resign(&mut self, now: Duration) {
        self.end(Ending::Resignation { winner: self.engine() }, now);
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
    pub fn agree(&mut self, now: Duration) {
        self.end(Ending::Agreement, now);
    }

    /// The human claims a draw.
    pub fn claim(&mut self, game: &Game, now: Duration) -> Result<(), Refusal> {
        if game.position().side_to_move() != self.human {
            return Err(Refusal::new("A draw is claimed by the side to move."));
        }
        let claims = [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves];
        let claim = claims.into_iter().find(|&claim| game.can_claim(claim)).ok_or_else(|| {
            Refusal::new(
                "No draw can be claimed here: this is neither the third repetition nor the 50th move without a capture or pawn move.",
            )
        })?;
        self.end(Ending::Claim(claim), now);
        Ok(())
    }

    /// Somebody's time is up, if it is.
    pub fn look_at_clock(&mut self, game: &Game, now: Duration) -> bool {
        let flag = self.clock.as_ref().and_then(ChessClock::flag).filter(|_| self.is_on());
        let Some((loser, _)) = flag.filter(|&(_, falls)| falls <= now) else { return false };
        let can_mate = !game.position().cannot_mate(!loser);
        self.end(if can_mate { Ending::Time { loser } } else { Ending::TimeDraw { loser } }, now);
        true
    }
}
