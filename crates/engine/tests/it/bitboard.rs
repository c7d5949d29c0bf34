//! `ferz bitboard`, `ferz magic` and `ferz svg`.

use ferz_board::Square;
use ferz_board::attacks::magic;
use serde_json::Value;

use crate::{Folder, Run, ferz, ferz_reading};

fn json(args: &[&str]) -> Value {
    let run = ferz([&["bitboard", "--json"], args].concat());
    assert_eq!((run.code, &run.err[..]), (Some(0), ""), "{args:?}");
    serde_json::from_str(&run.out).expect("valid JSON")
}

fn succeeds(run: Run) -> String {
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    run.out
}

#[test]
fn a_bitboard_is_drawn_and_written_for_programs() {
    let out = succeeds(ferz(["bitboard", "rank 4 & ~white", "--fen", "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1"]));
    let expected = "\
8  . . . . . . . .
7  . . . . . . . .
6  . . . . . . . .
5  . . . . . . . .
4  X X X X . X X X
3  . . . . . . . .
2  . . . . . . . .
1  . . . . . . . .

   a b c d e f g h

squares   7  a4 b4 c4 d4 f4 g4 h4
layout    lerf (a1 is bit 0, b1 is bit 1)
hex       0x00000000ef000000
binary    0b00000000_00000000_00000000_00000000_11101111_00000000_00000000_00000000
decimal   4009754624
Rust      0x0000_0000_ef00_0000
C         0x00000000ef000000ULL
Python    0x00000000ef000000
";
    assert_eq!(out, expected);
    // What is printed can be read, as a whole.
    assert_eq!(succeeds(ferz_reading(["bitboard", "-"], out.as_bytes())), out);
}

#[test]
fn layouts_convert_numbers() {
    assert_eq!(json(&["0x10"])["squares"], serde_json::json!(["e1"]));
    assert_eq!(json(&["0x10", "--layout", "BERF"])["squares"], serde_json::json!(["d8"]));
    assert_eq!(json(&["0x10", "--layout", "BERF"])["hex"], "0x0000000000000010");
    assert_eq!(json(&["0x10", "--from", "a8b8"])["hex"], "0x1000000000000000");
    assert_eq!(json(&["e4", "--layout", "lefr"])["hex"], "0x0000000800000000");
    assert_eq!(json(&["white", "pawns"])["decimal"], "65280");
    let all = succeeds(ferz(["bitboard", "e1", "--all-layouts", "--bits"]));
    assert!(all.contains("1  . . . . X . . .      0  1  2  3  4  5  6  7\n"), "{all}");
    assert!(all.ends_with("\nh1h2      0x0000000001000000\n"), "{all}");
}

#[test]
fn errors_of_bitboards_name_the_column() {
    for (text, message) in [
        ("rank 4 & whyte", "error: bad bitboard: column 10: `whyte` is not a set of squares\n"),
        ("0x1g", "error: bad bitboard: column 1: `0x1g` is not a hexadecimal number\n"),
        (
            "X X\n. .",
            "error: bad bitboard: line 2, column 1: a drawing has 8 rows of squares, this one has 2\n",
        ),
    ] {
        let run = ferz(["bitboard", text]);
        assert_eq!((run.code, &run.out[..], &run.err[..]), (Some(2), "", message));
    }
}

#[test]
fn a_magic_is_found_and_explained() {
    let out = succeeds(ferz(["magic", "bishop", "d4", "--occupied", "b2 | f6 | d4 | h8"]));
    let number = magic::bishop(Square::D4).multiplier;
    let digits = format!("{number:016x}");
    let line =
        format!("magic         0x{}_{}_{}_{}\n", &digits[..4], &digits[4..8], &digits[8..12], &digits[12..]);
    assert!(out.contains(&line), "{out}");
    let lookup = magic::bishop(Square::D4);
    let occupied = [Square::B2, Square::F6, Square::D4, Square::H8].into_iter().collect();
    let index = lookup.index(occupied) - lookup.offset;
    assert!(out.contains(&format!("  >> 55       index {index}\n")), "{out}");
    let attacks = ferz_board::attacks::bishop(Square::D4, occupied);
    assert!(out.contains(&format!("\nattacks       0x{attacks:016x}\n")), "{out}");
    assert_eq!(succeeds(ferz(["magic", "bishop", "d4", "--occupied", "b2 | f6 | d4 | h8"])), out);

    let check = ferz(["magic", "bishop", "d4", "--number", &format!("0x{number:x}")]);
    assert!(succeeds(check).contains("\ntable         512 places, 4096 bytes; "));
    let wrong = ferz(["magic", "bishop", "d4", "--number", "0x1"]);
    assert_eq!((wrong.code, &wrong.err[..]), (Some(1), ""));
    assert!(wrong.out.contains("\ndoes not work: "), "{}", wrong.out);
    let few = ferz(["magic", "rook", "a1", "--bits", "3"]);
    assert_eq!(few.code, Some(2));
    assert!(few.err.starts_with("error: 3 bits are too few"), "{}", few.err);
    let none = ferz(["magic", "rook", "a1", "--tries", "10"]);
    assert_eq!(none.out, "");
    assert_eq!(none.err, "error: none of 10 numbers works with 12 bits; try more bits or a different seed\n");
}

#[test]
fn diagrams_go_to_stdout_or_a_file() {
    let out =
        succeeds(ferz(["svg", "--move", "e4", "--arrow", "red:e7e5", "--circle", "d4", "--size", "300"]));
    assert!(out.starts_with("<svg ") && out.ends_with("</svg>\n"), "{out}");
    assert!(out.contains("Black to move") && out.contains(r#"width="300""#), "{out}");
    assert!(out.contains("<polygon ") && out.contains("<circle "), "{out}");

    let folder = Folder::new("svg");
    let file = folder.file("board.svg");
    let args =
        ["svg", "8/8/8/3k4/8/8/8/R3K3 w Q - 0 1", "--attacks", "a1", "--set", "blue:rank 4", "--out", &file];
    assert_eq!(succeeds(ferz(args)), "");
    let written = std::fs::read_to_string(&file).expect("written");
    // Eleven squares of the rook (b1 to e1, a2 to a8), eight of the rank.
    let squares = |paint: &str| {
        let path = written.split("<path ").find(|path| path.contains(paint)).expect("the set is painted");
        path.matches("h100v100").count()
    };
    assert_eq!((squares("#c62828"), squares("#1762b8")), (11, 8));

    let bits = succeeds(ferz(["svg", "--no-pieces", "--bits=berf", "--coordinates", "off"]));
    assert_eq!(bits.matches("<text ").count(), 64);
    // Bit 0 of this layout is h8, in the upper right corner.
    assert!(bits.contains(r#"<text x="750" y="62" "#) && bits.contains(">0</text>"), "{bits}");

    for (args, message) in [
        (&["svg", "--arrow", "e2"][..], "error: bad square \"\": expected a square from a1 to h8\n"),
        (&["svg", "--circle", "pink:e2"], "error: bad colour \"pink\": not a colour: "),
        (&["svg", "--move", "e5"], "error: bad move: "),
        (&["svg", "--attacks", "e4"], "error: bad attacks: e4 is empty\n"),
        (&["svg", "--set", "rank"], "error: bad set: column 5: "),
    ] {
        let run = ferz(args);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert!(run.err.starts_with(message), "{}", run.err);
    }
}
