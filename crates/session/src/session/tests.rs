//! The session alone: what it says and orders, with searches and time made up.

use ferz_board::{Move, Position};
use ferz_notation::polyglot::Book;
use ferz_search::Score;
use serde_json::{Value, json};

use super::orders::Ticket;
use super::*;

/// A session with a clock of its own, as a page sees it.
struct Page {
    session: Session,
    now: Duration,
    orders: Vec<Order>,
    /// Everything that was said.
    heard: Vec<Value>,
}

#[expect(clippy::needless_pass_by_value)] // literals of JSON read better without a reference in front
impl Page {
    fn new() -> Page {
        Page::with_seed(1)
    }

    fn with_seed(seed: u64) -> Page {
        let mut page = Page {
            session: Session::new(None, seed),
            now: Duration::from_secs(1_000),
            orders: Vec::new(),
            heard: Vec::new(),
        };
        page.tell(json!({"type": "hello"}));
        page
    }

    fn take(&mut self, out: Outbox) -> Vec<Value> {
        self.orders.extend(out.orders);
        let said: Vec<Value> =
            out.messages.iter().map(|it| serde_json::from_str(&it.to_text()).expect("an object")).collect();
        self.heard.extend(said.iter().cloned());
        said
    }

    fn tell(&mut self, message: Value) -> Vec<Value> {
        let out = self.session.handle(Envelope::parse(&message.to_string()), self.now);
        self.take(out)
    }

    /// What comes of a message, without errors.
    fn state(&mut self, message: Value) -> Value {
        let said = self.tell(message);
        assert!(said.iter().all(|it| it["type"] != "error"), "{said:?}");
        said.into_iter().rfind(|it| it["type"] == "state").expect("a state")
    }

    fn refusal(&mut self, message: Value) -> String {
        let said = self.tell(message);
        assert_eq!(said.len(), 1, "{said:?}");
        said[0]["message"].as_str().expect("an error").to_owned()
    }

    fn pass(&mut self, seconds: u64) -> Vec<Value> {
        self.now += Duration::from_secs(seconds);
        let out = self.session.wake(self.now);
        self.take(out)
    }

    /// The move that the engine was last asked for.
    fn thought(&self) -> &ThinkTask {
        let thoughts = self.orders.iter().rev().find_map(|order| match order {
            Order::Think(task) => Some(task),
            _ => None,
        });
        thoughts.expect("the engine was asked")
    }

    /// The result of a search, and the wait until a human could have found it.
    fn deliver(&mut self, event: SearchEvent) -> Vec<Value> {
        let out = self.session.on_event(event, self.now);
        let mut said = self.take(out);
        if let Some(found) = self.session.play.as_ref().and_then(Play::found_move) {
            self.now = found.due;
            said.extend(self.pass(0));
        }
        said
    }

    /// The engine plays.
    fn engine_plays(&mut self, uci: &str, score: i32) -> Value {
        let (ticket, position) = (self.thought().ticket, *self.thought().game.position());
        let best = Some(position.parse_uci(uci).expect(uci));
        let event = SearchEvent::Thought { ticket, best, score: Some(Score::Centipawns(score)) };
        let said = self.deliver(event);
        said.into_iter().rfind(|it| it["type"] == "state").expect("a state")
    }

    /// The engine plays a move of the book.
    fn engine_knows(&mut self, mv: Move) -> Value {
        let thought = self.session.play.as_ref().and_then(|play| play.thought.as_ref());
        let ticket = thought.expect("it thinks").ticket;
        let event = SearchEvent::Thought { ticket, best: Some(mv), score: None };
        let said = self.deliver(event);
        said.into_iter().rfind(|it| it["type"] == "state").expect("a state")
    }

    fn last_order(&self) -> &Order {
        self.orders.last().expect("an order")
    }
}

fn play(color: &str, clock: Value) -> Value {
    let mut wish = json!({"type": "play", "color": color, "level": "club"});
    wish["clock"] = clock;
    wish
}

#[test]
fn the_engine_follows_only_where_it_must() {
    let mut page = Page::new();
    page.orders.clear();
    page.state(json!({"type": "analyse", "on": true, "lines": 2}));
    assert!(matches!(page.last_order(), Order::Analyse(Some(task)) if task.lines == 2));
    page.state(json!({"type": "move", "san": "e4"}));
    assert!(matches!(page.last_order(), Order::Analyse(Some(task)) if task.game.ply() == 1));
    let before = page.orders.len();
    page.state(json!({"type": "comment", "node": 2, "text": "a comment"}));
    page.state(json!({"type": "line", "node": 1, "moves": ["d2d4"]}));
    page.state(json!({"type": "step", "to": "next"}));
    assert_eq!(page.orders.len(), before, "nothing that concerns the engine has happened");
    page.state(json!({"type": "undo"}));
    assert_eq!(page.orders.len(), before + 1, "numbers may mean other moves now");
    page.state(json!({"type": "analyse", "on": false}));
    assert!(matches!(page.last_order(), Order::Analyse(None)));
}

#[test]
fn a_game_has_two_players_and_a_clock() {
    let mut page = Page::new();
    let state = page.state(play("white", json!({"initial_ms": 60_000, "increment_ms": 1_000})));
    assert_eq!(state["play"]["clock"]["running"], Value::Null);
    assert!(!page.orders.iter().any(|order| matches!(order, Order::Think(_))), "it is the human's turn");
    let state = page.state(json!({"type": "move", "uci": "e2e4"}));
    assert_eq!(
        (&state["play"]["thinking"], &state["play"]["clock"]["running"]),
        (&json!(true), &json!("black"))
    );
    assert_eq!(page.refusal(json!({"type": "move", "san": "e5"})), "It is not your turn.");
    page.pass(10);
    let state = page.engine_plays("e7e5", 0);
    assert_eq!(state["play"]["clock"]["black_ms"], 51_000);
    assert_eq!(state["path"], "e2e4 e7e5");
    page.pass(20);
    let state = page.state(json!({"type": "move", "uci": "g1f3"}));
    assert_eq!(state["play"]["clock"]["white_ms"], 41_000);
    let clock = page.thought().limits.time_control.expect("it plays by the clock");
    assert_eq!((clock.remaining.as_secs(), clock.increment.as_secs()), (51, 1));
    // The engine's time runs out, and its move comes too late.
    let said = page.pass(51);
    let over = said.iter().find(|it| it["type"] == "state").unwrap()["play"]["over"].clone();
    assert_eq!((&over["reason"], &over["result"]), (&json!("time"), &json!("1-0")));
    assert!(matches!(page.last_order(), Order::StopThinking));
    let late = SearchEvent::Thought { ticket: Ticket(99), best: None, score: None };
    assert!(page.session.on_event(late, page.now).messages.is_empty());
}

#[test]
fn a_weaker_level_answers_at_the_pace_of_a_human() {
    let answer = |level: &str, first: &str, second: &str| {
        let mut page = Page::new();
        page.state(json!({"type": "play", "color": "white", "level": level, "book": false}));
        page.state(json!({"type": "move", "uci": first}));
        let (ticket, start) = (page.thought().ticket, page.now);
        let best = page.thought().game.position().parse_uci(second).ok();
        let out = page.session.on_event(SearchEvent::Thought { ticket, best, score: None }, page.now);
        let is_played = !page.take(out).is_empty();
        if is_played {
            return Duration::ZERO;
        }
        let due = page.session.next_wake().expect("the move waits");
        page.now = due - Duration::from_millis(1);
        assert!(page.pass(0).is_empty(), "not yet");
        page.now = due;
        let said = page.pass(0);
        let state = said.iter().find(|it| it["type"] == "state").expect("a state");
        assert_eq!(state["path"], json!(format!("{first} {second}")));
        assert_eq!(page.session.next_wake(), None);
        due - start
    };
    assert_eq!(answer("full", "e2e4", "e7e5"), Duration::ZERO, "full strength does not wait");
    let time = answer("club", "e2e4", "e7e5");
    assert!((Duration::from_millis(600)..=Duration::from_secs(3)).contains(&time), "{time:?}");
}

#[test]
fn a_recapture_needs_no_thought() {
    let time = |fen: &str, first: &str, second: &str| {
        let mut page = Page::new();
        page.state(json!({"type": "new", "fen": fen}));
        page.state(json!({"type": "play", "color": "white", "level": "club", "from": "here"}));
        page.state(json!({"type": "move", "uci": first}));
        let start = page.now;
        page.engine_plays(second, 0);
        page.now - start
    };
    // The knight takes on f6 and is taken; without the pawn there it only gives check.
    let captured = time("r3kb1r/ppp2ppp/2n2p2/3p4/4N3/8/PPP2PPP/R3KB1R w KQkq - 0 1", "e4f6", "g7f6");
    let offered = time("r3kb1r/ppp2ppp/2n5/3p4/4N3/8/PPP2PPP/R3KB1R w KQkq - 0 1", "a2a3", "d5e4");
    assert!(captured < Duration::from_secs(1) && captured < offered, "{captured:?} {offered:?}");
}

#[test]
fn a_move_that_waits_is_dropped_with_the_game() {
    let mut page = Page::new();
    page.state(play("white", Value::Null));
    page.state(json!({"type": "move", "uci": "e2e4"}));
    let ticket = page.thought().ticket;
    let best = page.thought().game.position().parse_uci("e7e5").ok();
    let out = page.session.on_event(SearchEvent::Thought { ticket, best, score: None }, page.now);
    assert!(page.take(out).is_empty());
    page.state(json!({"type": "takeback"}));
    assert_eq!(page.session.next_wake(), None);
    assert!(page.pass(10).is_empty());
}

#[test]
fn a_thought_that_is_not_wanted_any_more_is_ignored() {
    let mut page = Page::new();
    page.state(play("white", Value::Null));
    page.state(json!({"type": "move", "uci": "e2e4"}));
    let ticket = page.thought().ticket;
    let state = page.state(json!({"type": "takeback"}));
    assert_eq!(state["path"], "");
    assert!(page.orders.iter().any(|order| matches!(order, Order::StopThinking)));
    page.state(json!({"type": "move", "uci": "d2d4"}));
    let position = Position::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").unwrap();
    let best = position.parse_uci("e7e5").ok();
    let stale = SearchEvent::Thought { ticket, best, score: None };
    assert!(page.session.on_event(stale, page.now).messages.is_empty());
    assert_eq!(page.engine_plays("d7d5", 0)["path"], "d2d4 d7d5");
}

#[test]
fn the_board_follows_the_game_unless_one_looks_elsewhere() {
    let mut page = Page::new();
    page.state(play("white", Value::Null));
    page.state(json!({"type": "move", "uci": "e2e4"}));
    page.state(json!({"type": "step", "to": "start"}));
    let state = page.engine_plays("e7e5", 0);
    assert_eq!((&state["path"], &state["play"]["head_path"]), (&json!(""), &json!("e2e4 e7e5")));
}

#[test]
fn the_engine_agrees_to_a_draw_when_it_is_not_better() {
    let mut page = Page::new();
    page.state(play("black", Value::Null));
    // There and back again, until the position has been there often enough.
    let shuffle = [("g1f3", "g8f6"), ("f3g1", "f6g8")];
    let mut state = Value::Null;
    for round in 0..4 {
        for (white, black) in shuffle {
            state = page.engine_plays(white, if round < 3 { 80 } else { 0 });
            if round == 0 {
                page.state(json!({"type": "draw"}));
                assert!(page.heard.last().unwrap()["type"] != "state" || state["play"]["over"].is_null());
            }
            if state["claims"] == json!(["threefold_repetition"]) {
                let state = page.state(json!({"type": "claim"}));
                assert_eq!(state["play"]["over"]["reason"], "threefold_repetition");
                return;
            }
            page.state(json!({"type": "move", "uci": black}));
        }
    }
    panic!("no claim: {state}");
}

#[test]
fn an_agreement_needs_a_game_and_an_even_position() {
    let mut page = Page::new();
    page.state(play("black", Value::Null));
    let moves = [
        ("e2e4", "e7e5"),
        ("g1f3", "b8c6"),
        ("f1b5", "a7a6"),
        ("b5a4", "g8f6"),
        ("e1g1", "f8e7"),
        ("f1e1", "b7b5"),
        ("a4b3", "d7d6"),
        ("c2c3", "e8g8"),
        ("h2h3", "c6b8"),
        ("d2d4", "b8d7"),
    ];
    for (white, black) in moves {
        page.engine_plays(white, 0);
        page.state(json!({"type": "move", "uci": black}));
    }
    page.engine_plays("b1d2", 120);
    let said = page.tell(json!({"type": "draw"}));
    assert!(said.iter().any(|it| it["type"] == "notice"), "it is better and declines");
    page.state(json!({"type": "move", "uci": "c8b7"}));
    page.engine_plays("d2f1", -3);
    let state = page.state(json!({"type": "draw"}));
    assert_eq!(
        state["play"]["over"],
        json!({"result": "1/2-1/2", "reason": "agreement", "text": "Draw by agreement"})
    );
    assert_eq!(state["result"], "1/2-1/2");
}

#[test]
fn time_that_runs_out_against_a_bare_king_is_a_draw() {
    let mut page = Page::new();
    page.state(json!({"type": "new", "fen": "4k3/8/8/8/8/8/P7/4K3 w - - 0 1"}));
    let wish = json!({"type": "play", "color": "white", "level": "full", "from": "here",
        "clock": {"initial_ms": 10_000, "increment_ms": 0}});
    page.state(wish);
    page.state(json!({"type": "move", "uci": "a2a3"}));
    page.engine_plays("e8e7", 0);
    let said = page.pass(11);
    let over = said.iter().find(|it| it["type"] == "state").unwrap()["play"]["over"].clone();
    assert_eq!((&over["reason"], &over["result"]), (&json!("time_insufficient_material"), &json!("1/2-1/2")));
}

#[test]
fn time_that_runs_out_against_a_wall_is_a_draw() {
    let mut page = Page::new();
    // White can mate with help. Black's bishop cannot even leave its side of the pawns.
    page.state(json!({"type": "new", "fen": "5b2/p7/Pp3k2/1Pp1pBp1/2P1P1P1/5K2/8/8 w - - 0 1"}));
    let wish = json!({"type": "play", "color": "white", "level": "full", "from": "here",
        "clock": {"initial_ms": 10_000, "increment_ms": 0}});
    page.state(wish);
    page.state(json!({"type": "move", "uci": "f3e3"}));
    page.engine_plays("f6e7", 0);
    let said = page.pass(11);
    let over = said.iter().find(|it| it["type"] == "state").unwrap()["play"]["over"].clone();
    assert_eq!((&over["reason"], &over["result"]), (&json!("time_insufficient_material"), &json!("1/2-1/2")));
    assert_eq!(over["text"], "White's time is up, but Black cannot mate: draw");
}

#[test]
fn a_dead_position_ends_the_game() {
    let mut page = Page::new();
    page.state(json!({"type": "new", "fen": "4k3/8/8/p1p1p1p1/P1P1P3/6P1/8/4K3 w - - 0 1"}));
    page.state(json!({"type": "play", "color": "white", "level": "full", "from": "here", "clock": null}));
    let state = page.state(json!({"type": "move", "uci": "g3g4"}));
    let over = json!({"result": "1/2-1/2", "reason": "dead_position", "text": "Dead position: draw"});
    assert_eq!(state["play"]["over"], over);
    assert_eq!(state["result"], "1/2-1/2");
    assert!(!page.orders.iter().any(|order| matches!(order, Order::Think(_))));
    // A new game cannot start there.
    let wish = json!({"type": "play", "color": "white", "level": "full", "from": "here", "clock": null});
    assert_eq!(page.refusal(wish), "The game is over here: draw by dead position.");
}

#[test]
fn a_large_tree_is_saved_a_little_later() {
    let mut page = Page::new();
    let moves: Vec<_> = (0..2400).map(|ply| ["Nf3", "Nf6", "Ng1", "Ng8"][ply % 4]).collect();
    page.tell(json!({"type": "load", "text": format!("{} *", moves.join(" "))}));
    assert!(page.heard.iter().rfind(|it| it["type"] == "save").unwrap()["version"] == 1);
    assert!(page.session.next_wake().is_some());
    assert!(page.pass(2).iter().any(|it| it["type"] == "save"));
    assert_eq!(page.session.next_wake(), None);
}

#[test]
fn only_what_changed_in_the_tree_is_told() {
    let mut page = Page::new();
    page.tell(json!({"type": "load", "text": "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *"}));
    let said = page.tell(json!({"type": "nags", "node": 3, "nags": [1]}));
    assert_eq!(said[0]["nodes"].as_array().unwrap().len(), 1);
    assert_eq!((&said[0]["reset"], &said[0]["nodes"][0]["nags"]), (&json!(false), &json!([1])));
    let said = page.tell(json!({"type": "delete", "node": 5}));
    assert_eq!(said[0]["removed"], json!([5, 6, 7]));
    assert_eq!(page.tell(json!({"type": "step", "to": "start"}))[0]["type"], "state", "nothing has changed");
}

#[test]
fn chess960_castles_onto_the_rook() {
    let mut page = Page::new();
    let state = page.state(json!({"type": "new", "fen": "4k3/8/8/8/8/8/8/4KR2 w F - 0 1"}));
    let moves = state["moves"]["e1"].as_array().unwrap().clone();
    let castling = moves.iter().find(|mv| mv["castling"] == true).unwrap();
    assert_eq!((&castling["uci"], &castling["to"]), (&json!("e1f1"), &json!(["g1", "f1"])));
    assert_eq!(
        page.state(json!({"type": "move", "uci": "e1f1"}))["board"].as_str().unwrap()[..8],
        *".....RK."
    );
}

#[test]
fn a_tree_can_be_full() {
    let mut page = Page::new();
    let moves: Vec<_> = (0..study::MAX_NODES).map(|ply| ["Nf3", "Nf6", "Ng1", "Ng8"][ply % 4]).collect();
    page.tell(json!({"type": "load", "text": format!("{} *", moves.join(" "))}));
    assert!(page.refusal(json!({"type": "move", "san": "e4"})).contains("full"));
    let said = page.tell(json!({"type": "load", "text": format!("{} Nf3 *", moves.join(" "))}));
    assert!(said[0]["message"].as_str().unwrap().contains("20000"), "{said:?}");
}

#[test]
fn what_was_deleted_does_not_pile_up() {
    let mut page = Page::new();
    page.tell(json!({"type": "load", "text": "1. e4 e5 2. Nf3 (2. f4 {gambit}) Nc6 *"}));
    page.state(json!({"type": "go", "node": 5}));
    let mut resets = 0;
    let mut node = 3;
    for round in 0..400 {
        let said = page
            .tell(json!({"type": "comment", "node": node, "text": format!("{round} {}", "x".repeat(9_000))}));
        if said[0]["reset"] == true {
            resets += 1;
            let nodes = said[0]["nodes"].as_array().unwrap();
            node = nodes.iter().find(|it| it["san"] == "e5").unwrap()["id"].as_u64().unwrap();
        }
    }
    assert!((2..40).contains(&resets), "{resets}");
    let state = page.state(json!({"type": "step", "to": "previous"}));
    assert_eq!(state["path"], "e2e4 e7e5", "one is where one was, a move before f4");
    let pgn = page.session.study.tree().to_string();
    assert!(pgn.len() < 12_000 && pgn.contains("{gambit}"));
}

#[test]
fn a_wish_for_analysis_waits_for_the_end_of_a_game() {
    let mut page = Page::new();
    page.state(json!({"type": "analyse", "on": true}));
    let state = page.state(play("white", Value::Null));
    assert!(matches!(page.last_order(), Order::Analyse(None)));
    page.orders.clear();
    let hello = json!({"type": "hello", "analysis": {"on": true, "lines": 2}, "play": state["play"]});
    let said = page.tell(hello);
    assert!(said.iter().all(|it| it["type"] != "notice"), "{said:?}");
    assert!(!page.orders.iter().any(|order| matches!(order, Order::Analyse(Some(_)))));
    page.state(json!({"type": "resign"}));
    assert!(matches!(page.last_order(), Order::Analyse(Some(task)) if task.lines == 2));
}

/// Plays the first moves of some games as Black against moves of the book, and returns the openings.
fn openings_of(level: &str, seed: u64, games: usize) -> Vec<String> {
    let mut page = Page::with_seed(seed);
    let mut openings = Vec::new();
    for _ in 0..games {
        page.orders.clear();
        page.state(json!({"type": "play", "color": "black", "level": level}));
        // What the engine does not know by heart ends the opening.
        while let Some(mv) = page.orders.pop().and_then(|order| match order {
            Order::Think(task) => task.book_move,
            _ => None,
        }) {
            let state = page.engine_knows(mv);
            assert_eq!((&state["play"]["book"], &state["play"]["book_move"]), (&json!(true), &json!(true)));
            let position = page.session.study.position();
            let reply = Book::embedded().best(&position).unwrap_or(position.legal_moves()[0]);
            page.state(json!({"type": "move", "uci": notation::uci(Some(reply), CastlingMode::Standard)}));
        }
        openings.push(page.session.state(page.now).path);
    }
    openings
}

#[test]
fn weak_levels_play_different_openings() {
    for level in ["newcomer", "beginner", "casual", "learner", "club", "strong_club", "expert"] {
        let openings = openings_of(level, 1, 20);
        let first: std::collections::HashSet<&str> =
            openings.iter().map(|it| it.split(' ').next().expect("a move")).collect();
        assert!(first.len() >= 4, "{level}: {openings:#?}");
        let different: std::collections::HashSet<&String> = openings.iter().collect();
        assert!(different.len() >= 6, "{level}: {openings:#?}");
        assert_eq!(openings_of(level, 1, 20), openings, "the seed decides");
        assert_ne!(openings_of(level, 2, 20), openings);
    }
}

#[test]
fn the_book_ends_with_the_knowledge_of_the_level() {
    let length = |level: &str| {
        let moves = |path: &String| path.split(' ').count().div_ceil(2);
        openings_of(level, 3, 20).iter().map(moves).max()
    };
    assert!(length("beginner") <= Some(2) && length("expert") > length("beginner"));
}

#[test]
fn a_book_can_be_chosen_and_declined() {
    let book_move = |level: &str, book: Value| {
        let mut page = Page::new();
        let state = page.state(json!({"type": "play", "color": "black", "level": level, "book": book}));
        let is_used = page.thought().book_move.is_some();
        assert_eq!(state["play"]["book"], json!(is_used));
        assert_eq!(state["play"]["book_move"], json!(false), "it is not played yet");
        is_used
    };
    assert!(book_move("beginner", Value::Null) && !book_move("beginner", json!(false)));
    assert!(!book_move("full", Value::Null) && book_move("full", json!(true)));
    assert!(!book_move("master", Value::Null) && book_move("master", json!(true)));
}

#[test]
fn a_searched_move_is_not_called_a_book_move() {
    let mut page = Page::new();
    page.state(json!({"type": "play", "color": "black", "level": "full"}));
    let state = page.engine_plays("e2e4", 10);
    assert_eq!(state["play"]["book_move"], json!(false));
}

/// A desk plays a move of the book without a search, even if no engine could search at all.
#[test]
fn a_desk_answers_at_once_with_a_book_move() {
    let mut page = Page::new();
    page.state(json!({"type": "play", "color": "black", "level": "beginner"}));
    let task = page.thought().clone();
    let mut engine = ferz_search::Engine::new(1).expect("memory for 1 MiB");
    let task = crate::desk::DeskTask::Think(task);
    let signals = ferz_search::Signals::new();
    signals.stop();
    let events =
        task.carry_out(&mut engine, &signals, &crate::analysis::PriorKnowledge::default(), &mut |_| {});
    let [SearchEvent::Thought { best: Some(mv), score: None, .. }] = events[..] else { panic!("{events:?}") };
    assert_eq!(Some(mv), page.thought().book_move);
}

#[test]
fn the_xray_answers_questions_without_changing_the_game() {
    let mut page = Page::new();
    page.state(json!({"type": "move", "uci": "e2e4"}));
    let answer = |page: &mut Page, message: Value| {
        let said = page.tell(message);
        assert_eq!(said.len(), 1, "{said:?}");
        said.into_iter().next().expect("one message")
    };
    let timeline = answer(&mut page, json!({"type": "timeline", "uci": "d7d5"}));
    assert_eq!((&timeline["type"], &timeline["move"]["san"]), (&json!("timeline"), &json!("d5")));
    let before = answer(&mut page, json!({"type": "timeline", "node": 1, "uci": "e2e4"}));
    assert_eq!(before["move"]["bits"], 12 | 28 << 6 | 1 << 12);
    let perft = answer(&mut page, json!({"type": "perft", "depth": 2, "compare": "d7d5 - 30\na7a5: 30"}));
    assert_eq!(perft["total"], 600);
    assert_eq!(perft["comparison"]["equal"], 1);
    // 18 moves are missing.
    assert_eq!(perft["comparison"]["differences"].as_array().map(Vec::len), Some(19));
    assert_eq!(perft["comparison"]["differences"][18]["uci"], "d7d5");
    assert_eq!(answer(&mut page, json!({"type": "accumulators"}))["trace"], Value::Null, "without a net");

    assert!(page.refusal(json!({"type": "timeline", "uci": "e2e4"})).contains("e2e4"));
    assert!(page.refusal(json!({"type": "timeline", "uci": "0000"})).contains("null move"));
    assert!(page.refusal(json!({"type": "perft", "depth": 0})).contains("from 1 to"));
    assert!(page.refusal(json!({"type": "perft", "depth": 9})).contains("from 1 to"));
    assert!(page.refusal(json!({"type": "perft", "depth": 7})).contains("smaller depth"));
}

/// Mate in two: the queen is offered, then the knight mates.
const PUZZLE: &str = "rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P3/2N5/PPPP1PPP/R1BbK2R w KQkq - 0 6";

fn puzzle(strict: bool) -> Value {
    json!({"type": "puzzle", "fen": PUZZLE, "moves": ["c4f7", "e8e7", "c3d5"], "strict": strict})
}

#[test]
fn a_puzzle_is_solved_move_by_move_while_the_game_waits() {
    let mut page = Page::new();
    page.state(json!({"type": "move", "uci": "e2e4"}));
    let game = page.state(json!({"type": "move", "uci": "c7c5"}));
    let saves = |page: &Page| page.heard.iter().filter(|it| it["type"] == "save").count();
    let saved = saves(&page);
    let start = page.state(puzzle(true));
    assert_eq!(start["fen"], PUZZLE);
    assert_eq!((&start["puzzle"]["moves"], &start["puzzle"]["found"]), (&json!(2), &json!(0)));
    // A wrong move is not played.
    let wrong = page.state(json!({"type": "move", "uci": "e5f7"}));
    assert_eq!((&wrong["fen"], &wrong["puzzle"]["wrong"]), (&json!(PUZZLE), &json!("Nxf7")));
    // The right one is, with its reply.
    let next = page.state(json!({"type": "move", "uci": "c4f7"}));
    assert_eq!((&next["path"], &next["puzzle"]["wrong"]), (&json!("c4f7 e8e7"), &Value::Null));
    assert_eq!((&next["puzzle"]["found"], &next["puzzle"]["solved"]), (&json!(1), &json!(false)));
    // Nothing changes the line before the solution is found.
    assert!(page.refusal(json!({"type": "undo"})).contains("puzzle"));
    page.state(json!({"type": "step", "to": "start"}));
    assert!(page.refusal(json!({"type": "move", "uci": "c4f7"})).contains("end of the line"));
    page.state(json!({"type": "step", "to": "end"}));
    let solved = page.state(json!({"type": "move", "san": "Nd5"}));
    assert_eq!((&solved["puzzle"]["solved"], &solved["puzzle"]["mistakes"]), (&json!(true), &json!(1)));
    assert_eq!(saves(&page), saved, "nothing of a puzzle is saved");
    let back = page.state(json!({"type": "puzzle_end"}));
    assert_eq!((&back["fen"], &back["path"]), (&game["fen"], &game["path"]));
    assert_eq!((&back["puzzle"], &back["undo"]), (&Value::Null, &json!(true)));
    assert_eq!(
        page.heard.iter().rfind(|it| it["type"] == "save").expect("a save")["version"],
        back["version"]
    );
}

#[test]
fn the_solution_is_shown_and_hidden_from_the_analysis() {
    let mut page = Page::new();
    page.state(json!({"type": "analyse", "on": true, "lines": 1}));
    page.orders.clear();
    page.state(puzzle(true));
    assert!(matches!(page.orders[..], [Order::Analyse(None)]), "{:?}", page.orders);
    let shown = page.state(json!({"type": "puzzle_show"}));
    assert_eq!((&shown["puzzle"]["shown"], &shown["path"]), (&json!(true), &json!("c4f7 e8e7 c3d5")));
    // A new game comes in the place of the old one, not of the puzzle.
    let new = page.state(json!({"type": "new"}));
    assert_eq!((&new["puzzle"], &new["path"]), (&Value::Null, &json!("")));
}

#[test]
fn other_good_moves_are_judged_by_the_engine() {
    let mut page = Page::new();
    page.state(puzzle(false));
    let judging = page.state(json!({"type": "move", "uci": "e5f7"}));
    assert_eq!(judging["puzzle"]["judging"], json!(true));
    let judged = |page: &Page| match page.orders.last() {
        Some(Order::Judge(task)) => task.clone(),
        other => panic!("{other:?}"),
    };
    let task = judged(&page);
    let squares = |mv: Move| (mv.from().to_string(), mv.to().to_string());
    assert_eq!(squares(task.best), ("c4".into(), "f7".into()));
    assert_eq!(squares(task.mv), ("e5".into(), "f7".into()));
    let answer = |page: &mut Page, ticket, is_good| {
        let out = page.session.on_event(SearchEvent::Judged { ticket, is_good }, page.now);
        page.take(out)
    };
    assert!(answer(&mut page, Ticket(999), true).is_empty(), "an old answer changes nothing");
    let refused = answer(&mut page, task.ticket, false);
    assert_eq!(refused.last().expect("a state")["puzzle"]["wrong"], "Nxf7");
    page.state(json!({"type": "move", "uci": "e5f7"}));
    let task = judged(&page);
    let accepted = answer(&mut page, task.ticket, true);
    let state = accepted.iter().rfind(|it| it["type"] == "state").expect("a state");
    assert_eq!((&state["puzzle"]["solved"], &state["path"]), (&json!(true), &json!("e5f7")));
}

#[test]
fn bad_puzzles_are_refused_and_change_nothing() {
    let mut page = Page::new();
    for bad in [
        json!({"type": "puzzle", "fen": "8/8", "moves": ["e2e4"]}),
        json!({"type": "puzzle", "fen": PUZZLE, "moves": []}),
        json!({"type": "puzzle", "fen": PUZZLE, "moves": ["c4f7", "e8d7", "a1a8"]}),
        json!({"type": "puzzle", "fen": PUZZLE, "moves": vec!["c4f7"; 700]}),
        json!({"type": "puzzle_show"}),
        json!({"type": "puzzles", "text": "1. e4 e5 *"}),
        json!({"type": "puzzles"}),
    ] {
        let sentence = page.refusal(bad);
        assert!(sentence.ends_with('.'), "{sentence}");
    }
    assert_eq!(page.state(json!({"type": "puzzle_end"}))["puzzle"], Value::Null);
}

#[test]
fn puzzles_are_read_from_games() {
    let mut page = Page::new();
    let text = format!(
        "[FEN \"{PUZZLE}\"]\n[Goal \"mate in 2\"]\n[White \"A\"]\n[Source \"game 1\"]\n\n6. Bxf7+ Ke7 7. Nd5# *\n\n1. e4 *\n"
    );
    let said = page.tell(json!({"type": "puzzles", "text": text}));
    let [answer] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!((&answer["count"], &answer["problems"]), (&json!(1), &json!(0)));
    assert_eq!(
        answer["puzzles"][0],
        json!({
            "fen": PUZZLE, "moves": ["c4f7", "e8e7", "c3d5"], "title": "White to move and mate in 2",
            "source": "A, game 1", "strict": true, "chess960": false,
        })
    );
}
