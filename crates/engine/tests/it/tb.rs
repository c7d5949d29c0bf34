//! `ferz tb FEN` and `ferz tb check`.

use std::fs;

use serde_json::{Value, json};

use crate::tables::folder_of_tables;
use crate::{Folder, ferz};

#[test]
fn a_position_and_its_moves() {
    let folder = folder_of_tables("tb-table");
    let path = folder.file("");
    let run = ferz(["tb", "8/8/8/8/8/k7/2p5/K7 b - - 0 1", "--path", &path]);
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], "KvKP, Black to move: win, DTZ 1");
    assert_eq!(lines[1..3], ["", "move    result          DTZ"]);
    // Mate at once, then promotions by their distance, then what draws.
    assert_eq!(lines[3], "c1=Q#   win               1");
    assert!(lines.contains(&"c1=N    draw              0"), "{}", run.out);
    assert!(lines.last().is_some_and(|line| line.contains("draw")), "{}", run.out);
}

#[test]
fn json_has_results_and_moves() {
    let folder = folder_of_tables("tb-json");
    let run =
        ferz(["tb", "8/8/8/8/8/2k5/8/K6R", "w", "-", "-", "0", "1", "--path", &folder.file(""), "--json"]);
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    assert!(
        run.out.starts_with("{\"fen\":\"8/8/8/8/8/2k5/8/K6R w - - 0 1\",\"material\":\"KRvK\",\"wdl\":2,")
    );
    let report: Value = serde_json::from_str(&run.out).expect("valid JSON");
    assert_eq!((&report["wdl"], &report["result"]), (&json!(2), &json!("win")));
    let moves = report["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), 15);
    assert!(moves.iter().all(|mv| mv["uci"].is_string() && mv["san"].is_string()));
    // The best move is one ply nearer to the mate.
    let dtz = report["dtz"].as_i64().expect("a number");
    assert_eq!(moves[0]["dtz"].as_i64(), Some(dtz - 1));
    assert!(moves.is_sorted_by_key(|mv| -mv["wdl"].as_i64().unwrap_or(0)));
}

#[test]
fn without_dtz_tables_there_are_results_only() {
    let folder = folder_of_tables("tb-wdl");
    fs::remove_file(folder.file("KRvK.rtbz")).expect("it is there");
    let path = folder.file("");
    let run = ferz(["tb", "8/8/8/8/8/2k5/8/K6R w - - 0 1", "--path", &path]);
    assert_eq!((run.code, &run.err[..]), (Some(0), "note: DTZ tables are missing\n"));
    assert!(run.out.starts_with("KRvK, White to move: win, DTZ ?\n"), "{}", run.out);
    let run = ferz(["tb", "8/8/8/8/8/2k5/8/K6R w - - 0 1", "--path", &path, "--json"]);
    let report: Value = serde_json::from_str(&run.out).expect("valid JSON");
    assert_eq!((&report["wdl"], &report["dtz"]), (&json!(2), &Value::Null));
}

#[test]
fn reasons_are_reported() {
    let folder = folder_of_tables("tb-reasons");
    let path = folder.file("");
    for (fen, reason) in [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "error: 4 men, but the tables end at 3\n"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "error: castling rights: tables know no castling\n"),
    ] {
        let run = ferz(["tb", fen, "--path", &path]);
        assert_eq!((run.code, &run.out[..], &run.err[..]), (Some(2), "", reason));
    }
    fs::remove_file(folder.file("KRvK.rtbw")).expect("it is there");
    let run = ferz(["tb", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", "--path", &path]);
    assert_eq!((run.code, &run.err[..]), (Some(2), "error: table KRvK.rtbw is missing\n"));
    let run = ferz(["tb", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", "--path", "no/such/folder"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.starts_with("error: no/such/folder: "), "{}", run.err);
    assert_eq!(ferz(["tb"]).code, Some(2));
    assert_eq!(ferz(["tb", "4k3/8/8/8/8/8/8/4K2R w - - 0 1"]).code, Some(2));
}

#[test]
fn damaged_files_are_named() {
    let folder = folder_of_tables("tb-check");
    let path = folder.file("");
    let run = ferz(["tb", "check", &path]);
    assert_eq!((run.code, &run.out[..], &run.err[..]), (Some(0), "10 tables, 0 damaged\n", ""));

    let name = folder.file("KQvK.rtbw");
    let mut bytes = fs::read(&name).expect("it is there");
    let end = bytes.len() - 40;
    bytes[end] ^= 1;
    fs::write(&name, &bytes).expect("the test folder can be written to");
    fs::write(folder.file("KRvK.rtbz"), &bytes[..bytes.len() - 64])
        .expect("the test folder can be written to");
    fs::write(folder.file("KvKQ.rtbw"), "").expect("the test folder can be written to");
    let run = ferz(["tb", "check", &path]);
    assert_eq!((run.code, &run.err[..]), (Some(1), ""));
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines.len(), 4, "{}", run.out);
    assert!(lines[0].ends_with("KQvK.rtbw: damaged table: wrong checksum"), "{}", lines[0]);
    assert!(lines[1].ends_with("KRvK.rtbz: damaged table: not a Syzygy table of this kind"), "{}", lines[1]);
    assert!(lines[2].contains("KvKQ.rtbw: damaged table: not the name of a table"), "{}", lines[2]);
    assert_eq!(lines[3], "11 tables, 3 damaged");

    let empty = Folder::new("tb-empty");
    let run = ferz(["tb", "check", &empty.file("")]);
    assert_eq!((run.code, &run.err[..]), (Some(2), "error: no table files (.rtbw, .rtbz) found\n"));
}
