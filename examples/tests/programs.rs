//! Every program does what its first lines promise.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const GAMES: &str = "[Event \"A\"]\n[WhiteElo \"2500\"]\n[BlackElo \"2450\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n\
    [Event \"B\"]\n[WhiteElo \"2400\"]\n[BlackElo \"2410\"]\n[Result \"1/2-1/2\"]\n\n1. d4 d5 2. c4 1/2-1/2\n\n\
    [Event \"C\"]\n[WhiteElo \"1500\"]\n[BlackElo \"2600\"]\n[Result \"0-1\"]\n\n1. e4 c5 0-1\n";

/// Runs a program and returns what it prints.
fn run(program: &str, arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(program);
    let command = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads its input");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{program}: {}", output.status);
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn games_file(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, GAMES).expect("the folder of the build can be written to");
    path
}

#[test]
fn the_explorer_counts_moves_by_result_and_rating() {
    let path = games_file("explorer.pgn");
    let explore = |options: &[&str]| {
        let arguments = [options, &[path.to_str().expect("a plain name")]].concat();
        let out = run(env!("CARGO_BIN_EXE_opening-explorer"), &arguments, "");
        let row = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        out.lines().map(row).collect::<Vec<_>>()
    };
    assert_eq!(explore(&[]), ["e4 2 50 % 0 % 50 %", "d4 1 0 % 100 % 0 %"]);
    assert_eq!(explore(&["--min-elo", "2000", "--moves", "e4"]), ["e5 1 100 % 0 % 0 %"]);
    assert!(explore(&["--plies", "1", "--moves", "e4"]).is_empty());
}

#[test]
fn puzzles_have_one_solution() {
    let path = games_file("puzzles.pgn");
    let out = run(env!("CARGO_BIN_EXE_find-puzzles"), &[path.to_str().expect("a plain name"), "5000"], "");
    assert!(out.lines().any(|line| line.contains("bm Qxf7#")), "{out}");
}

#[test]
fn the_random_engine_plays_legal_moves_and_survives_errors() {
    let input = "uci\nisready\nposition startpos moves e2e4 e7e5 e1e3\ngo\n\
        position fen 8/8/8/8/8/5k2/5p2/5K2 w - - 0 1\ngo\n\
        setoption name UCI_Chess960 value true\nposition fen 4k3/8/8/8/8/8/r7/4K1Rb w - - 0 1 moves g1g8\ngo\nquit\n";
    let out = run(env!("CARGO_BIN_EXE_random-engine"), &[], input);
    assert!(out.contains("uciok\nreadyok\ninfo string error: "), "{out}");
    let moves: Vec<_> = out.lines().filter_map(|line| line.strip_prefix("bestmove ")).collect();
    assert_eq!(moves.len(), 3);
    let is_pawn_move = |mv: &str| {
        let square: Vec<char> = mv.chars().collect();
        square[0] == square[2] && square[1] == '2' && matches!(square[3], '3' | '4')
    };
    assert!(is_pawn_move(moves[0]) || ["b1a3", "b1c3", "g1f3", "g1h3"].contains(&moves[0]), "{out}");
    assert_eq!(moves[1], "(none)");
    assert!(["e8d7", "e8e7", "e8f7"].contains(&moves[2]), "{out}");
}

#[test]
fn alpha_beta_finds_the_mate() {
    let fen = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
    let out = run(env!("CARGO_BIN_EXE_alpha-beta"), &["2", fen], "");
    assert!(out.starts_with("best h5f7 score 30001 nodes "), "{out}");
}

#[test]
fn games_are_annotated() {
    let out = run(env!("CARGO_BIN_EXE_annotate-games"), &["2000"], GAMES);
    assert_eq!(out.matches("[Event ").count(), 3);
    let one_line = out.replace('\n', " ");
    assert!(one_line.contains("[%eval ") && one_line.contains("Nf6 $2"), "{out}");
    assert_eq!(run(env!("CARGO_BIN_EXE_annotate-games"), &["1"], &out).matches("[Event ").count(), 3);
}

#[test]
fn fens_are_explained_as_json() {
    let input = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n4k3/8/8/8/8/8/4r3/8 w - - 0 1\n9/8 w - - 0 1\n";
    let out = run(env!("CARGO_BIN_EXE_validate-fens"), &[], input);
    let answers: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[0]["fen"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!(answers[1]["reason"]["violations"][0]["rule"], serde_json::json!({ "no-king": "w" }));
    assert_eq!(answers[2]["reason"]["field"], "board");
}

#[test]
fn chess960_is_consistent() {
    let out = run(env!("CARGO_BIN_EXE_check-chess960"), &[], "");
    assert!(out.starts_with("960 positions, "), "{out}");
}

#[test]
fn a_game_becomes_json() {
    let out = run(env!("CARGO_BIN_EXE_game-to-json"), &[], GAMES);
    let steps: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let steps = steps.as_array().expect("a list");
    assert_eq!(steps.len(), 8);
    assert_eq!((&steps[6]["san"], &steps[6]["mate_in_one"]), (&"Nf6".into(), &"Qxf7#".into()));
    assert!(!steps[7]["outcome"].is_null() && steps[6]["outcome"].is_null());
}

#[test]
fn hostile_input_is_survived() {
    let out = run(env!("CARGO_BIN_EXE_hostile-input"), &["2000", "7"], "");
    assert_eq!(out.lines().count(), 9, "{out}");
}
