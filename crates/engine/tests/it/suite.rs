//! `ferz perft --suite FILE`.

use std::path::PathBuf;

use crate::{ferz, ferz_reading};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A file that is removed on drop.
struct Suite(PathBuf);

impl Suite {
    fn new(name: &str, content: impl AsRef<[u8]>) -> Suite {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, content).expect("the file can be written");
        Suite(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("the path is UTF-8")
    }
}

impl Drop for Suite {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn right_counts_pass() {
    let suite = Suite::new(
        "right.epd",
        format!(
            "{START} ;D1 20 ;D2 400 ;D3 8902 ;D4 197281\n\
             r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 ;D1 48 ;D2 2039 ;D3 97862\n\
             8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 ;D4 43238\n"
        ),
    );
    for extra in [&[][..], &["--threads", "2"], &["--hash", "1"], &["--walk"]] {
        let run = ferz([&["perft", "--suite", suite.path()], extra].concat());
        assert_eq!((&run.out[..], &run.err[..]), ("3 passed, 0 failed\n", ""), "{extra:?}");
        assert_eq!(run.code, Some(0));
    }
}

#[test]
fn wrong_counts_fail_with_their_place() {
    let suite =
        Suite::new("wrong.epd", format!("# comment\n{START} ;D1 21 ;D2 400 ;D3 1\n\n{START} ;D1 20\n"));
    let run = ferz(["perft", "--suite", suite.path()]);
    let place = format!("{}:2", suite.path());
    let expected = format!(
        "{place}: depth 1: expected 21, counted 20\n\
         {place}: depth 3: expected 1, counted 8902\n\
         1 passed, 1 failed\n"
    );
    assert_eq!((run.out, run.code), (expected, Some(1)));
}

#[test]
fn lines_are_read_generously() {
    let odd = format!(
        "\u{feff}# with a byte-order mark\r\n\r\n  \t\r\n{START}\t;D1\t20  ;\tD2 400;D3 8902 ;\r\n   {START};D0 1\n{START} ;D1 20"
    );
    let run = ferz_reading(["perft", "--suite", "-"], odd.as_bytes());
    assert_eq!((&run.out[..], &run.err[..], run.code), ("3 passed, 0 failed\n", "", Some(0)));
}

#[test]
fn lines_that_cannot_be_read_fail_and_the_rest_is_checked() {
    let lines = [
        START,
        "nonsense ;D1 20",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 x",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 -20",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 21",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;E1 20",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D100 20",
        "4k3/8/8/8/8/8/8/R2K3R w HA - 0 1 ;D1 24",
        ";D1 20",
    ];
    let mut input = lines.join("\n").into_bytes();
    input.extend(b"\n\xff\xfe ;D1 20\n");
    input.extend(format!("{START} ;D1 20\n").bytes());
    let run = ferz_reading(["perft", "--suite", "-"], &input);
    assert_eq!(run.last_line(), "1 passed, 12 failed");
    assert_eq!((run.code, &run.err[..]), (Some(1), ""));
    for (row, number) in run.out.lines().zip(1..=12) {
        assert!(row.starts_with(&format!("-:{number}: ")), "{row}");
    }
    assert_eq!(run.out.lines().count(), 13);
}

#[test]
fn counts_above_the_limit_are_skipped() {
    let suite = format!("{START} ;D1 20 ;D2 400 ;D3 1000000\n{START} ;D3 1000000\n");
    let run = ferz_reading(["perft", "--suite", "-", "--max-nodes", "400"], suite.as_bytes());
    assert_eq!((&run.out[..], run.code), ("1 passed, 0 failed\n", Some(0)));
    assert_eq!(run.err, "note: -:2: skipped, all counts are above --max-nodes\n");
}

#[test]
fn chess960_lines_need_the_option() {
    let suite = "rk3b1r/p1pp1ppp/8/8/8/8/PPP2PPP/RK1B3R w HAha - 0 1 ;D1 20 ;D2 417 ;D3 9100\n\
                 rk3b1r/p1pp1ppp/8/8/8/8/PPP2PPP/RK1B3R w KQkq - 0 1 ;D3 9100\n";
    let run = ferz_reading(["perft", "--suite", "-", "--chess960"], suite.as_bytes());
    assert_eq!((&run.out[..], &run.err[..], run.code), ("2 passed, 0 failed\n", "", Some(0)));
    let run = ferz_reading(["perft", "--suite", "-"], suite.as_bytes());
    assert_eq!((run.last_line(), run.code), ("0 passed, 2 failed", Some(1)));
    assert!(run.out.contains("--chess960"), "{}", run.out);
}

#[test]
fn repairs_are_noted() {
    let run = ferz_reading(["perft", "--suite", "-"], b"4k3/8/8/8/8/8/8/4K3 w KQ - 0 1 ;D1 5\n");
    assert_eq!((&run.out[..], run.code), ("1 passed, 0 failed\n", Some(0)));
    assert_eq!(run.err, "note: -:1: impossible castling right dropped: a1 h1\n");
}

#[test]
fn files_that_are_no_suites_are_errors() {
    for file in ["no/such/file", env!("CARGO_TARGET_TMPDIR")] {
        let run = ferz(["perft", "--suite", file]);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""));
        assert!(run.err.starts_with(&format!("error: {file}: ")), "{}", run.err);
    }
    let run = ferz_reading(["perft", "--suite", "-"], &vec![b'x'; 1 << 20]);
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert_eq!(run.err, "error: -:1: line too long for a perft suite\n");

    let run = ferz_reading(["perft", "--suite", "-"], b"");
    assert_eq!((&run.out[..], run.code), ("0 passed, 0 failed\n", Some(0)));
}
