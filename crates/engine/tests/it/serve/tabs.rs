//! Several tabs, reloads and server restarts.

use serde_json::{Value, json};

use super::Server;

#[test]
fn tabs_do_not_know_each_other() {
    let server = Server::start();
    let (mut one, mut two) = (server.tab(), server.tab());
    one.play("e4 e5");
    two.play("d4");
    assert_eq!(one.do_it(json!({"type": "step", "to": "end"}))["path"], "e2e4 e7e5");
    assert_eq!(two.do_it(json!({"type": "step", "to": "end"}))["path"], "d2d4");
}

#[test]
fn a_page_goes_on_where_it_was_after_the_server_was_restarted() {
    let mut server = Server::start();
    let mut tab = server.tab();
    tab.do_it(
        json!({"type": "load", "text": "[White \"Ada\"]\n\n1. e4 {!} e5 (1... c5 $1 2. Nf3) 2. Nc3 *"}),
    );
    let pgn = tab.next("save")["pgn"].clone();
    tab.do_it(json!({"type": "go", "node": 4}));
    let state = tab.do_it(json!({"type": "step", "to": "next"}));
    let (path, port, token) = (state["path"].clone(), server.port, server.token());
    assert_eq!(path, "e2e4 c7c5 g1f3");

    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let server = Server::start_at(port);
    assert_ne!(server.token(), token);
    assert_eq!(server.socket(&server.origin(), &format!("ferz, {token}")).err(), Some(401));
    let mut tab = server.silent_tab().unwrap();
    tab.send(json!({"type": "hello", "pgn": pgn, "path": path}));
    let messages = tab.until(|message| message["type"] == "save");
    assert_eq!(messages.last().unwrap()["pgn"], pgn);
    let again = messages.iter().find(|message| message["type"] == "state").unwrap();
    assert_eq!(again["path"], path);
    assert!(again["headers"].as_array().unwrap().contains(&json!(["White", "Ada"])));
}

/// A game of another variant keeps its moves through a reload, and takes no new ones.
#[test]
fn games_that_cannot_be_read_survive_a_reload() {
    let server = Server::start();
    for tags in [
        "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]",
        "[SetUp \"1\"]\n[FEN \"nonsense\"]",
        "[Variant \"Atomic\"]",
        "[Variant \"Crazyhouse\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1\"]",
    ] {
        let mut tab = server.tab();
        tab.do_it(json!({"type": "load", "text": format!("[White \"Ada\"]\n{tags}\n\n1. e4 e5 *")}));
        let pgn = tab.next("save")["pgn"].clone();
        let refusal = tab.refusal(json!({"type": "move", "san": "d4"}));
        assert_eq!(refusal, "The start of the game is unknown.", "{tags}");
        assert!(pgn.as_str().unwrap().ends_with("1. e4 e5 *\n"), "{tags}: {pgn}");
        let mut tab = server.silent_tab().unwrap();
        tab.send(json!({"type": "hello", "pgn": pgn, "path": ""}));
        let messages = tab.until(|message| message["type"] == "save");
        assert_eq!(messages.last().unwrap()["pgn"], pgn, "{tags}");
        let again = messages.iter().find(|message| message["type"] == "state").unwrap();
        assert!(again["headers"].as_array().unwrap().contains(&json!(["White", "Ada"])), "{tags}");
    }
}

/// Real games may contain the same variation twice; a reload returns to the right one.
#[test]
fn a_place_in_a_repeated_variation_survives_a_reload() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "load", "text": "1. e4 (1. d4) (1. d4 d5 2. c4) (1. d4 Nf6) *"}));
    let pgn = tab.next("save")["pgn"].clone();
    for path in ["d2d4", "d2d4 d7d5 c2c4", "d2d4 g8f6"] {
        let mut tab = server.silent_tab().unwrap();
        tab.send(json!({"type": "hello", "pgn": pgn, "path": path}));
        assert_eq!(tab.next("state")["path"], path);
    }
}

#[test]
fn a_spoilt_memory_is_told_and_does_no_harm() {
    let server = Server::start();
    for (pgn, fen) in [("\u{0}\u{1}", ""), ("", "8/8/8/8/8/8/8/8 w - - 0 1"), ("", "<script>")] {
        let mut tab = server.silent_tab().unwrap();
        tab.send(json!({"type": "hello", "pgn": pgn, "fen": fen, "path": "e9e9 0000"}));
        let messages = tab.until(|message| message["type"] == "state");
        assert!(messages.iter().any(|message| message["type"] == "notice"), "{pgn:?} {fen:?}");
        assert_eq!(messages.last().unwrap()["node"], 1);
    }
    let mut tab = server.silent_tab().unwrap();
    let refused = tab.refusal(json!({"type": "hello", "play": {"color": "green"}}));
    assert!(refused.contains("hello"), "{refused}");
}

#[test]
fn a_game_against_the_engine_survives_a_reload() {
    let server = Server::start();
    let mut tab = server.tab();
    let clock = json!({"initial_ms": 600_000, "increment_ms": 0});
    tab.do_it(json!({"type": "play", "color": "white", "level": "beginner", "clock": clock}));
    tab.do_it(json!({"type": "move", "san": "e4"}));
    let state = tab
        .until(|it| it["type"] == "state" && it["play"]["thinking"] == false && it["turn"] == "white")
        .pop()
        .unwrap();
    let pgn = tab.next("save")["pgn"].clone();
    let play = state["play"].clone();
    drop(tab);

    let mut tab = server.silent_tab().unwrap();
    tab.send(json!({"type": "hello", "pgn": pgn, "path": state["path"], "play": play}));
    let again = tab.next("state");
    assert_eq!(again["path"], state["path"]);
    assert_eq!(again["play"]["color"], "white");
    assert_eq!(again["play"]["level"], "beginner");
    assert_eq!(again["play"]["over"], Value::Null);
    assert_eq!(again["play"]["clock"]["running"], "white");
    let (old, new) = (&state["play"]["clock"]["white_ms"], &again["play"]["clock"]["white_ms"]);
    assert!(new.as_u64().unwrap().abs_diff(old.as_u64().unwrap()) < 2_000, "{old} {new}");
    // The game continues: the engine answers the next move.
    let uci = again["moves"].as_object().unwrap().values().next().unwrap()[0]["uci"].clone();
    tab.do_it(json!({"type": "move", "uci": uci}));
    tab.until(|it| it["type"] == "state" && it["turn"] == "white");
}

#[test]
fn a_second_hello_begins_anew() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.play("e4 e5");
    tab.do_it(json!({"type": "analyse", "on": true}));
    tab.do_it(json!({"type": "hello"}));
    assert_eq!(tab.next("state")["path"], "");
}
