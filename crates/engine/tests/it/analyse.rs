//! `ferz analyse`.

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};

use crate::{ferz, ferz_reading};

const GAMES: &str = "[White \"Ada\"]\n\n1. e4 {best by test} e5 2. Qh5 Nc6 3. Bc4 Nf6 $6 (3... g6 4. Qf3) 4. Qxf7# 1-0\n\n\
                     [White \"Bob\"]\n\n1. d4 d5 2. c4 *\n";

fn review(extra: &[&str], input: &[u8]) -> crate::Run {
    ferz_reading([&["analyse", "--pgn", "-", "--nodes", "5000"], extra].concat(), input)
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_position_has_lines() {
    let back_rank = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
    let run = ferz(["analyse", "--fen", back_rank, "--depth", "6", "--multipv", "2"]);
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    let rows: Vec<_> = run.out.lines().collect();
    assert_eq!(rows[0], back_rank);
    assert!(rows[1].starts_with("1.      #1  win 100 %  draw 0 %  loss 0 %  depth "), "{}", rows[1]);
    assert!(rows[1].ends_with("  1. Rd8#"), "{}", rows[1]);
    assert!(rows[2].starts_with("2.  ") && rows.len() == 3, "{}", run.out);

    let report = ferz(["analyse", "--fen", back_rank, "--depth", "6", "--multipv", "2", "--json"]);
    let report = parse(&report.out);
    assert_eq!(report["lines"][0]["mate"], 1);
    assert_eq!(report["lines"][0]["wdl"], json!([1000, 0, 0]));
    assert_eq!(report["lines"][0]["san"], json!(["Rd8#"]));
    assert_eq!(report["lines"][0]["uci"], json!(["d1d8"]));
    assert_eq!(report["lines"].as_array().map(Vec::len), Some(2));
    assert!(report["lines"][1]["cp"].is_i64() && report["nodes"].as_u64() > Some(0));
}

#[test]
fn scores_are_those_of_white() {
    let queen_up = "k2q4/8/8/8/8/8/8/K7 b - - 0 1";
    let report = parse(&ferz(["analyse", "--fen", queen_up, "--depth", "4", "--json"]).out);
    let line = &report["lines"][0];
    assert!(line["cp"].as_i64() < Some(-300) || line["mate"].as_i64() < Some(0), "{line}");
    assert!(line["wdl"][2].as_i64() > line["wdl"][0].as_i64(), "{line}");
}

#[test]
fn the_start_and_the_end_of_games() {
    let run = ferz(["analyse", "--nodes", "2000", "--json"]);
    let report = parse(&run.out);
    assert_eq!(report["fen"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!((&report["outcome"], &report["opening"]), (&Value::Null, &Value::Null));

    let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    let report = parse(&ferz(["analyse", "--fen", mated, "--json"]).out);
    assert_eq!((&report["outcome"], &report["lines"]), (&json!("0-1"), &json!([])));
    assert_eq!(report["opening"]["name"], "Barnes Opening: Fool's Mate");
    let text = ferz(["analyse", "--fen", mated]).out;
    assert!(text.ends_with("\nThe game is over: Black wins by checkmate\n"), "{text}");
}

#[test]
fn games_are_annotated() {
    let run = review(&[], GAMES.as_bytes());
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    let text = run.out.replace('\n', " ");
    for part in [
        "[White \"Ada\"]",
        "[ECO \"C20\"] [Opening \"King's Pawn Game: Wayward Queen Attack\"] [Annotator \"Ferz ",
        "[WhiteAccuracy \"",
        "1. e4 {best by test [%eval 0.",
        // An existing NAG stays, and the comment is added.
        "3... Nf6 $6 {[%eval #1,",
        "] Blunder: allows mate in 1. g6 was better.} (3... g6 4. Qf3",
        "4. Qxf7# 1-0  [Event",
        "[Opening \"Queen's Gambit\"]",
    ] {
        assert!(text.contains(part), "{part} in\n{}", run.out);
    }
    let check = ferz_reading(["pgn", "check", "-"], run.out.as_bytes());
    assert_eq!(check.code, Some(0), "{}", check.out);
    let packed = review(&[], &compress_to_vec(GAMES.as_bytes(), CompressionLevel::Fastest));
    assert_eq!(packed.out, run.out, "packed or not, and the same every time");
}

#[test]
fn games_as_json() {
    let run = review(&["--json", "--multipv", "2"], GAMES.as_bytes());
    let games: Vec<_> = run.out.lines().map(parse).collect();
    assert_eq!((games.len(), run.code), (2, Some(0)));
    assert_eq!(games[0]["tags"][0], json!(["White", "Ada"]));
    let moves = games[0]["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 7);
    assert_eq!((&moves[0]["san"], &moves[0]["judgement"]), (&json!("e4"), &json!("book")));
    assert_eq!(
        (&moves[5]["judgement"], &moves[5]["remark"]),
        (&json!("blunder"), &json!({ "allows_mate": 1 }))
    );
    assert_eq!((&moves[6]["after"]["mate"], &moves[6]["loss"]), (&json!(0), &json!(0.0)));
    assert!(moves[5]["accuracy"].as_f64() < Some(20.0), "{}", moves[5]);
    assert!(games[1]["accuracy"]["black"].is_null(), "all theory: {}", games[1]["accuracy"]);
}

#[test]
fn broken_games_are_told_of_and_the_rest_goes_on() {
    let run = review(&[], b"1. e4 e5 2. Ke3 *\n\n1. d4 *\n");
    assert_eq!(run.code, Some(1));
    assert!(run.err.starts_with("-:1:13: illegal-move: "), "{}", run.err);
    assert!(run.out.contains("1... e5 {[%eval ") && run.out.contains("1. d4 {[%eval "), "{}", run.out);
    assert_eq!(review(&[], b"").out, "");
    let missing = ferz(["analyse", "--pgn", "no/such/file"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.starts_with("error: no/such/file: "), "{}", missing.err);
}

#[test]
fn wrong_arguments_are_refused() {
    for (args, reason) in [
        (&["--fen", "8/8"][..], "bad FEN"),
        (&["--fen", "x", "--pgn", "y"], "cannot be used with"),
        (&["--depth", "0"], "0 is not in"),
        (&["--multipv", "0"], "0 is not in"),
        (&["--net", "no/such/net"], "no/such/net"),
        (&["4k3/8/8/8/8/8/8/4K3 w - - 0 1"], "unexpected argument"),
    ] {
        let run = ferz([&["analyse"], args].concat());
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert!(run.err.starts_with("error: ") && run.err.contains(reason), "{args:?}: {}", run.err);
    }
}
