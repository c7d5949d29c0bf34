//! `ferz position FEN`.

use ferz_board::Position;
use ferz_eval::{Network, NetworkParameters};
use serde_json::{Value, json};

use crate::{Run, ferz, file_of};

fn parse(run: &Run) -> Value {
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    assert_eq!(run.out.lines().count(), 1);
    serde_json::from_str(&run.out).expect("valid JSON")
}

fn describe(fen: &str, extra: &[&str]) -> Value {
    parse(&ferz([&["position", fen, "--json"], extra].concat()))
}

#[test]
fn the_start_position_as_json() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let report = parse(&ferz(["position", "--json"]));
    assert_eq!(report["fen"], start);
    assert_eq!(report["shredder_fen"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
    assert_eq!(report["key"], "463b96181691fc9c");
    assert_eq!(report["pawn_key"], "37fc40da841e1692");
    assert_eq!(report["side_to_move"], "white");
    assert_eq!(report["castling"], json!({ "rights": "KQkq", "rooks": ["h1", "a1", "h8", "a8"] }));
    assert_eq!(report["en_passant"], Value::Null);
    assert_eq!(report["double_step"], Value::Null);
    assert_eq!((&report["halfmove_clock"], &report["fullmove_number"]), (&json!(0), &json!(1)));
    assert_eq!((&report["check"], &report["checkers"]), (&json!(false), &json!([])));
    assert_eq!(report["pinned"], json!({ "white": [], "black": [] }));
    assert_eq!(report["bitboards"]["white_pawn"], "0x000000000000ff00");
    assert_eq!(report["bitboards"]["black_king"], "0x1000000000000000");
    assert_eq!(report["bitboards"]["white"], "0x000000000000ffff");
    assert_eq!(report["bitboards"]["occupied"], "0xffff00000000ffff");
    assert_eq!(report["bitboards"].as_object().map(serde_json::Map::len), Some(15));
    assert_eq!((&report["pieces"]["e1"], &report["pieces"]["d8"]), (&json!("K"), &json!("q")));
    assert_eq!(report["pieces"].as_object().map(serde_json::Map::len), Some(32));
    assert_eq!(report["legal_move_count"], 20);
    assert_eq!(report["legal_moves"].as_array().map(Vec::len), Some(20));
    assert_eq!((&report["outcome"], &report["claims"]), (&Value::Null, &json!([])));
    assert_eq!(report["insufficient_material"], json!({ "white": false, "black": false }));
    assert_eq!(report.get("repairs"), None);

    assert_eq!(describe(start, &[]), report);
    let words = ferz(["position"].into_iter().chain(start.split(' ')).chain(["--json"]));
    assert_eq!(parse(&words), report);
}

#[test]
fn the_keys_keep_their_order() {
    let out = ferz(["position", "--json", "--lenient"]).out;
    let places = ["fen", "key", "side_to_move", "bitboards", "white_pawn", "occupied", "pieces", "repairs"]
        .map(|key| out.find(&format!("\"{key}\":")).expect("the key is there"));
    assert!(places.is_sorted());
    assert!(out.find("\"h1\":") < out.find("\"a2\":"));
}

/// Test positions of the Polyglot book format's description.
#[test]
fn keys_are_those_of_polyglot() {
    for (fen, key) in [
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "823c9b50fd114196"),
        ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", "0756b94461c50fb0"),
        ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", "662fafb965db29d4"),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", "22a48b5a8e47ff78"),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", "652a607ca3f242c1"),
        ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", "00fdd303c946bdd9"),
        ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", "3c8123ea7b067637"),
        ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", "5c3f9b829b279560"),
    ] {
        assert_eq!(describe(fen, &[])["key"], key, "{fen}");
    }
}

#[test]
fn en_passant_counts_only_if_legal() {
    let pinned = describe("8/8/8/8/1k1Pp2R/8/8/4K3 b - d3 0 1", &[]);
    assert_eq!((&pinned["en_passant"], &pinned["double_step"]), (&Value::Null, &json!("d3")));
    assert_eq!(pinned["fen"], "8/8/8/8/1k1Pp2R/8/8/4K3 b - - 0 1");
    let legal = describe("8/8/8/1k6/3Pp3/8/8/4K3 b - d3 0 1", &[]);
    assert_eq!((&legal["en_passant"], &legal["double_step"]), (&json!("d3"), &json!("d3")));
}

#[test]
fn checks_and_pins() {
    let report = describe("4k3/4r3/8/b7/8/2N1B3/8/4K3 w - - 0 1", &[]);
    assert_eq!(report["pinned"], json!({ "white": ["c3", "e3"], "black": [] }));
    let report = describe("4k3/8/8/8/7b/8/8/4K3 w - - 0 1", &[]);
    assert_eq!((&report["check"], &report["checkers"]), (&json!(true), &json!(["h4"])));
}

#[test]
fn ends_and_claims() {
    let ending = |fen| {
        let report = describe(fen, &[]);
        (report["outcome"].clone(), report["claims"].clone())
    };
    let over = |result, reason| (json!({ "result": result, "reason": reason }), json!([]));
    assert_eq!(ending("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), over("1-0", "checkmate"));
    assert_eq!(ending("7K/6q1/6k1/8/8/8/8/8 w - - 0 1"), over("0-1", "checkmate"));
    assert_eq!(ending("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), over("1/2-1/2", "stalemate"));
    assert_eq!(ending("k7/8/8/8/8/8/8/6BK w - - 120 90"), over("1/2-1/2", "insufficient_material"));
    assert_eq!(ending("4k3/8/8/8/8/8/8/4K2R w K - 151 200"), over("1/2-1/2", "seventy_five_moves"));
    assert_eq!(ending("4k3/8/8/8/8/8/8/4K2R w K - 100 90"), (Value::Null, json!(["fifty_moves"])));
    assert_eq!(ending("R5k1/5ppp/8/8/8/8/8/4K3 b - - 150 120"), over("1-0", "checkmate"));
    let report = describe("4k3/8/8/8/8/8/8/4K2R w K - 0 1", &[]);
    assert_eq!(report["insufficient_material"], json!({ "white": false, "black": true }));
}

#[test]
fn dead_positions() {
    let wall = describe("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", &[])["dead_position"].clone();
    assert_eq!((&wall["verdict"], &wall["helpmate"]), (&json!("dead"), &Value::Null));
    assert!(wall["nodes"].as_u64().is_some());
    let alive = describe("4k3/8/8/8/8/8/8/4K2R w K - 0 1", &[])["dead_position"].clone();
    assert_eq!((&alive["verdict"], &alive["helpmate"]["winner"]), (&json!("alive"), &json!("white")));
    assert!(!alive["helpmate"]["moves"].as_array().unwrap().is_empty());
}

#[test]
fn castling_is_written_as_the_mode_wants_it() {
    let moves = |fen: &str, extra: &[&str]| {
        describe(fen, extra)["legal_moves"].as_array().cloned().unwrap_or_default()
    };
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    assert!(moves(castling, &[]).contains(&json!("e1g1")));
    assert!(moves(castling, &["--chess960"]).contains(&json!("e1h1")));

    let chess960 = "4k3/8/8/8/8/8/8/R2K3R w HA - 0 1";
    let report = describe(chess960, &["--chess960"]);
    assert_eq!(report["castling"], json!({ "rights": "KQ", "rooks": ["h1", "a1"] }));
    assert_eq!(report["fen"], "4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1");
    assert!(moves(chess960, &["--chess960"]).contains(&json!("d1a1")));
    let inner = describe("4k3/8/8/8/8/8/8/1RR1K3 w C - 0 1", &["--chess960"]);
    assert_eq!(inner["fen"], "4k3/8/8/8/8/8/8/1RR1K3 w C - 0 1");
}

#[test]
fn lenient_reading_lists_its_repairs() {
    let report = describe("  4k3/8/8/8/8/8/8/4K3\tb KQ", &["--lenient"]);
    assert_eq!(report["fen"], "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
    let repairs = report["repairs"].as_array().cloned().unwrap_or_default();
    assert!(repairs.contains(&json!("impossible castling right dropped: a1 h1")), "{repairs:?}");
    assert_eq!(parse(&ferz(["position", "--lenient", "--json"]))["repairs"], json!([]));

    let run = ferz(["position", "--lenient", "4k3/8/8/8/8/8/8/4K3 w - - 0 0"]);
    assert_eq!((run.code, &run.err[..]), (Some(0), "note: move number 0 read as 1\n"));
}

#[test]
fn a_bad_fen_is_explained() {
    for (fen, extra, reason) in [
        ("", &[][..], "bad FEN: board"),
        (" ", &["--json"], "bad FEN: board"),
        ("-", &[], "'-' is neither a piece nor a digit"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", &["--json"], "White has no king; Black has no king"),
        ("4k3/8/8/9/8/8/8/4K3 w - - 0 1", &["--lenient"], "board, column 9: '9' is neither"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 1", &["--lenient"], "text after the last field"),
        (
            "4k3/8/8/8/8/8/8/4K3 w KQ - 0 1",
            &["--chess960"],
            "castling right without a rook (a1 h1)\nhint: --lenient",
        ),
        ("4k3/8/8/8/8/8/8/R2K3R w HA - 0 1", &[], "hint: --chess960 accepts it"),
        ("4k3/8/8/8/8/8/8/4K3 w", &[], "the field is missing\nhint: --lenient accepts it"),
    ] {
        let run = ferz([&["position", fen], extra].concat());
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{fen}");
        assert!(run.err.starts_with("error: ") && run.err.contains(reason), "{fen}: {}", run.err);
    }
}

#[test]
fn the_drawing_shows_everything() {
    let run = ferz(["position", "rnbqkbnr/ppp1p1pp/5p2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3"]);
    assert_eq!((run.code, &run.err[..]), (Some(0), ""));
    for part in [
        "  8 │ r n b q k b n r │\n",
        "  5 │ · · · p P · · · │\n",
        "FEN           rnbqkbnr/ppp1p1pp/5p2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3\n",
        "side to move  White\n",
        "castling      KQkq, rooks h1 a1 h8 a8\n",
        "en passant    d6 was skipped, capture is legal\n",
        "checkers      none\n",
        "  pawn        0x000000100000ef00   0x00d7200800000000\n",
        "Black         Ke8 Qd8 Ra8 Rh8 Bc8 Bf8 Nb8 Ng8 d5 f6 a7 b7 c7 e7 g7 h7\n",
        "legal moves   32\n",
        " e5d6 ",
    ] {
        assert!(run.out.contains(part), "{part:?} is missing in\n{}", run.out);
    }
    assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);

    let mate = ferz(["position", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"]).out;
    assert!(
        mate.contains("checkers      g7\n") && mate.contains("game over     White wins by checkmate (1-0)\n")
    );
    let claim = ferz(["position", "4k3/8/8/8/8/8/8/4K2R w K - 100 90"]).out;
    assert!(claim.contains("claim         draw by the 50-move rule\n"), "{claim}");
}

/// The key is the exclusive or of its parts.
#[test]
fn the_parts_of_the_key_make_the_key() {
    let out = ferz(["position", "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR w KQkq - 0 3"]).out;
    let value = |label: &str| {
        let row = out.lines().find(|row| row.starts_with(label)).expect("the row is there");
        u64::from_str_radix(row.split(' ').next_back().unwrap_or_default(), 16).expect("hexadecimal")
    };
    let parts = ["  pieces", "  castling", "  en passant", "  turn"].map(value);
    assert_eq!(parts.into_iter().fold(0, |key, part| key ^ part), value("key "));
}

#[test]
fn the_evaluation_is_taken_apart() {
    let fen = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
    let text = ferz(["position", fen]).out;
    for row in ["Material", "Mobility", "Phase", "Value"] {
        assert!(text.lines().any(|line| line.starts_with(row)), "{row} in\n{text}");
    }
    let report = describe(fen, &[]);
    let evaluation = &report["evaluation"];
    let [phase, scale] = ["phase", "scale"].map(|key| evaluation[key].as_i64().unwrap());
    let mut halves = [0, 0];
    for term in evaluation["terms"].as_array().unwrap() {
        for (half, sum) in halves.iter_mut().enumerate() {
            *sum += term["white"][half].as_i64().unwrap() - term["black"][half].as_i64().unwrap();
        }
    }
    let sum = (halves[0] * phase + halves[1] * scale / 64 * (24 - phase)) / 24;
    let value = evaluation["value"].as_i64().unwrap();
    assert!((sum - value).abs() <= 2, "the terms make {sum}, the value is {value}");
}

#[test]
fn a_net_tells_its_value_and_that_of_every_piece() {
    let bytes = NetworkParameters::noise(64, 8, 3).to_bytes();
    let file = file_of("position.nnue", &bytes);
    let fen = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 4 4";
    let network = Network::from_bytes(&bytes).expect("a whole net");
    let position = Position::from_fen(fen).expect("legal");
    let report = describe(fen, &["--net", &file]);
    assert_eq!(report["nnue"], network.evaluate(&position));
    let pieces = report["nnue_pieces"].as_object().expect("by square");
    assert_eq!(pieces.len(), 30);
    assert_eq!(
        pieces["h5"],
        network.piece_values(&position)[ferz_board::Square::H5.index()].expect("a queen")
    );
    assert_eq!(describe(fen, &[])["nnue"], Network::embedded().evaluate(&position));
    assert_eq!(describe(fen, &["--net", "classical"]).get("nnue"), None);

    let text = ferz(["position", fen, "--net", &file]).out;
    let (_, picture) = text.split_once("net           768hm-64x2-1x8\n").expect("the net is named");
    assert!(picture.contains("│   Q   │\n"), "{picture}");
    assert!(picture.lines().all(|line| line.chars().count() <= 80), "{picture}");
}

#[test]
fn why_a_move_is_illegal() {
    let en_passant = "8/8/8/8/1k1Pp2R/8/8/4K3 b - d3 0 1";
    let run = ferz(["position", en_passant, "--why", "exd3"]);
    let answer = "'exd3' is not legal: en passant would open the fourth rank between the rook on h4 and the king on b4\n";
    assert_eq!((&run.out[..], run.code), (answer, Some(0)));
    let run = ferz(["position", en_passant, "--why", "e4d3", "--json"]);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!((&report["legal"], &report["reason"]), (&false.into(), &"en-passant-uncovers".into()));

    let run = ferz(["position", "--why", "Nf6", "--moves", "e4"]);
    assert_eq!((&run.out[..], run.code), ("'Nf6' is legal\n", Some(0)));
    let run = ferz(["position", "--moves", "e4", "e5", "Ke3"]);
    assert_eq!(run.err, "error: move 3: 'Ke3' is not legal: the king on e1 does not move to e3\n");
    assert_eq!(ferz(["position", "--why", "nonsense"]).code, Some(2));
}
