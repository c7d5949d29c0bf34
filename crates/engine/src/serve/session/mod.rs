//! What happens in a tab: intents in, messages and orders for the engine out. No network, no threads, and no time but
//! what it is told.

mod clock;
mod export;
mod level;
mod notation;
mod orders;
mod play;
mod playing;
mod refusal;
mod setup;
mod state_view;
mod study;
#[cfg(test)]
mod tests;
mod texts;
mod tree_view;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ferz_board::attacks::Slider;
use ferz_board::{CastlingMode, Color, Game, Position};
use ferz_eval::Network;
use ferz_notation::pgn::{GameTree, NodeId};

use super::protocol::{
    Advice, AnalysisWish, Envelope, GameStart, Hello, Intent, LimitsEntry, Message, OpeningEntry, Outgoing,
    SetupWish, SliderName, StartNumber, State, Welcome, sentence,
};
use crate::xray::{self, Difference, Xray};
use level::LEVELS;
use orders::Ticket;
use play::Play;
use refusal::Refusal;
use study::{Place, Study};
use texts::{Library, Loaded, Parts, ReadGame};
use tree_view::TreeView;

pub(crate) use notation::{chances, line, san, score};
pub(crate) use orders::{AdviceKind, AdviceTask, AnalysisTask, Event, Order, ReviewTask, ThinkTask};

/// Lines that an analysis can have.
pub(crate) const MAX_LINES: usize = 5;
/// The longest message from the page.
pub(crate) const MAX_MESSAGE: usize = 64 << 10;
/// How long a position is analysed.
pub(crate) const ANALYSIS_TIME: Duration = Duration::from_secs(600);

/// Moves in a line from the page.
const MAX_LINE: usize = 600;
/// Trees with more nodes than this are saved less often.
const LARGE_TREE: usize = 2_000;
/// How long a large tree waits to be saved.
const SAVE_DELAY: Duration = Duration::from_secs(1);

/// What a session says and wants.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    pub(crate) messages: Vec<Outgoing>,
    pub(crate) orders: Vec<Order>,
}

impl Outbox {
    fn say(&mut self, re: Option<u64>, message: Message) {
        self.messages.push(Outgoing { message, re });
    }

    fn notice(&mut self, text: impl Into<String>) {
        self.say(None, Message::Notice { message: text.into() });
    }
}

/// One tab.
#[derive(Debug)]
pub(crate) struct Session {
    network: Option<Arc<Network>>,
    is_greeted: bool,
    study: Study,
    /// What the page knows of the tree.
    view: TreeView,
    parts: Parts,
    library: Option<Library>,
    play: Option<Play>,
    analysis: AnalysisWish,
    xray: bool,
    /// The review that is running.
    review: Option<Ticket>,
    tickets: u64,
    /// The version that the page has saved, and when the next is due.
    saved: Option<u64>,
    save_due: Option<Instant>,
    /// What the engine last looked at, and with how many lines.
    analysed: Option<(Place, usize)>,
    /// What the X-ray last looked at.
    xrayed: Option<Place>,
}

impl Session {
    /// A tab that has not said anything yet.
    pub(crate) fn new(network: Option<Arc<Network>>) -> Session {
        Session {
            network,
            is_greeted: false,
            study: Study::new(GameTree::new()),
            view: TreeView::default(),
            parts: Parts::default(),
            library: None,
            play: None,
            analysis: AnalysisWish { on: false, lines: 1 },
            xray: false,
            review: None,
            tickets: 0,
            saved: None,
            save_due: None,
            analysed: None,
            xrayed: None,
        }
    }

    /// Whether the page has said hello.
    pub(crate) fn is_greeted(&self) -> bool {
        self.is_greeted
    }

    /// Carries out what the page asks for.
    pub(crate) fn handle(&mut self, envelope: Envelope, now: Instant) -> Outbox {
        let mut out = Outbox::default();
        let re = envelope.id;
        let done = match envelope.intent {
            Ok(intent) if self.is_greeted || matches!(intent, Intent::Hello(_) | Intent::Part { .. }) => {
                self.carry_out(intent, re, now, &mut out)
            }
            Ok(_) => Err(Refusal::new("The first message must be hello.")),
            Err(message) => Err(Refusal(message)),
        };
        if let Err(Refusal(message)) = done {
            out.say(re, Message::Error { message });
        }
        out
    }

    fn carry_out(
        &mut self,
        intent: Intent,
        re: Option<u64>,
        now: Instant,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        match intent {
            Intent::Hello(hello) => {
                self.greet(hello, re, now, out)?;
                return Ok(());
            }
            Intent::Part { text, reset } => return self.parts.add(&text, reset),
            Intent::Preview { node, moves } => {
                let message = self.preview(node, &moves)?;
                out.say(re, message);
                return Ok(());
            }
            Intent::Games { from } => {
                let library =
                    self.library.as_ref().ok_or_else(|| Refusal::new("No games have been loaded."))?;
                let (count, games) = library.page(from);
                out.say(re, Message::Games { count, from, games });
                return Ok(());
            }
            Intent::Export { what, node, orientation, size } => {
                let node = self.node_or_current(node)?;
                let orientation = orientation.map_or(Color::White, Color::from);
                out.say(re, export::export(&self.study, what, node, orientation, size)?);
                return Ok(());
            }
            Intent::Magic { node, square, slider } => {
                let node = self.node_or_current(node)?;
                let slider = match slider {
                    SliderName::Rook => Slider::Rook,
                    SliderName::Bishop => Slider::Bishop,
                };
                let lookup = xray::look_up(&self.study.position_at(node)?, slider, square.0);
                out.say(re, Message::Magic { node: node.number(), lookup });
                return Ok(());
            }
            Intent::Hint {} => return self.advise(AdviceKind::Hint, re, out),
            Intent::Threat {} => return self.advise(AdviceKind::Threat, re, out),
            Intent::Setup(wish) => {
                if !self.set_up(&wish, re, now, out)? {
                    return Ok(());
                }
            }
            Intent::Load { text } => {
                if !self.load(&text, re, out)? {
                    return Ok(());
                }
            }
            Intent::Choose { game } => {
                let library =
                    self.library.as_ref().ok_or_else(|| Refusal::new("No games have been loaded."))?;
                let game = library.game(game)?;
                self.put_on_table(game, re, out);
            }
            Intent::New(start) => {
                let (tree, notices) = start_game(&start)?;
                self.begin(tree, out);
                notices.into_iter().for_each(|notice| out.notice(notice));
            }
            Intent::Analyse(wish) => self.set_analysis(wish)?,
            Intent::Xray { on } => {
                self.xray = on;
                self.xrayed = None;
            }
            Intent::Review { depth } => self.start_review(depth, out)?,
            Intent::ReviewStop {} => {
                self.review = None;
                out.orders.push(Order::StopReview);
            }
            Intent::Move { uci, san } => self.move_piece(uci.as_deref(), san.as_deref(), now, out)?,
            Intent::Play { color, level, clock, from } => {
                self.start_play(color, &level, clock, from, now, out)?
            }
            Intent::Resign {} => self.resign(now, out)?,
            Intent::Takeback {} => self.take_back(now, out)?,
            Intent::Draw {} => self.offer_draw(now, out)?,
            Intent::Claim {} => self.claim_draw(now, out)?,
            Intent::Leave {} => self.leave(out),
            Intent::Undo {} => {
                self.refuse_while_playing("An edit cannot be undone while a game is going on.")?;
                self.study.undo()?;
            }
            Intent::Redo {} => {
                self.refuse_while_playing("An edit cannot be done again while a game is going on.")?;
                self.study.redo()?;
            }
            other => self.edit_or_go(other)?,
        }
        self.show(re, now, out);
        Ok(())
    }

    /// Intents that concern the study alone.
    fn edit_or_go(&mut self, intent: Intent) -> Result<(), Refusal> {
        let study = &mut self.study;
        match intent {
            Intent::Go { node } => {
                let node = study.find(node)?;
                study.go(node);
                Ok(())
            }
            Intent::Step { to } => {
                study.step(to);
                Ok(())
            }
            Intent::Line { node, moves, go } => {
                if moves.len() > MAX_LINE {
                    return Err(Refusal::new(format!("A line has at most {MAX_LINE} moves.")));
                }
                let node = study.find(node)?;
                let moves = study.parse_line(node, &moves)?;
                let last = study.add_line(node, &moves)?;
                if go {
                    study.go(last);
                }
                Ok(())
            }
            Intent::Comment { node, text, before } => {
                study.find(node).and_then(|it| study.set_comment(it, &text, before))
            }
            Intent::Nags { node, nags } => study.find(node).and_then(|it| study.set_nags(it, &nags)),
            Intent::Shapes { node, arrows, circles } => {
                if arrows.len() + circles.len() > 128 {
                    return Err(Refusal::new("A position has at most 128 arrows and circles."));
                }
                study.find(node).and_then(|it| study.set_shapes(it, &arrows, &circles))
            }
            Intent::Promote { node, main } => study.find(node).and_then(|it| study.promote(it, main)),
            Intent::Demote { node } => study.find(node).and_then(|it| study.demote(it)),
            Intent::Delete { node } => {
                let node = study.find(node)?;
                self.refuse_to_lose_game(|tree, head| tree.path(head).contains(&node))?;
                self.study.delete(node)
            }
            Intent::DeleteAfter { node } => {
                let node = study.find(node)?;
                self.refuse_to_lose_game(|tree, head| {
                    head != node && (node == NodeId::ROOT || tree.path(head).contains(&node))
                })?;
                self.study.delete_after(node)
            }
            Intent::Header { name, value } => study.set_header(&name, value.as_deref()),
            Intent::Result { result } => study.set_result(&result),
            // All others have been carried out.
            _ => Ok(()),
        }
    }

    fn node_or_current(&self, node: Option<u32>) -> Result<NodeId, Refusal> {
        node.map_or(Ok(self.study.node()), |number| self.study.find(number))
    }

    fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    /// Brings the page up to date: the tree, the state, the text to be saved, the X-ray; and the engine to the
    /// position on the board.
    fn show(&mut self, re: Option<u64>, now: Instant, out: &mut Outbox) {
        for change in self.view.update(&self.study) {
            out.say(None, Message::Tree(change));
        }
        out.say(re, Message::State(Box::new(self.state(now))));
        self.save(now, out);
        self.show_xray(out);
        self.direct_analysis(out);
    }

    /// The text of the whole game, if it has changed; a large one later.
    fn save(&mut self, now: Instant, out: &mut Outbox) {
        if self.saved == Some(self.study.version()) {
            return;
        }
        let is_small = self.study.tree().size() <= LARGE_TREE;
        if is_small || self.save_due.is_some_and(|due| due <= now) {
            self.save_due = None;
            self.saved = Some(self.study.version());
            out.say(
                None,
                Message::Save { version: self.study.version(), pgn: self.study.tree().to_string() },
            );
        } else {
            self.save_due.get_or_insert(now + SAVE_DELAY);
        }
    }

    fn show_xray(&mut self, out: &mut Outbox) {
        let here = self.study.place();
        if !self.xray || self.xrayed == Some(here) {
            return;
        }
        self.xrayed = Some(here);
        let (tree, node) = (self.study.tree(), self.study.node());
        let position = self.study.position();
        let diff = tree.parent(node).and_then(|parent| {
            let before = tree.position_at(parent)?;
            let mv = tree.mv(node);
            let (san, uci) = (san(&before, mv), notation::uci(mv, self.study.mode()));
            Some(Difference::new(&before, &position, parent.number(), san, uci))
        });
        let xray = Box::new(Xray::new(&position, diff, self.network.as_deref()));
        out.say(None, Message::Xray { node: node.number(), xray });
    }

    /// Lets the engine analyse what is on the board, if it should and does not.
    fn direct_analysis(&mut self, out: &mut Outbox) {
        let is_wanted = self.analysis.on && !self.is_playing();
        // A comment or a variation elsewhere does not disturb the engine.
        let wanted = is_wanted.then(|| (self.study.place(), self.analysis.lines));
        if wanted == self.analysed {
            return;
        }
        self.analysed = wanted;
        let node = self.study.node();
        let game = wanted.and_then(|_| notation::game_at(self.study.tree(), node));
        let (lines, mode) = (self.analysis.lines, self.study.mode());
        out.orders.push(Order::Analyse(game.map(|game| AnalysisTask { node, game, lines, mode })));
    }

    fn state(&self, now: Instant) -> State {
        let (study, tree) = (&self.study, self.study.tree());
        let node = study.node();
        let position = study.position();
        let game = notation::game_at(tree, node).unwrap_or_else(|| Game::new(position));
        let outcome = game.outcome();
        State {
            version: study.version(),
            node: node.number(),
            path: notation::path(tree, node, study.mode()),
            fen: position.to_string(),
            board: xray::letters(&position),
            turn: position.side_to_move().into(),
            number: position.fullmove_number(),
            check: state_view::checked_king(&position),
            last: tree.mv(node).map(state_view::squares),
            moves: if outcome.is_some() {
                Default::default()
            } else {
                state_view::moves(&position, study.mode())
            },
            outcome: outcome.map(Into::into),
            claims: state_view::claims(&game),
            result: tree.termination().as_str(),
            opening: self.opening(),
            chess960: self.chess960(),
            headers: tree.tags().map(|(name, value)| [name.into_owned(), value.into_owned()]).collect(),
            undo: study.can_undo(),
            redo: study.can_redo(),
            play: self.play_entry(now),
            reviewing: self.review.is_some(),
        }
    }

    fn opening(&self) -> Option<OpeningEntry> {
        None
    }

    /// The number of the start position, if the game is one of Chess960.
    fn chess960(&self) -> Option<i32> {
        if self.study.mode() == CastlingMode::Standard {
            return None;
        }
        let start = self.study.tree().start();
        let number = (0..960).find(|&number| Position::chess960_start(number).as_ref() == Some(start));
        Some(number.map_or(-1, i32::from))
    }

    /// The first message, and everything that was kept from before.
    fn greet(
        &mut self,
        hello: Hello,
        re: Option<u64>,
        now: Instant,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        let text = self.parts.complete(hello.pgn.as_deref().unwrap_or_default());
        *self = Session { is_greeted: true, tickets: self.tickets, ..Session::new(self.network.take()) };
        out.orders.extend([Order::StopThinking, Order::StopReview, Order::Analyse(None)]);
        out.say(re, Message::Welcome(self.welcome()));
        let tree = match (text, hello.fen) {
            (Err(Refusal(message)), _) => Err(message),
            (Ok(text), _) if !text.trim().is_empty() => first_game(text),
            (_, Some(fen)) => {
                position_of(&fen).map(|(position, _)| GameTree::starting_from(position)).map_err(|it| it.0)
            }
            _ => Ok(GameTree::new()),
        };
        match tree {
            Ok(tree) => self.study = Study::new(tree),
            Err(message) => out.notice(message),
        }
        self.study.follow(hello.path.as_deref().unwrap_or_default());
        self.xray = hello.xray;
        if let Some(wish) = hello.analysis
            && let Err(Refusal(message)) = self.set_analysis(wish)
        {
            out.notice(message);
        }
        if let Some(saved) = hello.play
            && let Err(Refusal(message)) = self.resume_play(&saved, now, out)
        {
            out.notice(message);
        }
        self.show(None, now, out);
        Ok(())
    }

    fn welcome(&self) -> Welcome {
        Welcome {
            version: env!("CARGO_PKG_VERSION"),
            net: self.network.as_ref().map(ToString::to_string),
            levels: LEVELS.iter().map(Into::into).collect(),
            limits: LimitsEntry {
                lines: MAX_LINES,
                text_bytes: texts::MAX_TEXT,
                message_bytes: MAX_MESSAGE,
                games: texts::MAX_GAMES,
                analysis_ms: ANALYSIS_TIME.as_millis() as u64,
            },
        }
    }

    fn preview(&self, node: u32, moves: &[String]) -> Result<Message, Refusal> {
        if moves.len() > MAX_LINE {
            return Err(Refusal::new(format!("A line has at most {MAX_LINE} moves.")));
        }
        let node = self.study.find(node)?;
        let moves = self.study.parse_line(node, moves)?;
        let mut position = self.study.position_at(node)?;
        for &mv in &moves {
            match mv {
                Some(mv) => position.play(mv)?,
                None => position = position.null_move().unwrap_or(position),
            }
        }
        let last = moves.last().copied().unwrap_or_else(|| self.study.tree().mv(node));
        Ok(Message::Preview(state_view::preview(&position, last)))
    }

    /// Another game comes onto the table.
    fn begin(&mut self, tree: GameTree, out: &mut Outbox) {
        self.leave(out);
        self.study.replace(tree);
    }

    fn put_on_table(&mut self, game: ReadGame, re: Option<u64>, out: &mut Outbox) {
        out.say(re, Message::Loaded { problems: game.problems, problem_count: game.problem_count });
        self.begin(game.tree, out);
    }

    /// Whether there is a new game on the table.
    fn load(&mut self, end: &str, re: Option<u64>, out: &mut Outbox) -> Result<bool, Refusal> {
        let text = self.parts.complete(end)?;
        match texts::load(text)? {
            Loaded::Position(position, repairs) => {
                out.say(re, Message::Loaded { problem_count: repairs.len(), problems: repairs });
                self.begin(GameTree::starting_from(position), out);
                Ok(true)
            }
            Loaded::Game(game) => {
                self.put_on_table(*game, re, out);
                Ok(true)
            }
            Loaded::Games(library) => {
                let (count, games) = library.page(0);
                self.library = Some(library);
                out.say(re, Message::Games { count, from: 0, games });
                Ok(false)
            }
        }
    }

    /// Whether the position was accepted and is on the table.
    fn set_up(
        &mut self,
        wish: &SetupWish,
        re: Option<u64>,
        _now: Instant,
        out: &mut Outbox,
    ) -> Result<bool, Refusal> {
        let (answer, position) = setup::check(wish)?;
        out.say(re, Message::Setup(Box::new(answer)));
        match position {
            Some(position) if wish.accept => {
                self.begin(GameTree::starting_from(position), out);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn set_analysis(&mut self, wish: AnalysisWish) -> Result<(), Refusal> {
        if !(1..=MAX_LINES).contains(&wish.lines) {
            return Err(Refusal::new(format!("An analysis has between 1 and {MAX_LINES} lines.")));
        }
        if wish.on {
            self.refuse_while_playing("The engine does not help while you play against it; ask for a hint.")?;
        }
        self.analysis = wish;
        Ok(())
    }

    fn advise(&mut self, kind: AdviceKind, re: Option<u64>, out: &mut Outbox) -> Result<(), Refusal> {
        let node = self.study.node();
        let game = notation::game_at(self.study.tree(), node).ok_or_else(Refusal::no_node)?;
        if game.outcome().is_some() {
            return Err(Refusal::new("The game is over, there is nothing to think about."));
        }
        let game = match kind {
            AdviceKind::Hint => game,
            AdviceKind::Threat => {
                self.refuse_while_playing("The engine does not show its threats while you play against it.")?;
                match game.position().null_move().filter(Position::has_legal_moves) {
                    Some(position) => Game::new(position),
                    None => {
                        let reason = "The side to move is in check: that is the threat.";
                        let message = Some(reason.to_owned());
                        let advice = Advice {
                            node: node.number(),
                            uci: None,
                            san: None,
                            score: None,
                            line: Default::default(),
                            message,
                        };
                        out.say(re, Message::Threat(advice));
                        return Ok(());
                    }
                }
            }
        };
        out.orders.push(Order::Advise(AdviceTask { re, node, game, kind, mode: self.study.mode() }));
        Ok(())
    }

    fn start_review(&mut self, depth: super::protocol::ReviewDepth, out: &mut Outbox) -> Result<(), Refusal> {
        self.refuse_while_playing("A game is reviewed when it is over.")?;
        if self.study.tree().main_line().next().is_none() {
            return Err(Refusal::new("There are no moves to review."));
        }
        let ticket = self.ticket();
        self.review = Some(ticket);
        out.orders.push(Order::Review(ReviewTask { ticket, tree: self.study.tree().clone(), depth }));
        Ok(())
    }

    /// What a search has found.
    pub(crate) fn on_event(&mut self, event: Event, now: Instant) -> Outbox {
        let mut out = Outbox::default();
        match event {
            Event::Thought { ticket, best, score } => self.engine_moves(ticket, best, score, now, &mut out),
            Event::Advice { task, best, score, side } => {
                let line = line(task.game.position(), &best, task.mode);
                let advice = Advice {
                    node: task.node.number(),
                    uci: line.uci.first().cloned(),
                    san: line.san.first().cloned(),
                    score: score.map(|it| notation::score(it, side)),
                    line,
                    message: None,
                };
                let message = match task.kind {
                    AdviceKind::Hint => Message::Hint(advice),
                    AdviceKind::Threat => Message::Threat(advice),
                };
                out.say(task.re, message);
            }
            Event::Failed { re, message } => out.say(re, Message::Error { message }),
        }
        out
    }

    /// When the session wants to be woken, if nothing happens before.
    pub(crate) fn next_wake(&self) -> Option<Instant> {
        let play = self.play.as_ref().filter(|play| play.is_on());
        let flag = play.and_then(|play| play.clock.as_ref()?.flag()).map(|(_, falls)| falls);
        self.save_due.into_iter().chain(flag).min()
    }

    /// Time has passed.
    pub(crate) fn wake(&mut self, now: Instant) -> Outbox {
        let mut out = Outbox::default();
        if self.look_at_clock(now, &mut out) {
            self.show(None, now, &mut out);
        }
        self.save(now, &mut out);
        out
    }
}

/// A new game, and what should be said about it.
fn start_game(start: &GameStart) -> Result<(GameTree, Vec<String>), Refusal> {
    match (&start.chess960, &start.fen) {
        (None, None) => Ok((GameTree::new(), Vec::new())),
        (Some(_), Some(_)) => Err(Refusal::new("A game begins with a FEN or with a number, not with both.")),
        (Some(number), None) => Ok((chess960_game(number)?, Vec::new())),
        (None, Some(fen)) => {
            let (position, repairs) = position_of(fen)?;
            Ok((GameTree::starting_from(position), repairs))
        }
    }
}

fn chess960_game(number: &StartNumber) -> Result<GameTree, Refusal> {
    let number = match number {
        StartNumber::Number(number) => *number,
        StartNumber::Word(word) if word == "random" => (random() % 960) as u16,
        StartNumber::Word(_) => {
            return Err(Refusal::new("A start position is a number from 0 to 959, or random."));
        }
    };
    let position = Position::chess960_start(number);
    let position = position.ok_or_else(|| Refusal::new("The start positions have numbers from 0 to 959."))?;
    let mut tree = GameTree::starting_from(position);
    // The usual start position would be taken for the usual game.
    tree.set_tag("Variant", "Chess960")?;
    Ok(tree)
}

fn position_of(fen: &str) -> Result<(Position, Vec<String>), Refusal> {
    let (position, repairs) = Position::from_fen_lenient(fen.trim())?;
    let notes = repairs.iter().map(|repair| format!("{}.", sentence(&repair.to_string()))).collect();
    Ok((position, notes))
}

/// The first game of a text that a page has kept.
fn first_game(text: String) -> Result<GameTree, String> {
    let game = match texts::load(text).map_err(|it| it.0)? {
        Loaded::Position(position, _) => return Ok(GameTree::starting_from(position)),
        Loaded::Game(game) => *game,
        Loaded::Games(library) => library.game(0).map_err(|it| it.0)?,
    };
    Ok(game.tree)
}

/// Good enough for start positions and colours.
fn random() -> u64 {
    RandomState::new().hash_one(0)
}
