//! The engine of a page: analysis, hints, games and reviews.

use serde_json::{Value, json};

use super::{Server, Tab};

fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn an_analysis_follows_the_board() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "analyse", "on": true, "lines": 3}));
    let news = tab.until(|it| it["type"] == "analysis" && it["depth"].as_u64() >= Some(8)).pop().unwrap();
    assert_eq!(news["node"], 1);
    let lines = news["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 3);
    for (rank, line) in (1..).zip(lines) {
        assert_eq!(line["rank"], rank);
        assert_eq!(line["uci"].as_array().unwrap().len(), line["san"].as_array().unwrap().len());
        let chances: u64 = line["wdl"].as_array().unwrap().iter().map(whole).sum();
        assert_eq!(chances, 1000);
        assert!(line["score"]["cp"].is_i64());
    }
    let history = news["history"].as_array().unwrap();
    assert!(history.len() >= 7, "{history:?}");
    let depths: Vec<_> = history.iter().map(|entry| whole(&entry["depth"])).collect();
    assert!(depths.is_sorted_by(|a, b| a < b), "{depths:?}");
    let last = history.last().unwrap();
    assert!(whole(&last["first_cutoffs"]) <= whole(&last["cutoffs"]) && whole(&last["cutoffs"]) > 0);

    let state = tab.do_it(json!({"type": "move", "san": "e4"}));
    let news =
        tab.until(|it| it["type"] == "analysis" && it["node"] == state["node"] && it["depth"] != 0).pop();
    // Black's moves, White's scores.
    let best = news.unwrap()["lines"][0]["uci"][0].as_str().unwrap().to_owned();
    assert!(best.as_bytes()[1] >= b'7', "{best}");
    tab.do_it(json!({"type": "analyse", "on": false}));
    tab.until(|it| it["type"] == "analysis" && it["status"] == "off");
}

#[test]
fn an_analysis_of_a_mate_tells_whose() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "new", "fen": "6k1/8/8/8/8/r7/1r6/6K1 b - - 0 1"}));
    tab.do_it(json!({"type": "analyse", "on": true}));
    let news = tab.until(|it| it["type"] == "analysis" && it["lines"][0]["score"]["mate"].is_i64()).pop();
    assert_eq!(news.unwrap()["lines"][0]["score"], json!({"mate": -1}));
}

#[test]
fn news_of_an_analysis_comes_at_most_ten_times_a_second() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "analyse", "on": true, "lines": 5}));
    tab.next("analysis");
    let start = std::time::Instant::now();
    let mut count = 0;
    while start.elapsed().as_secs_f64() < 1.5 {
        tab.next("analysis");
        count += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    assert!(f64::from(count) <= seconds * 10.0 + 2.0, "{count} in {seconds}");
}

#[test]
fn hints_and_threats_are_given() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.play("e4 e5 Bc4 Nc6 Qh5 a6");
    let hint = tab.do_it(json!({"type": "hint"}));
    assert_eq!(
        (&hint["uci"], &hint["san"], &hint["score"]),
        (&json!("h5f7"), &json!("Qxf7#"), &json!({"mate": 1}))
    );
    tab.do_it(json!({"type": "step", "to": "previous"}));
    let threat = tab.do_it(json!({"type": "threat"}));
    assert_eq!((&threat["type"], &threat["uci"]), (&json!("threat"), &json!("h5f7")));
    tab.do_it(json!({"type": "new", "fen": "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"}));
    let threat = tab.do_it(json!({"type": "threat"}));
    assert_eq!(threat["uci"], Value::Null);
    assert!(threat["message"].as_str().unwrap().contains("check"));
    tab.play("Kxe2");
    assert!(tab.refusal(json!({"type": "hint"})).contains("over"));
}

/// The part of an explanation about something.
fn part(explanation: &Value, about: &str) -> Value {
    let parts = explanation["parts"].as_array().expect("parts");
    parts.iter().find(|part| part["about"] == about).cloned().unwrap_or_default()
}

#[test]
fn moves_are_explained() {
    let server = Server::start();
    let mut tab = server.tab();
    let start = tab.do_it(json!({"type": "explain"}));
    assert_eq!((&start["type"], &start["node"]), (&json!("explanation"), &json!(1)));
    assert_eq!(part(&start, "played"), Value::Null, "nothing has been played");

    let before = tab.play("e4 e5 Bc4 Nc6 Qh5")["node"].clone();
    let here = tab.play("a6")["node"].clone();
    let explanation = tab.do_it(json!({"type": "explain"}));
    let topics: Vec<_> = explanation["parts"].as_array().unwrap().iter().map(|it| &it["about"]).collect();
    assert_eq!(topics[..3], ["played", "instead", "best"]);
    let played = part(&explanation, "played");
    assert_eq!((&played["node"], &played["number"], &played["turn"]), (&before, &json!(3), &json!("black")));
    assert_eq!(played["line"]["san"], json!(["a6", "Qxf7#"]));
    let text = played["text"].as_str().unwrap();
    assert!(text.starts_with("a6 is a blunder (White mates in 1)"), "{text}");
    assert!(!text.contains("Expected"), "the line is told apart: {text}");
    assert!(part(&explanation, "instead")["text"].as_str().unwrap().starts_with("The best move was "));
    let best = part(&explanation, "best");
    assert_eq!((&best["node"], &best["line"]["uci"]), (&here, &json!(["h5f7"])));
    let text = best["text"].as_str().unwrap();
    let sentences = "The best move is Qxf7# (White mates in 1). It captures the pawn on f7 and is checkmate.";
    assert_eq!(text, sentences);

    // A threat starts with a null move and can be added to the tree like any line.
    tab.do_it(json!({"type": "step", "to": "previous"}));
    let threat = part(&tab.do_it(json!({"type": "explain"})), "threat");
    assert_eq!(threat["line"]["san"], json!(["--", "Qxf7#"]));
    tab.do_it(json!({"type": "line", "node": threat["node"], "moves": threat["line"]["uci"]}));

    tab.do_it(json!({"type": "step", "to": "next"}));
    tab.play("Qxf7");
    let end = tab.do_it(json!({"type": "explain"}));
    assert_eq!(part(&end, "played")["text"], "Qxf7# is checkmate: White wins. It captures the pawn on f7.");
    assert_eq!(end["parts"].as_array().map(Vec::len), Some(1));
    tab.do_it(json!({"type": "play", "color": "white", "level": "club"}));
    assert!(tab.refusal(json!({"type": "explain"})).contains("hint"));
}

#[test]
fn the_best_move_played_is_called_so() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "new", "fen": "k7/8/8/8/8/4q3/3P4/K7 w - - 0 1"}));
    tab.play("dxe3");
    let explanation = tab.do_it(json!({"type": "explain"}));
    let played = part(&explanation, "played")["text"].as_str().unwrap().to_owned();
    assert!(played.starts_with("The best move was played: dxe3"), "{played}");
    assert!(played.contains("captures the queen on e3"), "{played}");
    assert_eq!(part(&explanation, "instead"), Value::Null);
}

#[test]
fn every_tab_has_its_own_explanation() {
    let server = Server::start();
    let (mut one, mut two) = (server.tab(), server.tab());
    one.do_it(json!({"type": "new", "fen": "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"}));
    two.do_it(json!({"type": "new", "fen": "8/8/8/8/4k3/8/q7/4K2R b - - 0 1"}));
    let asked = [one.send(json!({"type": "explain"})), two.send(json!({"type": "explain"}))];
    let [first, second] = [(&mut one, asked[0]), (&mut two, asked[1])]
        .map(|(tab, id)| tab.until(|it| it["re"] == json!(id)).pop().expect("an answer"));
    assert_eq!(part(&first, "best")["line"]["san"], json!(["Rd8#"]));
    assert_eq!(part(&second, "best")["turn"], "black");
}

#[test]
fn an_explanation_gives_way_and_the_analysis_goes_on() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "analyse", "on": true}));
    tab.play("e4");
    let given_up = tab.send(json!({"type": "explain"}));
    // Neither the next move nor the next request waits for it.
    let went_on = tab.send(json!({"type": "move", "san": "e5"}));
    let asked = tab.send(json!({"type": "explain"}));
    let heard = tab.until(|it| it["re"] == json!(asked));
    let answers = |id: u64| heard.iter().filter(|it| it["re"] == json!(id)).collect::<Vec<_>>();
    let [broken_off] = answers(given_up)[..] else { panic!("one answer: {heard:?}") };
    assert_eq!(broken_off["message"], "The explanation was interrupted. Ask again.");
    let [state] = answers(went_on)[..] else { panic!("one answer: {heard:?}") };
    let [explanation] = answers(asked)[..] else { panic!("one answer: {heard:?}") };
    assert_eq!((&explanation["type"], &explanation["node"]), (&json!("explanation"), &state["node"]));
    // The analysis resumes by itself with the right position, although it was interrupted before it started.
    let node = state["node"].clone();
    tab.until(|it| it["type"] == "analysis" && it["status"] == "searching" && it["node"] == node);
}

/// A queen that stalemates, and a position that was over from the start.
#[test]
fn ends_of_games_are_explained() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "new", "fen": "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"}));
    tab.play("Qf7");
    let explanation = tab.do_it(json!({"type": "explain"}));
    let played = part(&explanation, "played")["text"].as_str().unwrap().to_owned();
    assert!(played.starts_with("Qf7 is stalemate: Black has no legal move"), "{played}");
    assert!(played.ends_with("Qf8# was mate."), "{played}");
    assert_eq!(part(&explanation, "instead")["line"]["san"], json!(["Qf8#"]));
    assert_eq!(part(&explanation, "best"), Value::Null);

    tab.do_it(json!({"type": "new", "fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}));
    let refusal = tab.refusal(json!({"type": "explain"}));
    assert_eq!(refusal, "The game is over: draw by stalemate. There is no move to explain.");
}

/// The state after the engine has answered.
fn engine_answer(tab: &mut Tab, human: &str) -> Value {
    let is_over = |it: &Value| !it["play"]["over"].is_null();
    tab.until(|it| it["type"] == "state" && (it["turn"] == human || is_over(it))).pop().unwrap()
}

#[test]
fn the_engine_plays_at_all_levels() {
    let server = Server::start();
    let mut tab = server.tab();
    for level in ["beginner", "club", "master"] {
        tab.do_it(json!({"type": "play", "color": "black", "level": level, "clock": null}));
        let state = engine_answer(&mut tab, "black");
        assert_eq!(state["play"]["level"], level);
        assert_eq!(state["headers"][1][0], "White");
        assert!(state["headers"][1][1].as_str().unwrap().starts_with("Ferz ("));
    }
    tab.refusal(json!({"type": "play", "color": "white", "level": "god"}));
    tab.refusal(json!({"type": "play", "color": "red", "level": "club"}));
    let clock = json!({"initial_ms": 0, "increment_ms": 0});
    tab.refusal(json!({"type": "play", "color": "white", "level": "club", "clock": clock}));
}

#[test]
fn a_game_against_the_engine_has_its_rules() {
    let server = Server::start();
    let mut tab = server.tab();
    assert!(tab.refusal(json!({"type": "resign"})).contains("No game"));
    tab.refusal(json!({"type": "takeback"}));
    tab.do_it(json!({"type": "analyse", "on": true}));
    tab.do_it(json!({"type": "play", "color": "white", "level": "beginner", "clock": null}));
    assert!(tab.refusal(json!({"type": "analyse", "on": true})).contains("hint"));
    tab.refusal(json!({"type": "threat"}));
    tab.refusal(json!({"type": "review"}));
    tab.refusal(json!({"type": "claim"}));
    assert!(tab.refusal(json!({"type": "takeback"})).contains("nothing"));
    tab.do_it(json!({"type": "move", "san": "e4"}));
    let state = engine_answer(&mut tab, "white");
    assert_eq!(state["path"].as_str().unwrap().split(' ').count(), 2);
    // Moves elsewhere in the tree are rejected.
    tab.do_it(json!({"type": "step", "to": "start"}));
    assert!(tab.refusal(json!({"type": "move", "san": "d4"})).contains("end of the game"));
    tab.refusal(json!({"type": "delete", "node": 2}));
    tab.refusal(json!({"type": "undo"}));
    // Loading another game is rejected, too.
    for other in [
        json!({"type": "load", "text": "1. d4 d5 *"}),
        json!({"type": "new"}),
        json!({"type": "setup", "fen": "4k3/8/8/8/8/8/8/4K2R w - - 0 1", "accept": true}),
        json!({"type": "choose", "game": 0}),
    ] {
        assert!(tab.refusal(other).contains("resign first"));
    }
    tab.do_it(json!({"type": "step", "to": "end"}));
    assert!(tab.do_it(json!({"type": "hint"}))["uci"].is_string());
    let state = tab.do_it(json!({"type": "takeback"}));
    assert_eq!((&state["path"], &state["play"]["head"]), (&json!(""), &json!(1)));
    tab.do_it(json!({"type": "draw"}));
    let state = tab.do_it(json!({"type": "resign"}));
    assert_eq!(
        state["play"]["over"],
        json!({"result": "0-1", "reason": "resignation", "text": "White resigns, Black wins"})
    );
    assert_eq!(state["result"], "0-1");
    tab.do_it(json!({"type": "analyse", "on": true}));
    let state = tab.do_it(json!({"type": "leave"}));
    assert_eq!(state["play"], Value::Null);
}

#[test]
fn a_mate_ends_the_game_against_the_engine() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "new", "fen": "k7/8/1K6/8/8/8/8/7R w - - 0 1"}));
    tab.do_it(json!({"type": "play", "color": "white", "level": "full", "from": "here"}));
    let state = tab.do_it(json!({"type": "move", "san": "Rh8#"}));
    assert_eq!(state["play"]["over"]["reason"], "checkmate");
    assert_eq!(state["result"], "1-0");
    assert_eq!(state["play"]["thinking"], false);
}

#[test]
fn the_clock_decides_a_game() {
    let server = Server::start();
    let mut tab = server.tab();
    let clock = json!({"initial_ms": 1_000, "increment_ms": 0});
    tab.do_it(json!({"type": "play", "color": "white", "level": "beginner", "clock": clock}));
    tab.do_it(json!({"type": "move", "san": "e4"}));
    let state = engine_answer(&mut tab, "white");
    assert_eq!(state["play"]["clock"]["running"], "white");
    let state = tab.until(|it| it["type"] == "state" && !it["play"]["over"].is_null()).pop().unwrap();
    assert_eq!(
        state["play"]["over"],
        json!({"result": "0-1", "reason": "time", "text": "White's time is up, Black wins"})
    );
    assert_eq!(state["play"]["clock"]["white_ms"], 0);
    assert!(tab.do_it(json!({"type": "export", "what": "pgn"}))["text"].as_str().unwrap().contains("[%clk "));
}

#[test]
fn a_whole_game_can_be_played_with_the_engine() {
    let server = Server::start();
    let mut tab = server.tab();
    // A level plays at the pace of a human: the less time it has, the faster.
    let clock = json!({"initial_ms": 5_000, "increment_ms": 20});
    tab.do_it(json!({"type": "play", "color": "white", "level": "beginner", "clock": clock}));
    // Play the first legal move until the game ends or a hundred moves are played.
    let mut state = tab.do_it(json!({"type": "step", "to": "start"}));
    for _ in 0..100 {
        if !state["play"]["over"].is_null() {
            break;
        }
        let moves: Vec<_> =
            state["moves"].as_object().unwrap().values().flat_map(|it| it.as_array().unwrap()).collect();
        let capture = moves.iter().find(|mv| mv["capture"] == true);
        let uci = capture.unwrap_or(&moves[0])["uci"].clone();
        tab.do_it(json!({"type": "move", "uci": uci}));
        state = engine_answer(&mut tab, "white");
    }
    // The beginner level errs at random, and first legal moves may lose quickly.
    let plies = state["path"].as_str().unwrap().split(' ').count();
    assert!(plies > 20 || plies > 3 && !state["play"]["over"].is_null(), "{state}");
}

#[test]
fn a_review_judges_every_move() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.refusal(json!({"type": "review"}));
    tab.do_it(json!({"type": "load", "text": "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0"}));
    tab.do_it(json!({"type": "review", "depth": "quick"}));
    let messages = tab.until(|it| it["type"] == "review" && it["status"] == "done");
    let review = messages.last().unwrap();
    assert_eq!((&review["done"], &review["total"]), (&json!(7), &json!(7)));
    assert_eq!(review["black"]["counts"]["blunder"], 1);
    assert!(review["white"]["accuracy"].as_f64() > review["black"]["accuracy"].as_f64());
    let nodes: Vec<_> = messages
        .iter()
        .filter(|it| it["type"] == "tree")
        .flat_map(|it| it["nodes"].as_array().unwrap())
        .filter(|node| node["review"].is_object())
        .collect();
    assert_eq!(nodes.len(), 7);
    let blunder = nodes.iter().find(|node| node["review"]["judgement"] == "blunder").unwrap();
    assert_eq!(blunder["san"], "Nf6");
    assert!(blunder["review"]["best"]["san"].is_string());
    assert_eq!(blunder["nags"], json!([4]));
    let state = messages.iter().rfind(|it| it["type"] == "state").unwrap();
    assert_eq!(state["reviewing"], false);

    // The annotated game carries its review.
    let pgn = tab.do_it(json!({"type": "export", "what": "pgn"}))["text"].clone();
    assert!(pgn.as_str().unwrap().contains("[%eval "), "{pgn}");
    let mut other = server.silent_tab().unwrap();
    other.send(json!({"type": "hello", "pgn": pgn}));
    let recalled = other.next("review");
    assert_eq!(recalled["white"]["accuracy"], review["white"]["accuracy"]);
    assert_eq!(recalled["black"]["counts"]["blunder"], 1);
}

#[test]
fn a_review_can_be_stopped() {
    let server = Server::start();
    let mut tab = server.tab();
    tab.do_it(json!({"type": "load", "text": "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *"}));
    let state = tab.do_it(json!({"type": "review", "depth": "deep"}));
    assert_eq!(state["reviewing"], true);
    tab.until(|it| it["type"] == "review" && it["status"] == "running");
    let state = tab.do_it(json!({"type": "review_stop"}));
    assert_eq!(state["reviewing"], false);
    // Another game stops it, too.
    tab.do_it(json!({"type": "review", "depth": "deep"}));
    tab.send(json!({"type": "new"}));
    tab.until(|it| it["type"] == "review" && it["status"] == "stopped");
}
