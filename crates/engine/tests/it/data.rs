//! `ferz datagen` and `ferz data`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Run, ferz};

/// A folder for a test, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("data-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the test folder has a plain name").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Quick games, a third of them Chess960, unless something else is said.
fn datagen(file: &str, more: &[&str]) -> Run {
    let mut args = vec!["datagen", "--out", file, "--hash", "1"];
    for default in [["--nodes", "60"], ["--chess960", "33"], ["--seed", "5"]] {
        if !more.contains(&default[0]) {
            args.extend(default);
        }
    }
    ferz([&args[..], more].concat())
}

fn fine(run: &Run) {
    assert_eq!((run.code, &run.err[..]), (Some(0), ""), "{}", run.out);
}

#[test]
fn games_depend_on_the_seed_alone() {
    let folder = Folder::new("seed");
    let [one, three, resumed, other] = ["one", "three", "resumed", "other"].map(|name| folder.file(name));
    let run = datagen(&one, &["--games", "12"]);
    fine(&run);
    assert!(run.out.starts_with("12 games "), "{}", run.out);
    fine(&datagen(&three, &["--games", "12", "--threads", "3"]));
    let expected = fs::read(&one).expect("written");
    assert!(fs::read(&three).expect("written") == expected, "other games on three threads");

    // In pieces, each time with something that a process leaves behind when it is ended.
    for (games, torn) in [("4", &[0x31, 0x01][..]), ("7", &[0; 50]), ("11", b"nonsense that is no game")] {
        fine(&datagen(&resumed, &["--games", games, "--threads", "2"]));
        let mut bytes = fs::read(&resumed).expect("written");
        bytes.extend_from_slice(torn);
        fs::write(&resumed, bytes).expect("the test folder can be written to");
    }
    let bytes = fs::read(&resumed).expect("written");
    fs::write(&resumed, &bytes[..bytes.len() - 40]).expect("the test folder can be written to");
    fine(&datagen(&resumed, &["--games", "12"]));
    assert!(fs::read(&resumed).expect("written") == expected, "other games after an interruption");
    // Nothing left to do.
    fine(&datagen(&resumed, &["--games", "3"]));
    assert!(fs::read(&resumed).expect("written") == expected);

    fine(&datagen(&other, &["--games", "12", "--seed", "6"]));
    assert!(fs::read(&other).expect("written") != expected);
}

#[test]
fn another_run_does_not_go_on_with_the_same_file() {
    let folder = Folder::new("mixed");
    let file = folder.file("games");
    fine(&datagen(&file, &["--games", "1"]));
    let before = fs::read(&file).expect("written");
    for (args, reason) in [
        (["--seed", "6"], "its seed was 5, now it is 6"),
        (["--nodes", "61"], "its number of nodes was 60"),
        (["--opening-score", "50"], "its score of openings was 400"),
        (["--chess960", "1"], "its share of Chess960 was 33"),
        (["--engine-note", "x"], "its note was "),
    ] {
        let args: Vec<_> = ["--games", "2"].into_iter().chain(args).collect();
        let run = datagen(&file, &args);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert!(run.err.starts_with(&format!("error: {file}: ")) && run.err.contains(reason), "{}", run.err);
    }
    assert!(fs::read(&file).expect("written") == before);
    // Not one of ours.
    fs::write(&file, "1. e4 e5 and so on").expect("the test folder can be written to");
    let run = datagen(&file, &["--games", "2"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("neither a file of games nor a packed one"), "{}", run.err);
}

#[test]
fn statistics_add_up() {
    let folder = Folder::new("stats");
    let [games, svg] = ["games", "picture.svg"].map(|name| folder.file(name));
    let run = datagen(&games, &["--positions", "900", "--threads", "2"]);
    fine(&run);
    let words: Vec<_> = run.out.split_whitespace().collect();
    let (count, positions): (u64, u64) =
        (words[0].parse().expect("a number"), words[2].parse().expect("a number"));
    assert!(positions >= 900);
    let run = ferz(["data", "stats", &games, &games, "--svg", &svg]);
    fine(&run);
    assert_eq!(run.last_line(), format!("{} games {} positions", 2 * count, 2 * positions));
    let section = |name: &str| -> u64 {
        let lines = run.out.lines().skip_while(|line| !line.starts_with(name)).skip(1);
        let rows = lines.take_while(|line| line.starts_with("  "));
        rows.map(|row| row[26..].split_whitespace().next().expect("a count").parse::<u64>().expect(row)).sum()
    };
    assert_eq!((section("games"), section("endings")), (2 * count, 2 * count));
    assert_eq!(section("score "), 2 * positions);
    let seen = run.out.lines().find(|line| line.contains("seen before")).expect("duplicates are counted");
    let share: f64 = seen.split_whitespace().nth(2).expect("a share").parse().expect(seen);
    assert!((50.0..60.0).contains(&share), "{seen}");
    let picture = fs::read_to_string(&svg).expect("drawn");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(!picture.contains("NaN") && !picture.contains("inf"));
}
