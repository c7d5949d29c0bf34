//! Tests against published values and against invariants.

use ferz_board::attacks::Slider;
use ferz_board::{Position, Square};
use ferz_eval::NetworkParameters;
use serde_json::Value;

use super::*;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn look(position: &Position) -> Value {
    serde_json::to_value(Xray::new(position, CastlingMode::Standard, None, None)).expect("plain data")
}

fn at(fen: &str) -> Position {
    Position::from_fen(fen).expect(fen)
}

fn word(value: &Value) -> u64 {
    let digits = value.as_str().and_then(|text| text.strip_prefix("0x")).expect("a word");
    assert_eq!(digits.len(), 16);
    u64::from_str_radix(digits, 16).expect("hexadecimal digits")
}

fn xor_of_parts(key: &Value) -> u64 {
    key["parts"].as_array().expect("parts").iter().fold(0, |all, part| all ^ word(&part["value"]))
}

/// Plays a move and returns the changes.
fn difference(fen: &str, uci: &str) -> (Value, Position) {
    let before = at(fen);
    let mut after = before;
    after.play(before.parse_uci(uci).expect(uci)).expect(uci);
    let difference = Difference::new(&before, &after, 1, "…".to_owned(), uci.to_owned());
    (serde_json::to_value(difference).expect("plain data"), after)
}

#[test]
fn the_start_position_has_the_published_values() {
    let xray = look(&Position::start());
    let boards = &xray["boards"];
    assert_eq!(boards.as_object().unwrap().len(), 15);
    assert_eq!(boards["white_pawn"], "0x000000000000ff00");
    assert_eq!(boards["white_knight"], "0x0000000000000042");
    assert_eq!(boards["black_king"], "0x1000000000000000");
    assert_eq!(boards["black_queen"], "0x0800000000000000");
    assert_eq!(boards["white"], "0x000000000000ffff");
    assert_eq!(boards["occupied"], "0xffff00000000ffff");
    // From the description of the Polyglot format.
    assert_eq!(xray["key"]["value"], "0x463b96181691fc9c");
    assert_eq!(
        xray["castling"],
        serde_json::json!({"text": "KQkq", "bits": 15, "rooks": ["h1", "a1", "h8", "a8"]})
    );
    assert_eq!(xray["pieces"], "RNBQKBNRPPPPPPPP................................pppppppprnbqkbnr");
    assert_eq!(xray["piece_squares"]["middle"], 0);
    assert_eq!(xray["piece_squares"]["phase"], 24);
    assert_eq!(xray["attacks"]["white"], "0x0000000000ffff7e");
    assert_eq!(xray["attacks"]["from"][1], "0x0000000000050800");
    assert_eq!(xray["attacks"]["from"][32], Value::Null);
    assert_eq!(xray["attacks"]["to"][18], "0x0000000000000a02", "b1, b2 and d2 attack c3");
}

#[test]
fn keys_are_the_exclusive_or_of_their_parts() {
    for fen in [
        KIWIPETE,
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        "rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4",
        "8/8/8/8/8/4k3/8/4K2r w - - 3 9",
    ] {
        let position = at(fen);
        let xray = look(&position);
        assert_eq!(xor_of_parts(&xray["key"]), position.key(), "{fen}");
        assert_eq!(word(&xray["key"]["value"]), position.key(), "{fen}");
    }
    // From the description of the Polyglot format.
    let en_passant = look(&at("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"));
    assert_eq!(en_passant["key"]["value"], "0x22a48b5a8e47ff78");
    assert_eq!(
        en_passant["en_passant"],
        serde_json::json!({"skipped": "f6", "possible": "f6", "legal": "f6"})
    );
}

#[test]
fn pins_name_all_three_pieces() {
    let xray = look(&at("4r2k/8/8/7b/4N3/8/4B3/4K3 b - - 0 1"));
    assert_eq!(xray["pins"], serde_json::json!([]), "with two pieces in between there is no pin");
    let xray = look(&at("4r2k/8/8/8/4N2b/8/5B2/4K3 w - - 0 1"));
    let pins = xray["pins"].as_array().unwrap();
    assert_eq!(pins.len(), 2);
    assert!(pins.contains(&serde_json::json!({"pinned": "e4", "by": "e8", "king": "e1"})));
    assert!(pins.contains(&serde_json::json!({"pinned": "f2", "by": "h4", "king": "e1"})));
    assert_eq!(xray["pinned"]["white"], "0x0000000010002000");
}

#[test]
fn a_move_toggles_only_what_it_touches() {
    let (diff, after) = difference(KIWIPETE, "e1g1");
    assert_eq!(diff["boards"]["white_king"], "0x0000000000000050");
    assert_eq!(diff["boards"]["white_rook"], "0x00000000000000a0");
    assert_eq!(diff["boards"]["white"], "0x00000000000000f0");
    assert_eq!(diff["boards"]["occupied"], "0x00000000000000f0");
    assert_eq!(diff["boards"].as_object().unwrap().len(), 4);
    assert_eq!(diff["squares"], serde_json::json!(["e1", "f1", "g1", "h1"]));
    // King and rook twice each, both rights, and the turn.
    let toggled = diff["key"]["toggled"].as_array().unwrap();
    assert_eq!(toggled.len(), 7);
    assert_eq!(toggled.iter().filter(|part| part["came"] == true).count(), 2);
    assert_eq!(word(&diff["key"]["after"]), after.key());
}

#[test]
fn toggled_parts_lead_from_one_key_to_the_next() {
    let games = [
        ("8/P7/8/8/8/8/7k/K7 w - - 0 1", "a7a8q"),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", "e5f6"),
        (KIWIPETE, "e2a6"),
        (KIWIPETE, "e5g6"),
        ("rnbqkbnr/pppp1ppp/8/8/4p3/8/PPPPPPPP/RNBQKBNR w KQkq - 0 3", "d2d4"),
    ];
    for (fen, uci) in games {
        let (diff, after) = difference(fen, uci);
        let key = &diff["key"];
        let toggled = key["toggled"].as_array().unwrap();
        let change = toggled.iter().fold(0, |all, part| all ^ word(&part["value"]));
        assert_eq!(word(&key["before"]) ^ change, after.key(), "{uci}");
        // The sums change by the differences.
        let (before, now) = (look(&at(fen)), look(&after));
        for sum in ["middle", "end", "phase"] {
            let number = |value: &Value| value["piece_squares"][sum].as_i64().unwrap();
            assert_eq!(number(&before) + number(&diff), number(&now), "{uci} {sum}");
        }
    }
}

#[test]
fn magic_look_ups_find_what_walking_finds() {
    let position = at(KIWIPETE);
    for (slider, square) in Square::ALL.into_iter().flat_map(|it| [(Slider::Rook, it), (Slider::Bishop, it)])
    {
        let lookup = serde_json::to_value(look_up(&position, slider, square)).expect("plain data");
        assert_eq!(
            word(&lookup["attacks"]),
            slider.walk(square, position.occupied()).0,
            "{slider:?} {square}"
        );
        let number = |name: &str| lookup[name].as_u64().unwrap();
        let product = word(&lookup["blockers"]).wrapping_mul(word(&lookup["multiplier"]));
        assert_eq!(word(&lookup["product"]), product);
        assert_eq!(number("index"), number("offset") + (product >> number("shift")));
        let places = 1 << word(&lookup["mask"]).count_ones();
        assert!(lookup["pext"]["index"].as_u64().unwrap() < places);
    }
    // A rook on a1 with the second square of each ray occupied: the first bits of both rays.
    let corner = look_up(&Position::start(), Slider::Rook, Square::A1);
    let corner = serde_json::to_value(corner).expect("plain data");
    assert_eq!(corner["mask"], "0x000101010101017e");
    assert_eq!(corner["blockers"], "0x000100000000017e");
    assert_eq!(corner["attacks"], "0x0000000000000102");
    assert_eq!(corner["pext"]["index"], 0b1000_0111_1111);
}

#[test]
fn the_evaluation_is_that_of_the_search() {
    let position = at(KIWIPETE);
    let evaluation = &look(&position)["evaluation"];
    let explanation = explain(&position);
    assert_eq!(evaluation["value"], explanation.value);
    let sum = |side: &str, half: usize| -> i64 {
        let terms = evaluation["terms"].as_array().unwrap();
        terms.iter().map(|term| term[side][half].as_i64().unwrap()).sum()
    };
    assert_eq!(sum("white", 0) - sum("black", 0), i64::from(explanation.total().mg()));
    assert_eq!(sum("white", 1) - sum("black", 1), i64::from(explanation.total().eg()));
}

#[test]
fn a_net_values_every_piece_but_the_kings() {
    let network = Network::from_bytes(&NetworkParameters::noise(32, 1, 1).to_bytes()).expect("a whole net");
    let xray = Xray::new(&Position::start(), CastlingMode::Standard, None, Some(&network));
    let net = serde_json::to_value(xray).expect("plain data")["net"].take();
    let pieces = net["pieces"].as_array().unwrap();
    assert_eq!(pieces.len(), 64);
    assert_eq!(pieces.iter().filter(|value| !value.is_null()).count(), 30);
    let value = network.centipawns(network.evaluate(&Position::start()));
    assert_eq!(net["value"], value);
}

/// Each kind of move, made and taken back, leads to the position where it began.
#[test]
fn timelines_lead_back_to_the_start() {
    let kinds = [
        (KIWIPETE, "e1g1", "castling"),
        (KIWIPETE, "e1c1", "castling"),
        (KIWIPETE, "e5g6", "normal"),
        (KIWIPETE, "a2a4", "double_step"),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", "e5f6", "en_passant"),
        ("1n6/P7/8/8/8/8/7k/K7 w - - 0 1", "a7b8n", "promote_knight"),
        ("1n6/P7/8/8/8/8/7k/K7 w - - 0 1", "a7a8b", "promote_bishop"),
        ("k7/8/8/8/8/8/7p/K7 b - - 0 1", "h2h1r", "promote_rook"),
        ("k7/8/8/8/8/8/7p/K7 b - - 0 1", "h2h1q", "promote_queen"),
    ];
    for (fen, uci, kind) in kinds {
        let position = at(fen);
        let mv = position.parse_uci(uci).expect(uci);
        let timeline = Timeline::new(&position, mv, CastlingMode::Standard);
        let timeline = serde_json::to_value(timeline).expect("plain data");
        assert_eq!(timeline["move"]["kind"], kind);
        assert_eq!(timeline["move"]["bits"], mv.bits());
        let frames = timeline["frames"].as_array().unwrap();
        let (first, last) = (&frames[0], &frames[frames.len() - 1]);
        for name in ["pieces", "key", "state"] {
            assert_eq!(first[name], last[name], "{uci} {name}");
        }
        let made = frames.iter().position(|frame| frame["action"] == "made").expect("a complete move");
        let mut after = position;
        after.play(mv).expect(uci);
        assert_eq!(frames[made]["pieces"], letters(&after), "{uci}");
        assert_eq!(word(&frames[made]["key"]), after.key(), "{uci}");
        assert_eq!(frames[made]["state"]["fen"], after.to_string(), "{uci}");
        // The pieces are complete before the state changes, there and back.
        assert_eq!(frames[made - 1]["pieces"], frames[made]["pieces"], "{uci}");
        assert_eq!(frames[frames.len() - 2]["pieces"], last["pieces"], "{uci}");
        assert_eq!(timeline["undo"]["key"], first["key"], "{uci}");
    }
}

#[test]
fn masks_name_checks_pins_and_danger() {
    let masks = |fen: &str| look(&at(fen))["masks"].take();
    // The rook on e8 gives check along the e-file, the bishop on h4 pins the knight on f2.
    let check = masks("4r2k/8/8/8/7b/8/5N2/4K3 w - - 0 1");
    assert_eq!(check["checkers"], "0x1000000000000000");
    assert_eq!(check["check_mask"], "0x1010101010101000");
    assert_eq!(check["diagonal_pins"], "0x0000000080402000");
    let danger = word(&check["danger"]);
    assert!(danger & 1 << 4 != 0, "e1, seen through the king");
    assert_eq!(check["moves"], 3, "d1, d2 and f1");
    let kinds = check["sets"].as_array().unwrap().iter().map(|set| set["kind"].as_str().unwrap());
    assert_eq!(kinds.collect::<Vec<_>>(), ["king"]);
    // A double check is answered by the king alone.
    let double = masks("4r2k/8/8/8/7b/8/8/R3K3 w - - 0 1");
    assert_eq!(double["check_mask"], "0x0000000000000000");
}

#[test]
fn the_rows_of_a_move_lead_to_the_next_accumulator() {
    let network = Network::from_bytes(&NetworkParameters::noise(32, 1, 7).to_bytes()).expect("a whole net");
    let before = at(KIWIPETE);
    let trace = |position: &Position, before: Option<&Position>| {
        serde_json::to_value(NetTrace::new(&network, position, before)).expect("plain data")
    };
    let rows = |value: &Value| value.as_array().unwrap().len();
    for (uci, added, removed, refreshed) in
        [("e2a6", 1, 2, [false, false]), ("e1g1", 2, 2, [false, false]), ("e1d1", 0, 0, [false, true])]
    {
        let mut after = before;
        after.play(before.parse_uci(uci).expect(uci)).expect(uci);
        let trace = trace(&after, Some(&before));
        assert_eq!(trace["value"], network.evaluate(&after));
        for (accumulator, refreshed) in trace["accumulators"].as_array().unwrap().iter().zip(refreshed) {
            assert_eq!(accumulator["refreshed"], refreshed, "{uci}");
            let count = (rows(&accumulator["added"]), rows(&accumulator["removed"]));
            let expected = match (refreshed, uci) {
                (true, _) => (0, 0),
                (false, "e1d1") => (1, 1),
                _ => (added, removed),
            };
            assert_eq!(count, expected, "{uci}");
        }
    }
    assert_eq!(trace(&before, None)["accumulators"][0]["refreshed"], true);
    assert_eq!(trace(&before, None)["accumulators"][0]["king_bucket"], Value::Null);
}

#[test]
fn an_accumulator_is_computed_anew_in_another_king_bucket() {
    let parameters = NetworkParameters::noise_with_king_buckets(32, 1, 7);
    let network = Network::from_bytes(&parameters.to_bytes()).expect("a whole net");
    let before = at(KIWIPETE);
    for (uci, bucket, is_refreshed) in
        [("e2a6", 1, false), ("e1f1", 1, false), ("e1g1", 0, true), ("e1d1", 1, true)]
    {
        let mut after = before;
        after.play(before.parse_uci(uci).expect(uci)).expect(uci);
        let trace = serde_json::to_value(NetTrace::new(&network, &after, Some(&before))).expect("plain data");
        assert_eq!(trace["value"], network.evaluate(&after));
        // Black is to move, and White's king has moved.
        let found = |at: usize, name: &str| trace["accumulators"][at][name].clone();
        assert_eq!((found(0, "king_bucket"), found(0, "refreshed")), (1.into(), false.into()), "{uci}");
        assert_eq!(
            (found(1, "king_bucket"), found(1, "refreshed")),
            (bucket.into(), is_refreshed.into()),
            "{uci}"
        );
    }
}
