//! A full disk is reported, and no existing data is lost.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::{BLOCK, small_disk};
use crate::data::{datagen, datagen_args, fine};
use crate::{Folder, Run, ferz};

/// Every completed game is in the file, and a later run with more room continues it as if nothing had happened.
#[test]
fn games_are_kept_and_go_on() {
    let folder = Folder::new("full-datagen");
    let [whole, file] = ["whole", "file"].map(|name| folder.file(name));
    fine(&datagen(&whole, &["--games", "25"]));
    let expected = fs::read(&whole).expect("written");
    for blocks in [0, 1, 2, 3, 7] {
        let args = datagen_args(&file, &["--games", "25", "--threads", "2"]);
        let run: Run = small_disk(blocks, &args).output().expect("ferz starts").into();
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{blocks} blocks");
        assert_eq!(run.err, format!("error: {file}: File too large (os error 27)\n"));
        let written = fs::read(&file).expect("written");
        assert!(written.len() as u64 <= u64::from(blocks) * BLOCK);
        assert!(expected.starts_with(&written), "{blocks} blocks");
        if blocks > 1 {
            fine(&ferz(["data", "stats", &file]));
        }
    }
    fine(&datagen(&file, &["--games", "25"]));
    assert!(fs::read(&file).expect("written") == expected);
}

/// The disk is full before the header is complete.
#[test]
fn a_part_of_a_header_is_as_good_as_nothing() {
    let folder = Folder::new("full-header");
    let [whole, file] = ["whole", "file"].map(|name| folder.file(name));
    fine(&datagen(&whole, &["--games", "2"]));
    let expected = fs::read(&whole).expect("written");
    for length in [1, 8, 12, 100] {
        fs::write(&file, &expected[..length]).expect("the test folder can be written to");
        fine(&datagen(&file, &["--games", "2"]));
        assert!(fs::read(&file).expect("written") == expected, "{length} bytes");
    }
    // An incomplete file of another kind must not be changed.
    fs::write(&file, &expected[..100]).expect("the test folder can be written to");
    let run = datagen(&file, &["--games", "2", "--seed", "6"]);
    assert_eq!((run.code, run.err), (Some(2), format!("error: {file}: at byte 0: the header is cut off\n")));
    assert_eq!(fs::read(&file).expect("still there"), expected[..100]);
}

/// An existing file of that name stays, and no temporary files remain.
#[test]
fn files_are_replaced_by_complete_ones_only() {
    let folder = Folder::new("full-data");
    let [games, pack, out] = ["games", "pack", "out"].map(|name| folder.file(name));
    fine(&datagen(&games, &["--games", "30"]));
    fine(&ferz(["data", "pack", &games, "--out", &pack]));
    let before = [&games, &pack].map(|file| fs::read(file).expect("written"));
    let many = vec![&games[..]; 120];
    let through_files = [&["shuffle", "--memory", "1"][..], &many].concat();
    for args in [
        &["pack", &games][..],
        &["unpack", &pack],
        &["merge", &games, &pack],
        &["merge", "--packed", &games, &pack],
        &["shuffle", &games],
        &through_files,
        &["convert", "--min-ply", "0", &games],
        &["imitate", &games],
        &["stats", &games],
    ] {
        fs::write(&out, "precious").expect("the test folder can be written to");
        let option = if args[0] == "stats" { "--svg" } else { "--out" };
        let args = [&["data"], args, &[option, &out]].concat();
        let run: Run = small_disk(8, &args).output().expect("ferz starts").into();
        assert_eq!(run.code, Some(2), "{args:?}");
        assert_eq!(run.err, format!("error: {out}: File too large (os error 27)\n"), "{args:?}");
        assert_eq!(fs::read(&out).expect("still there"), b"precious", "{args:?}");
        assert_eq!(fs::read_dir(&folder.0).expect("the test folder").count(), 3, "{args:?}");
    }
    assert!([&games, &pack].map(|file| fs::read(file).expect("still there")) == before);
}

/// Nothing but the old file is there after a process was killed in the middle of its work.
#[test]
fn a_killed_process_leaves_nothing_behind() {
    let folder = Folder::new("killed");
    let [games, out] = ["games", "out"].map(|name| folder.file(name));
    fine(&datagen(&games, &["--games", "2"]));
    fs::write(&out, "precious").expect("the test folder can be written to");
    // Enough work to be killed in.
    let many = vec![&games[..]; 5_000];
    for command in ["pack", "convert", "imitate", "shuffle"] {
        let args = [&["data", command, "--out", &out][..], &many].concat();
        let mut child = crate::command(&args).spawn().expect("ferz starts");
        while !writes_into(child.id(), &folder, &games) {
            assert_eq!(
                child.try_wait().expect("its state is known"),
                None,
                "{command} ended before it was killed"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("it runs");
        let status = child.wait().expect("it ends");
        assert_eq!(status.signal(), Some(9), "{command} ended before it was killed");
        assert_eq!(fs::read(&out).expect("still there"), b"precious", "{command}");
        assert_eq!(fs::read_dir(&folder.0).expect("the test folder").count(), 2, "{command}");
    }
}

/// Whether a process has a file of the folder open besides its input. A file without a name has a folder, too.
fn writes_into(process: u32, folder: &Folder, input: &str) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{process}/fd")) else { return false };
    open.flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok())
        .any(|file| file.starts_with(&folder.0) && file != Path::new(input))
}

#[test]
fn no_input_and_no_device_is_written_over() {
    let folder = Folder::new("full-same");
    let [games, link] = ["games", "link"].map(|name| folder.file(name));
    fine(&datagen(&games, &["--games", "2"]));
    std::os::unix::fs::symlink(&games, &link).expect("a link");
    let before = fs::read(&games).expect("written");
    for (command, option) in [
        ("pack", "--out"),
        ("unpack", "--out"),
        ("merge", "--out"),
        ("shuffle", "--out"),
        ("convert", "--out"),
        ("imitate", "--out"),
        ("stats", "--svg"),
    ] {
        for (out, reason) in [
            (&games[..], "is an input file, too; choose a different output file"),
            (&link, "is an input file, too; choose a different output file"),
            ("/dev/full", "not a file"),
        ] {
            let run = ferz(["data", command, &games, option, out]);
            assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{command}");
            assert_eq!(run.err, format!("error: {out}: {reason}\n"), "{command}");
        }
    }
    assert!(fs::read(&games).expect("still there") == before);
    assert_eq!(fs::read_dir(&folder.0).expect("the test folder").count(), 2);
}

#[test]
fn standard_output_is_called_by_its_name() {
    let folder = Folder::new("full-output");
    let [pgn, epd, out] = ["games.pgn", "positions.epd", "out"].map(|name| folder.file(name));
    let game = "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n";
    fs::write(&pgn, game.repeat(2000)).expect("the test folder can be written to");
    let position = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id \"x\";\n";
    fs::write(&epd, position.repeat(2000)).expect("the test folder can be written to");
    for args in [
        &["pgn", "fmt", &pgn][..],
        &["pgn", "fmt", "--threads", "2", &pgn],
        &["pgn", "filter", &pgn],
        &["pgn", "epd", &pgn],
        &["epd", "--list", &epd],
        &["perft", "1", "--divide"],
        &["position"],
        &["--help"],
        &["--version"],
        &["perft", "--help"],
    ] {
        let file = File::create(&out).expect("the test folder can be written to");
        let mut command = small_disk(0, args);
        let child = command.stdout(file).stderr(Stdio::piped()).spawn().expect("ferz starts");
        let run: Run = child.wait_with_output().expect("ferz ends").into();
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(run.err.ends_with("error: stdout: File too large (os error 27)\n"), "{args:?}: {}", run.err);
    }
}
