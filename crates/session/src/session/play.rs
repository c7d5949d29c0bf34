//! A game against the engine.

use std::time::Duration;

use ferz_board::{Color, DeadPositionSearch, DrawClaim, Game, Move, Outcome};
use ferz_notation::pgn::NodeId;
use ferz_search::Score;

use super::clock::ChessClock;
use super::ending::PlayEnding;
use super::level::Level;
use super::orders::{ThinkTask, Ticket};
use super::refusal::Refusal;

/// A game between a human and the engine, as a line of the tree.
#[derive(Debug)]
pub(crate) struct Play {
    pub(crate) human: Color,
    pub(crate) level: &'static Level,
    /// The node where it started.
    pub(crate) from: NodeId,
    /// The node of its last move.
    pub(crate) head: NodeId,
    pub(crate) clock: Option<ChessClock>,
    pub(crate) ending: Option<PlayEnding>,
    /// The engine's move in the making, if it is the engine's turn.
    pub(crate) thought: Option<Thought>,
    /// The engine's score of its last move.
    pub(crate) last_score: Option<Score>,
    /// Whether the engine uses the opening book.
    pub(crate) uses_book: bool,
    /// The move from there, if it is the engine's last one or the one it is about to play.
    pub(crate) book_move: Option<Move>,
}

/// The search for the engine's move, and then the move until it is played.
#[derive(Debug)]
pub(crate) struct Thought {
    pub(crate) ticket: Ticket,
    pub(crate) since: Duration,
    /// Decides what is random about it.
    pub(crate) seed: u64,
    pub(crate) found: Option<FoundMove>,
}

/// A move of the engine that waits until a human could have found it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundMove {
    pub(crate) mv: Move,
    pub(crate) score: Option<Score>,
    /// When it is played.
    pub(crate) due: Duration,
}

/// The engine agrees to no draw before this many plies.
const EARLIEST_AGREEMENT: usize = 20;
/// The engine agrees to a draw up to this advantage, in centipawns.
const CONTENT: i32 = 5;

/// The effort for the question after each move whether the position is dead: a few milliseconds at most, and enough for
/// the blocked positions of real games.
const DEAD_POSITION_NODES: u64 = 1_000;

/// The end of a game by the rules, dead positions included.
pub(crate) fn outcome(game: &Game) -> Option<Outcome> {
    game.outcome_with(&mut DeadPositionSearch::new().nodes(DEAD_POSITION_NODES))
}

impl Play {
    /// Whether the game is in progress.
    pub(crate) fn is_on(&self) -> bool {
        self.ending.is_none()
    }

    /// The engine's colour.
    pub(crate) fn engine(&self) -> Color {
        !self.human
    }

    /// The engine's move, if it waits for its time.
    pub(crate) fn found_move(&self) -> Option<FoundMove> {
        self.thought.as_ref()?.found
    }

    /// Records a move; `game` is the game after it.
    pub(crate) fn moved(&mut self, mover: Color, head: NodeId, game: &Game, now: Duration) {
        self.head = head;
        self.thought = None;
        if let Some(clock) = &mut self.clock {
            clock.press(mover, now);
        }
        if let Some(outcome) = outcome(game) {
            self.end(PlayEnding::Rules(outcome), now);
        }
    }

    /// Ends the game.
    pub(crate) fn end(&mut self, ending: PlayEnding, now: Duration) {
        self.thought = None;
        if let Some(clock) = &mut self.clock {
            clock.stop(now);
        }
        self.ending = Some(ending);
    }

    /// The search for the engine's move, if it is the engine's turn.
    pub(crate) fn task(
        &mut self,
        ticket: Ticket,
        game: &Game,
        seed: u64,
        now: Duration,
    ) -> Option<ThinkTask> {
        if !self.is_on() || game.position().side_to_move() != self.engine() {
            return None;
        }
        self.thought = Some(Thought { ticket, since: now, seed, found: None });
        let clock = self.clock.as_ref().map(|clock| clock.for_search(self.engine(), now));
        Some(ThinkTask {
            ticket,
            game: game.clone(),
            // Its clock runs while the search waits in the queue.
            limits: self.level.limits(clock).started(now),
            options: self.level.options().seed(seed),
            book_move: None,
        })
    }

    /// The human resigns.
    pub(crate) fn resign(&mut self, now: Duration) {
        self.end(PlayEnding::Resignation { winner: self.engine() }, now);
    }

    /// Whether the engine agrees to a draw.
    pub(crate) fn agrees_to_draw(&self, game: &Game) -> bool {
        let content = match self.last_score {
            Some(Score::Centipawns(value)) => value <= CONTENT,
            Some(Score::Mate(moves)) => moves < 0,
            None => false,
        };
        content && game.ply() >= EARLIEST_AGREEMENT
    }

    /// Both sides agree to a draw.
    pub(crate) fn agree(&mut self, now: Duration) {
        self.end(PlayEnding::Agreement, now);
    }

    /// The human claims a draw.
    pub(crate) fn claim(&mut self, game: &Game, now: Duration) -> Result<(), Refusal> {
        if game.position().side_to_move() != self.human {
            return Err(Refusal::new("Only the side to move can claim a draw."));
        }
        let claims = [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves];
        let claim = claims.into_iter().find(|&claim| game.can_claim(claim)).ok_or_else(|| {
            Refusal::new(
                "No draw can be claimed here. A claim needs a threefold repetition, or 50 moves without a capture or pawn move.",
            )
        })?;
        self.end(PlayEnding::Claim(claim), now);
        Ok(())
    }

    /// Ends the game if a side has run out of time. Returns whether it did.
    pub(crate) fn look_at_clock(&mut self, game: &Game, now: Duration) -> bool {
        let flag = self.clock.as_ref().and_then(ChessClock::flag).filter(|_| self.is_on());
        let Some((loser, _)) = flag.filter(|&(_, falls)| falls <= now) else { return false };
        let can_mate = DeadPositionSearch::new().wins_on_time(game.position(), !loser);
        self.end(if can_mate { PlayEnding::Time { loser } } else { PlayEnding::TimeDraw { loser } }, now);
        true
    }
}
