//! How games are opened: new, from the page's memory, from texts and from set-ups.

use std::time::Duration;

use ferz_board::Position;
use ferz_notation::pgn::GameTree;

use super::level::LEVELS;
use super::refusal::Refusal;
use super::reviewing::Findings;
use super::study::Study;
use super::texts::{self, Library, Loaded, ReadGame};
use super::{ANALYSIS_TIME, MAX_LINES, MAX_MESSAGE, Order, Outbox, Session, exploring, fen_text, setup};
use crate::protocol::{GameStart, Hello, LimitsEntry, Message, SetupWish, StartNumber, Welcome, sentence};

impl Session {
    /// Handles the first message, with everything the page has kept.
    pub(super) fn greet(&mut self, hello: Hello, re: Option<u64>, now: Duration, out: &mut Outbox) {
        let text = self.parts.complete(hello.pgn.as_deref().unwrap_or_default());
        *self = Session {
            is_greeted: true,
            tickets: self.tickets,
            engines: self.engines.anew(),
            ..Session::new(self.network.take(), self.random.u64(..))
        };
        out.orders.extend([
            Order::StopThinking,
            Order::StopReview,
            Order::Analyse(None),
            Order::AnalyseWithOther(None),
        ]);
        out.say(re, Message::Welcome(self.welcome()));
        let tree = match (text, hello.fen) {
            (Err(refusal), _) => Err(refusal),
            (Ok(text), _) if !text.trim().is_empty() => first_game(text),
            (_, Some(fen)) => position_of(&fen).map(|(position, _)| GameTree::starting_from(position)),
            _ => Ok(GameTree::new()),
        };
        match tree {
            Ok(tree) => self.study = Study::new(tree),
            Err(Refusal(message)) => out.notice(message),
        }
        self.study.follow(hello.path.as_deref().unwrap_or_default());
        self.xray = hello.xray;
        let play = hello.play.map_or(Ok(()), |saved| self.resume_play(&saved, now, out));
        let analysis = hello.analysis.map_or(Ok(()), |wish| self.set_analysis(wish));
        let engine = hello.engine.map_or(Ok(()), |wish| self.engines.restore(wish));
        let other = self.engines.choose_other(hello.other_engine);
        for refusal in [play, analysis, engine, other].into_iter().filter_map(Result::err) {
            out.notice(refusal.0);
        }
        self.show_with_review(now, out);
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
                threads: self.engines.host().threads,
                hash_mb: self.engines.host().hash_mb,
                default_hash_mb: self.engines.host().default_hash_mb,
            },
            // The host fills these in if it has a library.
            library: None,
            tab: None,
            // The host adds its own.
            explorers: exploring::sources(),
            engines: self.engines.host().engines.clone(),
        }
    }

    /// Shows the current game, with the review that it may contain.
    fn show_with_review(&mut self, now: Duration, out: &mut Outbox) {
        let findings = Findings::recall(self.study.tree());
        let summary = findings.map(|findings| {
            self.study.set_reviews(findings.moves);
            findings.summary
        });
        self.show(None, now, out);
        if let Some(summary) = summary {
            out.say(None, Message::Review(summary));
        }
    }

    /// Replaces the current game.
    pub(super) fn begin(&mut self, tree: GameTree, out: &mut Outbox) {
        self.leave(out);
        self.stop_review(out);
        self.study.replace(tree);
    }

    /// Starts a new game.
    pub(super) fn start_game(&mut self, start: &GameStart, out: &mut Outbox) -> Result<(), Refusal> {
        self.refuse_to_replace_game()?;
        let (tree, notices) = match (&start.chess960, &start.fen) {
            (None, None) => (GameTree::new(), Vec::new()),
            (Some(_), Some(_)) => {
                return Err(Refusal::new("A game starts from a FEN or from a Chess960 number, not both."));
            }
            (Some(number), None) => (self.chess960_game(number)?, Vec::new()),
            (None, Some(fen)) => {
                let (position, repairs) = position_of(fen)?;
                (GameTree::starting_from(position), repairs)
            }
        };
        self.begin(tree, out);
        notices.into_iter().for_each(|notice| out.notice(notice));
        Ok(())
    }

    fn open(&mut self, game: ReadGame, re: Option<u64>, now: Duration, out: &mut Outbox) {
        out.say(re, Message::Loaded { problems: game.problems, problem_count: game.problem_count });
        self.begin(game.tree, out);
        self.show_with_review(now, out);
    }

    /// Loads the game or position in a text, or lists the games if there are several.
    pub(super) fn load(
        &mut self,
        end: &str,
        re: Option<u64>,
        now: Duration,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        let text = self.parts.complete(end)?;
        self.load_text(text, re, now, out)
    }

    fn load_text(
        &mut self,
        text: String,
        re: Option<u64>,
        now: Duration,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        self.refuse_to_replace_game()?;
        match texts::load(text)? {
            Loaded::Position(position, problems) => {
                let tree = GameTree::starting_from(position);
                self.open(ReadGame { tree, problem_count: problems.len(), problems }, re, now, out);
            }
            Loaded::Game(game) => self.open(*game, re, now, out),
            Loaded::Games(library) => {
                self.library = Some(library);
                out.say(re, self.games(0)?);
            }
        }
        Ok(())
    }

    /// Opens the game in a text as `load` would: for a game that the host keeps.
    pub fn open_text(&mut self, text: String, re: Option<u64>, now: Duration) -> Outbox {
        let mut out = Outbox::default();
        if let Err(Refusal(message)) = self.load_text(text, re, now, &mut out) {
            out.say(re, Message::Error { message });
        }
        out
    }

    fn library(&self) -> Result<&Library, Refusal> {
        self.library.as_ref().ok_or_else(|| Refusal::new("No games have been loaded."))
    }

    /// A page of the list of loaded games.
    pub(super) fn games(&self, from: usize) -> Result<Message, Refusal> {
        let (count, games) = self.library()?.page(from);
        Ok(Message::Games { count, from, games })
    }

    /// Opens one of the listed games.
    pub(super) fn choose(
        &mut self,
        game: usize,
        re: Option<u64>,
        now: Duration,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        self.refuse_to_replace_game()?;
        let game = self.library()?.game(game)?;
        self.open(game, re, now, out);
        Ok(())
    }

    /// Checks a position. Opens it if it is legal and the page asked for that.
    pub(super) fn set_up(
        &mut self,
        wish: &SetupWish,
        re: Option<u64>,
        now: Duration,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        if wish.accept {
            self.refuse_to_replace_game()?;
        }
        let (answer, position) = setup::check(wish)?;
        let is_chess960 = answer.chess960;
        out.say(re, Message::Setup(Box::new(answer)));
        if let Some(position) = position.filter(|_| wish.accept) {
            let mut tree = GameTree::starting_from(position);
            if is_chess960 {
                tree.set_tag("Variant", "Chess960")?;
            }
            self.begin(tree, out);
            self.show(None, now, out);
        }
        Ok(())
    }

    /// A Chess960 game.
    pub(super) fn chess960_game(&mut self, number: &StartNumber) -> Result<GameTree, Refusal> {
        let number = match number {
            StartNumber::Number(number) => *number,
            StartNumber::Word(word) if word == "random" => self.random.u16(..960),
            // Out of range: it is refused with the right sentence.
            StartNumber::Word(_) => u16::MAX,
        };
        let position = setup::chess960_start(number)?;
        let mut tree = GameTree::starting_from(position);
        // Without the tag, number 518 would be read as standard chess.
        tree.set_tag("Variant", "Chess960")?;
        Ok(tree)
    }
}

/// A position, and the repairs that its FEN needed.
fn position_of(fen: &str) -> Result<(Position, Vec<String>), Refusal> {
    let found = fen_text::find(fen);
    let (position, repairs) = fen_text::read(found.as_deref().unwrap_or(fen.trim()))?;
    let notes = repairs.iter().map(|repair| format!("{}.", sentence(repair))).collect();
    Ok((position, notes))
}

/// The first game of a text that a page has kept.
fn first_game(text: String) -> Result<GameTree, Refusal> {
    let game = match texts::load(text)? {
        Loaded::Position(position, _) => return Ok(GameTree::starting_from(position)),
        Loaded::Game(game) => *game,
        Loaded::Games(library) => library.game(0)?,
    };
    Ok(game.tree)
}
