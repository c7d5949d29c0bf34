//! Nets: incremental updates, reference values and invalid files.

use std::sync::Arc;

use fastrand::Rng;
use ferz_board::{Color, Piece, PieceType, Position};
use ferz_eval::{
    AccumulatorTrace, Evaluator, Network, NetworkError, NetworkParameters, NetworkTrace, VALUE_LIMIT,
    endgame_rule,
};

use crate::sample::{at, for_each_position};

const HALFKP_BYTES: usize = 12 + 4 + 2 * 256 * (1 + 41024) + 4 + (4 + 512) * 32 + (4 + 32) * 32 + 4 + 32;

/// A HalfKP net with random weights, mapped by one function for the feature transformer and by one for the other layers.
fn halfkp_bytes(seed: u64, feature: fn(usize) -> i16, weight: fn(usize) -> i8) -> Vec<u8> {
    let mut rng = Rng::with_seed(seed);
    let mut any = || rng.usize(..1 << 30);
    let mut bytes = Vec::with_capacity(HALFKP_BYTES);
    let constant = |bytes: &mut Vec<u8>, number: u32| bytes.extend(number.to_le_bytes());
    constant(&mut bytes, 0x7AF3_2F16);
    constant(&mut bytes, 0x3E5A_A6EE);
    constant(&mut bytes, 0);
    constant(&mut bytes, 0x5D69_D7B8);
    (0..256 * (1 + 41024)).for_each(|_| bytes.extend(feature(any()).to_le_bytes()));
    constant(&mut bytes, 0x6333_7156);
    for (outputs, inputs) in [(32, 512), (32, 32), (1, 32)] {
        (0..outputs).for_each(|_| bytes.extend((any() as i32 % 8000 - 4000).to_le_bytes()));
        (0..outputs * inputs).for_each(|_| bytes.push(weight(any()) as u8));
    }
    assert_eq!(bytes.len(), HALFKP_BYTES);
    bytes
}

fn halfkp(seed: u64, feature: fn(usize) -> i16, weight: fn(usize) -> i8) -> Network {
    Network::from_bytes(&halfkp_bytes(seed, feature, weight)).expect("a whole net")
}

fn small(any: usize) -> i16 {
    (any % 121) as i16 - 60
}

/// Our architecture as its documentation describes it, in the simplest way.
fn by_the_book(net: &NetworkParameters, position: &Position) -> i32 {
    let accumulator = |side: Color| -> Vec<i64> {
        let mut sums: Vec<i64> = net.feature_biases.iter().map(|&bias| bias.into()).collect();
        let king = position.king(side).index() ^ if side == Color::Black { 56 } else { 0 };
        let king_bucket = match (net.king_buckets, king / 8, king % 8) {
            (1, ..) => 0,
            (_, 0, 0 | 1 | 6 | 7) => 0,
            (_, 0, _) => 1,
            (_, 1, _) => 2,
            _ => 3,
        };
        for (square, piece) in position.board() {
            let mut place = square.index();
            if side == Color::Black {
                place ^= 56;
            }
            if position.king(side).index() % 8 >= 4 {
                place ^= 7;
            }
            let types = [
                PieceType::Pawn,
                PieceType::Knight,
                PieceType::Bishop,
                PieceType::Rook,
                PieceType::Queen,
                PieceType::King,
            ];
            let kind = types.iter().position(|&it| it == piece.piece_type()).expect("one of six");
            let row = 768 * king_bucket + 384 * usize::from(piece.color() != side) + 64 * kind + place;
            let row = &net.feature_weights[row * net.hidden..][..net.hidden];
            sums.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += i64::from(weight));
        }
        sums
    };
    let us = position.side_to_move();
    let both = accumulator(us).into_iter().chain(accumulator(!us));
    let pieces = position.board().iter().count();
    let bucket = if net.buckets == 1 { 0 } else { (pieces - 2) / 4 };
    let weights = &net.output_weights[bucket * 2 * net.hidden..][..2 * net.hidden];
    let square = |(a, &weight): (i64, &i16)| a.clamp(0, 255).pow(2) * i64::from(weight);
    let sum: i64 = both.zip(weights).map(square).sum();
    ((sum / 255 + i64::from(net.output_biases[bucket])) * i64::from(net.scale)
        / (255 * i64::from(net.output_unit))) as i32
}

/// Parameters at their limits, of both signs.
fn extreme(hidden: usize, buckets: usize) -> NetworkParameters {
    let mut net = NetworkParameters::noise(hidden, buckets, 9);
    net.scale = 1000;
    net.output_unit = 255;
    net.feature_weights.iter_mut().for_each(|weight| *weight = if *weight < 0 { -1000 } else { 1000 });
    net.feature_biases.iter_mut().for_each(|bias| *bias = if *bias < 0 { -767 } else { 767 });
    net.output_weights.iter_mut().for_each(|weight| *weight = if *weight < 0 { -127 } else { 127 });
    net.output_biases.iter_mut().for_each(|bias| *bias = if *bias < 0 { i32::MIN } else { i32::MAX });
    net
}

#[test]
fn our_nets_follow_their_documentation() {
    let nets = [32, 64, 96, 256, 288].map(|hidden| NetworkParameters::noise(hidden, 8, hidden as u64));
    let others = [
        NetworkParameters::noise(512, 1, 2),
        NetworkParameters::noise_with_king_buckets(32, 8, 3),
        NetworkParameters::noise_with_king_buckets(320, 8, 4),
        extreme(2048, 8),
        extreme(64, 1),
    ];
    for net in nets.into_iter().chain(others) {
        let network = Network::from_bytes(&net.to_bytes()).expect("a whole net");
        let games = if net.hidden < 500 { 2 } else { 1 };
        let (mut count, mut values) = (0, std::collections::HashSet::new());
        for_each_position(net.hidden as u64, games, |position, _| {
            count += 1;
            if count % 7 == 0 {
                let value = network.evaluate(position);
                assert_eq!(value, by_the_book(&net, position), "{network} {position}");
                values.insert(value);
            }
        });
        assert!(values.len() > 20, "{network}");
    }
}

/// A net, its manifest and the values that the trainer computed with code of its own.
fn assert_is_as_described(network: &Network, name: &str, folder: &str) {
    let folder = format!("{}/networks/{folder}", env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(format!("{folder}/MANIFEST")).expect(&folder);
    let field = |name: &str| {
        let rest = manifest.lines().find_map(|line| line.strip_prefix(name));
        rest.unwrap_or_else(|| panic!("{name} is missing")).trim()
    };
    assert_eq!(field("name"), name);
    assert!(field("net").starts_with(&format!("{network},")), "{}", field("net"));
    let text = std::fs::read_to_string(format!("{folder}/{name}.tsv")).expect(&folder);
    for line in text.lines() {
        let (fen, value) = line.split_once('\t').expect(line);
        let position: Position = fen.parse().expect(fen);
        assert_eq!(network.evaluate(&position), value.parse().expect(line), "{fen}");
    }
    assert_eq!(text.lines().count(), 1000);
}

#[cfg(feature = "embedded-net")]
#[test]
fn the_embedded_net_has_the_values_of_its_trainer() {
    assert_is_as_described(&Network::embedded(), Network::EMBEDDED_NAME, "");
}

#[test]
fn the_small_net_has_the_values_of_its_trainer() {
    let bytes = include_bytes!("../../networks/small/gen15-768.nnue");
    assert_is_as_described(&Network::from_bytes(bytes).expect("a whole net"), "gen15-768", "small");
}

#[test]
fn bare_kings_are_evaluated_by_rule_even_with_a_net() {
    let network = Network::from_bytes(&NetworkParameters::noise(64, 8, 1).to_bytes()).expect("a valid net");
    let network = Arc::new(network);
    for (fen, is_known) in [
        ("8/8/8/3k4/8/8/8/KBN5 w - - 0 1", true),
        ("8/8/8/3k4/8/8/8/KR6 b - - 0 1", true),
        ("8/8/8/3k4/8/8/P7/K1N5 w - - 0 1", false),
        ("8/3p4/8/3k4/8/8/8/KR6 b - - 0 1", false),
    ] {
        let position: Position = fen.parse().expect(fen);
        let value = Evaluator::with_network(&position, Some(network.clone())).evaluate(&position);
        let classical = Evaluator::new(&position).evaluate(&position);
        assert_eq!(value == classical, is_known, "{value} {classical} {fen}");
    }
}

/// Plays games with moves made and unmade, null moves and plies that are not evaluated.
fn assert_follows(network: Network, games: usize) {
    let network = Arc::new(network);
    let mut evaluator = Evaluator::with_network(&Position::start(), Some(network.clone()));
    let mut rng = Rng::with_seed(7);
    let (mut depth, mut kinds) = (0, [0; 4]);
    for_each_position(2, games, |position, last| {
        let expected = |position: &Position| {
            network.centipawns(network.evaluate(position)).clamp(-VALUE_LIMIT, VALUE_LIMIT)
        };
        match last {
            None => {
                // Back to the root by both ways.
                if rng.usize(..2) == 0 {
                    (0..depth).for_each(|_| evaluator.pop());
                }
                depth = 0;
                evaluator.reset(position);
            }
            Some((before, mv)) => {
                if rng.usize(..4) == 0 {
                    let moves = before.legal_moves();
                    let other = moves.as_slice()[rng.usize(..moves.len())];
                    let mut child = *before;
                    before.play_into(other, &mut child, evaluator.push());
                    if rng.usize(..2) == 0 {
                        let value = evaluator.evaluate(&child);
                        assert!(
                            endgame_rule(&child).is_some() || value == expected(&child),
                            "{value} {child}"
                        );
                    }
                    evaluator.pop();
                }
                if let (0, Some(passed)) = (rng.usize(..4), before.null_move()) {
                    evaluator.push();
                    if rng.usize(..2) == 0 {
                        let value = evaluator.evaluate(&passed);
                        assert!(endgame_rule(&passed).is_some() || value == expected(&passed), "{passed}");
                    }
                    let moves = passed.legal_moves();
                    if !moves.is_empty() {
                        let mut child = passed;
                        let answer = moves.as_slice()[rng.usize(..moves.len())];
                        passed.play_into(answer, &mut child, evaluator.push());
                        let value = evaluator.evaluate(&child);
                        assert!(
                            endgame_rule(&child).is_some() || value == expected(&child),
                            "{value} {child}"
                        );
                        evaluator.pop();
                    }
                    evaluator.pop();
                }
                let mut child = *before;
                before.play_into(mv, &mut child, evaluator.push());
                depth += 1;
                let kind = before.piece_at(mv.from()).map(Piece::piece_type);
                kinds[0] += usize::from(mv.is_castling());
                kinds[1] += usize::from(mv.is_en_passant());
                kinds[2] += usize::from(mv.promotion().is_some());
                let crosses = mv.from().index() % 8 / 4 != mv.to().index() % 8 / 4;
                kinds[3] += usize::from(kind == Some(PieceType::King) && !mv.is_castling() && crosses);
            }
        }
        if rng.usize(..3) > 0 {
            let value = evaluator.evaluate(position);
            assert!(
                endgame_rule(position).is_some() || value == expected(position),
                "{value} {network} {position}"
            );
        }
    });
    assert!(kinds.iter().all(|&count| count > 5), "the games contain too few special moves: {kinds:?}");
}

#[test]
fn incremental_updates_of_our_nets_equal_refreshes() {
    let nets = [
        NetworkParameters::noise(64, 1, 3),
        NetworkParameters::noise(352, 8, 4),
        NetworkParameters::noise_with_king_buckets(96, 8, 5),
        extreme(32, 8),
    ];
    for net in nets {
        assert_follows(Network::from_bytes(&net.to_bytes()).expect("a whole net"), 40);
    }
}

#[test]
fn incremental_updates_of_halfkp_nets_equal_refreshes() {
    assert_follows(halfkp(1, small, |any| any as i8), 40);
    // Accumulators that wrap round and weights of the greatest size.
    assert_follows(halfkp(2, |any| any as i16, |any| if any % 2 == 0 { -128 } else { 127 }), 40);
}

#[test]
fn halfkp_nets_follow_their_documentation() {
    assert_is_halfkp_by_the_book(small);
    // Weights that cannot be packed and accumulators that wrap round.
    assert_is_halfkp_by_the_book(|any| any as i16);
}

/// HalfKP as its documentation describes it, in the simplest way.
fn assert_is_halfkp_by_the_book(feature: fn(usize) -> i16) {
    let bytes = halfkp_bytes(3, feature, |any| (any % 41) as i8 - 20);
    let network = Network::from_bytes(&bytes).expect("a whole net");
    let number = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let bias = |at: usize| i32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    let (biases, rows) = (16, 16 + 512);
    let first = rows + 512 * 41024 + 4;
    let second = first + 32 * (4 + 512);
    let third = second + 32 * (4 + 32);
    let layer = |at: usize, outputs: usize, inputs: &[i32]| -> Vec<i32> {
        let weights = at + 4 * outputs;
        (0..outputs)
            .map(|output| {
                let weight = |input: usize| i32::from(bytes[weights + output * inputs.len() + input] as i8);
                bias(at + 4 * output)
                    + (0..inputs.len()).map(|input| weight(input) * inputs[input]).sum::<i32>()
            })
            .collect()
    };
    let clipped =
        |outputs: Vec<i32>| -> Vec<i32> { outputs.iter().map(|sum| (sum >> 6).clamp(0, 127)).collect() };
    let (mut count, mut values) = (0, std::collections::HashSet::new());
    for_each_position(11, 1, |position, _| {
        count += 1;
        if count % 9 != 0 {
            return;
        }
        let us = position.side_to_move();
        let inputs: Vec<i32> = [us, !us]
            .into_iter()
            .flat_map(|side| {
                let turned = |square: usize| if side == Color::White { square } else { 63 - square };
                let mut sums: Vec<i16> = (0..256).map(|i| number(biases + 2 * i)).collect();
                for (square, piece) in position.board() {
                    if piece.piece_type() != PieceType::King {
                        let set = 2 * piece.piece_type().index() + usize::from(piece.color() != side);
                        let row =
                            641 * turned(position.king(side).index()) + 1 + 64 * set + turned(square.index());
                        (0..256)
                            .for_each(|i| sums[i] = sums[i].wrapping_add(number(rows + 512 * row + 2 * i)));
                    }
                }
                sums.into_iter().map(|sum| sum.clamp(0, 127).into())
            })
            .collect();
        let hidden = clipped(layer(second, 32, &clipped(layer(first, 32, &inputs))));
        let expected = layer(third, 1, &hidden)[0] / 16;
        assert_eq!(network.evaluate(position), expected, "{position}");
        values.insert(expected);
    });
    assert!(values.len() > 20);
}

#[test]
fn nets_are_colour_symmetric() {
    for net in [NetworkParameters::noise(64, 8, 5), NetworkParameters::noise_with_king_buckets(64, 8, 6)] {
        let net = Network::from_bytes(&net.to_bytes()).expect("a whole net");
        for_each_position(5, 1, |position, _| {
            assert_eq!(net.evaluate(position), net.evaluate(&position.with_colors_exchanged()), "{position}");
        });
    }
}

#[test]
fn the_net_can_be_changed_in_the_middle_of_a_line() {
    let nets = [6, 7]
        .map(|seed| Network::from_bytes(&NetworkParameters::noise(64, 1, seed).to_bytes()).expect("a net"));
    let nets = nets.map(Arc::new);
    let start = Position::start();
    let mut evaluator = Evaluator::new(&start);
    let classical = evaluator.evaluate(&start);
    let mut position = start;
    for (index, text) in ["e2e4", "e7e5", "e1e2", "e8e7", "e2d3"].into_iter().enumerate() {
        let before = position;
        let mv = before.parse_uci(text).expect("legal");
        before.play_into(mv, &mut position, evaluator.push());
        let net = &nets[index % 2];
        evaluator.set_network(Some(net.clone()));
        assert_eq!(evaluator.evaluate(&position), net.evaluate(&position));
    }
    (0..5).for_each(|_| evaluator.pop());
    assert_eq!(evaluator.evaluate(&start), nets[0].evaluate(&start));
    evaluator.set_network(None);
    assert_eq!(evaluator.evaluate(&start), classical);
    assert!(evaluator.network().is_none());
}

#[test]
fn pieces_are_worth_what_their_absence_costs() {
    let net = Network::from_bytes(&NetworkParameters::noise(64, 8, 8).to_bytes()).expect("a whole net");
    let (with, without) = (at("4k3/8/8/3q4/8/8/4P3/4K3 b - - 0 1"), at("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"));
    let values = net.piece_values(&with);
    assert_eq!(values.iter().flatten().count(), 2);
    let queen = values[ferz_board::Square::D5.index()];
    assert_eq!(queen, Some(-(net.evaluate(&with) - net.evaluate(&without))));
}

/// Without a piece, these six have a different output bucket.
#[test]
fn piece_values_of_extreme_nets_saturate() {
    let mut net = NetworkParameters::noise(32, 8, 1);
    (net.scale, net.output_unit) = (1000, 1);
    (net.output_biases[0], net.output_biases[1]) = (i32::MAX, i32::MIN);
    let net = Network::from_bytes(&net.to_bytes()).expect("a whole net");
    for (fen, value) in
        [("4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1", i32::MIN), ("4k3/pp6/8/8/8/8/PP6/4K3 b - - 0 1", i32::MAX)]
    {
        let values = net.piece_values(&at(fen));
        assert_eq!(values[ferz_board::Square::A2.index()], Some(value), "{fen}");
    }
}

/// Bytes with some of them overwritten.
fn patched(bytes: &[u8], at: usize, patch: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + patch.len()].copy_from_slice(patch);
    bytes
}

fn refusal(bytes: &[u8]) -> String {
    Network::from_bytes(bytes).expect_err("must be refused").to_string()
}

#[test]
fn bad_files_are_refused_with_the_reason() {
    let net = NetworkParameters::noise(32, 8, 1);
    let good = net.to_bytes();
    assert_eq!(NetworkParameters::from_bytes(&good).as_ref(), Ok(&net));
    let changed = |change: fn(&mut NetworkParameters)| {
        let mut net = net.clone();
        change(&mut net);
        net.to_bytes()
    };
    let mut longer = good.clone();
    longer.push(0);
    let last = good.len() - 1;
    let cases: [(&str, Vec<u8>); 26] = [
        ("the net file is empty", vec![]),
        ("unknown net format: the file begins with \"ABCD\"", b"ABCD".to_vec()),
        ("unknown net format: the file begins with \"<html>40\"", b"<html>404 not found</html>".to_vec()),
        ("unknown net format: the file begins with \"FERZNNUF\"", patched(&good, 7, b"F")),
        ("length: expected 64 bytes, found 8", good[..8].to_vec()),
        ("length: expected 64 bytes, found 63", good[..63].to_vec()),
        ("version: expected 1, found 2 (0x2)", patched(&good, 8, &[2])),
        ("architecture: expected 1 or 2, found 257", patched(&good, 11, &[1])),
        ("hidden: expected a multiple of 32 from 32 to 2048, found 33", patched(&good, 12, &[33])),
        ("hidden: expected a multiple of 32 from 32 to 2048, found 0", patched(&good, 12, &[0])),
        ("hidden: expected a multiple of 32 from 32 to 2048, found 2080", patched(&good, 12, &[0x20, 8])),
        ("buckets: expected 1 or 8, found 2", patched(&good, 14, &[2])),
        ("QA: expected 255, found 254", patched(&good, 16, &[254])),
        ("QB: expected 1 to 1024, found 0", patched(&good, 18, &[0])),
        ("QB: expected 1 to 1024, found 1088", patched(&good, 19, &[4])),
        ("scale: expected 1 to 1000, found 1001", patched(&good, 20, &[0xe9, 3])),
        ("scale: expected 1 to 1000, found 0", patched(&good, 20, &[0, 0])),
        ("reserved: expected 0, found 1", patched(&good, 22, &[1])),
        (
            "payload length: expected the length that architecture, hidden and buckets give, found",
            patched(&good, 14, &[1]),
        ),
        (
            "payload length: expected the length that architecture, hidden and buckets give, found",
            patched(&good, 24, &[255; 8]),
        ),
        ("length: expected 50336 bytes, found 50335", good[..last].to_vec()),
        ("length: expected 50336 bytes, found 50337", longer),
        ("SHA-256 mismatch", patched(&good, 40, &[good[40] ^ 1])),
        ("SHA-256 mismatch", patched(&good, last, &[good[last] ^ 128])),
        (
            "output weight: expected a size of at most 127, found -128",
            changed(|net| net.output_weights[7] = -128),
        ),
        (
            "bias and 32 weights of a hidden unit: expected a size of at most 32767, found 1081344",
            changed(|net| {
                net.feature_weights[40] = i16::MIN;
                net.feature_biases[8] = i16::MIN;
            }),
        ),
    ];
    for (expected, bytes) in cases {
        let found = refusal(&bytes);
        assert!(found.starts_with(expected), "{found:?} instead of {expected:?}");
    }
    // The limit itself is valid.
    let most = changed(|net| {
        net.feature_weights[..32].fill(-1000);
        net.feature_biases.fill(767);
    });
    assert!(Network::from_bytes(&most).is_ok());
}

#[test]
fn bad_halfkp_files_are_refused_with_the_reason() {
    let good = halfkp_bytes(4, |_| 1, |_| 1);
    let layers = 16 + 512 * (1 + 41024);
    assert!(Network::from_bytes(&good).is_ok());
    // The description may be of any reasonable length.
    let mut described = patched(&good, 8, &[3]);
    described.splice(12..12, *b"abc");
    assert!(Network::from_bytes(&described).is_ok());

    let mut longer = good.clone();
    longer.push(0);
    for (expected, bytes) in [
        (
            "version: expected 0x7af32f16 (Stockfish 12 and 13), found 2062757664 (0x7af32f20)",
            patched(&good, 0, &[0x20]),
        ),
        ("length: expected 8 bytes, found 4", good[..4].to_vec()),
        (
            "architecture hash: expected 0x3e5aa6ee (HalfKP 256x2-32-32), found 1046128367",
            patched(&good, 4, &[0xEF]),
        ),
        ("description length: expected at most 4096, found 4294967295", patched(&good, 8, &[255; 4])),
        ("length: expected 12 bytes, found 9", good[..9].to_vec()),
        ("length: expected 2112 bytes, found 12", patched(&good[..12], 8, &[0x34, 8])),
        ("length: ", good[..good.len() - 1].to_vec()),
        ("length: ", longer),
        ("length: ", patched(&good, 8, &[1])),
        ("feature transformer hash: expected 0x5d69d7b8", patched(&good, 12, &[0])),
        ("layers hash: expected 0x63337156", patched(&good, layers, &[0])),
        (
            "first hidden layer bias: expected a size of at most 1073741824, found -2147483648",
            patched(&good, layers + 4, &i32::MIN.to_le_bytes()),
        ),
        (
            "output bias: expected a size of at most 1073741824, found 1073741825",
            patched(&good, good.len() - 36, &((1 << 30) + 1i32).to_le_bytes()),
        ),
    ] {
        let found = refusal(&bytes);
        assert!(found.starts_with(expected), "{found:?} instead of {expected:?}");
    }
}

#[test]
fn no_bit_can_be_wrong() {
    let mut bytes = NetworkParameters::noise(32, 8, 2).to_bytes();
    let places = (0..64).chain((64..bytes.len()).step_by(997));
    for (at, bit) in places.flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        bytes[at] ^= 1 << bit;
        assert!(Network::from_bytes(&bytes).is_err(), "bit {bit} of byte {at}");
        bytes[at] ^= 1 << bit;
    }
    assert!(Network::from_bytes(&bytes).is_ok());
}

#[test]
fn damaged_headers_never_panic() {
    let mut rng = Rng::with_seed(12);
    let good = NetworkParameters::noise(32, 1, 1).to_bytes();
    for _ in 0..2000 {
        let mut bytes = good[..rng.usize(..good.len())].to_vec();
        for _ in 0..rng.usize(..4) {
            if !bytes.is_empty() {
                let at = rng.usize(..bytes.len().min(80));
                bytes[at] = rng.u8(..);
            }
        }
        assert!(Network::from_bytes(&bytes).is_err());
    }
    let refusals = [0; 8].map(|byte: u8| Network::from_bytes(&[byte; 64]));
    assert!(refusals.iter().all(|it| matches!(it, Err(NetworkError::Unknown { .. }))));
}

/// A trace shows, number by number, how the net comes to the value that the kernels compute.
#[test]
fn traces_add_up_to_the_evaluation() {
    let networks = [NetworkParameters::noise(64, 8, 3), NetworkParameters::noise(32, 1, 4)]
        .map(|parameters| Network::from_bytes(&parameters.to_bytes()).expect("a whole net"));
    let (mut positions, mut incremental) = (0, 0);
    for network in &networks {
        for_each_position(20, 10, |position, before| {
            let trace = network.trace(position).expect("one hidden layer");
            let sum: i64 = trace.accumulators.iter().map(AccumulatorTrace::sum).sum();
            assert_eq!(sum, trace.sum, "{position}");
            let output = (sum / i64::from(NetworkTrace::UNIT) + i64::from(trace.output_bias)) * trace.scale;
            assert_eq!(output / trace.output_unit, i64::from(trace.value), "{position}");
            assert_eq!(trace.value, network.evaluate(position), "{position}");
            positions += 1;
            let Some((before, _)) = before else { return };
            // Rows that come and go lead from one accumulator to the next, unless the king changed its half.
            for old in network.trace(before).expect("the same net").accumulators {
                let new = trace.accumulators.iter().find(|it| it.perspective == old.perspective);
                let new = new.expect("both perspectives");
                if old.is_mirrored != new.is_mirrored {
                    continue;
                }
                let mut numbers = old.numbers.clone();
                let row = |index| network.feature_row(index).expect("a feature");
                for &(.., index) in old.features.iter().filter(|it| !new.features.contains(it)) {
                    numbers.iter_mut().zip(row(index)).for_each(|(it, weight)| *it = it.wrapping_sub(weight));
                }
                for &(.., index) in new.features.iter().filter(|it| !old.features.contains(it)) {
                    numbers.iter_mut().zip(row(index)).for_each(|(it, weight)| *it = it.wrapping_add(weight));
                }
                assert_eq!(numbers, new.numbers, "{position}");
                incremental += 1;
            }
        });
    }
    assert!(positions > 5_000 && incremental > positions, "{positions} {incremental}");
    assert_eq!(networks[0].feature_row(768), None);
}
