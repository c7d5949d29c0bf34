//! Too little memory, or too few threads.

use super::limited;
use crate::uci::driver::Session;
use crate::{Folder, Run, ferz};

/// An engine with a limited address space, in MiB.
fn engine_within(mebibytes: u32) -> Session {
    let mut session = Session::start(limited(&format!("ulimit -v {}", mebibytes << 10), &[]));
    session.send("uci");
    session.expect("uciok");
    session.synchronize();
    session
}

#[test]
fn a_table_that_cannot_be_had() {
    let mut session = engine_within(600);
    let complaint = session.complaint("setoption name Hash value 1000");
    assert_eq!(complaint, "Hash: not enough memory for 1000 MiB; still 16 MiB");
    session.best_move("go depth 5");
    assert_eq!(session.answer("setoption name Hash value 100"), [""; 0]);
    // The old table is kept until the new one is allocated.
    let complaint = session.complaint("setoption name Hash value 500");
    assert_eq!(complaint, "Hash: not enough memory for 500 MiB; still 100 MiB");
    session.answer("ucinewgame");
    session.best_move("go depth 5");
    session.quit();
}

#[test]
fn threads_that_cannot_be_had() {
    let mut session = engine_within(600);
    let complaint = session.complaint("setoption name Threads value 1024");
    assert_eq!(complaint, "Threads: not enough memory for 8184 MiB; still 1");
    // There is memory for their tables, but not for their stacks.
    let complaint = session.complaint("setoption name Threads value 40");
    assert!(complaint.starts_with("Threads: the system gives no more than "), "{complaint}");
    assert!(complaint.ends_with("; still 1"), "{complaint}");
    session.best_move("go depth 5");
    assert_eq!(session.answer("setoption name Threads value 3"), [""; 0]);
    session.answer("ucinewgame");
    session.best_move("go depth 5");
    session.quit();
}

/// With any amount of memory, refusals are messages and every search yields a move.
#[test]
fn any_amount_of_memory() {
    for mebibytes in (150..450).step_by(20) {
        let mut session = engine_within(mebibytes);
        for line in [
            "setoption name Threads value 8",
            "setoption name Hash value 64",
            "ucinewgame",
            "go depth 5",
            "setoption name Hash value 200",
            "setoption name Threads value 16",
            "ucinewgame",
            "go depth 5",
            "setoption name Threads value 2",
            "setoption name Clear Hash",
            "go depth 5",
        ] {
            if line.starts_with("go") {
                session.best_move(line);
            } else {
                let answer = session.answer(line);
                let is_refusal =
                    |it: &String| it.starts_with("info string error: ") && it.contains("; still ");
                assert!(answer.len() <= 1 && answer.iter().all(is_refusal), "{mebibytes}: {answer:?}");
            }
        }
        session.quit();
    }
}

/// More memory than any machine has is refused before it is allocated.
#[test]
fn commands_that_want_too_much() {
    let folder = Folder::new("too-much");
    let [games, epd] = ["games", "epd"].map(|name| folder.file(name));
    for args in [
        &["bench", "1", "--hash", "200000000"][..],
        &["analyse", "--depth", "1", "--hash", "200000000"],
        &["epd", &epd, "--depth", "1", "--hash", "200000000"],
        &["datagen", "--out", &games, "--games", "1", "--threads", "1024", "--hash", "100000"],
    ] {
        let run = ferz(args);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert!(run.err.starts_with("error: not enough memory for "), "{args:?}: {}", run.err);
    }
    for args in [
        &["analyse", "--depth", "1", "--threads", "1024"][..],
        &["datagen", "--out", &games, "--games", "1", "--nodes", "50", "--threads", "1024"],
    ] {
        let run: Run = limited("ulimit -v 500000", args).output().expect("ferz starts").into();
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert!(run.err.contains("not enough memory for "), "{args:?}: {}", run.err);
    }
    assert!(!std::path::Path::new(&games).exists());
    // The count works with fewer threads.
    let run: Run = limited("ulimit -v 300000", &["perft", "4", "--threads", "256"])
        .output()
        .expect("ferz starts")
        .into();
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.starts_with("nodes 197281 "), "{}", run.out);
}

/// A decompression bomb is rejected before it takes memory.
#[test]
fn bombs_need_little() {
    let bomb = format!("{}/tests/data/bomb_open_comment_1GiB.pgn.zst", env!("CARGO_MANIFEST_DIR"));
    for command in ["check", "epd", "stats", "fmt", "filter"] {
        let args = ["pgn", command, &bomb];
        let run: Run = limited("ulimit -v 120000", &args).output().expect("ferz starts").into();
        assert_eq!(run.code, Some(2), "{command}");
        assert!(run.err.starts_with(&format!("error: {bomb}: ")), "{command}: {}", run.err);
    }
}
