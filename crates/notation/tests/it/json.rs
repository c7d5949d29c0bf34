//! JSON: notations as text, problems by name.

use std::fmt::Debug;

use ferz_board::Color;
use ferz_notation::epd::Epd;
use ferz_notation::pgn::annotation::{Eval, EvalScore};
use ferz_notation::pgn::{Diagnostic, GameResult, Nag, Place, Problem};
use ferz_notation::san::{self, San};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{from_str, json, to_string, to_value};

#[track_caller]
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, json: &str) {
    assert_eq!(to_string(value).unwrap(), json);
    assert_eq!(&from_str::<T>(json).unwrap(), value);
}

#[test]
fn notations_are_texts() {
    round_trip(&GameResult::Draw, "\"1/2-1/2\"");
    round_trip(&GameResult::Win(Color::Black), "\"0-1\"");
    round_trip(&Nag(146), "146");
    round_trip(&"Nbxd7+".parse::<San>().unwrap(), "\"Nbxd7+\"");
    round_trip(&Eval { score: EvalScore::Centipawns(-35), depth: Some(12) }, "\"-0.35,12\"");
    round_trip(&EvalScore::Mate(-3), "\"#-3\"");
    let epd: Epd = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"x\";".parse().unwrap();
    round_trip(&epd, "\"4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \\\"x\\\";\"");
}

#[test]
fn reasons_are_kept() {
    let reason = |error: serde_json::Error| error.to_string();
    assert!(from_str::<GameResult>("\"2-0\"").map_err(reason).unwrap_err().starts_with("expected 1-0, 0-1"));
    assert!(from_str::<San>("\"Nz9\"").map_err(reason).unwrap_err().starts_with("'Nz9' is not a move"));
    let epd = from_str::<Epd>("\"4k3/8/8/8/8/8/4P3/4K3 w - - bm e5;\"").map_err(reason).unwrap_err();
    assert!(epd.starts_with("column 32, bm: 'e5' is not legal: the pawn on e2 does not move to e5"), "{epd}");
    assert!(from_str::<Nag>("256").is_err());
}

#[test]
fn problems_have_names() {
    let place = Place { byte: 9, line: 2, column: 4 };
    let token = "Ke3".to_owned();
    let reason = Some(ferz_board::IllegalReason::NoPiece(ferz_board::Square::E2));
    let diagnostic = Diagnostic { kind: Problem::IllegalMove, place, game: 1, ply: 2, token, reason };
    let expected = json!({
        "problem": "illegal-move",
        "message": "illegal move; rest of the line skipped",
        "place": { "byte": 9, "line": 2, "column": 4 },
        "game": 1,
        "ply": 2,
        "token": "Ke3",
        "reason": "no-piece",
        "explanation": "e2 is empty",
    });
    assert_eq!(to_value(&diagnostic).unwrap(), expected);
    let start = ferz_board::Position::start();
    let error = san::parse_lenient(&start, "Nd4").unwrap_err();
    let message = "'Nd4': no such piece can move there";
    assert_eq!(
        to_value(&error).unwrap(),
        json!({ "problem": "no-such-move", "token": "Nd4", "message": message, "reason": null })
    );
    let error = Epd::parse_strict("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4").unwrap_err();
    let message = "the semicolon is missing";
    assert_eq!(
        to_value(&error).unwrap(),
        json!({ "problem": "missing-semicolon", "message": message, "opcode": "bm", "column": 34 })
    );
}
