//! `ferz datagen` and `ferz data`.

use std::fs;
use std::path::Path;

use crate::{Folder, Run, ferz, ferz_reading};

/// Quick games, a third of them Chess960, unless the options say otherwise.
pub fn datagen(file: &str, more: &[&str]) -> Run {
    ferz(datagen_args(file, more))
}

/// The arguments for it.
pub fn datagen_args<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["datagen", "--out", file, "--hash", "1"];
    for default in [["--nodes", "60"], ["--chess960", "33"], ["--seed", "5"]] {
        if !more.contains(&default[0]) {
            args.extend(default);
        }
    }
    [&args[..], more].concat()
}

#[track_caller]
pub fn fine(run: &Run) {
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

    // In several runs, each with the remains of a killed process.
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
    // Not a game file.
    fs::write(&file, "1. e4 e5 and so on").expect("the test folder can be written to");
    let run = datagen(&file, &["--games", "2"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("neither a game file nor a packed file"), "{}", run.err);
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
    let seen = run.out.lines().find(|line| line.contains("repeated")).expect("duplicates are counted");
    let share: f64 = seen.split_whitespace().nth(1).expect("a share").parse().expect(seen);
    assert!((50.0..60.0).contains(&share), "{seen}");
    let picture = fs::read_to_string(&svg).expect("drawn");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(!picture.contains("NaN") && !picture.contains("inf"));
}

/// Packing, unpacking, merging, shuffling and converting games.
#[test]
fn games_survive_whatever_is_done_to_them() {
    let folder = Folder::new("rewrite");
    let [games, pack, unpacked, merged, shuffled, again, back, records, moves] =
        ["games", "pack", "unpacked", "merged", "shuffled", "again", "back", "records", "moves"]
            .map(|name| folder.file(name));
    fine(&datagen(&games, &["--games", "150", "--threads", "2"]));
    let size = |file: &str| fs::metadata(file).expect(file).len();
    let run = ferz(["data", "stats", &games]);
    let positions: u64 =
        run.last_line().split_whitespace().nth(2).expect("a count").parse().expect("a count");
    assert!(size(&games) <= 5 * positions, "{} bytes for {positions} positions", size(&games));

    fine(&ferz(["data", "pack", &games, "--out", &pack]));
    assert!(2 * size(&pack) <= 5 * positions, "{} bytes for {positions} positions", size(&pack));
    fine(&ferz(["data", "unpack", &pack, "--out", &unpacked]));
    assert!(fs::read(&unpacked).expect("written") == fs::read(&games).expect("written"));

    let run = ferz(["data", "merge", &games, &pack, "--out", &merged]);
    fine(&run);
    assert!(run.out.starts_with(&format!("300 games {} positions ", 2 * positions)), "{}", run.out);

    for (file, seed) in [(&shuffled, "1"), (&again, "1"), (&back, "2")] {
        let run = ferz(["data", "shuffle", &games, "--out", file, "--seed", seed]);
        fine(&run);
        assert!(run.out.starts_with(&format!("150 games {positions} positions ")), "{}", run.out);
    }
    let [shuffled, again, back] = [&shuffled, &again, &back].map(|file| fs::read(file).expect("written"));
    assert!(shuffled == again && shuffled != back);
    assert!(shuffled.len() == back.len() && shuffled.len() as u64 == size(&games));

    let convert = |args: &[&str]| {
        let run = ferz([&["data", "convert", &games, "--out", &records], args].concat());
        fine(&run);
        let bytes = fs::read(&records).expect("written");
        assert_eq!(run.last_line(), format!("{} of {positions} positions", bytes.len() / 32));
        assert_eq!(bytes.len() % 32, 0);
        bytes
    };
    let everything = ["--min-ply", "0", "--max-score", "40000", "--min-pieces", "0"];
    let all = convert(&everything);
    assert_eq!(all.len() as u64, 32 * positions);
    let quiet = convert(&[&everything[..], &["--no-check", "--no-tactical"]].concat());
    let usual = convert(&["--no-check", "--no-tactical"]);
    assert!(quiet.len() < all.len() && usual.len() < quiet.len() && !usual.is_empty());
    assert!(usual.chunks(32).all(|record| u16::from_le_bytes([record[29], record[30]]) >= 16));
    // A move for each record, from a square with a piece of the side to move.
    assert!(convert(&["--no-check", "--no-tactical", "--moves", &moves]) == usual);
    let bytes = fs::read(&moves).expect("written");
    assert_eq!(bytes.len() / 2, usual.len() / 32);
    for (record, mv) in usual.chunks(32).zip(bytes.chunks(2)) {
        let occupied = u64::from_le_bytes(record[..8].try_into().expect("eight bytes"));
        let origin = 1_u64 << (u16::from_le_bytes([mv[0], mv[1]]) % 64);
        let index = (occupied & (origin - 1)).count_ones() as usize;
        assert!(occupied & origin != 0 && record[8 + index / 2] >> (4 * (index % 2)) & 8 == 0);
    }
    let name = folder.0.file_name().and_then(|name| name.to_str()).expect("the test folder has a plain name");
    for moves in [&records, &folder.file(&format!("../{name}/records"))] {
        let run = ferz(["data", "convert", &games, "--out", &records, "--moves", moves]);
        assert_eq!((run.code, run.err.contains("different files")), (Some(2), true), "{}", run.err);
    }
    // A pipe is read once.
    if cfg!(target_os = "linux") {
        let bytes = fs::read(&games).expect("written");
        let run = ferz_reading(["data", "convert", "/dev/stdin", "--out", &records], &bytes);
        assert!(run.code == Some(0) && fs::read(&records).expect("written") == convert(&[]), "{}", run.err);
        let piped = ferz_reading(["data", "stats", "/dev/stdin"], &bytes);
        assert_eq!((piped.code, piped.last_line()), (Some(0), ferz(["data", "stats", &games]).last_line()));
    }
    // No temporary files remain.
    assert_eq!(fs::read_dir(&folder.0).expect("the test folder").count(), 9);
}

#[test]
fn scores_in_different_units_are_not_mixed() {
    let folder = Folder::new("units");
    let [raw, text, displayed, out] = ["raw", "games.pgn", "displayed", "out"].map(|name| folder.file(name));
    fine(&datagen(&raw, &["--games", "2"]));
    fs::write(&text, "[Event \"a\"]\n\n1. e4 {+0.10/5} e5 {-0.10/5} 1-0\n")
        .expect("the test folder can be written to");
    fine(&ferz(["data", "import", &text, "--out", &displayed]));
    for command in ["merge", "convert"] {
        for [first, second] in [[&raw, &displayed], [&displayed, &raw]] {
            let run = ferz(["data", command, first, second, "--out", &out]);
            assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{command}");
            assert!(run.err.contains("others displayed centipawns: convert them separately"), "{}", run.err);
            assert!(!Path::new(&out).exists(), "{command}");
        }
    }
    for file in [&raw, &displayed] {
        fine(&ferz(["data", "convert", file, file, "--out", &out]));
    }
}

/// Positions near those of the games, scored by an evaluation.
#[test]
fn evaluations_can_be_imitated() {
    let folder = Folder::new("imitate");
    let [games, near, usual] = ["games", "near", "usual"].map(|name| folder.file(name));
    fine(&datagen(&games, &["--games", "20"]));
    fine(&ferz(["data", "convert", &games, "--out", &usual, "--min-ply", "0"]));
    let imitate = |args: &[&str]| {
        let run = ferz([&["data", "imitate", &games, "--out", &near], args].concat());
        fine(&run);
        let bytes = fs::read(&near).expect("written");
        assert!(run.last_line().starts_with(&format!("{} of ", bytes.len() / 32)), "{}", run.out);
        bytes
    };
    let boards = |bytes: &[u8]| -> std::collections::HashSet<Vec<u8>> {
        bytes.chunks(32).map(|record| record[..24].to_vec()).collect()
    };
    let scores = |bytes: &[u8]| -> Vec<i16> {
        bytes.chunks(32).map(|record| i16::from_le_bytes([record[24], record[25]])).collect()
    };
    let [one, again, two] = ["1", "1", "2"].map(|seed| imitate(&["--seed", seed]));
    assert!(one == again && one != two);
    let (seen, played) = (boards(&one), boards(&fs::read(&usual).expect("written")));
    assert!(20 * seen.intersection(&played).count() < seen.len(), "they are new");

    let by_net = imitate(&["--seed", "1", "--net", "embedded"]);
    assert!(boards(&by_net) == boards(&one));
    let pairs = || scores(&one).into_iter().zip(scores(&by_net)).map(|(a, b)| (f64::from(a), f64::from(b)));
    let product: f64 = pairs().map(|(a, b)| a * b).sum();
    let lengths: f64 = pairs().map(|(a, _)| a * a).sum::<f64>() * pairs().map(|(_, b)| b * b).sum::<f64>();
    let likeness = product / lengths.sqrt();
    assert!(likeness > 0.7 && likeness < 0.9999, "{likeness}");

    let by_both = imitate(&["--seed", "1", "--net", "embedded", "--net", "classical"]);
    for ((a, b), mean) in pairs().zip(scores(&by_both)) {
        assert!((f64::from(mean) - (a + b) / 2.0).abs() <= 0.5, "{mean} of {a} and {b}");
    }
}

#[test]
fn broken_files_are_told_apart() {
    let folder = Folder::new("broken");
    let [games, pack, out] = ["games", "pack", "out"].map(|name| folder.file(name));
    fine(&datagen(&games, &["--games", "5"]));
    fine(&ferz(["data", "pack", &games, "--out", &pack]));
    for (file, reason) in
        [(&games, "the checksum of the game is wrong"), (&pack, "the checksum of the block is wrong")]
    {
        let bytes = fs::read(file).expect("written");
        let mut wrong = bytes.clone();
        let at = bytes.len() * 2 / 3;
        wrong[at] ^= 4;
        fs::write(file, &wrong).expect("the test folder can be written to");
        for args in [&["stats", file][..], &["convert", file, "--out", &out], &["pack", file, "--out", &out]]
        {
            let run = ferz([&["data"], args].concat());
            assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
            assert!(run.err.starts_with(&format!("error: {file}: at byte ")), "{}", run.err);
            assert!(run.err.contains(reason), "{}", run.err);
            assert!(!Path::new(&out).exists(), "{args:?}");
            let run = ferz([&["data"], args, &["--recover"]].concat());
            assert_eq!(run.code, Some(0), "{args:?}: {}", run.err);
            assert!(run.err.contains("damaged games or blocks"), "{}", run.err);
            let _ = fs::remove_file(&out);
        }
        // A truncated file.
        fs::write(file, &bytes[..bytes.len() - 9]).expect("the test folder can be written to");
        let run = ferz(["data", "stats", file]);
        if file == &games {
            assert_eq!(run.code, Some(0));
            assert!(run.err.contains("ignored an incomplete game"), "{}", run.err);
            assert!(run.last_line().starts_with("4 games "), "{}", run.out);
        } else {
            assert_eq!(run.code, Some(2));
            assert!(run.err.contains("the file is cut off"), "{}", run.err);
        }
    }
    // An input cannot be the output, and other files are rejected.
    let run = ferz(["data", "pack", &games, "--out", &games]);
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    fs::write(&out, [0; 4000]).expect("the test folder can be written to");
    let run = ferz(["data", "stats", &out]);
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert!(run.err.contains("neither a game file nor a packed file"), "{}", run.err);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_a_run() {
    let run = datagen("/dev/full", &["--games", "1"]);
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert!(run.err.starts_with("error: /dev/full: "), "{}", run.err);
}

#[test]
fn a_process_that_is_ended_loses_nothing_that_matters() {
    let folder = Folder::new("killed");
    // The output may be a folder.
    fine(&datagen(folder.0.to_str().expect("a plain name"), &["--games", "40", "--threads", "2"]));
    let expected = fs::read(folder.0.join("60-nodes-seed-5.games")).expect("written");
    let killed = folder.file("killed");
    let args =
        ["datagen", "--out", &killed, "--nodes", "60", "--hash", "1", "--chess960", "33", "--seed", "5"];
    let mut child =
        crate::command(args).args(["--games", "40", "--threads", "2"]).spawn().expect("ferz starts");
    while fs::metadata(&killed).map_or(0, |data| data.len()) < 3000 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().expect("it can be ended");
    child.wait().expect("it ends");
    let written = fs::read(&killed).expect("written");
    assert!(expected.starts_with(&written), "{} bytes", written.len());
    fine(&datagen(&killed, &["--games", "40"]));
    assert!(fs::read(&killed).expect("written") == expected);
}
