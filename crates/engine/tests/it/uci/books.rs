//! Moves from a book.

use std::fs;

use ferz_board::Position;
use ferz_notation::polyglot::{BookBuilder, PackedMove};

use super::driver::Session;
use crate::file_of;

/// A book of first moves and answers with their points.
fn book(name: &str, moves: &[(&str, &str, u32)]) -> String {
    let mut builder = BookBuilder::new();
    for &(before, mv, points) in moves {
        let mut position = Position::start();
        for text in before.split_whitespace() {
            position.play(position.parse_uci(text).expect(text)).expect(text);
        }
        builder.add(&position, position.parse_uci(mv).expect(mv), points).expect(mv);
    }
    let mut bytes = Vec::new();
    builder.build().write(&mut bytes).expect("vectors grow");
    file_of(name, &bytes)
}

fn with_book(file: &str, variety: u32) -> Session {
    let mut session = Session::ready();
    for option in
        ["OwnBook value true", &format!("BookFile value {file}"), &format!("BookVariety value {variety}")]
    {
        assert_eq!(session.answer(&format!("setoption name {option}")), [""; 0], "{option}");
    }
    session
}

/// What is printed from `go` to the best move.
fn go(session: &mut Session, position: &str, limits: &str) -> (Vec<String>, String) {
    session.send(&format!("position startpos{position}"));
    let before = session.lines_so_far().len();
    session.send(&format!("go {limits}"));
    let best = session.expect("bestmove");
    (session.lines_so_far()[before..].to_vec(), best)
}

#[test]
fn the_book_is_played_where_a_move_is_wanted() {
    let file = book("own.bin", &[("", "a2a4", 30), ("", "h2h4", 10), ("a2a4", "h7h5", 1)]);
    let mut session = with_book(&file, 0);
    for limits in ["wtime 60000 btime 60000", "movetime 50", "depth 3", "nodes 500"] {
        let (lines, _) = go(&mut session, "", limits);
        assert_eq!(lines, ["info string book move a2a4 weight 30 of 40", "bestmove a2a4"], "{limits}");
    }
    // A list of moves holds for the book, too.
    let (lines, best) = go(&mut session, "", "depth 3 searchmoves h2h4 e2e4");
    assert_eq!((&lines[0][..], &best[..]), ("info string book move h2h4 weight 10 of 10", "bestmove h2h4"));
    assert_eq!(go(&mut session, " moves a2a4", "depth 1").1, "bestmove h7h5");
    session.quit();
}

#[test]
fn the_book_is_not_played_where_a_search_is_wanted() {
    let file = book("search.bin", &[("", "a2a4", 30)]);
    let mut session = with_book(&file, 0);
    let searched = |session: &mut Session, limits: &str| {
        let (lines, _) = go(session, "", limits);
        assert!(lines.iter().any(|line| line.starts_with("info depth 1 ")), "{limits}: {lines:?}");
        assert!(!lines.iter().any(|line| line.contains("book move")), "{limits}: {lines:?}");
    };
    searched(&mut session, "depth 2 searchmoves e2e4");
    searched(&mut session, "mate 1 nodes 1000");
    for open_ended in ["infinite", "ponder wtime 1000 btime 1000"] {
        session.send("position startpos");
        session.send(&format!("go {open_ended}"));
        session.expect("info depth 1 ");
        session.send("stop");
        session.expect("bestmove");
    }
    for (option, off) in [
        ("UCI_AnalyseMode value true", "UCI_AnalyseMode value false"),
        ("MultiPV value 2", "MultiPV value 1"),
        ("OwnBook value false", "OwnBook value true"),
    ] {
        assert_eq!(session.answer(&format!("setoption name {option}")), [""; 0]);
        searched(&mut session, "depth 2");
        assert_eq!(session.answer(&format!("setoption name {off}")), [""; 0]);
    }
    assert_eq!(go(&mut session, "", "depth 2").1, "bestmove a2a4");
    assert_eq!(session.count("info string book move"), 1);
    session.quit();
}

#[test]
fn depth_is_counted_in_moves() {
    let file = book("depth.bin", &[("", "a2a4", 1), ("a2a4", "h7h5", 1), ("a2a4 h7h5", "h2h4", 1)]);
    let mut session = with_book(&file, 0);
    assert_eq!(session.answer("setoption name BookDepth value 1"), [""; 0]);
    assert_eq!(go(&mut session, "", "depth 1").1, "bestmove a2a4");
    assert_eq!(go(&mut session, " moves a2a4", "depth 1").1, "bestmove h7h5");
    assert!(!go(&mut session, " moves a2a4 h7h5", "depth 1").0[0].contains("book move"));
    assert_eq!(session.answer("setoption name BookDepth value 2"), [""; 0]);
    assert!(go(&mut session, " moves a2a4 h7h5", "depth 1").0[0].contains("book move"));
    session.quit();
}

/// A move with a quarter of the weight comes about as often as its weight says.
#[test]
fn variety_changes_how_often_a_move_is_played() {
    let file = book("variety.bin", &[("", "a2a4", 100), ("", "h2h4", 25)]);
    for (variety, expected) in [(0, 0..=0), (50, 20..=62), (100, 40..=94)] {
        let mut session = with_book(&file, variety);
        let rare = (0..200).filter(|_| go(&mut session, "", "depth 1").1 == "bestmove h2h4").count();
        assert!(expected.contains(&rare), "variety {variety}: {rare} of 200");
        session.quit();
    }
}

#[test]
fn the_embedded_book_is_the_default() {
    let mut session = Session::ready();
    session.answer("setoption name OwnBook value true");
    session.answer("setoption name BookVariety value 0");
    assert_eq!(go(&mut session, "", "depth 1").1, "bestmove e2e4");
    session.answer(&format!("setoption name BookFile value {}", book("other.bin", &[("", "a2a4", 1)])));
    assert_eq!(go(&mut session, "", "depth 1").1, "bestmove a2a4");
    assert_eq!(session.answer("setoption name BookFile value <empty>"), [""; 0]);
    assert_eq!(go(&mut session, "", "depth 1").1, "bestmove e2e4");
    session.quit();
}

#[test]
fn a_bad_file_leaves_the_last_book() {
    let good = book("good.bin", &[("", "a2a4", 1)]);
    let mut session = with_book(&good, 0);
    let odd = file_of("odd.bin", &[0; 100]);
    let empty = file_of("no.bin", b"");
    for (file, reason) in [
        (&odd[..], "the book ends within a record: at offset 96 there are 4 bytes instead of 16"),
        (&empty, "the book is empty"),
        ("/dev/zero", "not a file"),
        ("/", "not a file"),
        ("/no/such/book", "No such file or directory (os error 2)"),
    ] {
        let complaint = session.complaint(&format!("setoption name BookFile value {file}"));
        if cfg!(unix) {
            assert_eq!(complaint, format!("BookFile: {file}: {reason}; book unchanged"));
        }
    }
    assert_eq!(go(&mut session, "", "depth 1").1, "bestmove a2a4");
    session.quit();
}

/// A file that shrinks after it was opened costs a message, not the game.
#[test]
fn a_file_that_shrinks_in_use_leaves_the_move_to_the_search() {
    let file = book("shrinking.bin", &[("", "a2a4", 1), ("a2a4", "h7h5", 1)]);
    let mut session = with_book(&file, 0);
    assert_eq!(go(&mut session, "", "depth 1").1, "bestmove a2a4");
    fs::OpenOptions::new().write(true).open(&file).expect("there").set_len(16).expect("shortened");
    let (lines, _) = go(&mut session, "", "depth 2");
    assert!(lines[0].starts_with("info string error: BookFile: the book was truncated: "), "{lines:?}");
    assert!(lines[0].ends_with("; searching instead") && lines[1].starts_with("info depth 1 "), "{lines:?}");
    session.quit();
}

/// Records with illegal moves, and moves of weight zero, are not played.
#[test]
fn only_legal_moves_are_played() {
    let key = Position::start().key();
    let record = |text: &str, weight: u16| {
        let square = |text: &str| text.parse::<ferz_board::Square>().expect(text) as u16;
        let mv = PackedMove::from_bits(square(&text[2..]) | square(&text[..2]) << 6);
        ferz_notation::polyglot::Entry { key, mv, weight, learn: 0 }.to_bytes()
    };
    let file =
        file_of("illegal.bin", &[record("e2e5", 60_000), record("h2h4", 0), record("a2a4", 1)].concat());
    let mut session = with_book(&file, 50);
    for _ in 0..5 {
        assert_eq!(go(&mut session, "", "depth 1").1, "bestmove a2a4");
    }
    session.quit();
}
