//! `ferz epd`.

use crate::{ferz, ferz_reading};

const PAWN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

#[test]
fn records_are_listed_as_the_standard_has_them() {
    let file = format!(
        "\u{feff}# a comment\r\n\r\n{PAWN} bm e2-e4; id \"one\"\r\n{PAWN}\r\n  # indented\r\n{PAWN} am Kd2; c0 \"a; b\"; hmvc 3;"
    );
    let run = ferz_reading(["epd", "-", "--list"], file.as_bytes());
    let expected = format!(
        "{PAWN} bm e4; id \"one\";\n{PAWN}\n{PAWN} am Kd2; c0 \"a; b\"; hmvc 3;\n3 records, 0 problems\n"
    );
    assert_eq!((&run.out[..], &run.err[..], run.code), (&expected[..], "", Some(0)));
    let run = ferz_reading(["epd", "--list", "-"], b"");
    assert_eq!((&run.out[..], run.code), ("0 records, 0 problems\n", Some(0)));
}

#[test]
fn problems_have_their_place() {
    let file = format!("{PAWN} id \"x\"; bm e5;\nnonsense\n\n{PAWN} bm e4;\n8/8/8/8/8/8/8/8 w - -\n");
    let run = ferz_reading(["epd", "--list", "-"], file.as_bytes());
    let lines: Vec<_> = run.out.lines().collect();
    assert_eq!(lines[0], format!("{PAWN} id \"x\";"));
    assert_eq!(lines[1], "-:1:40: bm: 'e5' is not legal: the pawn on e2 does not move to e5");
    assert!(lines[2].starts_with("-:2:2: "), "{}", lines[2]);
    assert!(lines[4].starts_with("-:5:1: "), "{}", lines[4]);
    assert_eq!(run.last_line(), "2 records, 3 problems");
    assert_eq!((run.code, &run.err[..]), (Some(1), ""));
}

#[test]
fn form_counts_if_asked_for() {
    let file = format!("{PAWN} 0 1 bm e2e4");
    let run = ferz_reading(["epd", "--list", "-"], file.as_bytes());
    assert_eq!((run.last_line(), run.code), ("1 records, 0 problems", Some(0)));
    let run = ferz_reading(["epd", "--list", "--strict", "-"], file.as_bytes());
    assert_eq!((run.last_line(), run.code), ("1 records, 4 problems", Some(1)));
}

#[test]
fn long_lines_and_odd_bytes_do_no_harm() {
    let long = format!("{PAWN} c9 \"{}\";\n", "z".repeat(1 << 20));
    let file =
        [long.as_bytes(), PAWN.as_bytes(), b" id \"M\xfcller \x1b[31m\";\n\xff\xfe\0\n", PAWN.as_bytes()]
            .concat();
    let run = ferz_reading(["epd", "--list", "-"], &file);
    let lines: Vec<_> = run.out.lines().collect();
    assert_eq!(lines[0], "-:1:65536: the line is longer than 65535 bytes");
    assert!(lines[1].contains("id \"Müller "), "{}", lines[1]);
    assert!(lines[2].starts_with("-:3:"), "{}", lines[2]);
    assert_eq!((run.last_line(), run.code), ("2 records, 2 problems", Some(1)));
}

#[test]
fn files_that_cannot_be_read_are_errors() {
    for file in ["no/such/file", env!("CARGO_TARGET_TMPDIR")] {
        let run = ferz(["epd", "--list", file]);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""));
        assert!(run.err.starts_with(&format!("error: {file}: ")), "{}", run.err);
    }
    let run = ferz(["epd", "x.epd"]);
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert!(run.err.contains("--list"), "{}", run.err);
}

/// The results do not depend on playing strength: there is one legal move, or no solution.
#[test]
fn suites_are_solved() {
    let only_one = "7k/8/6K1/8/8/8/8/7R b - -"; // Kg8
    let file = format!(
        "{only_one} bm Kg8; id \"one\";\n# comment\n{only_one} am Kg8; id \"two\";\n{only_one} dm 9;\nnonsense\n\
         {only_one} c0 \"no task\";\n{only_one} bm Kg8; am Kg8;\n"
    );
    for limit in [["--depth", "2"], ["--nodes", "100"], ["--movetime", "5"]] {
        let run =
            ferz_reading(["epd", "-", limit[0], limit[1], "--hash", "1", "--threads", "2"], file.as_bytes());
        let lines: Vec<_> = run.out.lines().collect();
        assert!(lines[0].starts_with("two: played Kg8, expected am Kg8, "), "{lines:#?}");
        assert!(lines[1].starts_with("-:4: played Kg8, expected mate 9, "), "{lines:#?}");
        assert!(lines[2].starts_with("-:5:"), "{lines:#?}");
        assert_eq!(lines[3], "-:6:1: nothing to solve: no bm, am or dm");
        assert!(lines[4].starts_with("-:7: played Kg8, expected bm Kg8, am Kg8, "), "{lines:#?}");
        assert_eq!((lines.len(), run.last_line()), (6, "solved 1 of 4"));
        assert_eq!((run.code, &run.err[..]), (Some(1), ""));
    }
    let run = ferz_reading(["epd", "-", "--depth", "1"], format!("{only_one} bm Kg8;").as_bytes());
    assert_eq!((&run.out[..], run.code), ("solved 1 of 1\n", Some(0)));
}

#[test]
fn there_is_one_thing_to_do() {
    for args in [
        &["--list", "--depth", "3"][..],
        &["--depth", "3", "--nodes", "4"],
        &["--depth", "0"],
        &["--strict", "--depth", "1"],
    ] {
        let run = ferz([&["epd", "x.epd"], args].concat());
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
    }
}
