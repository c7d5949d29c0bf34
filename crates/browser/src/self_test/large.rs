//! Tests that need much code.

use std::sync::Arc;

use fastrand::Rng;
use ferz_board::{CastlingMode, Position};
use ferz_eval::{Evaluator, Network, NetworkParameters};

/// The nodes of a perft.
pub fn perft(fen: &str, depth: u32) -> u64 {
    let position = Position::from_fen_in(fen, CastlingMode::Chess960).expect("a valid FEN");
    ferz_board::perft::count(&position, depth)
}

/// Evaluates random games with random nets of both architectures and all backends of this build. Returns how many values
/// were compared with those of the scalar backend, and panics if one differs.
pub fn compare_kernels(seed: u64) -> u32 {
    let mut rng = Rng::with_seed(seed);
    let nets = [
        NetworkParameters::noise(32, 1, rng.u64(..)).to_bytes(),
        NetworkParameters::noise(352, 8, rng.u64(..)).to_bytes(),
        NetworkParameters::noise(768, 8, rng.u64(..)).to_bytes(),
        halfkp_net(&mut rng, 60),
        // Too wide to be packed.
        halfkp_net(&mut rng, i16::MAX),
    ];
    let games = rng.u64(..);
    let mut compared = 0;
    for bytes in nets {
        let mut networks = Network::for_all_backends(&bytes).expect("a valid net").into_iter();
        let (reference, scalar) = networks.next().expect("at least one backend");
        assert_eq!(reference, "scalar");
        let kind = scalar.to_string();
        let expected = values(scalar, games);
        assert!(expected.iter().any(|&value| value != expected[0]), "{kind}: all values are equal");
        for (name, network) in networks {
            assert!(values(network, games) == expected, "{kind}: {name} differs from scalar");
            compared += expected.len();
        }
    }
    compared as u32
}

/// A HalfKP net with random weights; those of the feature transformer are limited in size.
fn halfkp_net(rng: &mut Rng, limit: i16) -> Vec<u8> {
    let constants = [0x7AF3_2F16u32, 0x3E5A_A6EE, 0, 0x5D69_D7B8];
    let mut bytes: Vec<u8> = constants.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend((0..256 * (1 + 64 * 641)).flat_map(|_| rng.i16(-limit..=limit).to_le_bytes()));
    bytes.extend(0x6333_7156u32.to_le_bytes());
    for (outputs, inputs) in [(32, 512), (32, 32), (1, 32)] {
        bytes.extend((0..outputs).flat_map(|_| rng.i32(-4000..4000).to_le_bytes()));
        bytes.extend((0..outputs * inputs).map(|_| rng.u8(..)));
    }
    bytes
}

/// Values along random games: from scratch, and after moves that are not always evaluated.
fn values(network: Network, seed: u64) -> Vec<i32> {
    let network = Arc::new(network);
    let mut rng = Rng::with_seed(seed);
    let mut evaluator = Evaluator::with_network(&Position::start(), Some(Arc::clone(&network)));
    let mut values = Vec::new();
    for _ in 0..8 {
        let mut position = Position::start();
        evaluator.reset(&position);
        for _ in 0..100 {
            let moves = position.legal_moves();
            let Some(&mv) = rng.choice(moves.as_slice()) else { break };
            let before = position;
            before.play_into(mv, &mut position, evaluator.push());
            if rng.u8(..3) > 0 {
                values.extend([evaluator.evaluate(&position), network.evaluate(&position)]);
            }
        }
    }
    values
}
