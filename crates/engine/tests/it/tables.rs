//! Endgame tables in UCI and the commands.

use std::fs::{self, File};
use std::time::Duration;

use serde_json::{Value, json};

use crate::data::{datagen, fine};
use crate::uci::driver::Session;
use crate::{Folder, ferz};

/// A folder with the tables of all endings with three men.
pub(crate) fn folder_of_tables(name: &str) -> Folder {
    let folder = Folder::new(name);
    for entry in
        fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tables")).expect("the tables are there")
    {
        let path = entry.expect("the folder can be read").path();
        fs::copy(&path, folder.0.join(path.file_name().expect("a file")))
            .expect("the test folder can be written to");
    }
    folder
}

/// A rook ahead, far from mate.
const WON: &str = "8/8/8/3k4/8/8/8/K6R w - - 0 1";

#[test]
fn over_uci() {
    let folder = folder_of_tables("uci-tables");
    let path = folder.0.display();
    // Other files and empty parts of the list do no harm.
    fs::write(folder.0.join("readme.txt"), "not a table").expect("the test folder can be written to");
    let separator = if cfg!(windows) { ';' } else { ':' };
    let mut session = Session::ready();
    assert_eq!(
        session.answer(&format!("setoption name SyzygyPath value {path}{separator}")),
        ["info string found 5 WDL and 5 DTZ tables of up to 3 men"]
    );
    session.send(&format!("position fen {WON}"));
    session.send("go nodes 300");
    let line = session.expect("info depth 1 ");
    assert!(line.contains(" score cp 199") && line.contains(" tbhits 1 "), "{line}");
    session.expect("bestmove ");

    // A folder that is missing, a file, and a folder without tables leave the tables in use.
    for (wrong, reason) in [
        ("/no/such/folder".to_owned(), "/no/such/folder: "),
        (format!("{path}:/dev/null"), "/dev/null: "),
        (env!("CARGO_MANIFEST_DIR").to_owned(), "no Syzygy tables in "),
    ] {
        let complaint = session.complaint(&format!("setoption name SyzygyPath value {wrong}"));
        assert!(complaint.starts_with("SyzygyPath: ") && complaint.contains(reason), "{complaint}");
        assert!(complaint.ends_with("; tables unchanged"), "{complaint}");
        session.send("go nodes 300");
        assert!(session.expect("info depth 1 ").contains(" score cp 199"));
        session.expect("bestmove ");
    }

    // Switched off by the limit, and removed.
    for off in ["SyzygyProbeLimit value 0", "SyzygyPath value <empty>"] {
        assert_eq!(session.answer(&format!("setoption name {off}")), [""; 0]);
        session.send("go nodes 300");
        assert!(session.expect("info depth 1 ").contains(" tbhits 0 "));
        session.expect("bestmove ");
        assert_eq!(session.answer("setoption name SyzygyProbeLimit value 7"), [""; 0]);
    }
    session.quit();
}

#[test]
fn a_damaged_table_is_named_once() {
    let folder = folder_of_tables("damaged-tables");
    let file = File::options().write(true).open(folder.0.join("KRvK.rtbw")).expect("a table");
    file.set_len(48).expect("a shorter file");
    let mut session = Session::ready();
    session.answer(&format!("setoption name SyzygyPath value {}", folder.0.display()));
    for _ in 0..3 {
        session.send(&format!("position fen {WON}"));
        session.best_move("go nodes 2000");
    }
    let complaints = session.lines_so_far().iter().filter(|line| line.contains("KRvK.rtbw")).count();
    assert_eq!(complaints, 1, "{:#?}", session.lines_so_far());
    session.quit();
}

#[test]
fn a_search_survives_tables_that_are_truncated() {
    let folder = folder_of_tables("truncated-tables");
    let mut session = Session::ready();
    session.answer(&format!("setoption name SyzygyPath value {}", folder.0.display()));
    session.send("position fen 8/1p4k1/8/8/8/8/1P3K2/8 w - - 0 1");
    session.send("go infinite");
    session.expect("info depth 5 ");
    for file in fs::read_dir(&folder.0).expect("a folder") {
        let path = file.expect("a file").path();
        File::options().write(true).open(path).expect("a table").set_len(20).expect("a shorter file");
    }
    std::thread::sleep(Duration::from_millis(300));
    session.send("stop");
    session.expect("bestmove ");
    session.send(&format!("position fen {WON}"));
    session.best_move("go nodes 2000");
    session.quit();
}

#[test]
fn a_position_has_a_verdict() {
    let folder = folder_of_tables("position-tables");
    let path = folder.file("");
    let report = |fen: &str| -> Value {
        let run = ferz(["position", fen, "--json", "--syzygy", &path]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        serde_json::from_str(&run.out).expect("valid JSON")
    };
    let won = report(WON);
    assert_eq!(won["tables"]["wdl"], 2);
    assert!(won["tables"]["dtz"].as_i64() > Some(10), "{won}");
    assert_eq!(report("8/8/8/8/3k4/8/3P4/3K4 b - - 0 1")["tables"], json!({ "wdl": 0, "dtz": 0 }));
    let text = ferz(["position", WON, "--syzygy", &path]);
    assert!(text.out.lines().any(|line| line.starts_with("tables        win, DTZ ")), "{}", text.out);

    let start = ferz(["position", "--syzygy", &path]);
    assert_eq!((start.code, &start.err[..]), (Some(0), "note: 32 men, but the tables end at 3\n"));
    let missing = ferz(["position", WON, "--syzygy", "/no/such/folder"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("/no/such/folder: "), "{}", missing.err);
}

#[test]
fn an_analysis_knows_the_result() {
    let folder = folder_of_tables("analyse-tables");
    let path = folder.file("");
    let run = ferz(["analyse", "--fen", WON, "--nodes", "50", "--json", "--syzygy", &path]);
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    let report: Value = serde_json::from_str(&run.out).expect("valid JSON");
    assert_eq!(report["lines"][0]["wdl"], json!([1000, 0, 0]));
    assert!(report["lines"][0]["san"].as_array().is_some_and(|moves| moves.len() > 10), "{report}");

    // The note goes to stderr, and the analysis goes on.
    fs::write(folder.0.join("KRvK.rtbw"), b"not a table").expect("the test folder can be written to");
    let run = ferz(["analyse", "--fen", WON, "--nodes", "50", "--syzygy", &path]);
    assert!(run.code == Some(0) && run.err.contains("KRvK.rtbw"), "{}", run.err);
}

#[test]
fn a_run_of_games_keeps_its_tables() {
    let tables = folder_of_tables("datagen-tables");
    let (folder, path) = (Folder::new("adjudicated"), tables.file(""));
    let file = folder.file("games");
    fine(&datagen(&file, &["--games", "2", "--syzygy", &path]));
    let without = datagen(&file, &["--games", "3"]);
    assert_eq!(without.code, Some(2));
    assert!(without.err.contains("endgame tables"), "{}", without.err);
    fine(&datagen(&file, &["--games", "3", "--syzygy", &path]));
}
