//! A tab and a page that speaks while searches run, with a time that passes by itself.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fastrand::Rng;
use ferz_browser::{Hearing, Page, Tab};
use serde_json::{Value, json};

/// How much time passes whenever somebody asks for it, in milliseconds.
const TICK: u64 = 5;

type OnPoll = Box<dyn FnMut(&Tab, &Script) + Send>;

/// What the tests see of a page.
#[derive(Default)]
struct Script {
    now: AtomicU64,
    said: Mutex<Vec<Value>>,
    polls: AtomicU64,
    on_poll: Mutex<Option<OnPoll>>,
}

struct ScriptedPage(Arc<Script>);

impl Page for ScriptedPage {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.now.fetch_add(TICK, Relaxed))
    }

    fn say(&self, message: &str) {
        self.0.said.lock().unwrap().push(serde_json::from_str(message).expect("JSON"));
    }

    fn poll(&self, tab: &Tab) {
        self.0.polls.fetch_add(1, Relaxed);
        // It is taken out because a nested search polls from inside it.
        let on_poll = self.0.on_poll.lock().unwrap().take();
        if let Some(mut on_poll) = on_poll {
            on_poll(tab, &self.0);
            self.0.on_poll.lock().unwrap().get_or_insert(on_poll);
        }
    }
}

impl Script {
    fn said(&self) -> Vec<Value> {
        self.said.lock().unwrap().clone()
    }

    fn heard(&self, kind: &str) -> Vec<Value> {
        self.said().into_iter().filter(|it| it["type"] == kind).collect()
    }

    /// The place of the first message that fits.
    fn place(&self, fits: impl Fn(&Value) -> bool) -> Option<usize> {
        self.said().iter().position(fits)
    }
}

/// A tab whose page has said hello.
fn open(hearing: Hearing) -> (Arc<Tab>, Arc<Script>) {
    let script = Arc::new(Script::default());
    let tab = Tab::new(ScriptedPage(Arc::clone(&script)), None, 1, 1, hearing);
    hear(&tab, &json!({"type": "hello"}));
    (tab, script)
}

fn hear(tab: &Tab, message: &Value) {
    tab.hear(&message.to_string());
}

fn play_moves(tab: &Tab, moves: &str) {
    moves.split(' ').for_each(|san| hear(tab, &json!({"type": "move", "san": san})));
}

/// Says something at a poll with a number, counted from now.
fn say_at(script: &Script, poll: u64, message: Value) {
    let mut polls = 0;
    *script.on_poll.lock().unwrap() = Some(Box::new(move |tab, _| {
        polls += 1;
        if polls == poll {
            hear(tab, &message);
        }
    }));
}

fn work(tab: &Arc<Tab>) {
    while tab.work() {}
}

/// Works until the analysis has this depth.
fn work_to_depth(tab: &Arc<Tab>, script: &Script, depth: u64) -> u32 {
    (1..)
        .find(|_| {
            !tab.work() || script.heard("analysis").iter().any(|it| it["depth"].as_u64() >= Some(depth))
        })
        .unwrap()
}

fn analyse(on: bool) -> Value {
    json!({"type": "analyse", "on": on, "lines": 2})
}

const GAME: &str = "e4 e5 Nf3 f6 Nxe5 fxe5 Qh5+ g6";

#[test]
fn stopping_ends_the_analysis_at_once() {
    let (tab, script) = open(Hearing::Live);
    hear(&tab, &analyse(true));
    say_at(&script, 60, analyse(false));
    work(&tab);
    let news = script.heard("analysis");
    assert!(news.len() > 3, "{news:?}");
    assert!(news.iter().rev().skip(1).all(|it| it["status"] == "searching"), "{news:?}");
    assert_eq!(news.last().unwrap()["status"], "off");
    assert_eq!(script.polls.load(Relaxed), 60, "the search went on");
    assert_eq!(script.said().last().unwrap()["type"], "analysis", "the last word");
}

#[test]
fn news_of_an_analysis_are_not_too_frequent() {
    let (tab, script) = open(Hearing::Live);
    let start = script.now.load(Relaxed);
    hear(&tab, &analyse(true));
    say_at(&script, 200, analyse(false));
    work(&tab);
    let elapsed = script.now.load(Relaxed) - start;
    assert!(script.heard("analysis").len() as u64 <= elapsed / 100 + 2);
}

#[test]
fn a_hint_interrupts_the_analysis_which_keeps_its_lines() {
    let (tab, script) = open(Hearing::Live);
    hear(&tab, &analyse(true));
    let mut polls = 0;
    *script.on_poll.lock().unwrap() = Some(Box::new(move |tab, script| {
        polls += 1;
        if polls == 150 {
            hear(tab, &json!({"type": "hint", "id": 7}));
        } else if polls > 150 && script.heard("hint").len() == 1 && polls > 400 {
            hear(tab, &analyse(false));
        }
    }));
    work(&tab);
    assert_eq!(script.heard("hint").len(), 1);
    assert_eq!(script.heard("hint")[0]["re"], 7);
    let hint = script.place(|it| it["type"] == "hint").unwrap();
    let said = script.said();
    let depths = |said: &[Value]| -> Vec<u64> {
        said.iter().filter(|it| it["type"] == "analysis").map(|it| it["depth"].as_u64().unwrap()).collect()
    };
    let (before, after) = (depths(&said[..hint]), depths(&said[hint..]));
    assert!(before.last() > Some(&3) && after.len() > 2, "{before:?} {after:?}");
    assert!(before.iter().chain(&after).is_sorted(), "{before:?} {after:?}");
    let nodes: Vec<u64> = script.heard("analysis").iter().map(|it| it["nodes"].as_u64().unwrap()).collect();
    assert!(nodes.is_sorted(), "{nodes:?}");
}

#[test]
fn a_hint_is_found_in_the_middle_of_a_review() {
    for hearing in [Hearing::Live, Hearing::Slices] {
        let (tab, script) = open(hearing);
        play_moves(&tab, GAME);
        hear(&tab, &json!({"type": "review", "depth": "quick"}));
        match hearing {
            Hearing::Live => say_at(&script, 5, json!({"type": "hint", "id": 7})),
            Hearing::Slices => {
                tab.work();
                hear(&tab, &json!({"type": "hint", "id": 7}));
            }
        }
        work(&tab);
        let hint = script.place(|it| it["re"] == 7).expect("an answer");
        assert_eq!(script.said()[hint]["type"], "hint");
        let done = script.place(|it| it["type"] == "review" && it["status"] == "done").expect("a review");
        assert!(hint < done, "{hearing:?}");
        assert_eq!(script.heard("review").iter().filter(|it| it["status"] == "done").count(), 1);
    }
}

#[test]
fn an_analysis_waits_for_a_review() {
    for hearing in [Hearing::Live, Hearing::Slices] {
        let (tab, script) = open(hearing);
        play_moves(&tab, GAME);
        hear(&tab, &analyse(true));
        analyse_around_a_review(&tab, &script, hearing, json!({"type": "review", "depth": "quick"}));
        let statuses: Vec<String> = script
            .said()
            .iter()
            .filter(|it| it["type"] == "analysis" || it["status"] == "done")
            .map(|it| it["status"].as_str().unwrap().to_owned())
            .collect();
        let mut changes = statuses.clone();
        changes.dedup();
        assert_eq!(changes, ["searching", "waiting", "done", "searching", "off"], "{hearing:?}");
    }
}

/// Analyses for a while, says something, and ends the analysis some time after a review.
fn analyse_around_a_review(tab: &Arc<Tab>, script: &Arc<Script>, hearing: Hearing, message: Value) {
    let is_reviewed = |script: &Script| script.place(|it| it["status"] == "done").is_some();
    match hearing {
        Hearing::Live => {
            let (mut polls, mut afterwards) = (0, 0);
            *script.on_poll.lock().unwrap() = Some(Box::new(move |tab, script| {
                polls += 1;
                if polls == 80 {
                    hear(tab, &message);
                }
                afterwards += u32::from(is_reviewed(script));
                if afterwards == 80 {
                    hear(tab, &analyse(false));
                }
            }));
            work(tab);
        }
        Hearing::Slices => {
            work_to_depth(tab, script, 3);
            hear(tab, &message);
            while !is_reviewed(script) {
                assert!(tab.work());
            }
            (0..4).for_each(|_| assert!(tab.work()));
            hear(tab, &analyse(false));
            work(tab);
        }
    }
}

#[test]
fn a_stopped_review_ends() {
    let (tab, script) = open(Hearing::Live);
    play_moves(&tab, GAME);
    hear(&tab, &json!({"type": "review", "depth": "deep"}));
    say_at(&script, 10, json!({"type": "review_stop"}));
    work(&tab);
    assert_eq!(script.polls.load(Relaxed), 10, "the search went on");
    assert_eq!(script.heard("review").last().unwrap()["status"], "stopped");
    // A second one begins anew, and replaces one that runs.
    hear(&tab, &json!({"type": "review", "depth": "deep"}));
    say_at(&script, 10, json!({"type": "review", "depth": "quick"}));
    work(&tab);
    assert_eq!(script.heard("review").last().unwrap()["status"], "done");
}

#[test]
fn slices_grow_and_let_the_page_speak() {
    let (tab, script) = open(Hearing::Slices);
    hear(&tab, &analyse(true));
    let mut lengths = Vec::new();
    for _ in 0..8 {
        let start = script.now.load(Relaxed);
        assert!(tab.work());
        lengths.push(script.now.load(Relaxed) - start);
    }
    assert!(lengths.is_sorted_by(|a, b| a <= &(b + 50)), "{lengths:?}");
    assert!(lengths[0] < 300 && (900..1_500).contains(&lengths[7]), "{lengths:?}");
    assert_eq!(script.polls.load(Relaxed), 0);
    let depths: Vec<u64> = script.heard("analysis").iter().map(|it| it["depth"].as_u64().unwrap()).collect();
    assert!(depths.is_sorted() && depths.last() > Some(&5), "{depths:?}");
    hear(&tab, &analyse(false));
    work(&tab);
    assert_eq!(script.heard("analysis").last().unwrap()["status"], "off");
}

#[test]
fn the_engine_plays_and_flags_fall() {
    let (tab, script) = open(Hearing::Live);
    let clock = json!({"initial_ms": 10_000, "increment_ms": 0});
    hear(&tab, &json!({"type": "play", "color": "white", "level": "club", "clock": clock, "book": false}));
    hear(&tab, &json!({"type": "move", "san": "e4"}));
    work(&tab);
    // The move waits until a human could have found it.
    script.now.fetch_add(1_000, Relaxed);
    tab.wake();
    let state = script.heard("state").pop().unwrap();
    assert_eq!(state["path"].as_str().unwrap().split(' ').count(), 2, "{state}");
    assert_eq!(state["play"]["over"], Value::Null);
    assert!(tab.next_wake().is_some_and(|wait| wait > Duration::from_secs(5)));
    script.now.fetch_add(10_000, Relaxed);
    assert_eq!(tab.next_wake(), Some(Duration::ZERO));
    tab.wake();
    assert_eq!(script.heard("state").pop().unwrap()["play"]["over"]["reason"], "time");
    assert_eq!(tab.next_wake(), None);
}

/// Intents at random moments, in the middle of searches and between them.
#[test]
fn every_intent_is_answered_exactly_once() {
    let intents = [
        analyse(true),
        analyse(true),
        analyse(false),
        json!({"type": "hint"}),
        json!({"type": "threat"}),
        json!({"type": "explain"}),
        json!({"type": "review", "depth": "quick"}),
        json!({"type": "review_stop"}),
        json!({"type": "step", "to": "previous"}),
        json!({"type": "step", "to": "next"}),
        json!({"type": "move", "san": "d4"}),
        json!({"type": "move", "san": "d5"}),
        json!({"type": "undo"}),
        json!({"type": "nonsense"}),
        json!({"type": "xray", "on": true}),
        json!({"type": "export", "what": "fen"}),
    ];
    for (seed, hearing) in [(1, Hearing::Live), (2, Hearing::Live), (3, Hearing::Live), (4, Hearing::Slices)]
    {
        let (tab, script) = open(hearing);
        play_moves(&tab, "e4 e5 Nf3");
        let rng = Arc::new(Mutex::new((Rng::with_seed(seed), 0u64)));
        let intents = intents.clone();
        let speak = {
            let rng = Arc::clone(&rng);
            move |tab: &Tab| {
                let (rng, id) = &mut *rng.lock().unwrap();
                // At last the page is silent, and nothing runs for ever.
                let mut intent = match *id {
                    0..60 => rng.choice(&intents).unwrap().clone(),
                    60 => analyse(false),
                    _ => return,
                };
                *id += 1;
                intent["id"] = json!(*id);
                hear(tab, &intent);
            }
        };
        let from_inside = speak.clone();
        let mut polls = 0u64;
        *script.on_poll.lock().unwrap() = Some(Box::new(move |tab, _| {
            polls += 1;
            if polls.is_multiple_of(7) {
                from_inside(tab);
            }
        }));
        while rng.lock().unwrap().1 < 61 {
            speak(&tab);
            tab.work();
        }
        work(&tab);
        let mut answers = BTreeMap::new();
        for message in script.said() {
            if let Some(id) = message["re"].as_u64() {
                *answers.entry(id).or_insert(0) += 1;
            }
        }
        let expected: BTreeMap<u64, i32> = (1..=61).map(|id| (id, 1)).collect();
        assert_eq!(answers, expected, "seed {seed}");
        let news = script.heard("analysis");
        assert!(news.windows(2).all(|pair| pair[0] != pair[1]), "seed {seed}: something is said twice");
    }
}
