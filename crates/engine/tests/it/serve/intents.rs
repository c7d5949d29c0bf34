//! Every intent over a real socket: responses and rejections.

use serde_json::{Value, json};

use super::{Server, Tab};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The tree that a page would have after these messages.
fn nodes(messages: &[Value]) -> Vec<Value> {
    let mut nodes: Vec<Value> = Vec::new();
    for message in messages.iter().filter(|message| message["type"] == "tree") {
        if message["reset"] == true {
            nodes.clear();
        }
        let removed = message["removed"].as_array().unwrap();
        nodes.retain(|node| !removed.contains(&node["id"]));
        for node in message["nodes"].as_array().unwrap() {
            nodes.retain(|known| known["id"] != node["id"]);
            nodes.push(node.clone());
        }
    }
    nodes
}

/// The game as it is saved after a message.
fn saved_after(tab: &mut Tab, message: Value) -> String {
    tab.do_it(message);
    tab.next("save")["pgn"].as_str().unwrap().to_owned()
}

fn moves_of(pgn: &str) -> &str {
    pgn.rsplit_once("\n\n").map_or(pgn, |(_, moves)| moves).trim_end()
}

#[test]
fn hello_is_answered_with_everything() {
    let server = Server::start();
    let mut tab = server.silent_tab().unwrap();
    assert_eq!(tab.refusal(json!({"type": "undo"})), "The first message must be hello.");
    tab.send(json!({"type": "hello"}));
    let messages = tab.until(|message| message["type"] == "save");
    let types: Vec<_> = messages.iter().map(|message| message["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["welcome", "tree", "state", "save"]);
    assert_eq!(messages[0]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(messages[0]["levels"].as_array().unwrap().last().unwrap()["elo"], Value::Null);
    let state = &messages[2];
    assert_eq!(state["fen"], START);
    assert_eq!(state["board"].as_str().unwrap().len(), 64);
    assert_eq!(
        state["moves"]["g1"],
        json!([
            {"uci": "g1f3", "san": "Nf3", "to": ["f3"]},
            {"uci": "g1h3", "san": "Nh3", "to": ["h3"]}
        ])
    );
    assert_eq!(state["play"], Value::Null);
}

#[test]
fn moves_are_made_and_refused_with_a_reason() {
    let server = Server::start();
    let mut tab = server.tab();
    let state = tab.do_it(json!({"type": "move", "uci": "e2e4"}));
    assert_eq!(state["last"], json!(["e2", "e4"]));
    assert_eq!(state["turn"], "black");
    let state = tab.play("e5 Nf3 Nc6 Bb5");
    assert_eq!(state["opening"], json!({"eco": "C60", "name": state["opening"]["name"], "here": true}));
    assert_eq!(state["path"], "e2e4 e7e5 g1f3 b8c6 f1b5");
    assert!(tab.refusal(json!({"type": "move", "san": "Ke7x"})).contains("Ke7x"));
    assert!(tab.refusal(json!({"type": "move", "uci": "e8e4"})).contains("e8e4"));
    assert!(tab.refusal(json!({"type": "move"})).contains("either"));
    tab.refusal(json!({"type": "move", "uci": "g8f6", "san": "Nf6"}));
}

#[test]
fn special_moves_are_flagged() {
    let server = Server::start();
    let mut tab = server.tab();
    let position = "r3k2r/7p/8/1pP5/8/8/8/R3K2R w KQkq b6 0 1";
    let state = tab.do_it(json!({"type": "new", "fen": position}));
    let find = |from: &str, uci: &str| -> Value {
        let moves = state["moves"][from].as_array().unwrap();
        moves.iter().find(|mv| mv["uci"] == uci).cloned().unwrap_or_default()
    };
    assert_eq!(find("c5", "c5b6")["en_passant"], true);
    assert_eq!(find("c5", "c5b6")["captured"], "b5");
    assert_eq!(find("e1", "e1g1")["to"], json!(["g1", "h1"]));
    assert_eq!(find("e1", "e1g1")["castling"], true);
    assert_eq!(find("h1", "h1h7")["capture"], true);
    let state = tab.do_it(json!({"type": "new", "fen": "7k/P7/8/8/8/8/8/K7 w - - 0 1"}));
    let promotions: Vec<_> =
        state["moves"]["a7"].as_array().unwrap().iter().map(|mv| &mv["promotion"]).collect();
    assert_eq!(promotions.len(), 4);
    assert!(["q", "r", "b", "n"].iter().all(|piece| promotions.contains(&&json!(piece))));
    let state = tab.play("a8=Q+");
    assert_eq!(state["check"], "h8");
}

#[test]
fn the_end_of_a_game_has_a_reason() {
    let server = Server::start();
    let mut tab = server.tab();
    let state = tab.play("f3 e5 g4 Qh4#");
    assert_eq!(
        state["outcome"],
        json!({"result": "0-1", "reason": "checkmate", "text": "Black wins by checkmate"})
    );
    assert_eq!(state["moves"], json!({}));
    assert!(tab.refusal(json!({"type": "move", "san": "a3"})).contains("over"));
    tab.do_it(json!({"type": "new"}));
    let state = tab.play("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8");
    assert_eq!(state["claims"], json!(["threefold_repetition"]));
    assert_eq!(state["outcome"], Value::Null);
}

#[test]
fn one_can_go_anywhere_in_the_tree() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "load", "text": "1. e4 e5 (1... c5 2. Nf3) (1... e6) 2. Nf3 Nc6 *"}));
    tab.next("state");
    let mut path = |step: &str| tab.do_it(json!({"type": "step", "to": step}))["path"].clone();
    assert_eq!(path("next"), "e2e4");
    assert_eq!(path("next"), "e2e4 e7e5");
    assert_eq!(path("down"), "e2e4 c7c5");
    assert_eq!(path("next"), "e2e4 c7c5 g1f3");
    assert_eq!(path("next"), "e2e4 c7c5 g1f3", "the line ends there");
    assert_eq!(path("out"), "e2e4");
    assert_eq!(path("end"), "e2e4 e7e5 g1f3 b8c6");
    assert_eq!(path("previous"), "e2e4 e7e5 g1f3");
    assert_eq!(path("start"), "");
    assert_eq!(tab.do_it(json!({"type": "go", "node": 2}))["path"], "e2e4");
    assert!(tab.refusal(json!({"type": "go", "node": 99})).contains("no such move"));
    tab.refusal(json!({"type": "go", "node": 0}));
}

#[test]
fn lines_are_added_and_previewed() {
    let server = Server::start();
    let mut tab = server.tab();
    let preview = tab.do_it(json!({"type": "preview", "node": 1, "moves": ["e2e4", "e7e5", "d1h5"]}));
    assert_eq!(preview["turn"], "black");
    assert_eq!(preview["last"], json!(["d1", "h5"]));
    let state = tab.do_it(json!({"type": "line", "node": 1, "moves": ["d2d4", "d7d5"], "go": true}));
    assert_eq!(state["path"], "d2d4 d7d5");
    let pgn = saved_after(&mut tab, json!({"type": "line", "node": 2, "moves": ["g8f6", "c2c4"]}));
    assert_eq!(moves_of(&pgn), "1. d4 d5 (1... Nf6 2. c4) *");
    assert!(tab.refusal(json!({"type": "line", "node": 1, "moves": ["e2e5"]})).contains("e2e5"));
    tab.refusal(json!({"type": "preview", "node": 1, "moves": ["0000", "e7e5", "e1e2", "0000", "x"]}));
    tab.refusal(json!({"type": "preview", "node": 1, "moves": vec!["e2e4"; 601]}));
}

#[test]
fn comments_glyphs_and_shapes_are_kept_in_the_game() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "load", "text": "1. e4 {[%clk 0:05:00] good} e5 (1... c5) *"}));
    tab.next("state");
    let pgn = saved_after(&mut tab, json!({"type": "comment", "node": 2, "text": "Best by <b>test</b>."}));
    assert!(pgn.contains("1. e4 {Best by <b>test</b>. [%clk 0:05:00]}"), "{pgn}");
    saved_after(&mut tab, json!({"type": "nags", "node": 2, "nags": [1, 146]}));
    let shapes = json!({"type": "shapes", "node": 2,
        "arrows": [{"from": "e2", "to": "e4", "color": "green"}], "circles": [{"square": "d5", "color": "red"}]});
    let pgn = saved_after(&mut tab, shapes);
    assert!(
        pgn.contains("1. e4 $1 $146 {Best by <b>test</b>. [%clk 0:05:00] [%cal Ge2e4] [%csl Rd5]}"),
        "{pgn}"
    );
    saved_after(&mut tab, json!({"type": "shapes", "node": 2}));
    let sicilian = 4;
    let before = json!({"type": "comment", "node": sicilian, "text": "Or", "before": true});
    let pgn = saved_after(&mut tab, before);
    assert_eq!(
        moves_of(&pgn),
        "1. e4 $1 $146 {Best by <b>test</b>. [%clk 0:05:00]} 1... e5 ({Or} 1... c5) *"
    );

    tab.refusal(json!({"type": "comment", "node": 2, "text": "x".repeat(10_001)}));
    tab.refusal(json!({"type": "comment", "node": 2, "text": "bell \u{7}"}));
    tab.refusal(json!({"type": "comment", "node": 2, "text": "x", "before": true}));
    tab.refusal(json!({"type": "nags", "node": 1, "nags": [1]}));
    tab.refusal(json!({"type": "nags", "node": 2, "nags": [256]}));
    tab.refusal(json!({"type": "shapes", "node": 2, "circles": [{"square": "d5", "color": "pink"}]}));
    tab.refusal(json!({"type": "shapes", "node": 2, "circles": [{"square": "d9", "color": "red"}]}));
}

#[test]
fn variations_are_promoted_demoted_and_deleted_and_all_can_be_undone() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "load", "text": "1. e4 e5 (1... c5 2. Nf3) (1... e6) *"}));
    tab.next("save");
    let pgn = saved_after(&mut tab, json!({"type": "promote", "node": 5}));
    assert_eq!(moves_of(&pgn), "1. e4 c5 (1... e5) (1... e6) 2. Nf3 *");
    let pgn = saved_after(&mut tab, json!({"type": "promote", "node": 6, "main": true}));
    assert_eq!(moves_of(&pgn), "1. e4 e6 (1... c5 2. Nf3) (1... e5) *");
    let pgn = saved_after(&mut tab, json!({"type": "demote", "node": 6}));
    assert_eq!(moves_of(&pgn), "1. e4 c5 (1... e6) (1... e5) 2. Nf3 *");
    let pgn = saved_after(&mut tab, json!({"type": "delete", "node": 6}));
    assert_eq!(moves_of(&pgn), "1. e4 c5 (1... e5) 2. Nf3 *");
    let pgn = saved_after(&mut tab, json!({"type": "delete_after", "node": 2}));
    assert_eq!(moves_of(&pgn), "1. e4 *");
    tab.do_it(json!({"type": "undo"}));
    let state = tab.do_it(json!({"type": "undo"}));
    assert_eq!((&state["undo"], &state["redo"]), (&json!(true), &json!(true)));
    let pgn = saved_after(&mut tab, json!({"type": "redo"}));
    assert_eq!(moves_of(&pgn), "1. e4 c5 (1... e5) 2. Nf3 *");
    tab.refusal(json!({"type": "promote", "node": 2}));
    tab.refusal(json!({"type": "delete", "node": 1}));
    for _ in 0..5 {
        tab.ask(json!({"type": "undo"}));
    }
    assert!(tab.refusal(json!({"type": "undo"})).contains("nothing to undo"));
}

#[test]
fn headers_and_results_are_set() {
    let server = Server::start();
    let mut tab = server.tab();
    saved_after(&mut tab, json!({"type": "header", "name": "White", "value": "Ada \"the\" Lovelace"}));
    let pgn = saved_after(&mut tab, json!({"type": "result", "result": "1-0"}));
    assert!(
        pgn.contains("[White \"Ada \\\"the\\\" Lovelace\"]") && pgn.contains("[Result \"1-0\"]"),
        "{pgn}"
    );
    let state = tab.do_it(json!({"type": "header", "name": "White", "value": null}));
    assert_eq!(state["headers"], json!([["Result", "1-0"]]));
    tab.refusal(json!({"type": "result", "result": "2-0"}));
    tab.refusal(json!({"type": "header", "name": "FEN", "value": "x"}));
    tab.refusal(json!({"type": "header", "name": "", "value": "x"}));
    tab.refusal(json!({"type": "header", "name": "Site", "value": "a\nb"}));
}

#[test]
fn new_games_begin_anywhere() {
    let server = Server::start();
    let mut tab = server.tab();
    let state = tab.do_it(json!({"type": "new", "chess960": 0}));
    assert_eq!(state["fen"], "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1");
    assert_eq!((&state["chess960"], &state["start_number"]), (&json!(true), &json!(0)));
    let state = tab.do_it(json!({"type": "new", "chess960": 518}));
    assert_eq!((&state["fen"], &state["start_number"]), (&json!(START), &json!(518)));
    assert_ne!(tab.do_it(json!({"type": "new", "chess960": "random"}))["start_number"], Value::Null);
    assert_eq!(tab.do_it(json!({"type": "new"}))["start_number"], Value::Null);
    tab.send(json!({"type": "new", "fen": "4k3/8/8/8/8/8/8/4K3 b KQ"}));
    let messages = tab.until(|message| message["type"] == "state");
    assert_eq!(messages.last().unwrap()["fen"], "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
    assert!(messages.iter().any(|message| message["type"] == "notice"));
    tab.refusal(json!({"type": "new", "chess960": 960}));
    tab.refusal(json!({"type": "new", "chess960": "any"}));
    tab.refusal(json!({"type": "new", "chess960": -1}));
    tab.refusal(json!({"type": "new", "fen": "x"}));
    tab.refusal(json!({"type": "new", "fen": START, "chess960": 1}));
}

#[test]
fn texts_are_games_or_positions() {
    let server = Server::start();
    let mut tab = server.tab();
    assert_eq!(tab.do_it(json!({"type": "load", "text": START}))["type"], "loaded");
    let loaded = tab.do_it(json!({"type": "load", "text": "1. e4 Ke7 *"}));
    assert_eq!(loaded["problem_count"], 1);
    assert!(loaded["problems"][0].as_str().unwrap().starts_with("1:7: "), "{loaded}");
    tab.refusal(json!({"type": "load", "text": "  "}));
    tab.refusal(json!({"type": "load", "text": "8/8/8/8/8/8/8/8 w - - 0 1"}));
    // Text that is neither FEN nor PGN leaves the game unchanged; a broken FEN is reported as such.
    for text in
        ["hello", "https://example.org/a/b/c", "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]
    {
        let refusal = tab.refusal(json!({"type": "load", "text": text}));
        assert_eq!(refusal.contains("no game"), !text.starts_with("rnbq"), "{refusal}");
    }
    assert_eq!(tab.do_it(json!({"type": "step", "to": "end"}))["path"], "e2e4");
    tab.refusal(json!({"type": "choose", "game": 0}));

    let file = "[White \"Ada\"]\n\n1. e4 *\n\n[White \"Bob\"]\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n";
    let games = tab.do_it(json!({"type": "load", "text": file}));
    assert_eq!((&games["type"], &games["count"]), (&json!("games"), &json!(2)));
    let second = &games["games"][1];
    assert_eq!(
        (&second["white"], &second["result"], &second["plies"]),
        (&json!("Bob"), &json!("0-1"), &json!(2))
    );
    assert_eq!(tab.do_it(json!({"type": "choose", "game": 1}))["type"], "loaded");
    assert_eq!(tab.next("state")["result"], "0-1");
    tab.refusal(json!({"type": "choose", "game": 2}));
    assert_eq!(tab.do_it(json!({"type": "games", "from": 1}))["games"].as_array().unwrap().len(), 1);
}

#[test]
fn long_texts_come_in_parts_and_the_longest_are_refused() {
    let server = Server::start();
    let mut tab = server.tab();
    let part = format!("1. e4 {{{}}} e5 *\n\n", "long ".repeat(2_000));
    for number in 0..30 {
        tab.send_text(&json!({"type": "part", "text": part, "reset": number == 0}).to_string());
    }
    let games = tab.do_it(json!({"type": "load", "text": "1. d4 *"}));
    assert_eq!(games["count"], 31);
    // More than four MiB.
    let part = "x".repeat(60_000);
    for _ in 0..80 {
        tab.send_text(&json!({"type": "part", "text": part}).to_string());
    }
    let error = tab.next("error");
    assert!(error["message"].as_str().unwrap().contains("4 MiB"), "{error}");
    assert!(tab.is_alive());
}

/// The page reports the same problems of a broken file as the command line.
#[test]
fn the_page_and_the_command_line_agree_about_broken_games() {
    let server = Server::start();
    let mut tab = server.tab();
    let long_name = format!("[White \"{}\"]\n\n1. e4 *", "x".repeat(3_000));
    for text in [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0",
        "1. e4 e5 2. Ke3 Nc6 *",
        "1. e4 (1. d4 (1. c4 *",
        "1. e4 {never closed",
        "1. e4 $999 e5 ) *",
        "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *",
        "[Variant \"Atomic\"]\n\n1. e4 *",
        "[White \"<script>alert(1)</script>\"]\n[Site \"javascript:alert(1)\"]\n\n1. e4 {<img src=x onerror=alert(1)>} *",
        "[White \"unclosed]\n\n1. e4 *",
        "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# Kxf7 *",
        "1. Nf3 Nf6 2. Ng1 Ng8 3. N1f3 *",
        "%escaped\n1. e4 ; rest of the line\ne5 *",
        "1. e4 e5\u{feff} 2. Nf3 *",
        &long_name,
    ] {
        let loaded = tab.do_it(json!({"type": "load", "text": text}));
        let ours: Vec<_> =
            loaded["problems"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        let run = crate::ferz_reading(["pgn", "check", "-"], text.as_bytes());
        let theirs: Vec<_> = run
            .out
            .lines()
            .filter_map(|line| line.strip_prefix("-:").or(line.strip_prefix("<stdin>:")))
            .collect();
        assert_eq!(ours.len(), theirs.len(), "{text}\n{ours:?}\n{}", run.out);
        for (our, their) in ours.iter().zip(&theirs) {
            assert_eq!(our, their, "{text}");
        }
    }
}

#[test]
fn set_ups_are_validated_live() {
    let server = Server::start();
    let mut tab = server.tab();
    let empty = ".".repeat(64);
    let answer = tab.do_it(json!({"type": "setup", "board": empty, "turn": "white"}));
    assert_eq!(answer["ok"], false);
    assert_eq!(
        answer["problems"][0],
        json!({"rule": "no_king", "message": "White has no king", "squares": []})
    );
    let answer = tab.do_it(json!({"type": "setup", "fen": "4k2P/8/8/8/8/8/8/4K3 w - - 0 1"}));
    assert_eq!(answer["problems"][0]["squares"], json!(["h8"]));
    let answer = tab.do_it(json!({"type": "setup", "fen": "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "accept": true}));
    assert_eq!(answer["ok"], true);
    assert_eq!(tab.next("state")["fen"], "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
    let answer = tab.do_it(json!({"type": "setup", "fen": "nonsense", "accept": true}));
    assert_eq!(answer["problems"][0]["rule"], "syntax");
    tab.refusal(json!({"type": "setup"}));
    tab.refusal(json!({"type": "setup", "board": "short"}));
    assert_eq!(tab.do_it(json!({"type": "step", "to": "start"}))["fen"], "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
}

#[test]
fn games_and_positions_are_exported() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.play("e4 e5");
    let fen = tab.do_it(json!({"type": "export", "what": "fen"}));
    assert_eq!(fen["text"], "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    assert_eq!(tab.do_it(json!({"type": "export", "what": "fen", "node": 1}))["text"], START);
    let svg = tab.do_it(json!({"type": "export", "what": "svg", "orientation": "black", "size": 200}));
    assert!(svg["text"].as_str().unwrap().starts_with("<svg ") && svg["file"] == "ferz.svg");
    assert_eq!(tab.do_it(json!({"type": "export", "what": "moves"}))["text"], "1. e4 e5 *\n");
    assert!(
        tab.do_it(json!({"type": "export", "what": "pgn"}))["text"].as_str().unwrap().starts_with("[Event ")
    );
    tab.refusal(json!({"type": "export", "what": "exe"}));
    tab.refusal(json!({"type": "export", "what": "svg", "size": 1_000_000}));
    tab.refusal(json!({"type": "export", "what": "fen", "node": 77}));
}

#[test]
fn the_x_ray_follows_the_moves() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "xray", "on": true}));
    let xray = tab.next("xray");
    assert_eq!(xray["key"]["value"], "0x463b96181691fc9c");
    assert_eq!(xray["diff"], Value::Null);
    tab.do_it(json!({"type": "move", "san": "e4"}));
    let xray = tab.next("xray");
    assert_eq!(xray["key"]["value"], "0x823c9b50fd114196", "as in the description of Polyglot books");
    assert_eq!(xray["diff"]["boards"]["white_pawn"], "0x0000000010001000");
    assert_eq!((&xray["diff"]["san"], &xray["turn"]), (&json!("e4"), &json!("black")));
    let magic = tab.do_it(json!({"type": "magic", "square": "a1", "slider": "rook", "node": 1}));
    assert_eq!(magic["attacks"], "0x0000000000000102");
    tab.refusal(json!({"type": "magic", "square": "z1", "slider": "rook"}));
    tab.refusal(json!({"type": "magic", "square": "a1", "slider": "knight"}));
}

#[test]
fn large_trees_come_in_pages() {
    let server = Server::start();
    let mut tab = server.tab();
    // A thousand moves there and back again.
    let moves: Vec<_> = (0..1000).map(|ply| ["Nf3", "Nf6", "Ng1", "Ng8"][ply % 4]).collect();
    for part in moves.join(" ").as_bytes().chunks(10_000) {
        tab.send_text(&json!({"type": "part", "text": String::from_utf8_lossy(part)}).to_string());
    }
    tab.do_it(json!({"type": "load", "text": " *"}));
    let messages = tab.until(|message| message["type"] == "state");
    let pages: Vec<_> = messages.iter().filter(|message| message["type"] == "tree").collect();
    assert!(pages.len() > 1 && pages[0]["more"] == true && pages.last().unwrap()["more"] == false);
    let nodes = nodes(&messages);
    assert_eq!(nodes.len(), 1001);
    assert!(nodes.iter().all(|node| node["main"] == true));
}
