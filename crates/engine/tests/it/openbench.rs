//! What OpenBench needs: `genfens`, and `ferz data import` for its games.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ferz_board::{CastlingMode, Color, Position};
use ferz_notation::san::San;
use ferz_selfplay::data::source::{Meter, Next, Source};
use ferz_selfplay::data::{FinalResult, GameEnding, GameScore, ScoredGame};

use crate::data::{datagen, fine};
use crate::{Folder, Run, ferz, ferz_reading};

fn read_games(file: &str) -> Vec<ScoredGame> {
    let meter = Meter::default();
    let mut source = Source::open(Path::new(file), &meter).expect("a header");
    let mut games = Vec::new();
    loop {
        match source.next_item().expect("the file can be read") {
            Next::Game(game) => games.push(game),
            Next::End { torn: 0 } => return games,
            other => panic!("{other:?}"),
        }
    }
}

fn genfens(line: &str) -> Run {
    ferz([&format!("genfens {line}"), "quit"])
}

/// The FENs that OpenBench sees.
fn openings(run: &Run) -> Vec<String> {
    fine(run);
    run.out.lines().map(|line| line.strip_prefix("info string genfens ").expect(line).to_owned()).collect()
}

#[test]
fn openings_are_those_of_datagen() {
    let folder = Folder::new("genfens");
    let file = folder.file("games");
    let args = ["--games", "3", "--seed", "7", "--nodes", "30", "--chess960", "0", "--hash", "2"];
    fine(&ferz([&["datagen", "--out", &file][..], &args].concat()));
    let starts: Vec<_> = read_games(&file).iter().map(|game| game.start.to_string()).collect();
    assert_eq!(openings(&genfens("3 seed 7 book None nodes 30")), starts);
    assert_ne!(openings(&genfens("3 seed 8 book none nodes 30 ")), starts);
    assert_eq!(openings(&genfens("0 seed 7 book None")), [""; 0]);
    // Without quotes, too.
    let run = ferz("genfens 3 seed 7 book None nodes 30 quit".split(' '));
    assert_eq!(openings(&run), starts);
}

#[test]
fn openings_begin_in_a_book() {
    let folder = Folder::new("genfens-book");
    let book = folder.file("book.epd");
    let lines = "# a comment\n\n\
        rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 0; fmvn 2;\n\
        rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2\r\n";
    fs::write(&book, lines).expect("the test folder can be written to");
    let found = openings(&genfens(&format!("6 seed 1 book {book} plies 0 nodes 30 opening-score 300")));
    assert_eq!(found.len(), 6);
    for fen in &found {
        let position: Position = fen.parse().expect(fen);
        // No random move, or one.
        assert_eq!(position.fullmove_number(), 2);
        let is_king_pawn = position.piece_at("e4".parse().expect("a square")).is_some();
        assert!(is_king_pawn || position.piece_at("d4".parse().expect("a square")).is_some(), "{fen}");
    }
    fs::write(&book, "4k3/8/8/8/8/8/QQQ5/4K3 w - - 0 1\n").expect("the test folder can be written to");
    let run = genfens(&format!("1 seed 1 book {book} plies 1 nodes 1"));
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert!(run.err.ends_with("book.epd: no opening within 400 centipawns was found\n"), "{}", run.err);
}

#[test]
fn hostile_arguments_of_genfens_are_explained() {
    let folder = Folder::new("genfens-hostile");
    let [empty, wrong, binary] = ["empty", "wrong.pgn", "binary"].map(|name| folder.file(name));
    fs::write(&empty, "\n\n# nothing\n").expect("the test folder can be written to");
    fs::write(&wrong, "[Event \"a\"]\n\n1. e4 *\n").expect("the test folder can be written to");
    fs::write(&binary, [0xff; 99]).expect("the test folder can be written to");
    for (line, expected) in [
        ("", "N: expected a number from 0 to 18446744073709551615, found 'quit'"),
        ("1e3 seed 1 book None", "found '1e3'"),
        ("1 seed 99999999999999999999 book None", "found '99999999999999999999'"),
        ("1 seed 1 book None \x1b[31m", "unknown word '^[[31m'"),
        ("1 seed 1 book /nonexistent/book", "/nonexistent/book: "),
        ("1 seed 1 book /", "/: "),
        (&format!("1 seed 1 book {empty}"), "the book has no positions"),
        (&format!("1 seed 1 book {wrong}"), "is not a position"),
        (&format!("1 seed 1 book {binary}"), "UTF-8"),
    ] {
        let run = genfens(line);
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{line:?}");
        assert!(run.err.starts_with("error: genfens: ") && run.err.contains(expected), "{}", run.err);
    }
}

/// The comment of a match runner for White's score.
fn comment(score: GameScore, side: Color) -> String {
    let GameScore(value) = score.relative_to(side);
    let sign = match value {
        0 => "",
        1.. => "+",
        _ => "-",
    };
    let value = value.unsigned_abs();
    if score.is_mate() {
        format!("{sign}M{}/9", 32_000 - value)
    } else {
        format!("{sign}{}.{:02}/9", value / 100, value % 100)
    }
}

fn result(game: &ScoredGame) -> &'static str {
    match game.result {
        FinalResult::WhiteWins => "1-0",
        FinalResult::Draw => "1/2-1/2",
        FinalResult::BlackWins => "0-1",
    }
}

/// A game as OpenBench writes it, in its compact form.
fn pgn(game: &ScoredGame) -> String {
    let mut text = format!("[Event \"?\"]\n[Result \"{}\"]\n[FEN \"{}\"]\n", result(game), game.start);
    if game.start.castling_mode() == CastlingMode::Chess960 {
        text += "[Variant \"Chess960\"]\n";
    }
    text += "[SetUp \"1\"]\n\n";
    for (position, ply) in game.positions() {
        let comment = comment(ply.score, position.side_to_move());
        write!(text, "{} {{{comment}}} ", San::new(&position, ply.mv)).expect("strings grow");
    }
    text + result(game) + "\n\n"
}

/// The ending that a PGN can tell.
fn told(ending: GameEnding) -> GameEnding {
    if ending == GameEnding::Length { GameEnding::DrawnByScore } else { ending }
}

#[test]
fn imported_games_are_those_that_were_written() {
    let folder = Folder::new("import");
    let [games, text, imported, packed] =
        ["games", "games.pgn", "imported", "packed"].map(|name| folder.file(name));
    fine(&datagen(&games, &["--games", "60", "--threads", "2"]));
    let mut games = read_games(&games);
    let all: String = games.iter().map(pgn).collect();
    fs::write(&text, &all).expect("the test folder can be written to");
    let run = ferz(["data", "import", &text, "--out", &imported, "--engine-note", "test 5"]);
    fine(&run);
    let positions: usize = games.iter().map(|game| game.plies.len()).sum();
    assert_eq!(run.out, format!("60 of 60 games {positions} positions\n"));
    games.iter_mut().for_each(|game| game.ending = told(game.ending));
    assert!(games == read_games(&imported));
    let stats = ferz(["data", "stats", &imported]);
    fine(&stats);
    let origin = concat!("origin        imported by ferz ", env!("CARGO_PKG_VERSION"), " (test 5)\n");
    assert!(stats.out.starts_with(origin), "{}", stats.out);

    // Compressed, from stdin, on three threads.
    let zst = ruzstd::encoding::compress_to_vec(all.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    let args = ["data", "import", "-", "--out", &packed, "--packed", "--threads", "3"];
    let run = ferz_reading(args, &zst);
    fine(&run);
    assert!(games == read_games(&packed));

    // Raw values can be merged with the games of datagen, displayed centipawns cannot.
    let [raw, merged] = ["raw", "merged"].map(|name| folder.file(name));
    fine(&ferz(["data", "import", &text, "--out", &raw, "--raw"]));
    let plain = folder.file("games");
    fine(&ferz(["data", "merge", &plain, &raw, "--out", &merged]));
    assert_eq!(ferz(["data", "merge", &plain, &imported, "--out", &merged]).code, Some(2));
}

#[test]
fn an_opening_without_scores_is_not_part_of_the_game() {
    let folder = Folder::new("import-book");
    let [text, out] = ["games.pgn", "games"].map(|name| folder.file(name));
    let game = "[Event \"a\"]\n[Termination \"adjudication\"]\n\n1. e4 {book} e5 {book} 2. Nf3 {+0.53/5 0.003s, n=9, sd=7} \
        Nc6 {-0.40/6 0.004s, Draw by adjudication: SyzygyTB} 1/2-1/2\n";
    fs::write(&text, game).expect("the test folder can be written to");
    fine(&ferz(["data", "import", &text, "--out", &out]));
    let [game] = &read_games(&out)[..] else { panic!("one game") };
    assert_eq!(game.start.to_string(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    let scores: Vec<_> = game.plies.iter().map(|ply| ply.score.0).collect();
    assert_eq!(
        (&scores[..], game.result, game.ending),
        (&[53, 40][..], FinalResult::Draw, GameEnding::Tables)
    );
}

#[test]
fn strange_games_are_reported_and_skipped() {
    let good = "[Event \"good\"]\n\n1. e4 {+0.10/5} e5 {-0.10/5} 1-0\n\n";
    let cases = [
        ("1. e4 {+0.10/5} e5 {hello \x1b} 2. Nf3 {+0.10/5} 1-0", ":3:20: no-score: expected a score such as"),
        ("1. e4 {+0.10/5} e5 2. Nf3 {+0.10/5} 1-0", ":3:7: no-score: the move has no comment with a score"),
        ("1. e4 {+0.10/5} e5 {-0.10/5} *", ":3:20: no-result: the game has no result"),
        ("1. e4 e5 1-0", ":1:1: no-moves: no move has a score"),
        ("1. e4 {+0.10/5} e4 {-0.10/5} 1-0", ":3:17: illegal-move: "),
        ("1. e4 {+0.10/5} -- {-0.10/5} 1-0", ":3:7: null-move: "),
        (
            "1. f3 {+0.10/5} e5 {0.00/5} 2. g4 {-M2/5} Qh4# {+M1/5} 1-0",
            ":3:48: wrong-result: the last position is 0-1",
        ),
        ("1. e4 {+0.10/5", ":3:8: unclosed-comment: "),
    ];
    let folder = Folder::new("import-strange");
    let [text, out] = ["games.pgn", "games"].map(|name| folder.file(name));
    for (moves, expected) in cases {
        fs::write(&text, format!("[Event \"strange\"]\n\n{moves}\n\n{good}")).expect("written");
        for threads in ["1", "2"] {
            let run = ferz(["data", "import", &text, "--out", &out, "--threads", threads]);
            assert_eq!(
                (run.code, &run.out[..]),
                (Some(1), "1 of 2 games 2 positions\n"),
                "{moves}: {}",
                run.err
            );
            assert!(run.err.starts_with(&format!("{text}{expected}")), "{}", run.err);
            assert!(run.err.contains("game skipped") && run.err.lines().count() == 1, "{}", run.err);
            assert!(!run.err.contains('\x1b'));
        }
    }
    // The second game of a file, and the tag of a forfeit.
    let text_of_two =
        format!("{good}[Event \"b\"]\n[Termination \"time forfeit\"]\n\n1. e4 {{+0.10/5}} 1-0\n");
    fs::write(&text, text_of_two).expect("written");
    let run = ferz(["data", "import", &text, "--out", &out]);
    assert_eq!(
        (run.code, run.err),
        (Some(1), format!("{text}:5:1: forfeit: time forfeit; game skipped (ply 0)\n"))
    );
    // No games at all are no problem; a file that is missing is one, and nothing is written.
    fs::write(&text, "").expect("written");
    fine(&ferz(["data", "import", &text, "--out", &out]));
    fs::remove_file(&out).expect("written above");
    let run = ferz(["data", "import", &text, "/nonexistent", "--out", &out]);
    assert_eq!((run.code, &run.out[..]), (Some(2), ""));
    assert!(run.err.contains("not written, because a file could not be read"), "{}", run.err);
    assert!(!Path::new(&out).exists());
}
