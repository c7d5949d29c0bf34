//! Somebody in front of a page, who does all that the page can do, in no sensible order.

use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::World;
use super::figures::{Breach, count};
use super::page::Page;
use super::tab::{Tab, Trouble, shortened};
use super::texts;
use crate::random::Random;

/// What somebody does next after an action.
enum Next {
    GoOn,
    /// The tab is closed, one way or the other.
    Leave,
}

/// The right to have a search of some length running.
struct Permit<'a>(&'a World);

impl<'a> Permit<'a> {
    /// `None` if too many are running.
    fn take(world: &'a World) -> Option<Permit<'a>> {
        let taken = world.searches.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        taken.is_ok().then_some(Permit(world))
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.searches.fetch_add(1, Relaxed);
    }
}

/// Uses the page until the run is over.
pub(super) fn live(world: &World, seed: u64) {
    let mut user =
        User { world, random: Random::new(seed), analysis: None, game: None, review: None, games: 0 };
    let mut memory: Option<Page> = None;
    while world.is_on() {
        world.rest_if_asked();
        let Some(mut tab) = Tab::open(world) else { return };
        let lived = user.visit(&mut tab, memory.take());
        user.give_back();
        match lived {
            Ok(Next::GoOn) => tab.close(),
            Ok(Next::Leave) => {
                memory = user.random.percent(60).then(|| tab.page.clone());
                if user.random.percent(50) { tab.close() } else { tab.break_off() }
            }
            Err(Trouble::Gone(why)) => {
                if tab.is_excused() {
                    count(&world.figures.reconnections);
                    memory = Some(tab.page.clone());
                } else {
                    world.figures.note(Breach::Lost, &why);
                }
            }
            Err(Trouble::Broken(breach, what)) => world.figures.note(breach, &what),
        }
    }
}

struct User<'a> {
    world: &'a World,
    random: Random,
    /// For what the engine does for this tab.
    analysis: Option<Permit<'a>>,
    game: Option<Permit<'a>>,
    review: Option<Permit<'a>>,
    /// In the text that was last loaded.
    games: usize,
}

impl<'a> User<'a> {
    fn give_back(&mut self) {
        (self.analysis, self.game, self.review) = (None, None, None);
    }

    /// From opening a tab to leaving it.
    fn visit(&mut self, tab: &mut Tab<'a>, memory: Option<Page>) -> Result<Next, Trouble> {
        self.greet(tab, memory)?;
        while self.world.is_on() && !self.world.is_resting() {
            if self.random.below(400) == 0 {
                count(&self.world.figures.faults);
                return Ok(Next::Leave);
            }
            if tab.page.is_playing() {
                self.play_on(tab)?;
            } else {
                self.study(tab)?;
            }
            if self.random.below(150) == 0 {
                // Does not read for some time, and catches up then.
                count(&self.world.figures.faults);
                thread::sleep(Duration::from_millis(500 + self.random.below(3_500) as u64));
            } else {
                tab.listen(Duration::from_millis(20 + self.random.below(350) as u64))?;
            }
        }
        tab.settle()?;
        Ok(Next::GoOn)
    }

    /// Says hello, with what was kept from before, and looks whether all of it is there again.
    fn greet(&mut self, tab: &mut Tab<'a>, memory: Option<Page>) -> Result<(), Trouble> {
        let Some(memory) = memory.filter(|memory| memory.saved.is_some()) else {
            tab.ask(json!({"type": "hello"}), true)?;
            return self.wait_for_state(tab, Some(""));
        };
        let Some((version, text)) = memory.saved.clone() else { return Ok(()) };
        let mut hello = json!({"type": "hello", "path": memory.state["path"], "play": memory.state["play"]});
        // What was kept may be older than what was last seen.
        let is_current = memory.state["version"] == json!(version);
        tab.page = if is_current { memory.after_hello() } else { Page::default() };
        hello["pgn"] = self.send_long(tab, &text)?.into();
        tab.ask(hello, true)?;
        let was_thinking = memory.is_engine_to_move();
        let path = (is_current && !was_thinking).then(|| memory.path().to_owned());
        self.wait_for_state(tab, path.as_deref()).map_err(|trouble| match trouble {
            Trouble::Broken(breach, what) => {
                Trouble::Broken(breach, format!("{what}; from {}", shortened(&text)))
            }
            gone @ Trouble::Gone(_) => gone,
        })?;
        let level = |page: &Page| page.state["play"]["level"].clone();
        if is_current && level(&tab.page) != level(&memory) {
            return Err(wrong(format!("a game against {} was forgotten", level(&memory))));
        }
        Ok(())
    }

    fn wait_for_state(&mut self, tab: &mut Tab<'a>, path: Option<&str>) -> Result<(), Trouble> {
        let deadline = Instant::now() + super::wire::PATIENCE;
        while tab.page.state.is_null() {
            if tab.receive(deadline)?.is_none() {
                return Err(Trouble::Broken(Breach::Silence, "no state after hello".to_owned()));
            }
        }
        match path {
            Some(path) if path != tab.page.path() => {
                Err(wrong(format!("{path:?} was kept, {:?} came back", tab.page.path())))
            }
            _ => Ok(()),
        }
    }

    /// Sends all of a text but its end, which is returned.
    fn send_long(&mut self, tab: &mut Tab<'a>, text: &str) -> Result<String, Trouble> {
        const PIECE: usize = 12_000;
        let mut rest: Vec<char> = text.chars().collect();
        let end = rest.split_off(rest.len() - rest.len() % PIECE);
        for (index, part) in rest.chunks(PIECE).enumerate() {
            let text: String = part.iter().collect();
            tab.send(json!({"type": "part", "text": text, "reset": index == 0}), false)?;
        }
        Ok(end.into_iter().collect())
    }

    /// Asks for something that must succeed and lead to this path.
    fn go(&mut self, tab: &mut Tab<'a>, intent: Value, path: Option<String>) -> Result<(), Trouble> {
        let asked = intent.to_string();
        let is_news_due = self.analysis.is_some();
        let answer = tab.ask(intent, true)?;
        if answer["type"] == "state" {
            let told = answer["path"].as_str().unwrap_or_default();
            if let Some(path) = path
                && path != told
            {
                return Err(wrong(format!("{asked} leads to {told:?}, not to {path:?}")));
            }
            if is_news_due {
                tab.curious = Some(Instant::now());
            }
        }
        Ok(())
    }

    /// Plays a legal move and takes the time.
    fn make_move(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        let moves = tab.page.moves();
        if moves.is_empty() {
            return self.begin(tab);
        }
        let (uci, san) = *self.random.pick(&moves);
        let path = format!("{} {uci}", tab.page.path()).trim_start().to_owned();
        let intent = if self.random.percent(70) {
            json!({"type": "move", "uci": uci})
        } else {
            json!({"type": "move", "san": san})
        };
        // With little time left on a clock it may be over before the move arrives.
        let expected = tab.page.state["play"]["clock"].is_null().then_some(path);
        let start = Instant::now();
        self.go(tab, intent, expected)?;
        self.world.figures.moves.add(start.elapsed());
        Ok(())
    }

    /// Another game.
    fn begin(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        tab.curious = None;
        match self.random.below(6) {
            0 => {
                let number = self.random.below(960);
                self.go(tab, json!({"type": "new", "chess960": number}), Some(String::new()))
            }
            1 => self.go(tab, json!({"type": "new", "chess960": "random"}), Some(String::new())),
            2 => {
                let fen = *self.random.pick(texts::POSITIONS);
                self.go(tab, json!({"type": "new", "fen": fen}), Some(String::new()))?;
                match tab.page.state["fen"].as_str() {
                    Some(told) if told == fen => Ok(()),
                    other => Err(wrong(format!("{fen} was set up, {other:?} came back"))),
                }
            }
            _ => self.go(tab, json!({"type": "new"}), Some(String::new())),
        }
    }

    fn node(&mut self, tab: &Tab<'a>) -> u64 {
        let nodes = tab.page.nodes();
        if nodes.is_empty() { 1 } else { *self.random.pick(&nodes) }
    }

    /// One thing that people do with a game.
    fn study(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        match self.random.below(100) {
            0..45 => self.make_move(tab),
            45..55 => {
                let to = *self.random.pick(&["start", "previous", "next", "end", "up", "down", "out"]);
                let path = tab.page.after_step(to);
                self.go(tab, json!({"type": "step", "to": to}), path)
            }
            55..60 => {
                let node = self.node(tab);
                let path = tab.page.path_to(node);
                self.go(tab, json!({"type": "go", "node": node}), path)
            }
            60..70 => self.edit(tab),
            70..75 => self.look(tab),
            75..78 => self.load(tab),
            78..80 => self.begin(tab),
            80..86 => self.switch_analysis(tab),
            86..90 => self.consult(tab),
            90..92 => self.start_play(tab),
            92..94 => self.review(tab),
            94..96 => {
                let intent = json!({"type": self.random.pick(&["undo", "redo"])});
                tab.curious = None;
                tab.ask(intent, false).map(drop)
            }
            96..97 => self.burst(tab),
            97..98 => {
                count(&self.world.figures.faults);
                let text = texts::no_message(&mut self.random);
                tab.send_nonsense(&text)
            }
            _ => self.set_up(tab),
        }
    }

    /// Changes something in the tree.
    fn edit(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        let node = self.node(tab);
        let here = tab.page.path().to_owned();
        let stays = Some(here);
        match self.random.below(9) {
            0 => {
                let text = "<b>a comment</b> {not a brace} ".repeat(self.random.below(5));
                self.go(tab, json!({"type": "comment", "node": node, "text": text}), stays)
            }
            1 => {
                let arrows = json!([{"from": "e2", "to": "e4", "color": "green"}]);
                let circles = json!([{"square": "d5", "color": "red"}]);
                let intent = json!({"type": "shapes", "node": node, "arrows": arrows, "circles": circles});
                self.go(tab, intent, stays)
            }
            // The start is no move: it has no glyphs, and cannot be moved or deleted.
            2 => tab.ask(json!({"type": "nags", "node": node, "nags": [1, 14]}), false).map(drop),
            3 => tab.ask(json!({"type": "promote", "node": node, "main": true}), false).map(drop),
            4 => tab.ask(json!({"type": "demote", "node": node}), false).map(drop),
            5 => tab.ask(json!({"type": "delete", "node": node}), false).map(drop),
            6 => tab.ask(json!({"type": "delete_after", "node": node}), false).map(drop),
            7 => {
                let name = *self.random.pick(&["White", "Black", "Event", "Site"]);
                let value = format!("\"quoted\" \\ {}", self.random.below(100));
                self.go(tab, json!({"type": "header", "name": name, "value": value}), stays)
            }
            _ => {
                let result = *self.random.pick(&["1-0", "0-1", "1/2-1/2", "*"]);
                self.go(tab, json!({"type": "result", "result": result}), stays)
            }
        }
    }

    /// Asks for something that changes nothing.
    fn look(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        let here = tab.page.node();
        match self.random.below(4) {
            0 => {
                let what = *self.random.pick(&["fen", "pgn", "moves", "svg"]);
                let export = tab.ask(json!({"type": "export", "what": what}), true)?;
                let text = export["text"].as_str().unwrap_or_default();
                if what == "fen" && Some(text) != tab.page.state["fen"].as_str() {
                    return Err(wrong(format!("{text} is exported, {} on the board", tab.page.state["fen"])));
                }
                Ok(())
            }
            1 => {
                let square = *self.random.pick(&["a1", "d4", "h8"]);
                let slider = *self.random.pick(&["rook", "bishop"]);
                tab.ask(json!({"type": "magic", "square": square, "slider": slider}), true).map(drop)
            }
            2 => {
                let on = self.random.percent(50);
                self.go(tab, json!({"type": "xray", "on": on}), None)
            }
            _ => {
                let moves = tab.page.moves();
                if moves.is_empty() {
                    return Ok(());
                }
                let uci = self.random.pick(&moves).0;
                let moves = json!([uci]);
                tab.ask(json!({"type": "preview", "node": here, "moves": moves}), true)?;
                let path = format!("{} {}", tab.page.path(), moves[0].as_str().unwrap_or_default());
                let line = json!({"type": "line", "node": here, "moves": moves, "go": true});
                self.go(tab, line, Some(path.trim_start().to_owned()))
            }
        }
    }

    /// Loads a text, good or bad.
    fn load(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        tab.curious = None;
        match self.random.below(4) {
            0 => {
                let (text, plies) = texts::game(&mut self.random, 200);
                let answer = tab.ask(json!({"type": "load", "text": text}), true)?;
                if answer["problem_count"] != 0 {
                    return Err(wrong(format!("a good game has problems: {answer}")));
                }
                self.go(tab, json!({"type": "step", "to": "end"}), None)?;
                let told = tab.page.path().split_ascii_whitespace().count();
                if told == plies { Ok(()) } else { Err(wrong(format!("{plies} moves loaded, {told} there"))) }
            }
            1 => {
                let count = 2 + self.random.below(60);
                let text = texts::games(&mut self.random, count);
                let end = self.send_long(tab, &text)?;
                let answer = tab.ask(json!({"type": "load", "text": end}), true)?;
                if answer["count"] != json!(count) {
                    return Err(wrong(format!("{count} games loaded, {} told", answer["count"])));
                }
                self.games = count;
                Ok(())
            }
            2 => {
                let game = self.random.below(self.games + 2);
                tab.ask(json!({"type": "games", "from": self.random.below(100)}), false)?;
                tab.ask(json!({"type": "choose", "game": game}), false).map(drop)
            }
            _ => {
                count(&self.world.figures.faults);
                let text = texts::hostile(&mut self.random);
                let end = self.send_long(tab, &text)?;
                tab.ask(json!({"type": "load", "text": end}), false).map(drop)
            }
        }?;
        // The state follows what was loaded.
        tab.ask(json!({"type": "step", "to": "start"}), true).map(drop)
    }

    fn set_up(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        tab.curious = None;
        let is_good = self.random.percent(50);
        let fen = *self.random.pick(if is_good { texts::POSITIONS } else { texts::NO_POSITIONS });
        let answer = tab.ask(json!({"type": "setup", "fen": fen, "accept": true}), false)?;
        if answer["type"] == "setup" && answer["ok"] != json!(is_good) {
            return Err(wrong(format!("{fen:?}: {answer}")));
        }
        tab.ask(json!({"type": "step", "to": "start"}), true).map(drop)
    }

    fn switch_analysis(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        if self.analysis.take().is_some() {
            tab.curious = None;
            return self.go(tab, json!({"type": "analyse", "on": false}), None);
        }
        self.analysis = Permit::take(self.world);
        if self.analysis.is_none() {
            return self.make_move(tab);
        }
        let lines = 1 + self.random.below(5);
        self.go(tab, json!({"type": "analyse", "on": true, "lines": lines}), None)
    }

    fn review(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        if self.review.take().is_some() {
            return tab.ask(json!({"type": "review_stop"}), true).map(drop);
        }
        self.review = Permit::take(self.world);
        if self.review.is_none() {
            return self.make_move(tab);
        }
        let depth = *self.random.pick(&["quick", "normal", "deep"]);
        // There may be no moves.
        tab.ask(json!({"type": "review", "depth": depth}), false).map(drop)
    }

    /// Asks the engine, and does not always wait for what it says.
    fn consult(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        let kind = *self.random.pick(&["hint", "threat", "explain"]);
        let Some(permit) = Permit::take(self.world) else { return self.make_move(tab) };
        let id = tab.send(json!({"type": kind}), false)?;
        if self.random.percent(25) {
            return Ok(());
        }
        tab.answer(id)?;
        drop(permit);
        Ok(())
    }

    /// Many questions at once; all are answered.
    fn burst(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        for _ in 0..5 + self.random.below(60) {
            let to = *self.random.pick(&["start", "previous", "next", "end"]);
            tab.send(json!({"type": "step", "to": to}), true)?;
        }
        tab.settle()
    }

    fn start_play(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        // It would go on when the game is over.
        if self.analysis.is_some() {
            self.switch_analysis(tab)?;
        }
        self.game = Permit::take(self.world);
        if self.game.is_none() {
            return self.make_move(tab);
        }
        let level = *self.random.pick(&["beginner", "club", "master", "full"]);
        let color = *self.random.pick(&["white", "black", "random"]);
        let from = *self.random.pick(&["start", "here", "chess960"]);
        let clock = if self.random.percent(50) {
            json!({"initial_ms": 1_000 + 1_000 * self.random.below(60), "increment_ms": 100})
        } else {
            Value::Null
        };
        let intent = json!({"type": "play", "color": color, "level": level, "clock": clock, "from": from});
        tab.curious = None;
        tab.ask(intent, false).map(drop)
    }

    /// One thing that people do in a game against the engine.
    fn play_on(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        let is_own_turn = tab.page.state["turn"] == tab.page.state["play"]["color"];
        let is_at_end = tab.page.state["node"] == tab.page.state["play"]["head"];
        match self.random.below(100) {
            0..75 if is_own_turn && is_at_end && !tab.page.moves().is_empty() => self.answer_engine(tab),
            0..75 if is_at_end => tab.listen(Duration::from_millis(300)),
            0..75 => tab.ask(json!({"type": "go", "node": tab.page.state["play"]["head"]}), false).map(drop),
            75..80 => tab.ask(json!({"type": "takeback"}), false).map(drop),
            80..84 => tab.ask(json!({"type": "hint"}), false).map(drop),
            84..88 => tab.ask(json!({"type": "step", "to": "previous"}), true).map(drop),
            88..91 => tab.ask(json!({"type": self.random.pick(&["draw", "claim"])}), false).map(drop),
            91..94 => tab.ask(json!({"type": self.random.pick(&["resign", "leave"])}), false).map(drop),
            // What must not be done meanwhile is refused, and nothing comes of it.
            _ => {
                let kind = *self.random.pick(&["undo", "redo", "threat", "explain", "review"]);
                tab.ask(json!({"type": kind}), false).map(drop)
            }
        }
    }

    /// A move in a game against the engine, which may have ended meanwhile.
    fn answer_engine(&mut self, tab: &mut Tab<'a>) -> Result<(), Trouble> {
        let uci = self.random.pick(&tab.page.moves()).0.to_owned();
        let start = Instant::now();
        let answer = tab.ask(json!({"type": "move", "uci": uci}), false)?;
        if answer["type"] == "state" {
            self.world.figures.moves.add(start.elapsed());
        }
        Ok(())
    }
}

fn wrong(what: String) -> Trouble {
    Trouble::Broken(Breach::WrongState, what)
}
