//! EPD: odd lines, round trips, and no panic on any text.

use fastrand::Rng;
use ferz_board::{CastlingMode, Position};
use ferz_notation::epd::{Epd, EpdError, EpdProblem, Evaluation, Operand, Severity};
use ferz_notation::san::SanError;

use crate::random::game_positions;

const PAWN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

/// A line with the position most tests use.
fn line(operations: &str) -> String {
    format!("{PAWN} {operations}")
}

fn parse(operations: &str) -> Epd {
    Epd::parse(&line(operations)).unwrap_or_else(|error| panic!("{operations}: {error}"))
}

fn problem(operations: &str) -> EpdProblem {
    Epd::parse(&line(operations)).expect_err(operations).problem
}

fn strict_problem(operations: &str) -> EpdProblem {
    Epd::parse_strict(&line(operations)).expect_err(operations).problem
}

fn uci(epd: &Epd, opcode: &str) -> Vec<String> {
    let moves = epd.get(opcode).map_or(&[][..], Operand::moves);
    moves.iter().map(|mv| mv.uci(CastlingMode::Standard).to_string()).collect()
}

/// What is written is read back the same, and written the same again.
fn round_trip(epd: &Epd) -> String {
    let text = epd.to_string();
    assert_eq!(Epd::parse(&text).as_ref(), Ok(epd), "{text}");
    text
}

#[test]
fn moves_are_typed() {
    assert_eq!(parse("").operations(), []);
    assert_eq!(uci(&parse("bm e4 e3 Kd2;"), "bm"), ["e2e4", "e2e3", "e1d2"]);
    assert_eq!(uci(&parse("am e4;"), "am"), ["e2e4"]);
    assert_eq!(uci(&parse("sm e4; pm Kd2;"), "pm"), ["e1d2"]);
    let epd = parse("dm 5; pv e4 Kd7 e5;");
    assert_eq!(epd.mate_in(), Some(5));
    assert_eq!(uci(&epd, "pv"), ["e2e4", "e8d7", "e4e5"]);
    assert_eq!(uci(&parse("bm e2e4, e2-e3 Ke1d2!;"), "bm"), ["e2e4", "e2e3", "e1d2"]);
    assert_eq!(parse("pv;").get("pv"), Some(&Operand::Variation(Vec::new())));
    let en_passant = Epd::parse("4k3/8/8/3pP3/8/8/8/4K3 w - d6 bm exd6 e.p.; id \"x\";").unwrap();
    assert_eq!(uci(&en_passant, "bm"), ["e5d6"]);
}

#[test]
fn moves_must_be_legal() {
    assert!(matches!(problem("bm e5;"), EpdProblem::Move(SanError::NoSuchMove { .. })));
    assert!(matches!(problem("bm --;"), EpdProblem::Move(SanError::Syntax { .. })));
    assert!(matches!(problem("pv e4 e5;"), EpdProblem::Move(SanError::NoSuchMove { .. })));
    assert_eq!(problem("bm;"), EpdProblem::MissingOperand);
    assert_eq!(problem("sm e4 e3;"), EpdProblem::TooManyOperands);
    // The position is usable all the same, and so are the other operations.
    let (epd, problems) = Epd::parse_lenient(&line("bm e5; id \"x\";")).unwrap();
    assert_eq!(round_trip(&epd), line("id \"x\";"));
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].problem.severity(), Severity::Operation);
}

#[test]
fn strings_are_unescaped() {
    assert_eq!(parse(r#"id "esc \" quote";"#).id(), Some("esc \" quote"));
    assert_eq!(parse(r#"id "back\\slash";"#).id(), Some(r"back\slash"));
    assert_eq!(parse(r#"id "C:\games";"#).id(), Some(r"C:\games"));
    assert_eq!(parse(r#"c3 "one; two"; id "x";"#).comment(3), Some("one; two"));
    assert_eq!(parse(r#"id "";"#).id(), Some(""));
    let html = parse(r#"id "<script>alert(1)</script>";"#);
    assert_eq!(html.id(), Some("<script>alert(1)</script>"));
    let words = parse("id unquoted words here;");
    assert_eq!(words.id(), Some("unquoted words here"));
    assert_eq!(round_trip(&words), line("id \"unquoted words here\";"));
    assert_eq!(problem(r#"id "open; bm e4;"#), EpdProblem::OpenString);
    assert_eq!(problem(r#"id "one" "two";"#), EpdProblem::TooManyOperands);
    assert_eq!(problem("id;"), EpdProblem::MissingOperand);
    let receiver = parse(r#"tcri "A. Smith" smith@example.org;"#);
    let expected = Operand::Texts(vec!["A. Smith".into(), "smith@example.org".into()]);
    assert_eq!(receiver.get("tcri"), Some(&expected));
}

#[test]
fn numbers_must_fit() {
    let epd = parse("acd 30; acn 18446744073709551615; acs 5; rc 2; tcgs 1;");
    assert_eq!(epd.get("acn"), Some(&Operand::Count(u64::MAX)));
    assert_eq!(problem("acn 18446744073709551616;"), EpdProblem::OutOfRange("18446744073709551616".into()));
    assert_eq!(problem("acs 1e400;"), EpdProblem::NotANumber("1e400".into()));
    assert_eq!(problem("acd -1;"), EpdProblem::NotANumber("-1".into()));
    assert_eq!(problem("ce 9999999999;"), EpdProblem::OutOfRange("9999999999".into()));
    assert_eq!(problem("ce +-5;"), EpdProblem::NotANumber("+-5".into()));
    let epd = parse("ce 99999; ce -32768;");
    assert_eq!(epd.get("ce"), Some(&Operand::Evaluation(Evaluation::Centipawns(-32_768))));
    assert_eq!(parse("ce +25;").get("ce"), Some(&Operand::Evaluation(Evaluation::Centipawns(25))));
    let (epd, problems) =
        Epd::parse_lenient(&line("acd 99999999999; acn 18446744073709551616; acs 1e400;")).unwrap();
    assert_eq!((epd.operations().len(), problems.len()), (1, 2));
}

#[test]
fn clocks_belong_to_the_position() {
    let epd = parse("hmvc 57; fmvn 99;");
    assert_eq!((epd.position().halfmove_clock(), epd.position().fullmove_number()), (57, 99));
    assert_eq!(round_trip(&epd), line("hmvc 57; fmvn 99;"));
    let last = parse("hmvc 1; hmvc 2;");
    assert_eq!(last.position().halfmove_clock(), 2);
    round_trip(&last);
    assert_eq!(problem("hmvc 40000;"), EpdProblem::OutOfRange("40000".into()));
    assert_eq!(problem("fmvn 0;"), EpdProblem::OutOfRange("0".into()));
    // A whole FEN, with or without operations behind it.
    assert_eq!(round_trip(&parse("0 1")), line("hmvc 0; fmvn 1;"));
    assert_eq!(round_trip(&parse("12 40 bm e4;")), line("hmvc 12; fmvn 40; bm e4;"));
    assert_eq!(round_trip(&parse("12 0; bm e4;")), line("hmvc 12; fmvn 1; bm e4;"));
    assert_eq!(strict_problem("0 1"), EpdProblem::FenClocks);

    let mut epd = Epd::new(Position::start());
    assert_eq!(epd.operations(), []);
    epd.set("hmvc", Operand::Count(9)).unwrap();
    assert_eq!(epd.position().halfmove_clock(), 9);
    assert!(epd.set("fmvn", Operand::Count(0)).is_err());
    epd.remove("hmvc");
    assert_eq!(epd, Epd::new(Position::start()));
}

#[test]
fn mates_may_be_announced() {
    for (operations, mate, written) in [
        ("bm #3;", 3, "bm #3;"),
        ("bm #-6;", -6, "bm #-6;"),
        ("ce +M2; pv e4;", 2, "ce +M2; pv e4;"),
        ("ce -M4;", -4, "ce -M4;"),
        ("ce #-4;", -4, "ce -M4;"),
        ("dm 7;", 7, "dm 7;"),
    ] {
        let epd = parse(operations);
        assert_eq!(epd.mate_in(), Some(mate));
        assert_eq!(round_trip(&epd), line(written));
        assert!(epd.best_moves().is_empty());
    }
    assert_eq!(strict_problem("bm #3;"), EpdProblem::MateForm);
    assert!(matches!(problem("bm #3 e4;"), EpdProblem::Move(_)));
    assert_eq!(problem("ce #;"), EpdProblem::NotANumber("#".into()));
}

#[test]
fn other_operations_are_kept() {
    let epd = parse("noop; noop one two three; resign; foo; Bar_9 x \"y; z\"  1;");
    assert_eq!(epd.get("noop"), Some(&Operand::Verbatim("one two three".into())));
    assert_eq!(epd.get("foo"), Some(&Operand::Nothing));
    assert_eq!(epd.get("Bar_9").and_then(Operand::text), Some("x \"y; z\"  1"));
    round_trip(&epd);
    assert_eq!(problem("_x 1;"), EpdProblem::BadOpcode("_x".into()));
    assert!(matches!(problem("averyveryverylongopcodename 1;"), EpdProblem::BadOpcode(_)));
    assert_eq!(problem("resign 1;"), EpdProblem::TooManyOperands);
    let perft = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ;D1 20 ;D2 400 ;D3 8902";
    let epd = Epd::parse(perft).unwrap();
    assert_eq!(epd.get("D3").and_then(Operand::text), Some("8902"));
    assert_eq!(epd.operations().len(), 3);
}

#[test]
fn form_is_forgiven_and_reported() {
    let expected = parse("bm e4;");
    for (operations, reported) in [
        ("bm e4", EpdProblem::MissingSemicolon),
        ("bm e4;;; ;", EpdProblem::EmptyOperation),
        ("; bm e4;", EpdProblem::EmptyOperation),
    ] {
        assert_eq!(parse(operations), expected);
        assert_eq!(strict_problem(operations), reported);
    }
    assert_eq!(parse("bm e4;\r"), expected);
    assert_eq!(parse("\t bm\t e4  ;\t\r\n"), expected);
    assert_eq!(Epd::parse_strict(&line("bm e4; id \"x\";")), Epd::parse(&line("bm e4; id \"x\";")));
    assert_eq!(parse(";").operations(), []);
    assert_eq!(strict_problem("id x;"), EpdProblem::Unquoted);
    assert!(matches!(strict_problem("bm e2e4;"), EpdProblem::MoveForm(SanError::NotExport { .. })));
    // Twice the same opcode: both are kept, the last one counts.
    let twice = parse("c0 \"one\"; c0 \"two\";");
    assert_eq!((twice.comment(0), twice.operations().len()), (Some("two"), 2));
    assert_eq!(strict_problem("c0 \"one\"; c0 \"two\";"), EpdProblem::RepeatedOpcode);
    let (_, notes) = Epd::parse_lenient(&line("bm e2e4; id x")).unwrap();
    assert!(notes.iter().all(|note| note.problem.severity() == Severity::Form));
    assert_eq!(notes.len(), 3);
}

#[test]
fn a_line_needs_a_legal_position() {
    let message = |line: &str| Epd::parse(line).unwrap_err().to_string();
    assert_eq!(message("4k3/8/8/8/8/8/4P3/4K3 w -"), "en-passant square, column 26: the field is missing");
    assert_eq!(message(""), "board, column 1: the field is missing");
    assert_eq!(message("no position"), "board, column 2: 'o' is neither a piece nor a digit from 1 to 8");
    let three_fields = "4k3/8/8/8/8/8/4P3/4K3 w - bm e4;";
    assert_eq!(message(three_fields), "en-passant square, column 27: expected '-' or a square");
    let in_check = "4k3/4r3/8/8/8/8/8/4K3 b - - bm Re2;";
    assert_eq!(message(in_check), "the side to move could capture the king (e1 e7)");
    assert_eq!(Epd::parse(in_check).unwrap_err().problem.severity(), Severity::Line);
    let long = line(&format!("c9 \"{}\";", "z".repeat(70_000)));
    assert_eq!(message(&long), "column 65536: the line is longer than 65535 bytes");
    assert_eq!(message("4k3/8/8/8/8/8/4P3/4K3 w - -\nbm e4;"), "column 28: more than one line");
    // Castling rights without rooks and a byte-order mark are repaired, as in a lenient FEN.
    let repaired = Epd::parse("\u{feff}4k3/8/8/8/8/8/4P3/4K3 w KQ - bm e4;").unwrap();
    assert_eq!(repaired, parse("bm e4;"));
    assert!(Epd::parse_strict("4k3/8/8/8/8/8/4P3/4K3 w KQ - bm e4;").is_err());
    let chess960 = "1r1k2r1/8/8/8/8/8/1P4P1/1R1K2R1 w GBgb - bm O-O;";
    assert_eq!(Epd::parse_strict(chess960).unwrap().to_string(), chess960.replace("GBgb", "KQkq"));
}

#[test]
fn errors_name_opcode_and_column() {
    let error = Epd::parse(&line("id \"x\"; bm e4 e5;")).unwrap_err();
    assert_eq!(error.opcode.map(|opcode| opcode.to_string()), Some("bm".into()));
    assert_eq!(error.column, line("id \"x\"; bm e4 e5;").find("e5").map(|at| at + 1));
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn operands_must_suit_their_opcodes() {
    let mut epd = parse("bm e4; id \"x\";");
    let knight = Position::start().parse_uci("g1f3").unwrap();
    let rejected = [
        ("bm", Operand::Moves(vec![knight])),
        ("bm", Operand::Moves(Vec::new())),
        ("bm", Operand::Evaluation(Evaluation::Centipawns(1))),
        ("pv", Operand::Variation(vec![knight])),
        ("id", Operand::Text("two\nlines".into())),
        ("id", Operand::Verbatim("x".into())),
        ("foo", Operand::Verbatim("a; b".into())),
        ("foo", Operand::Verbatim(" a".into())),
        ("foo", Operand::Verbatim("\"a".into())),
        ("foo", Operand::Text("a".into())),
        ("resign", Operand::Count(1)),
        ("9x", Operand::Nothing),
    ];
    for (opcode, operand) in rejected {
        let text = format!("{opcode} {operand:?}");
        assert!(epd.set(opcode, operand).is_err(), "{text}");
    }
    assert_eq!(epd, parse("bm e4; id \"x\";"));
    epd.set("bm", Operand::Evaluation(Evaluation::Mate(-3))).unwrap();
    epd.set("foo", Operand::Verbatim("\"a; b\" c".into())).unwrap();
    epd.set("ce", Operand::Evaluation(Evaluation::Mate(i32::MIN))).unwrap();
    round_trip(&epd);
    epd.remove("ce");
    assert_eq!(round_trip(&epd), line("bm #-3; id \"x\"; foo \"a; b\" c;"));
}

/// A line made of random operations that all make sense.
fn random_epd(random: &mut Rng, position: Position) -> Epd {
    const TEXTS: [&str; 6] = ["", "plain", "semi; colon", "a \"quote\"", "back\\slash\\", "Žižkov ♞ 1.e4!?"];
    const COUNTS: [&str; 8] = ["acd", "acn", "acs", "dm", "rc", "tcgs", "hmvc", "fmvn"];
    const STRINGS: [&str; 6] = ["c0", "c9", "eco", "id", "nic", "v5"];
    let mut epd = Epd::new(position);
    for _ in 0..random.usize(..8) {
        let moves = position.legal_moves();
        let some: Vec<_> = moves.iter().copied().filter(|_| random.usize(..4) == 0).collect();
        let text = (*random.choice(&TEXTS).unwrap()).to_owned();
        let number = random.usize(..30_000) as i32;
        let (opcode, operand) = match random.usize(..9) {
            0 if !some.is_empty() => (["bm", "am"][random.usize(..2)], Operand::Moves(some)),
            1 if !some.is_empty() => (["pm", "sm"][random.usize(..2)], Operand::Move(some[0])),
            2 => {
                let mut after = position;
                let mut variation = Vec::new();
                for _ in 0..random.usize(..12) {
                    let moves = after.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    variation.push(random.choice(moves).unwrap());
                    after.play(variation[variation.len() - 1]).unwrap();
                }
                ("pv", Operand::Variation(variation))
            }
            3 => (*random.choice(&COUNTS).unwrap(), Operand::Count(number as u64 + 1)),
            4 => ("ce", Operand::Evaluation(Evaluation::Centipawns(number - 15_000))),
            5 => ("ce", Operand::Evaluation(Evaluation::Mate(random.i32(..)))),
            6 => ("tcsi", Operand::Texts(vec![text, "x".into()])),
            7 => (["foo", "noop", "D4"][random.usize(..3)], Operand::Verbatim("20 \"x;\\\" y\" é".into())),
            _ => (*random.choice(&STRINGS).unwrap(), Operand::Text(text)),
        };
        epd.set(opcode, operand).unwrap_or_else(|error| panic!("{error}"));
    }
    epd
}

#[test]
fn what_is_written_is_read_back() {
    let mut random = Rng::with_seed(6);
    let mut positions = game_positions(&mut random, 2_000, CastlingMode::Standard);
    positions.extend(game_positions(&mut random, 1_000, CastlingMode::Chess960));
    for position in positions {
        let epd = random_epd(&mut random, position);
        let text = round_trip(&epd);
        let has_mate = epd
            .operations()
            .iter()
            .any(|operation| matches!(operation.operand(), Operand::Evaluation(Evaluation::Mate(_))));
        assert!(has_mate || Epd::parse_strict(&text).as_ref() == Ok(&epd), "{text}");
    }
}

#[test]
fn no_line_panics() {
    const PIECES: [&str; 24] = [
        "bm", "e4", " ", ";", "\"", "\\", "id", "hmvc", "7", "-", "#", "pv", "Kd2", "\t", "é", "♘f3", "ce",
        "+M", "noop", "e.p.", ",", "\u{feff}", "tcri", "\u{0}",
    ];
    let mut random = Rng::with_seed(7);
    let mut accepted = 0;
    for _ in 0..200_000 {
        let text: String = (0..random.usize(..16)).map(|_| *random.choice(&PIECES).unwrap()).collect();
        let read: Result<_, EpdError> = Epd::parse_lenient(&line(&text));
        if let Ok((epd, _)) = read {
            round_trip(&epd);
            accepted += 1;
        }
        let mut bytes = line("bm e4; id \"x\"; pv e4 Kd7;").into_bytes();
        for _ in 0..1 + random.usize(..3) {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        let _ = Epd::parse(&String::from_utf8_lossy(&bytes));
        let _ = Epd::parse(&text);
    }
    assert!(accepted > 100_000, "{accepted}");
}
