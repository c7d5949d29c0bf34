//! Whole nets, evaluated with every backend that the processor can run.

use std::collections::HashSet;

use fastrand::Rng;

use super::*;
use crate::Evaluator;

/// A HalfKP net with random weights; this function makes those of the feature transformer.
fn halfkp_bytes(feature: fn(&mut Rng) -> i16) -> Vec<u8> {
    let mut rng = Rng::with_seed(1);
    let constants = [0x7AF3_2F16u32, 0x3E5A_A6EE, 0, 0x5D69_D7B8];
    let mut bytes: Vec<u8> = constants.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend((0..256 * (1 + 64 * 641)).flat_map(|_| feature(&mut rng).to_le_bytes()));
    bytes.extend(0x6333_7156u32.to_le_bytes());
    for (outputs, inputs) in [(32, 512), (32, 32), (1, 32)] {
        bytes.extend((0..outputs).flat_map(|_| rng.i32(-4000..4000).to_le_bytes()));
        bytes.extend((0..outputs * inputs).map(|_| rng.u8(..)));
    }
    bytes
}

/// Values along random games: from scratch, and after moves that are not always evaluated.
fn values(network: Network) -> Vec<i32> {
    let network = Arc::new(network);
    let mut rng = Rng::with_seed(2);
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

#[test]
fn all_backends_agree() {
    assert_eq!(Backend::available().next().map(Backend::name), Some("scalar"));
    let nets = [
        NetworkParameters::noise(32, 1, 1).to_bytes(),
        NetworkParameters::noise(352, 8, 2).to_bytes(),
        NetworkParameters::noise_with_king_buckets(64, 8, 3).to_bytes(),
        halfkp_bytes(|rng| rng.i16(-60..=60)),
        // Too wide to be packed.
        halfkp_bytes(|rng| rng.i16(..)),
    ];
    for bytes in nets {
        let mut found = Backend::available().map(|backend| {
            let network = Network::for_backend(&bytes, backend).expect("a valid net");
            (network.to_string(), backend.name(), values(network))
        });
        let (network, _, expected) = found.next().expect("scalar");
        let different: HashSet<&i32> = expected.iter().collect();
        assert!(different.len() > 20, "{network}");
        found.for_each(|(_, name, values)| assert!(values == expected, "{network}: {name}"));
    }
}

#[test]
fn the_best_backend_is_used() {
    let network = Network::from_bytes(&NetworkParameters::noise(32, 1, 1).to_bytes()).expect("a valid net");
    let is_best = |name| {
        let is_last = Backend::available().last().map(Backend::name) == Some(name);
        is_last && kernel_name() == name && network.backend.name() == name
    };
    #[cfg(target_arch = "x86_64")]
    assert!(is_best(match () {
        () if is_x86_feature_detected!("avx512vbmi2") && is_x86_feature_detected!("avx512vnni") => {
            "AVX-512 VBMI2"
        }
        () if is_x86_feature_detected!("avx512vnni") => "AVX-512 VNNI",
        () if is_x86_feature_detected!("avx512bw") => "AVX-512",
        () if is_x86_feature_detected!("avx2") => "AVX2",
        () => "scalar",
    }));
    #[cfg(target_arch = "aarch64")]
    assert!(is_best("NEON"));
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    assert!(is_best(if cfg!(target_feature = "simd128") { "simd128" } else { "scalar" }));
}
