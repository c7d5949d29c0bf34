//! The session of a tab: intents in, messages and orders for the engine out. It uses no network, threads or clock; the
//! caller supplies the time.

mod beginning;
mod clock;
mod editing;
mod ending;
mod engine_settings;
mod explaining;
mod exploring;
mod export;
mod fen_text;
mod html;
mod level;
pub(crate) mod notation;
mod opening_book;
mod orders;
mod pace;
mod play;
mod playing;
mod puzzle;
mod refusal;
mod reviewing;
mod searching;
mod setup;
mod state_view;
mod study;
#[cfg(test)]
mod tests;
mod texts;
mod tree_view;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ferz_board::attacks::Slider;
use ferz_board::{CastlingMode, Color, Game};
use ferz_eval::Network;
use ferz_notation::openings;
use ferz_notation::pgn::{GameTree, NodeId};

use super::protocol::{
    AnalysisWish, Envelope, Intent, Message, OpeningEntry, Outgoing, OverEntry, ResultName, SliderName,
    SquareName, State,
};
use crate::xray::{self, Difference, NetTrace, Timeline, Xray};
use engine_settings::{AnalysisSettings, EngineSettings};
use opening_book::BookMemory;
use play::Play;
use playing::PlayWish;
use puzzle::RunningPuzzle;
use refusal::Refusal;
use reviewing::Findings;
use searching::RunningReview;
use study::{Place, Study};
use texts::{Library, Parts};
use tree_view::TreeView;

pub use engine_settings::EngineHost;
pub use exploring::{ExploreTask, MoveCounts, book_counts};
pub use orders::{
    AdviceKind, AdviceTask, AnalysisTask, ExplainTask, JudgeTask, Order, OtherTask, PlayedMove, ReviewTask,
    SearchEvent, ThinkTask, Ticket,
};

/// The most lines of an analysis.
const MAX_LINES: usize = 5;
/// The longest message from the page in bytes.
pub const MAX_MESSAGE: usize = 64 << 10;
/// The longest analysis of a position.
pub const ANALYSIS_TIME: Duration = Duration::from_secs(600);

/// The most moves in a line from the page.
const MAX_LINE: usize = 600;
/// The most arrows and circles of a position.
const MAX_SHAPES: usize = 128;
/// Trees with more nodes than this are saved less often.
const LARGE_TREE: usize = 2_000;
/// The delay before a large tree is saved.
const SAVE_DELAY: Duration = Duration::from_secs(1);

/// The messages and orders that an intent or event causes.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Messages for the page.
    pub messages: Vec<Outgoing>,
    /// Orders for the engine.
    pub orders: Vec<Order>,
    /// Positions that the host looks up for the explorer.
    pub explorations: Vec<ExploreTask>,
}

impl Outbox {
    fn say(&mut self, re: Option<u64>, message: Message) {
        self.messages.push(Outgoing { message, re });
    }

    fn notice(&mut self, text: impl Into<String>) {
        self.say(None, Message::Notice { message: text.into() });
    }
}

/// The session of one tab.
#[derive(Debug)]
pub struct Session {
    network: Option<Arc<Network>>,
    random: fastrand::Rng,
    is_greeted: bool,
    study: Study,
    /// The tree as the page has it.
    view: TreeView,
    parts: Parts,
    library: Option<Library>,
    play: Option<Play>,
    puzzle: Option<RunningPuzzle>,
    book: BookMemory,
    analysis: AnalysisWish,
    engines: EngineSettings,
    xray: bool,
    review: Option<RunningReview>,
    tickets: u64,
    /// The version that the page has saved, and the time of the next save.
    saved: Option<u64>,
    save_due: Option<Duration>,
    /// The node that was last analysed, and how; the same for the other engine, with its id.
    analysed: Option<(Place, AnalysisSettings)>,
    analysed_by_other: Option<(Place, AnalysisSettings, String)>,
    /// The node of the last X-ray.
    xrayed: Option<Place>,
}

impl Session {
    /// A session that waits for `hello`.
    ///
    /// `seed` determines random start positions, colours, openings and the mistakes of weaker levels.
    pub fn new(network: Option<Arc<Network>>, seed: u64) -> Session {
        Session {
            network,
            random: fastrand::Rng::with_seed(seed),
            is_greeted: false,
            study: Study::new(GameTree::new()),
            view: TreeView::default(),
            parts: Parts::default(),
            library: None,
            play: None,
            puzzle: None,
            book: BookMemory::default(),
            analysis: AnalysisWish { on: false, lines: 1 },
            engines: EngineSettings::default(),
            xray: false,
            review: None,
            tickets: 0,
            saved: None,
            save_due: None,
            analysed: None,
            analysed_by_other: None,
            xrayed: None,
        }
    }

    /// Whether the page has sent `hello`.
    pub fn is_greeted(&self) -> bool {
        self.is_greeted
    }

    /// Whether carrying out an intent may take more than a few milliseconds: with a large game, every intent.
    pub fn is_heavy(&self, intent: &Intent) -> bool {
        intent.is_heavy() || self.study.tree().size() > LARGE_TREE
    }

    /// Carries out an intent.
    pub fn handle(&mut self, envelope: Envelope, now: Duration) -> Outbox {
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

    /// Dispatches an intent. The match names every intent, so the compiler refuses one that was forgotten.
    fn carry_out(
        &mut self,
        intent: Intent,
        re: Option<u64>,
        now: Duration,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        self.prepare_puzzle_for(&intent, out)?;
        match intent {
            // Intents that have an answer of their own.
            Intent::Hello(hello) => {
                self.greet(*hello, re, now, out);
                return Ok(());
            }
            Intent::Part { text, reset } => return self.parts.add(&text, reset),
            Intent::Preview { node, moves } => {
                out.say(re, self.preview(node, &moves)?);
                return Ok(());
            }
            Intent::Load { text } => return self.load(&text, re, now, out),
            Intent::Puzzles { text } => {
                let found = match text {
                    Some(end) => puzzle::read(&self.parts.complete(&end)?)?,
                    None => self.mistakes()?,
                };
                out.say(re, found);
                return Ok(());
            }
            Intent::Games { from } => {
                out.say(re, self.games(from)?);
                return Ok(());
            }
            Intent::Choose { game } => return self.choose(game, re, now, out),
            Intent::Setup(wish) => return self.set_up(&wish, re, now, out),
            Intent::Export { what, node, orientation, size } => {
                let node = self.node_or_current(node)?;
                let orientation = orientation.map_or(Color::White, Color::from);
                out.say(re, export::export(&self.study, what, node, orientation, size)?);
                return Ok(());
            }
            Intent::Magic { node, square, slider } => {
                out.say(re, self.magic(node, square, slider)?);
                return Ok(());
            }
            Intent::Timeline { node, uci } => {
                out.say(re, self.timeline(node, &uci)?);
                return Ok(());
            }
            Intent::Perft { node, depth, compare } => {
                out.say(re, self.perft(node, depth, compare.as_deref())?);
                return Ok(());
            }
            Intent::Accumulators { node } => {
                out.say(re, self.accumulators(node)?);
                return Ok(());
            }
            Intent::Hint {} => return self.advise(AdviceKind::Hint, re, out),
            Intent::Threat {} => return self.advise(AdviceKind::Threat, re, out),
            Intent::Explain {} => return self.explain(re, out),
            Intent::Explorer { node, source } => return self.explore(node, source, re, out),
            // A host with a library carries these out itself.
            Intent::LibraryList(_)
            | Intent::LibrarySummary {}
            | Intent::LibraryOpen { .. }
            | Intent::LibraryDelete { .. }
            | Intent::LibraryRestore { .. }
            | Intent::LibraryTag { .. }
            | Intent::LibraryMove { .. }
            | Intent::LibraryFolder { .. }
            | Intent::LibraryStop { .. } => return Err(Refusal::new("This page has no library.")),

            // All others are answered by the state. First the orders to the engine.
            Intent::Analyse(wish) => self.ask_for_analysis(wish)?,
            Intent::Engine(wish) => self.engines.set(wish)?,
            Intent::OtherEngine { engine } => self.engines.choose_other(engine)?,
            Intent::Review { depth } => self.start_review(depth, out)?,
            Intent::ReviewStop {} => self.stop_review(out),
            Intent::Xray { on } => {
                self.xray = on;
                self.xrayed = None;
            }

            // Puzzles.
            Intent::Puzzle(wish) => self.start_puzzle(&wish, out)?,
            Intent::PuzzleShow {} => self.show_solution()?,
            Intent::PuzzleEnd {} => self.end_puzzle(out),

            // Games against the engine.
            Intent::New(start) => self.start_game(&start, out)?,
            Intent::Move { uci, san } => self.move_piece(uci.as_deref(), san.as_deref(), now, out)?,
            Intent::Play { color, level, clock, from, book } => {
                self.start_play(PlayWish { color, level, clock, from, book }, now, out)?;
            }
            Intent::Resign {} => self.resign(now, out)?,
            Intent::Takeback {} => self.take_back(now, out)?,
            Intent::Draw {} => self.offer_draw(now, out)?,
            Intent::Claim {} => self.claim_draw(now, out)?,
            Intent::Leave {} => self.leave(out),

            // Navigation.
            Intent::Go { node } => {
                let node = self.study.find(node)?;
                self.study.go(node);
            }
            Intent::Step { to } => self.study.step(to),

            // Edits.
            Intent::Line { node, moves, go } => self.add_line(node, &moves, go)?,
            Intent::Comment { node, text, before } => {
                self.study.set_comment(self.study.find(node)?, &text, before)?;
            }
            Intent::Nags { node, nags } => self.study.set_nags(self.study.find(node)?, &nags)?,
            Intent::Shapes { node, arrows, circles } => {
                if arrows.len() + circles.len() > MAX_SHAPES {
                    let sentence = format!("A position has at most {MAX_SHAPES} arrows and circles.");
                    return Err(Refusal::new(sentence));
                }
                self.study.set_shapes(self.study.find(node)?, &arrows, &circles)?;
            }
            Intent::Promote { node, main } => self.study.promote(self.study.find(node)?, main)?,
            Intent::Demote { node } => self.study.demote(self.study.find(node)?)?,
            Intent::Delete { node } => {
                let node = self.study.find(node)?;
                self.refuse_to_lose_game(|tree, head| tree.path(head).contains(&node))?;
                self.study.delete(node)?;
            }
            Intent::DeleteAfter { node } => {
                let node = self.study.find(node)?;
                let follows = |tree: &GameTree, head| node == NodeId::ROOT || tree.path(head).contains(&node);
                self.refuse_to_lose_game(|tree, head| head != node && follows(tree, head))?;
                self.study.delete_after(node)?;
            }
            Intent::Header { name, value } => self.study.set_header(&name, value.as_deref())?,
            Intent::Result { result } => self.study.set_result(result.0)?,
            Intent::Undo {} => {
                self.refuse_while_playing("Edits cannot be undone during a game.")?;
                self.leave(out);
                self.study.undo()?;
            }
            Intent::Redo {} => {
                self.refuse_while_playing("Edits cannot be redone during a game.")?;
                self.leave(out);
                self.study.redo()?;
            }
        }
        self.show(re, now, out);
        Ok(())
    }

    fn add_line(&mut self, node: u32, moves: &[String], go: bool) -> Result<(), Refusal> {
        limit_line(moves)?;
        let node = self.study.find(node)?;
        let moves = self.study.parse_line(node, moves)?;
        let last = self.study.add_line(node, &moves)?;
        if go {
            self.study.go(last);
        }
        Ok(())
    }

    fn node_or_current(&self, node: Option<u32>) -> Result<NodeId, Refusal> {
        node.map_or(Ok(self.study.node()), |number| self.study.find(number))
    }

    fn preview(&self, node: u32, moves: &[String]) -> Result<Message, Refusal> {
        limit_line(moves)?;
        let node = self.study.find(node)?;
        let moves = self.study.parse_line(node, moves)?;
        let mut position = self.study.position_at(node)?;
        for &mv in &moves {
            position = notation::position_after(&position, mv).ok_or_else(Refusal::no_node)?;
        }
        let last = moves.last().copied().unwrap_or_else(|| self.study.tree().mv(node));
        Ok(Message::Preview(state_view::preview(&position, last)))
    }

    fn magic(&self, node: Option<u32>, square: SquareName, slider: SliderName) -> Result<Message, Refusal> {
        let node = self.node_or_current(node)?;
        let slider = match slider {
            SliderName::Rook => Slider::Rook,
            SliderName::Bishop => Slider::Bishop,
        };
        let lookup = xray::look_up(&self.study.position_at(node)?, slider, square.0);
        Ok(Message::Magic { node: node.number(), lookup })
    }

    fn timeline(&self, node: Option<u32>, uci: &str) -> Result<Message, Refusal> {
        let node = self.node_or_current(node)?;
        let mv = self.study.parse_line(node, &[uci.to_owned()])?.pop().flatten();
        let mv = mv.ok_or_else(|| Refusal::new("A null move has no timeline."))?;
        let timeline = Timeline::new(&self.study.position_at(node)?, mv, self.study.mode());
        Ok(Message::Timeline { node: node.number(), timeline: Box::new(timeline) })
    }

    fn perft(&self, node: Option<u32>, depth: u32, compare: Option<&str>) -> Result<Message, Refusal> {
        let node = self.node_or_current(node)?;
        if !(1..=xray::MAX_DEPTH).contains(&depth) {
            return Err(Refusal::new(format!("Choose a depth from 1 to {}.", xray::MAX_DEPTH)));
        }
        let position = self.study.position_at(node)?;
        let divide = xray::divide(&position, depth, self.study.mode(), compare).ok_or_else(|| {
            Refusal::new(format!(
                "Depth {depth} takes too long on the page. Choose a smaller depth, or run “ferz perft {depth}” with this position."
            ))
        })?;
        Ok(Message::Perft { node: node.number(), divide })
    }

    fn accumulators(&self, node: Option<u32>) -> Result<Message, Refusal> {
        let node = self.node_or_current(node)?;
        let position = self.study.position_at(node)?;
        let before = self.study.tree().parent(node).and_then(|parent| self.study.tree().position_at(parent));
        let network = self.network.as_deref();
        let trace = network.and_then(|network| NetTrace::new(network, &position, before.as_ref()));
        Ok(Message::Accumulators { node: node.number(), trace: trace.map(Box::new) })
    }

    /// Brings the page up to date (tree, state, PGN to save, X-ray) and points the analysis at the current position.
    fn show(&mut self, re: Option<u64>, now: Duration, out: &mut Outbox) {
        self.tidy_up();
        // The moves of a finished game may have been deleted.
        self.play.take_if(|play| !self.study.tree().contains(play.head));
        for change in self.view.update(&self.study) {
            out.say(None, Message::Tree(change));
        }
        out.say(re, Message::State(Box::new(self.state(now))));
        self.save(now, out);
        self.show_xray(out);
        self.direct_analysis(out);
    }

    /// Frees the memory of deleted moves and old comments once it is large. Nodes get new ids.
    fn tidy_up(&mut self) {
        if !self.study.is_untidy() {
            return;
        }
        let played = self.play.as_ref().map(|play| {
            let (tree, mode) = (self.study.tree(), self.study.mode());
            (notation::path(tree, play.head, mode), tree.ply(play.from))
        });
        self.study.compact();
        if let (Some(play), Some((path, from))) = (&mut self.play, played) {
            play.head = self.study.resolve(&path);
            play.from = self.study.ancestor(play.head, from);
        }
        // Reviews are kept by node id: read them again from the game.
        if let Some(findings) = Findings::recall(self.study.tree()) {
            self.study.set_reviews(findings.moves);
        }
        if let Some(review) = &mut self.review {
            review.outdate();
        }
    }

    /// Sends the PGN to save if the tree has changed; that of a large tree after a delay.
    fn save(&mut self, now: Duration, out: &mut Outbox) {
        let version = self.study.version();
        // Of a puzzle nothing is saved.
        if self.saved == Some(version) || self.puzzle.is_some() {
            return;
        }
        let is_small = self.study.tree().size() <= LARGE_TREE;
        if is_small || self.save_due.is_some_and(|due| due <= now) {
            self.save_due = None;
            self.saved = Some(version);
            out.say(None, Message::Save { version, pgn: self.study.tree().to_string() });
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
            let (san, uci) = (notation::san(&before, mv), notation::uci(mv, self.study.mode()));
            Some(Difference::new(&before, &position, parent.number(), san, uci))
        });
        let xray = Box::new(Xray::new(&position, self.study.mode(), diff, self.network.as_deref()));
        out.say(None, Message::Xray { node: node.number(), xray });
    }

    fn state(&self, now: Duration) -> State {
        let (study, tree) = (&self.study, self.study.tree());
        let node = study.node();
        let position = study.position();
        let game = notation::game_at(tree, node).unwrap_or_else(|| Game::new(position));
        let outcome = game.outcome();
        let moves = match outcome {
            Some(_) => BTreeMap::new(),
            None => state_view::moves(&position, study.mode()),
        };
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
            moves,
            outcome: outcome.map(OverEntry::from),
            claims: state_view::claims(&game),
            result: ResultName(tree.termination()),
            opening: self.opening(),
            chess960: study.mode() == CastlingMode::Chess960,
            start_number: study.start_number(),
            headers: tree.tags().map(|(name, value)| [name.into_owned(), value.into_owned()]).collect(),
            undo: study.can_undo(),
            redo: study.can_redo(),
            play: self.play_entry(now),
            puzzle: self.puzzle_entry(),
            reviewing: self.review.is_some(),
        }
    }

    /// The opening of the current line.
    fn opening(&self) -> Option<OpeningEntry> {
        let (tree, node) = (self.study.tree(), self.study.node());
        let mut position = *tree.start();
        let mut named = openings::lookup(&position).map(|opening| (NodeId::ROOT, opening));
        for step in tree.path(node) {
            position = notation::position_after(&position, tree.mv(step))?;
            named = openings::lookup(&position).map(|opening| (step, opening)).or(named);
        }
        named.map(|(at, opening)| OpeningEntry { eco: opening.eco, name: opening.name, here: at == node })
    }

    /// The number of the current game in this session. A new game gets a new number, and undo returns to the old one.
    pub fn game_number(&self) -> u64 {
        self.study.game_number()
    }

    /// When to call [`wake`](Self::wake), if nothing happens before.
    pub fn next_wake(&self) -> Option<Duration> {
        let play = self.play.as_ref().filter(|play| play.is_on());
        let flag = play.and_then(|play| play.clock.as_ref()?.flag()).map(|(_, falls)| falls);
        let found = play.and_then(Play::found_move).map(|found| found.due);
        self.save_due.into_iter().chain(flag).chain(found).min()
    }

    /// Handles the passage of time: moves that wait for it, clocks and delayed saves.
    pub fn wake(&mut self, now: Duration) -> Outbox {
        let mut out = Outbox::default();
        if !self.play_due_move(now, &mut out) && self.look_at_clock(now, &mut out) {
            self.show(None, now, &mut out);
        }
        self.save(now, &mut out);
        out
    }
}

fn limit_line(moves: &[String]) -> Result<(), Refusal> {
    if moves.len() <= MAX_LINE {
        return Ok(());
    }
    Err(Refusal::new(format!("A line has at most {MAX_LINE} moves.")))
}
