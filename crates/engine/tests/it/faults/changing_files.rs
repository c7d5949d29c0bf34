//! Files that change while they are used, and processes that are killed while they write.

use std::fs::{self, File};
use std::io::Read;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ferz_eval::NetworkParameters;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::data::{datagen, datagen_args, fine};
use crate::uci::driver::{PATIENCE, Session};
use crate::{Folder, Run, command};

fn cut(file: &str, length: u64) {
    File::options().write(true).open(file).and_then(|file| file.set_len(length)).expect("it can be cut");
}

/// Waits until a file has at least this many bytes.
#[track_caller]
fn grows_to(file: &str, length: u64) {
    let deadline = Instant::now() + PATIENCE;
    while fs::metadata(file).map_or(0, |data| data.len()) < length {
        assert!(Instant::now() < deadline, "{file} does not grow");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Starts a long run in the background.
fn long_run(file: &str) -> Child {
    let args = datagen_args(file, &["--games", "100000", "--threads", "2"]);
    command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ferz starts")
}

#[test]
fn a_net_is_needed_only_once() {
    let folder = Folder::new("cut-net");
    let net = folder.file("net.nnue");
    fs::write(&net, NetworkParameters::noise(64, 8, 1).to_bytes())
        .expect("the test folder can be written to");
    let mut session = Session::ready();
    assert_eq!(session.answer(&format!("setoption name EvalFile value {net}")), [""; 0]);
    let before = session.answer("d");
    cut(&net, 0);
    session.answer("ucinewgame");
    session.best_move("go depth 5");
    assert_eq!(session.answer("d"), before);
    let complaint = session.complaint(&format!("setoption name EvalFile value {net}"));
    assert_eq!(complaint, format!("EvalFile: {net}: the net file is empty; evaluation unchanged"));
    fs::remove_file(&net).expect("it was there");
    session.best_move("go depth 5");
    assert_eq!(session.answer("d"), before);
    session.quit();
}

/// Starts to format a file and truncates it when the pipe is full: `ferz` cannot have read much of it then.
fn cut_while_read(file: &str) -> Run {
    let mut child = command(["pgn", "fmt", file])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ferz starts");
    let mut output = child.stdout.take().expect("standard output is a pipe");
    let mut out = vec![0; 1];
    output.read_exact(&mut out).expect("there is output");
    thread::sleep(Duration::from_millis(50));
    cut(file, 0);
    output.read_to_end(&mut out).expect("the output ends");
    let mut run: Run = child.wait_with_output().expect("ferz ends").into();
    run.out = String::from_utf8(out).expect("all output is UTF-8");
    run
}

#[test]
fn games_that_are_cut_off_while_they_are_read() {
    let folder = Folder::new("cut-pgn");
    let [plain, packed] = ["games.pgn", "games.pgn.zst"].map(|name| folder.file(name));
    let game = |number: usize| {
        format!(
            "[Event \"{number}\"]\n[Site \"?\"]\n[Date \"?\"]\n[Round \"?\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 *\n"
        )
    };
    let text = (0..100_000).map(game).collect::<Vec<_>>().join("\n");
    fs::write(&plain, &text).expect("the test folder can be written to");
    let zst = compress_to_vec(text.as_bytes(), CompressionLevel::Uncompressed);
    fs::write(&packed, zst).expect("the test folder can be written to");

    let run = cut_while_read(&plain);
    // The file may have been truncated within a game.
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.err);
    assert!(run.out.len() < text.len() && run.out.len() > 1000, "{} bytes", run.out.len());
    let last = run.out.rfind("[Event ").expect("games were written");
    assert!(text.starts_with(&run.out[..last]));

    let run = cut_while_read(&packed);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains(&format!("error: {packed}: truncated zstd data\n")), "{}", run.err);
    let last = run.out.rfind("[Event ").expect("games were written");
    assert!(text.starts_with(&run.out[..last]));
}

#[test]
fn games_that_are_cut_off_or_taken_away_while_they_are_written() {
    let folder = Folder::new("cut-games");
    let [whole, file] = ["whole", "file"].map(|name| folder.file(name));
    fine(&datagen(&whole, &["--games", "25"]));
    let expected = fs::read(&whole).expect("written");

    for length in [1500, 100, 0] {
        let child = long_run(&file);
        grows_to(&file, 4000);
        cut(&file, length);
        let run: Run = child.wait_with_output().expect("ferz ends").into();
        assert_eq!((run.code, &run.out[..]), (Some(2), ""));
        let reason = format!("error: {file}: another process has changed it: ");
        assert!(run.err.starts_with(&reason) && run.err.ends_with(" were found\n"), "{}", run.err);
        // A game may have been written at that moment; the gap before it is zeros.
        let written = fs::read(&file).expect("still there");
        if written.len() as u64 != length {
            cut(&file, length);
        }
    }
    fine(&datagen(&file, &["--games", "25"]));
    assert!(fs::read(&file).expect("written") == expected);

    fs::remove_file(&file).expect("it was there");
    let child = long_run(&file);
    grows_to(&file, 2000);
    fs::remove_file(&file).expect("it was there");
    let run: Run = child.wait_with_output().expect("ferz ends").into();
    assert_eq!(run.code, Some(2));
    assert_eq!(run.err, format!("error: {file}: No such file or directory (os error 2)\n"));
}

#[test]
fn a_process_that_is_ended_again_and_again_loses_nothing_that_matters() {
    let folder = Folder::new("killed-often");
    let [whole, file] = ["whole", "file"].map(|name| folder.file(name));
    fine(&datagen(&whole, &["--games", "40", "--threads", "2"]));
    let expected = fs::read(&whole).expect("written");
    let mut length = 0;
    for step in [1, 700, 200, 1500, 300, 900, 50, 1100] {
        let mut child = long_run(&file);
        grows_to(&file, (length + step).min(expected.len() as u64));
        child.kill().expect("it can be ended");
        child.wait().expect("it ends");
        let written = fs::read(&file).expect("written");
        let common = written.len().min(expected.len());
        assert!(written[..common] == expected[..common], "{common} bytes");
        length = written.len() as u64;
    }
    cut(&file, length.min(expected.len() as u64 - 7));
    fine(&datagen(&file, &["--games", "40"]));
    assert!(fs::read(&file).expect("written") == expected);
}
