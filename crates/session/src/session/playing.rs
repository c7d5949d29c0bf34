//! Games against the engine in a session.

use std::time::Duration;

use ferz_board::{Color, Game, Move};
use ferz_notation::pgn::annotation::Annotation;
use ferz_notation::pgn::{GameResult, GameTree, NodeId};
use ferz_search::Score;

use super::clock::ChessClock;
use super::ending::PlayEnding;
use super::level::Level;
use super::orders::Ticket;
use super::pace::{MoveEffort, think_time};
use super::play::{FoundMove, outcome};
use super::refusal::Refusal;
use super::study::Study;
use super::{Order, Outbox, Play, Session, notation};
use crate::protocol::{ClockWish, OverEntry, PlayColor, PlayEntry, PlayFrom, SavedPlay, StartNumber};

/// What the user wants to play.
pub(super) struct PlayWish {
    pub(super) color: PlayColor,
    pub(super) level: String,
    pub(super) clock: Option<ClockWish>,
    pub(super) from: PlayFrom,
    /// `None` is what is usual for the level.
    pub(super) book: Option<bool>,
}

impl Session {
    /// Whether a game against the engine is in progress.
    pub(super) fn is_playing(&self) -> bool {
        self.play.as_ref().is_some_and(Play::is_on)
    }

    pub(super) fn refuse_while_playing(&self, sentence: &str) -> Result<(), Refusal> {
        if self.is_playing() { Err(Refusal::new(sentence)) } else { Ok(()) }
    }

    /// Refuses to replace the current game: text pasted by mistake must not end a game in progress.
    pub(super) fn refuse_to_replace_game(&self) -> Result<(), Refusal> {
        self.refuse_while_playing("A game against the engine is in progress. Finish it or resign first.")
    }

    /// Refuses an edit that would delete the game against the engine.
    pub(super) fn refuse_to_lose_game(
        &self,
        loses: impl Fn(&GameTree, NodeId) -> bool,
    ) -> Result<(), Refusal> {
        match &self.play {
            Some(play) if play.is_on() && loses(self.study.tree(), play.head) => Err(Refusal::new(
                "The game against the engine is in progress. Take the move back, or resign.",
            )),
            _ => Ok(()),
        }
    }

    /// The game against the engine, as the page sees it.
    pub(super) fn play_entry(&self, now: Duration) -> Option<PlayEntry> {
        let play = self.play.as_ref()?;
        let tree = self.study.tree();
        Some(PlayEntry {
            color: play.human.into(),
            level: play.level.id,
            from: play.from.number(),
            head: play.head.number(),
            from_ply: tree.ply(play.from),
            head_path: notation::path(tree, play.head, self.study.mode()),
            thinking: play.thought.is_some(),
            clock: play.clock.as_ref().map(|clock| clock.entry(now)),
            book: play.uses_book,
            book_move: play.thought.is_none() && play.book_move.is_some(),
            over: play.ending.map(OverEntry::from),
        })
    }

    pub(super) fn start_play(
        &mut self,
        wish: PlayWish,
        now: Duration,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        let PlayWish { color, level, clock, from, book } = wish;
        let level = Level::find(&level).ok_or_else(|| Refusal::new("There is no level with this name."))?;
        let clock = clock.map(ChessClock::new).transpose()?;
        let human = match color {
            PlayColor::White => Color::White,
            PlayColor::Black => Color::Black,
            PlayColor::Random => self.random.choice(Color::ALL).unwrap_or(Color::White),
        };
        match from {
            PlayFrom::Here => {
                let game =
                    notation::game_at(self.study.tree(), self.study.node()).ok_or_else(Refusal::no_node)?;
                if let Some(outcome) = outcome(&game) {
                    return Err(Refusal::new(format!("The game is over here: {outcome}.")));
                }
            }
            PlayFrom::Start => self.begin(named(GameTree::new(), human, level)?, out),
            PlayFrom::Chess960 => {
                let tree = self.chess960_game(&StartNumber::Word("random".to_owned()))?;
                self.begin(named(tree, human, level)?, out);
            }
        }
        self.leave(out);
        let head = self.study.node();
        self.play = Some(Play {
            human,
            level,
            from: head,
            head,
            clock,
            ending: None,
            thought: None,
            last_score: None,
            uses_book: book.unwrap_or(level.uses_book),
            book_move: None,
        });
        self.let_engine_think(now, out);
        Ok(())
    }

    /// Resumes a game that the page has kept.
    pub(super) fn resume_play(
        &mut self,
        saved: &SavedPlay,
        now: Duration,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        let level =
            Level::find(&saved.level).ok_or_else(|| Refusal::new("There is no level with this name."))?;
        let clock = saved.clock.as_ref().map(|clock| ChessClock::resumed(clock, now)).transpose()?;
        let head = self.study.resolve(&saved.head_path);
        let from = self.study.ancestor(head, saved.from_ply);
        let human = saved.color.into();
        let mut play = Play {
            human,
            level,
            from,
            head,
            clock,
            ending: saved.over.as_ref().map(PlayEnding::try_from).transpose()?,
            thought: None,
            last_score: None,
            uses_book: saved.book.unwrap_or(level.uses_book),
            book_move: None,
        };
        let game = played(&self.study, &play);
        if let Some(outcome) = outcome(&game)
            && play.is_on()
        {
            play.end(PlayEnding::Rules(outcome), now);
        }
        self.play = Some(play);
        self.let_engine_think(now, out);
        Ok(())
    }

    /// Ends the game without a result.
    pub(super) fn leave(&mut self, out: &mut Outbox) {
        if self.play.take().is_some_and(|play| play.thought.is_some()) {
            out.orders.push(Order::StopThinking);
        }
    }

    fn let_engine_think(&mut self, now: Duration, out: &mut Outbox) {
        let ticket = self.ticket();
        let Some(play) = &mut self.play else { return };
        let game = played(&self.study, play);
        let random = self.random.u64(..);
        let Some(mut task) = play.task(ticket, &game, random, now) else { return };
        if play.uses_book {
            task.book_move = self.book.choose(game.position(), play.level.book, random);
        }
        play.book_move = task.book_move;
        out.orders.push(Order::Think(task));
    }

    /// The human moves a piece: in a game against the engine, or in the study.
    pub(super) fn move_piece(
        &mut self,
        uci: Option<&str>,
        san: Option<&str>,
        now: Duration,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        if let Some(play) = self.play.as_ref().filter(|play| play.is_on()) {
            if self.study.node() != play.head {
                return Err(Refusal::new("Go to the end of the game to make a move."));
            }
            if self.study.position().side_to_move() != play.human {
                return Err(Refusal::new("It is not your turn."));
            }
            if self.look_at_clock(now, out) {
                return Ok(());
            }
        }
        let game = notation::game_at(self.study.tree(), self.study.node()).ok_or_else(Refusal::no_node)?;
        if let Some(outcome) = game.outcome() {
            return Err(Refusal::new(format!("The game is over: {outcome}.")));
        }
        let mv = self.study.parse_move(uci, san)?;
        if self.is_puzzling() {
            return self.try_move(mv, out);
        }
        self.make_move(mv, now, out)
    }

    fn make_move(&mut self, mv: Move, now: Duration, out: &mut Outbox) -> Result<(), Refusal> {
        let Some(play) = self.play.as_mut().filter(|play| play.is_on()) else {
            let node = self.study.add(self.study.node(), mv)?;
            self.study.go(node);
            return Ok(());
        };
        let head = play.head;
        let mover = self.study.position_at(head)?.side_to_move();
        let node = self.study.add(head, mv)?;
        if self.study.node() == head {
            self.study.go(node);
        }
        let game = notation::game_at(self.study.tree(), node).ok_or_else(Refusal::no_node)?;
        play.moved(mover, node, &game, now);
        if let Some(clock) = &play.clock {
            let left = clock.left(mover, now);
            self.study.amend(|tree| tree.annotate(node, &Annotation::Clock(left)));
        }
        self.write_result();
        self.let_engine_think(now, out);
        Ok(())
    }

    /// The engine has found its move.
    pub(super) fn engine_moves(
        &mut self,
        ticket: Ticket,
        best: Option<Move>,
        score: Option<Score>,
        now: Duration,
        out: &mut Outbox,
    ) {
        let Some(play) = &mut self.play else { return };
        let Some(thought) = play.thought.as_mut().filter(|thought| thought.ticket == ticket) else { return };
        if let Some(mv) = best
            && play.level.elo.is_some()
        {
            let effort = effort(&self.study, play.head, mv, play.book_move.is_some());
            let clock = play.clock.as_ref().map(|clock| clock.for_search(!play.human, thought.since));
            let due = thought.since + think_time(effort, clock, thought.seed);
            if now < due {
                thought.found = Some(FoundMove { mv, score, due });
                return;
            }
        }
        self.engine_plays(best, score, now, out);
    }

    /// Plays the move that waited for its time. Returns whether it did.
    pub(super) fn play_due_move(&mut self, now: Duration, out: &mut Outbox) -> bool {
        let found = self.play.as_ref().and_then(Play::found_move);
        let Some(found) = found.filter(|found| found.due <= now) else { return false };
        self.engine_plays(Some(found.mv), found.score, now, out);
        true
    }

    fn engine_plays(&mut self, best: Option<Move>, score: Option<Score>, now: Duration, out: &mut Outbox) {
        let Some(play) = &mut self.play else { return };
        play.thought = None;
        play.last_score = score;
        if !self.look_at_clock(now, out) {
            let moved = match best {
                Some(mv) => self.make_move(mv, now, out),
                None => Err(Refusal::new("The engine found no move. Take your move back and try again.")),
            };
            if let Err(Refusal(message)) = moved {
                out.notice(message);
            }
        }
        self.show(None, now, out);
    }

    /// Ends the game if a side has run out of time. Returns whether it did.
    pub(super) fn look_at_clock(&mut self, now: Duration, out: &mut Outbox) -> bool {
        let Some(play) = &mut self.play else { return false };
        let was_thinking = play.thought.is_some();
        let game = played(&self.study, play);
        let is_over = play.look_at_clock(&game, now);
        if is_over {
            if was_thinking {
                out.orders.push(Order::StopThinking);
            }
            self.write_result();
        }
        is_over
    }

    /// Applies an action to the game in progress, and writes the result if that ends it.
    fn while_playing(
        &mut self,
        out: &mut Outbox,
        act: impl FnOnce(&mut Play, &Game) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let Some(play) = self.play.as_mut().filter(|play| play.is_on()) else {
            return Err(Refusal::new("No game against the engine is in progress."));
        };
        let was_thinking = play.thought.is_some();
        let game = played(&self.study, play);
        let acted = act(play, &game);
        if was_thinking && play.thought.is_none() {
            out.orders.push(Order::StopThinking);
        }
        self.write_result();
        acted
    }

    pub(super) fn resign(&mut self, now: Duration, out: &mut Outbox) -> Result<(), Refusal> {
        self.while_playing(out, |play, _| {
            play.resign(now);
            Ok(())
        })
    }

    pub(super) fn claim_draw(&mut self, now: Duration, out: &mut Outbox) -> Result<(), Refusal> {
        self.while_playing(out, |play, game| play.claim(game, now))
    }

    pub(super) fn offer_draw(&mut self, now: Duration, out: &mut Outbox) -> Result<(), Refusal> {
        let mut declined = false;
        self.while_playing(out, |play, game| {
            if play.agrees_to_draw(game) {
                play.agree(now);
            } else {
                declined = true;
            }
            Ok(())
        })?;
        if declined {
            out.notice("The engine declines the draw.");
        }
        Ok(())
    }

    /// Takes moves back to the human's last turn.
    pub(super) fn take_back(&mut self, now: Duration, out: &mut Outbox) -> Result<(), Refusal> {
        let none = || Refusal::new("No game against the engine is in progress.");
        let play = self.play.as_ref().ok_or_else(none)?;
        let path = self.study.tree().path(play.head);
        let first = self.study.tree().ply(play.from);
        // The human's last move in the game.
        let humans = |&node: &NodeId| self.study.tree().move_number(node).1 == play.human;
        let last = path[first.min(path.len())..].iter().rposition(humans);
        let taken = last
            .map(|place| path[first + place])
            .ok_or_else(|| Refusal::new("There is nothing to take back."))?;
        let head = self.study.tree().parent(taken).unwrap_or(NodeId::ROOT);
        if let Some(play) = &mut self.play {
            if play.thought.take().is_some() {
                out.orders.push(Order::StopThinking);
            }
            play.ending = None;
            play.head = head;
            if let Some(clock) = &mut play.clock {
                clock.turn(play.human, now);
            }
        }
        self.study.delete(taken)?;
        self.study.go(head);
        self.study.amend(|tree| tree.set_result(GameResult::Unknown));
        Ok(())
    }

    /// Writes the result of a finished game into its tags.
    fn write_result(&mut self) {
        if let Some(ending) = self.play.as_ref().and_then(|play| play.ending) {
            self.study.amend(|tree| tree.set_result(ending.result()));
        }
    }
}

/// The game against the engine, up to its last move.
fn played(study: &Study, play: &Play) -> Game {
    notation::game_at(study.tree(), play.head).unwrap_or_else(|| Game::new(*study.tree().start()))
}

/// How hard the engine's move would be to find for a human.
fn effort(study: &Study, head: NodeId, mv: Move, is_book: bool) -> MoveEffort {
    let tree = study.tree();
    let before = tree.parent(head).and_then(|parent| tree.position_at(parent));
    let captured = tree.mv(head).zip(before).filter(|(last, before)| before.captured(*last).is_some());
    let is_recapture = captured.is_some_and(|(last, _)| last.to() == mv.to());
    let choices = tree.position_at(head).map_or(0, |position| position.legal_moves().len());
    if is_book || is_recapture || choices <= 1 { MoveEffort::Obvious } else { MoveEffort::Choice(choices) }
}

/// A game with the names of its players.
fn named(mut tree: GameTree, human: Color, level: &Level) -> Result<GameTree, Refusal> {
    let engine = level.player_name();
    let (white, black) = match human {
        Color::White => ("Player", engine.as_str()),
        Color::Black => (engine.as_str(), "Player"),
    };
    tree.set_tag("Event", "Game against the engine")?;
    tree.set_tag("White", white)?;
    tree.set_tag("Black", black)?;
    Ok(tree)
}
