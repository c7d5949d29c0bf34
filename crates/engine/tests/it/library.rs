//! `ferz library`.

use std::{env, fs, process};

use crate::ferz;

#[test]
fn games_are_imported_listed_and_exported() {
    let folder = env::temp_dir().join(format!("ferz-library-command-{}", process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name).to_str().expect("a plain path").to_owned();
    let text = "[White \"Tal\"]\n[WhiteElo \"2700\"]\n\n1.e4   c5 {x} 1-0\n\n\n[White \"\u{1b}[31mDing\"]\n\n1. d4 *";
    fs::write(path("games.pgn"), text).expect("written");
    let library = path("deep/library.sqlite");
    let run = |args: &[&str]| ferz([args, &["--library", &library]].concat());
    let imported = run(&["library", "import", &path("games.pgn"), "--folder", "All"]);
    assert_eq!(
        (imported.code, imported.out.as_str()),
        (Some(0), "2 games, 0 problems\n"),
        "{}",
        imported.err
    );
    assert_eq!(run(&["library", "export"]).out, text);
    let listed = run(&["library", "list", "tal", "--opening", "B2", "--result", "1-0", "--min-elo", "2700"]);
    assert!(listed.out.contains("Tal (2700)") && listed.out.ends_with("1 of 1 games\n"), "{}", listed.out);
    assert!(run(&["library", "list", "--count", "1", "--sort", "white"]).out.ends_with("1 of 2 games\n"));
    // Control characters of a file do not get into the list.
    assert!(!run(&["library", "list"]).out.contains('\u{1b}'));
    for bad in [
        vec!["library", "import", "/nowhere.pgn"],
        vec!["library", "list", "--result", "2-0"],
        vec!["library", "list", "--fen", "x"],
        vec!["library", "list", "--material", "KZ"],
    ] {
        let run = run(&bad);
        assert!(run.code == Some(2) && !run.err.is_empty(), "{bad:?}: {:?} {}", run.code, run.err);
    }
    assert_eq!(ferz(["library", "list", "--library", "none"]).code, Some(2));
    fs::remove_dir_all(folder).expect("removed");
}
