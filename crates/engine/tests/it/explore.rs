//! `ferz explore`.

use std::fs;

use crate::{Folder, Run, command, ferz};

const GAMES: &str = r#"[Event "A"]
[White "Ann"]
[Black "Bob"]
[Date "2001.05.01"]
[WhiteElo "2600"]
[BlackElo "2500"]
[Result "1-0"]

1. e4 e5 (1... c5 2. Nf3) 2. Nf3 Nc6 1-0

[Event "B"]
[White "Cy"]
[Black "Dee"]
[Result "1/2-1/2"]

1. Nf3 e5 2. e4 Nc6 1/2-1/2

[Event "C"]
[White "Eve"]
[Black "Fay"]
[Date "1999.??.??"]
[Result "0-1"]

1. e4 c5 0-1
"#;

/// Explores the games above, with an index in this folder.
fn explore(folder: &Folder, args: &[&str]) -> Run {
    let file = folder.file("games.pgn");
    if !fs::exists(&file).expect("the folder can be read") {
        fs::write(&file, GAMES).expect("the folder can be written");
    }
    let args = [&["explore", "--from", &file][..], args].concat();
    let mut command = command(args);
    for name in ["XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"] {
        command.env(name, &folder.0);
    }
    command.output().expect("ferz starts").into()
}

fn moves(run: &Run) -> String {
    let report: serde_json::Value = serde_json::from_str(&run.out).expect(&run.err);
    let row = |it: &serde_json::Value| {
        let results = [&it["white"], &it["draws"], &it["black"]].map(ToString::to_string).join("/");
        format!("{} {} {results} {}", it["san"].as_str().expect("a move"), it["games"], it["transpositions"])
    };
    let rows: Vec<String> = report["moves"].as_array().expect("a list").iter().map(row).collect();
    format!("{}: {}", report["total"], rows.join(", "))
}

#[test]
fn moves_are_counted_with_their_transpositions() {
    let folder = Folder::new("explore");
    let start = explore(&folder, &["--json"]);
    assert_eq!((start.code, &start.err[..]), (Some(0), ""));
    assert_eq!(moves(&start), "3: e4 2 1/0/1 0, Nf3 1 0/1/0 0");
    let open = explore(&folder, &["--json", "1. e4 e5"]);
    assert_eq!(moves(&open), "1: Nf3 1 1/0/0 1");
    // The same position by FEN, and as moves in UCI notation.
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    assert_eq!(moves(&explore(&folder, &["--json", fen])), moves(&open));
    assert_eq!(moves(&explore(&folder, &["--json", "e2e4", "e7e5"])), moves(&open));
    let games: serde_json::Value = serde_json::from_str(&start.out).expect("an object");
    assert_eq!(games["games"][0]["white"], "Ann");
    assert_eq!(games["games"][0]["elo"], 2550);
    assert_eq!(games["games"].as_array().map(Vec::len), Some(3));

    let table = explore(&folder, &[]);
    assert!(
        table.out.contains("e4              2  66.7 %    50 %    0 %   50 %  2550  2001"),
        "{}",
        table.out
    );
    assert!(table.out.contains("Ann - Bob  1-0, 2550, 2001"), "{}", table.out);
    let unknown = explore(&folder, &["1. a4"]);
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.out.contains("no moves"), "{}", unknown.out);
}

#[test]
fn a_file_that_changes_is_read_again() {
    let folder = Folder::new("explore-change");
    assert!(moves(&explore(&folder, &["--json"])).starts_with("3: "));
    fs::write(folder.file("games.pgn"), format!("{GAMES}\n[Event \"D\"]\n\n1. d4 *\n")).expect("written");
    let again = moves(&explore(&folder, &["--json"]));
    assert!(again.starts_with("4: e4 2 1/0/1 0, ") && again.contains("d4 1 0/0/0 0"), "{again}");
}

#[test]
fn a_damaged_index_is_built_again() {
    let folder = Folder::new("explore-damage");
    let good = moves(&explore(&folder, &["--json"]));
    let mut damaged = 0;
    let mut folders = vec![folder.0.clone()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "run") {
                let mut bytes = fs::read(&path).expect("readable");
                bytes.truncate(bytes.len() - 9);
                fs::write(&path, bytes).expect("writable");
                damaged += 1;
            }
        }
    }
    assert_eq!(damaged, 1);
    assert_eq!(moves(&explore(&folder, &["--json"])), good);
}

#[test]
fn books_have_weights() {
    let run = ferz(["explore"]);
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    assert!(run.out.contains("source    embedded") && run.out.contains("share"), "{}", run.out);
    let bad = ferz(["explore", "e4", "e4"]);
    assert_eq!(bad.code, Some(2));
    assert!(bad.err.contains("bad move \"e4\""), "{}", bad.err);
    let missing = ferz(["explore", "--from", "missing.pgn"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("missing.pgn"), "{}", missing.err);
}
