//! A user who does everything that the page can do, in random order.

use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::{Value, json};

use super::page::PageModel;
use super::tab::{TabClient, TabError, broken, shortened};
use super::{LOST, WRONG_STATE, WebRun, texts, wire};
use crate::random::RandomChoice as _;

/// The right to have a search running.
struct SearchPermit<'a>(&'a WebRun);

impl<'a> SearchPermit<'a> {
    /// `None` if too many are running.
    fn take(run: &'a WebRun) -> Option<SearchPermit<'a>> {
        let taken = run.searches.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        taken.is_ok().then_some(SearchPermit(run))
    }
}

impl Drop for SearchPermit<'_> {
    fn drop(&mut self) {
        self.0.searches.fetch_add(1, Relaxed);
    }
}

/// Uses the page until the run is over.
pub(super) fn use_page(run: &WebRun, random: Rng) {
    let mut user = PageUser { run, random, analysis: None, game: None, review: None };
    let mut memory: Option<PageModel> = None;
    while run.is_on() {
        run.rest_if_asked();
        let Some(mut tab) = TabClient::open(run) else { return };
        let visited = user.visit(&mut tab, memory.take());
        (user.analysis, user.game, user.review) = (None, None, None);
        match visited {
            // Sometimes the page comes back with what it has saved.
            Ok(()) => {
                memory = user.random.percent(60).then(|| tab.page.clone());
                if user.random.percent(70) { tab.close() } else { tab.break_off() }
            }
            Err(TabError::Gone(_)) if tab.is_excused() => {
                run.figures.count("reconnections", 1);
                memory = Some(tab.page.clone());
            }
            Err(TabError::Gone(why)) => run.figures.note(LOST, why),
            Err(TabError::Broken(breach)) => run.figures.note(breach.kind, breach.what),
        }
    }
}

/// Intents that must succeed and do not leave the current position. `NODE` stands for a node.
const SAFE_INTENTS: [&str; 13] = [
    r#"{"type": "comment", "node": NODE, "text": ""}"#,
    r#"{"type": "comment", "node": NODE, "text": "<b>a comment</b> {not a brace} "}"#,
    r#"{"type": "shapes", "node": NODE, "arrows": [{"from": "e2", "to": "e4", "color": "green"}], "circles": []}"#,
    r#"{"type": "header", "name": "White", "value": "\"quoted\" \\"}"#,
    r#"{"type": "result", "result": "1/2-1/2"}"#,
    r#"{"type": "export", "what": "fen"}"#,
    r#"{"type": "export", "what": "pgn"}"#,
    r#"{"type": "export", "what": "svg"}"#,
    r#"{"type": "magic", "square": "d4", "slider": "rook"}"#,
    r#"{"type": "accumulators", "node": NODE}"#,
    r#"{"type": "perft", "node": NODE, "depth": 2, "compare": "e2e4: 20"}"#,
    r#"{"type": "xray", "on": true}"#,
    r#"{"type": "xray", "on": false}"#,
];

/// Intents that may be refused: the start position, for instance, cannot be deleted.
const REFUSABLE_INTENTS: [&str; 12] = [
    r#"{"type": "explorer", "source": "book"}"#,
    r#"{"type": "nags", "node": NODE, "nags": [1, 14]}"#,
    r#"{"type": "promote", "node": NODE, "main": true}"#,
    r#"{"type": "demote", "node": NODE}"#,
    r#"{"type": "delete", "node": NODE}"#,
    r#"{"type": "delete_after", "node": NODE}"#,
    r#"{"type": "undo"}"#,
    r#"{"type": "undo"}"#,
    r#"{"type": "redo"}"#,
    r#"{"type": "games", "from": 10}"#,
    r#"{"type": "choose", "game": 1}"#,
    r#"{"type": "choose", "game": 1000}"#,
];

struct PageUser<'a> {
    run: &'a WebRun,
    random: Rng,
    analysis: Option<SearchPermit<'a>>,
    game: Option<SearchPermit<'a>>,
    review: Option<SearchPermit<'a>>,
}

type TabResult = Result<(), TabError>;

impl<'a> PageUser<'a> {
    /// From opening a tab to leaving it.
    fn visit(&mut self, tab: &mut TabClient<'a>, memory: Option<PageModel>) -> TabResult {
        self.greet(tab, memory)?;
        while self.run.is_on() && !self.run.is_resting() {
            if self.random.usize(..400) == 0 {
                self.run.figures.count("faults", 1);
                return Ok(());
            }
            if tab.page.is_playing() {
                self.play_on(tab)?;
            } else {
                self.study(tab)?;
            }
            if self.random.usize(..150) == 0 {
                // Does not read for some time, and catches up then.
                self.run.figures.count("faults", 1);
                thread::sleep(Duration::from_millis(self.random.u64(500..4_000)));
            } else {
                tab.listen(Duration::from_millis(self.random.u64(20..370)))?;
            }
        }
        tab.settle()
    }

    /// Says hello, with what was saved before, and checks that all of it is back.
    fn greet(&mut self, tab: &mut TabClient<'a>, memory: Option<PageModel>) -> TabResult {
        let mut hello = json!({"type": "hello"});
        let mut expected_path = Some(String::new());
        let mut expected_level = None;
        let mut saved_text = String::new();
        if let Some(memory) = memory
            && let Some((version, text)) = &memory.saved
        {
            (hello["path"], hello["play"]) = (memory.state["path"].clone(), memory.state["play"].clone());
            // What was saved may be older than what was last seen.
            let is_current = memory.state["version"] == json!(version);
            if is_current {
                tab.page = memory.reloaded();
                expected_level = Some(memory.state["play"]["level"].clone());
            }
            expected_path = (is_current && !memory.is_engine_to_move()).then(|| memory.path().to_owned());
            hello["pgn"] = send_long(tab, text)?.into();
            saved_text.clone_from(text);
        }
        tab.ask(hello, true)?;
        let deadline = Instant::now() + wire::PATIENCE;
        while tab.page.state.is_null() {
            tab.expect(deadline, "hello")?;
        }
        let path = tab.page.path();
        if expected_path.as_ref().is_some_and(|expected| expected != path) {
            let text = shortened(&saved_text);
            return Err(wrong(format!("{expected_path:?} was saved, {path:?} is restored from {text}")));
        }
        match expected_level {
            Some(level) if level != tab.page.state["play"]["level"] => {
                Err(wrong(format!("a game against {level} was forgotten")))
            }
            _ => Ok(()),
        }
    }

    /// Sends an intent that must succeed and lead to this path.
    fn go(&mut self, tab: &mut TabClient<'a>, intent: Value, path: Option<String>) -> TabResult {
        let text = intent.to_string();
        let answer = tab.ask(intent, true)?;
        if text.contains(r#""what":"fen""#) && answer["text"] != tab.page.state["fen"] {
            return Err(wrong(format!("{answer}, but the board shows {}", tab.page.state["fen"])));
        }
        if answer["type"] == "state" {
            match path {
                Some(path) if answer["path"] != path => {
                    return Err(wrong(format!("{text} leads to {}, not to {path:?}", answer["path"])));
                }
                _ => tab.analysis_due = self.analysis.is_some().then(Instant::now),
            }
        }
        Ok(())
    }

    /// Sends an intent that may be refused.
    fn attempt(&mut self, tab: &mut TabClient<'a>, intent: Value) -> TabResult {
        tab.analysis_due = None;
        tab.ask(intent, false).map(drop)
    }

    /// Plays a legal move and takes the time.
    fn make_move(&mut self, tab: &mut TabClient<'a>) -> TabResult {
        let moves = tab.page.moves();
        if moves.is_empty() {
            return self.begin(tab);
        }
        let (uci, san) = self.random.pick(&moves);
        let path = format!("{} {uci}", tab.page.path()).trim_start().to_owned();
        let (name, text) = if self.random.percent(70) { ("uci", uci) } else { ("san", san) };
        let intent = json!({"type": "move", name: text});
        let start = Instant::now();
        self.go(tab, intent, Some(path))?;
        self.run.figures.time("move to state", start.elapsed());
        Ok(())
    }

    /// Starts a new game.
    fn begin(&mut self, tab: &mut TabClient<'a>) -> TabResult {
        tab.analysis_due = None;
        let fen = self.random.pick(&texts::POSITIONS);
        let intent = match self.random.usize(..6) {
            0 => json!({"type": "new", "chess960": self.random.usize(..960)}),
            1 => json!({"type": "new", "chess960": "random"}),
            2 => json!({"type": "new", "fen": fen}),
            _ => json!({"type": "new"}),
        };
        let is_set_up = !intent["fen"].is_null();
        self.go(tab, intent, Some(String::new()))?;
        if is_set_up && tab.page.state["fen"] != fen {
            return Err(wrong(format!("{fen} was set up, the state has {}", tab.page.state["fen"])));
        }
        Ok(())
    }

    /// One action with a game.
    fn study(&mut self, tab: &mut TabClient<'a>) -> TabResult {
        let nodes = tab.page.nodes();
        let node = if nodes.is_empty() { 1 } else { self.random.pick(&nodes) };
        match self.random.usize(..100) {
            0..45 => self.make_move(tab),
            45..55 => {
                let to = self.random.word("start previous next end up down out");
                let path = tab.page.path_after_step(to);
                self.go(tab, json!({"type": "step", "to": to}), path)
            }
            55..60 => {
                let path = tab.page.path_to(node);
                self.go(tab, json!({"type": "go", "node": node}), path)
            }
            60..76 => {
                let is_safe = self.random.percent(50);
                let intent = self.random.pick(if is_safe { &SAFE_INTENTS } else { &REFUSABLE_INTENTS });
                let intent = intent.replace("NODE", &node.to_string());
                let intent = serde_json::from_str(&intent).expect("valid JSON");
                let path = tab.page.path().to_owned();
                if is_safe { self.go(tab, intent, Some(path)) } else { self.attempt(tab, intent) }
            }
            76..79 => self.load(tab),
            79..81 => self.begin(tab),
            81..87 => self.switch_analysis(tab),
            87..91 => self.consult(tab),
            91..93 => self.start_play(tab),
            93..95 => self.switch_review(tab),
            95..96 => {
                // Many intents at once; all are answered.
                for _ in 0..self.random.usize(5..65) {
                    let to = self.random.word("start previous next end");
                    tab.send(json!({"type": "step", "to": to}), true)?;
                }
                tab.settle()
            }
            96..97 => {
                self.run.figures.count("faults", 1);
                tab.send_invalid(&texts::invalid_message(&mut self.random))
            }
            97..98 => self.show_line(tab),
            _ => self.set_up(tab),
        }
    }

    /// Plays a line of one move, after a preview.
    fn show_line(&mut self, tab: &mut TabClient<'a>) -> TabResult {
        let Some((uci, _)) = self.random.choice(tab.page.moves()) else { return Ok(()) };
        let (node, moves) = (tab.page.node(), json!([uci]));
        let path = format!("{} {uci}", tab.page.path()).trim_start().to_owned();
        tab.ask(json!({"type": "preview", "node": node, "moves": moves}), true)?;
        self.go(tab, json!({"type": "line", "node": node, "moves": moves, "go": true}), Some(path))
    }

    /// Loads a text, good or bad.
    fn load(&mut self, tab: &mut TabClient<'a>) -> TabResult {
        tab.analysis_due = None;
        let kind = self.random.usize(..3);
        let count = if kind == 0 { 1 } else { self.random.usize(2..62) };
        let (game, plies) = texts::game(&mut self.random, 200);
        let text = match kind {
            0 => game,
            1 => (0..count).map(|_| texts::game(&mut self.random, 30).0).collect(),
            _ => texts::hostile(&mut self.random),
        };
        let end = send_long(tab, &text)?;
        let answer = tab.ask(json!({"type": "load", "text": end}), kind < 2)?;
        match kind {
            0 => {
                self.go(tab, json!({"type": "step", "to": "end"}), None)?;
                let loaded = tab.page.path().split_ascii_whitespace().count();
                if loaded != plies || answer["problem_count"] != 0 {
                    return Err(wrong(format!("{loaded} of {plies} moves loaded: {answer}")));
                }
            }
            1 if answer["count"] != json!(count) => {
                return Err(wrong(format!("{} of {count} games loaded", answer["count"])));
            }
            1 => {}
            _ => self.run.figures.count("faults", 1),
        }
        // The state follows what was loaded.
        tab.ask(json!({"type": "step", "to": "start"}), true).map(drop)
    }

    fn set_up(&mut self, tab: &mut TabClient<'a>) -> TabResult {
        tab.analysis_due = None;
        let is_good = self.random.percent(50);
        let fen = self.random.pick(if is_good { &texts::POSITIONS } else { &texts::BAD_POSITIONS });
        let answer = tab.ask(json!({"type": "setup", "fen": fen, "accept": true}), false)?;
        if answer["type"] == "setup" && answer["ok"] != json!(is_good) {
            return Err(wrong(format!("{fen:?}: {answer}")));
        }
        tab.ask(json!({"type": "step", "to": "start"}), true).map(drop)
    }

    fn switch_analysis(&mut self, tab: &mut TabClient<'a>) -> TabResult {
        if self.analysis.take().is_some() {
            return self.go(tab, json!({"type": "analyse", "on": false}), None);
        }
        self.analysis = SearchPermit::take(self.run);
        if self.analysis.is_none() {
            return self.make_move(tab);
        }
        let lines = self.random.usize(1..=5);
        self.go(tab, json!({"type": "analyse", "on": true, "lines": lines}), None)
    }

    fn switch_review(&mut self, tab: &mut TabClient<'a>) -> TabResult {
        if self.review.take().is_some() {
            return tab.ask(json!({"type": "review_stop"}), true).map(drop);
        }
        self.review = SearchPermit::take(self.run);
        if self.review.is_none() {
            return self.make_move(tab);
        }
        let depth = self.random.word("quick normal deep");
        // It is refused if there are no moves.
        tab.ask(json!({"type": "review", "depth": depth}), false).map(drop)
    }

    /// Asks the engine, and does not always wait for the answer.
    fn consult(&mut self, tab: &mut TabClient<'a>) -> TabResult {
        let kind = self.random.word("hint threat explain");
        let Some(_permit) = SearchPermit::take(self.run) else { return self.make_move(tab) };
        let id = tab.send(json!({"type": kind}), false)?;
        if self.random.percent(75) { tab.answer(id).map(drop) } else { Ok(()) }
    }

    fn start_play(&mut self, tab: &mut TabClient<'a>) -> TabResult {
        // An analysis would go on when the game is over.
        if self.analysis.is_some() {
            self.switch_analysis(tab)?;
        }
        self.game = SearchPermit::take(self.run);
        if self.game.is_none() {
            return self.make_move(tab);
        }
        let level = self.random.word("beginner club master full");
        let color = self.random.word("white black random");
        let from = self.random.word("start here chess960");
        let clock = json!({"initial_ms": 1_000 * self.random.usize(1..=60), "increment_ms": 100});
        let clock = if self.random.percent(50) { clock } else { Value::Null };
        self.attempt(
            tab,
            json!({"type": "play", "color": color, "level": level, "clock": clock, "from": from}),
        )
    }

    /// One action in a game against the engine.
    fn play_on(&mut self, tab: &mut TabClient<'a>) -> TabResult {
        let (state, play) = (&tab.page.state, &tab.page.state["play"]);
        let is_own_turn = state["turn"] == play["color"];
        let is_at_end = state["node"] == play["head"];
        let moves = tab.page.moves();
        let kind = match self.random.usize(..100) {
            0..75 if is_own_turn && is_at_end && !moves.is_empty() => {
                let intent = json!({"type": "move", "uci": self.random.pick(&moves).0});
                let start = Instant::now();
                // The game may have ended on time meanwhile.
                if tab.ask(intent, false)?["type"] == "state" {
                    self.run.figures.time("move to state", start.elapsed());
                }
                return Ok(());
            }
            0..75 if is_at_end => return tab.listen(Duration::from_millis(300)),
            0..75 => {
                let intent = json!({"type": "go", "node": play["head"]});
                return self.attempt(tab, intent);
            }
            75..80 => "takeback",
            80..84 => "hint",
            84..88 => return tab.ask(json!({"type": "step", "to": "previous"}), true).map(drop),
            88..91 => self.random.word("draw claim"),
            91..94 => self.random.word("resign leave"),
            // Not allowed during a game: refused, and nothing changes.
            _ => self.random.word("undo redo threat explain review"),
        };
        self.attempt(tab, json!({"type": kind}))
    }
}

/// Sends all of a text but its end, which is returned.
fn send_long(tab: &mut TabClient<'_>, text: &str) -> Result<String, TabError> {
    const PART: usize = 12_000;
    let mut rest: Vec<char> = text.chars().collect();
    let end = rest.split_off(rest.len() - rest.len() % PART);
    for (index, part) in rest.chunks(PART).enumerate() {
        let text: String = part.iter().collect();
        tab.send(json!({"type": "part", "text": text, "reset": index == 0}), false)?;
    }
    Ok(end.into_iter().collect())
}

fn wrong(what: String) -> TabError {
    broken(WRONG_STATE, what)
}
