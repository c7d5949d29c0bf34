//! `ferz book`.

use std::fs;

use ferz_board::Position;
use ferz_notation::polyglot::{Book, Entry, PackedMove};

use crate::{Folder, Run, ferz, ferz_reading};

const GAMES: &str = r#"[Event "A"]
[WhiteElo "2600"]
[BlackElo "2500"]
[Result "1-0"]

1. e4 e5 (1... c5 2. Nf3) 2. Nf3 Nc6 1-0

[Event "B"]
[WhiteElo "2000"]
[BlackElo "2500"]
[Result "1/2-1/2"]

1. e4 c5 2. Nf3 1/2-1/2

[Event "C"]
[WhiteElo "2700"]
[BlackElo "2650"]
[Result "0-1"]

1. d4 d5 0-1

[Event "D"]
[Result "*"]

1. c4 *
"#;

const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

fn done(run: Run) -> String {
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    run.out
}

/// Makes a book of the games above and returns the last line.
fn make(folder: &Folder, name: &str, options: &[&str]) -> (String, String) {
    let out = folder.file(name);
    let args = [&["book", "make", "-", "--out", &out][..], options].concat();
    let run = ferz_reading(args, GAMES.as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.err);
    (out, run.last_line().to_owned())
}

/// The moves and weights of a position.
fn moves(book: &str, fen: &str) -> String {
    let run = ferz(["book", "show", book, fen, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("an object");
    let moves = report["moves"].as_array().expect("a list").iter();
    let moves: Vec<String> =
        moves.map(|it| format!("{} {}", it["san"].as_str().expect("a move"), it["weight"])).collect();
    assert_eq!(run.code, Some(i32::from(moves.is_empty())));
    moves.join(", ")
}

fn start() -> String {
    Position::start().to_string()
}

#[test]
fn games_become_a_book() {
    let folder = Folder::new("book-make");
    let (book, line) = make(&folder, "all.bin", &[]);
    assert_eq!(line, "6 positions, 8 moves, 3 of 4 games");
    assert_eq!(moves(&book, &start()), "e4 3, d4 0");
    assert_eq!(moves(&book, AFTER_E4), "c5 1, e5 0");
    for (options, line, first) in [
        (&["--plies", "1"][..], "1 positions, 2 moves, 3 of 4 games", "e4 3, d4 0"),
        (&["--elo", "2500.."], "5 positions, 6 moves, 2 of 4 games", "e4 2, d4 0"),
        (&["--result", "1/2-1/2"], "3 positions, 3 moves, 1 of 4 games", "e4 1"),
        (&["--result", "1-0", "--result", "*"], "4 positions, 5 moves, 2 of 4 games", "e4 2, c4 1"),
        (&["--min-games", "2"], "1 positions, 1 moves, 3 of 4 games", "e4 3"),
        (&["--min-score", "50"], "5 positions, 5 moves, 3 of 4 games", "e4 3"),
        (&["--points", "1,1,1"], "6 positions, 8 moves, 3 of 4 games", "e4 2, d4 1"),
    ] {
        let (book, last) = make(&folder, "some.bin", options);
        assert_eq!((&last[..], &moves(&book, &start())[..]), (line, first), "{options:?}");
    }
    // Neither threads nor memory change the book.
    let (other, _) = make(&folder, "threads.bin", &["--threads", "3", "--memory", "1"]);
    assert_eq!(fs::read(&other).expect("written"), fs::read(&book).expect("written"));
}

/// Half a million different moves need more than one MiB.
#[test]
fn a_book_may_be_larger_than_the_memory() {
    let folder = Folder::new("book-memory");
    let mut random = fastrand::Rng::with_seed(5);
    let mut text = String::new();
    for _ in 0..1500 {
        let mut position = Position::start();
        text += "[Event \"x\"]\n\n";
        for _ in 0..60 {
            let legal = position.legal_moves();
            let Some(&mv) = random.choice(&legal) else { break };
            text += &format!("{} ", ferz_notation::san::San::new(&position, mv));
            position.play_unchecked(mv);
        }
        text += "1/2-1/2\n\n";
    }
    let pgn = folder.file("games.pgn");
    fs::write(&pgn, text).expect("the folder can be written");
    let made = ["1", "64"].map(|memory| {
        let out = folder.file(memory);
        let run = ferz(["book", "make", &pgn, "--plies", "60", "--memory", memory, "--out", &out]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        fs::read(&out).expect("written")
    });
    assert!(made[0].len() > 1 << 20 && made[0] == made[1]);
    assert_eq!(fs::read_dir(&folder.0).expect("a folder").count(), 3, "no temporary file is left");
}

#[test]
fn nothing_is_written_if_a_file_cannot_be_read() {
    let folder = Folder::new("book-unreadable");
    let (out, missing) = (folder.file("out.bin"), folder.file("missing.pgn"));
    let run = ferz(["book", "make", &missing, "--out", &out]);
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert!(run.err.contains("missing.pgn") && run.err.contains("not written"), "{}", run.err);
    assert!(!fs::exists(&out).expect("the folder is there"));
    let pgn = folder.file("games.pgn");
    fs::write(&pgn, GAMES).expect("the folder can be written");
    for (args, part) in [
        (&["book", "make", &pgn, "--out", &pgn][..], "is an input file, too"),
        (&["book", "make", &pgn, "--out", &folder.file("")], "is a folder"),
        (&["book", "make", &pgn, "--out", &out, "--result", "2-0"], "--result: expected 1-0"),
        (&["book", "make", &pgn, "--out", &out, "--points", "2,1"], "expected three numbers"),
    ] {
        let run = ferz(args);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert!(run.err.contains(part), "{}", run.err);
    }
    assert_eq!(fs::read_to_string(&pgn).expect("there"), GAMES);
}

#[test]
fn a_position_is_shown() {
    let folder = Folder::new("book-show");
    let (book, _) = make(&folder, "b.bin", &["--points", "3,2,1"]);
    let shown = done(ferz(["book", "show", &book, AFTER_E4]));
    let expected = format!(
        "book      {book}, 8 records\nposition  {AFTER_E4}\nkey       823c9b50fd114196\nopening   B00 King's Pawn Opening\n\n\
         move       uci    weight   share  learn\n\
         c5         c7c5        2  66.7 %  0\n\
         e5         e7e5        1  33.3 %  0\n"
    );
    assert_eq!(shown, expected);
    let none = ferz(["book", "show", &book, "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]);
    assert_eq!((none.code, none.last_line()), (Some(1), "no moves"));
    let embedded = ferz(["book", "show", "embedded", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&embedded.out).expect("an object");
    assert!(report["records"].as_u64().is_some_and(|records| records > 1000 && records * 16 <= 64 << 10));
    assert_eq!(report["moves"][0]["uci"], "e2e4");
}

fn write_book(path: &str, entries: &[Entry]) {
    fs::write(path, entries.iter().flat_map(|entry| entry.to_bytes()).collect::<Vec<u8>>())
        .expect("the folder can be written");
}

#[test]
fn books_are_merged_and_pruned() {
    let folder = Folder::new("book-merge");
    let (first, _) = make(&folder, "first.bin", &["--result", "1-0", "--points", "10,5,1"]);
    let (second, _) = make(&folder, "second.bin", &["--result", "1/2-1/2", "--points", "10,5,1"]);
    let merged = folder.file("merged.bin");
    let line = done(ferz(["book", "merge", &first, &second, "--out", &merged]));
    assert_eq!(line, "5 positions, 6 moves\n");
    assert_eq!((&moves(&merged, &start())[..], &moves(&merged, AFTER_E4)[..]), ("e4 15", "c5 5, e5 1"));
    done(ferz(["book", "merge", &first, &second, "--out", &merged, "--factors", "7,1"]));
    assert_eq!((&moves(&merged, &start())[..], &moves(&merged, AFTER_E4)[..]), ("e4 75", "e5 7, c5 5"));
    let wrong = ferz(["book", "merge", &first, &second, "--out", &merged, "--factors", "7"]);
    assert_eq!(wrong.err, "error: --factors: expected a number for each of 2 books, found 1\n");

    let pruned = folder.file("pruned.bin");
    for (options, line, after_e4) in [
        (&["--top", "1"][..], "5 positions, 5 moves", "e5 7"),
        (&["--min-weight", "6"], "4 positions, 4 moves", "e5 7"),
        (&["--min-share", "45"], "5 positions, 5 moves", "e5 7"),
        (&["--plies", "2"], "2 positions, 3 moves", "e5 7, c5 5"),
        (&["--plies", "1"], "1 positions, 1 moves", ""),
    ] {
        let args = [&["book", "prune", &merged, "--out", &pruned][..], options].concat();
        assert_eq!(done(ferz(args)), format!("{line}\n"), "{options:?}");
        assert_eq!(moves(&pruned, AFTER_E4), after_e4, "{options:?}");
    }

    // A book that is not sorted is sorted, and the moves of one position that are stored twice are added.
    let key = Position::start().key();
    let e4 = PackedMove::new(Position::start().parse_uci("e2e4").expect("legal"));
    let entry = |key, weight| Entry { key, mv: e4, weight, learn: 0 };
    let unsorted = folder.file("unsorted.bin");
    write_book(&unsorted, &[entry(u64::MAX, 1), entry(key, 2), entry(5, 1), entry(key, 3)]);
    let run = ferz(["book", "merge", &unsorted, "--out", &merged]);
    assert_eq!((run.code, run.last_line()), (Some(0), "3 positions, 3 moves"));
    assert!(run.err.contains("not sorted"), "{}", run.err);
    assert_eq!(moves(&merged, &start()), "e4 5");
    let shown = ferz(["book", "show", &unsorted]);
    assert_eq!((shown.code, &shown.out[..]), (Some(2), ""));
    assert!(shown.err.contains("unsorted.bin: the book is not sorted"), "{}", shown.err);
}

#[test]
fn a_book_is_dumped() {
    let folder = Folder::new("book-dump");
    let (book, _) = make(&folder, "b.bin", &["--points", "3,2,1"]);
    let text = done(ferz(["book", "dump", &book]));
    assert_eq!(text.lines().count(), 8);
    assert!(text.contains("463b96181691fc9c e2e4 5 0\n463b96181691fc9c d2d4 1 0\n"), "{text}");
    let json = done(ferz(["book", "dump", &book, "--format", "json"]));
    for line in json.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("an object");
        assert!(record["move"].is_string() && record["weight"].is_u64());
    }
    let pgn = done(ferz(["book", "dump", &book, "--format", "pgn"]));
    assert_eq!(pgn, "1. e4 c5 2. Nf3 *\n\n1. e4 e5 2. Nf3 Nc6 *\n\n1. d4 d5 *\n\n");
    let checked = ferz_reading(["pgn", "check", "-"], pgn.as_bytes());
    assert_eq!(checked.out, "3 games, 9 moves, 0 problems\n");
    let short = done(ferz(["book", "dump", &book, "--format", "pgn", "--plies", "1"]));
    assert_eq!(short, "1. e4 *\n\n1. d4 *\n\n");
    // The lines make a book again.
    let again = folder.file("again.bin");
    let run = ferz_reading(["book", "make", "-", "--out", &again, "--result", "*"], pgn.as_bytes());
    assert_eq!(run.last_line(), "6 positions, 8 moves, 3 of 3 games");
}

#[test]
fn files_that_are_not_books_are_refused() {
    let folder = Folder::new("book-bad");
    let (odd, empty, text) = (folder.file("odd.bin"), folder.file("empty.bin"), folder.file("text.bin"));
    fs::write(&odd, [0; 17]).expect("the folder can be written");
    fs::write(&empty, []).expect("the folder can be written");
    fs::write(&text, "zyxwvutsrqponmlkjihgfedcba987654".repeat(4)).expect("the folder can be written");
    let ends = "the book ends within a record: at offset 16 there are 1 bytes instead of 16";
    let out = folder.file("out.bin");
    for (file, reason) in [(&odd, ends), (&empty, "the book is empty"), (&text, "the book is not sorted")] {
        let run = ferz(["book", "show", file]);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{file}");
        assert!(run.err.starts_with(&format!("error: {file}: {reason}")), "{}", run.err);
    }
    for args in [&["merge", &odd][..], &["prune", &odd], &["prune", &odd, "--plies", "3"]] {
        let run = ferz([&["book"][..], args, &["--out", &out]].concat());
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{args:?}");
        assert_eq!(run.err, format!("error: {odd}: {ends}\n"), "{args:?}");
    }
    assert_eq!(ferz(["book", "dump", &odd]).err, format!("error: {odd}: {ends}\n"));
    for no_file in ["/", "/dev/zero", "/no/such/book"] {
        let run = ferz(["book", "dump", no_file]);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{no_file}");
        assert!(run.err.starts_with(&format!("error: {no_file}: ")), "{}", run.err);
    }
    assert!(!fs::exists(&out).expect("the folder is there"));
}

/// The embedded book has legal moves only, and every line of it is connected with the start position.
#[test]
fn the_embedded_book_is_sound() {
    let book = Book::embedded();
    assert!(book.was_sorted() && book.entries().len() * 16 <= 64 << 10);
    let mut known = std::collections::HashSet::new();
    let mut waiting = vec![Position::start()];
    let mut legal = 0;
    while let Some(position) = waiting.pop() {
        if !known.insert(position.key()) {
            continue;
        }
        for it in book.moves(&position) {
            legal += 1;
            let mut after = position;
            after.play_unchecked(it.mv);
            waiting.push(after);
        }
    }
    assert_eq!(legal, book.entries().len());
}
