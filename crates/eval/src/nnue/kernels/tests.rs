//! Every backend against the definitions, with random and with extreme numbers.

use fastrand::Rng;

use super::testing::{any, flat, near, vectors, weight};
use super::*;
use crate::nnue::aligned::LANES;
use crate::nnue::feature_weights::{FeatureDelta, FeatureWeights, PlainWeights};
use crate::nnue::simd::for_each_backend;

const WIDTHS: [usize; 9] = [1, 2, 3, 4, 7, 8, 9, 24, 64];

fn screlu_sum<V: Vector>(us: &[I16x32], them: &[I16x32], weights: &[I16x32]) -> i64 {
    let (own_weights, other_weights) = weights.split_at(us.len());
    let (own_sum, other_sum) = (ScreluSum::<V>::new(own_weights), ScreluSum::<V>::new(other_weights));
    ScreluSum::total(&read(us, own_sum), &read(them, other_sum))
}

fn expected_screlu(us: &[I16x32], them: &[I16x32], weights: &[I16x32]) -> i64 {
    let lanes = flat(us).into_iter().chain(flat(them));
    let square = |(lane, weight): (i16, i16)| i64::from(lane.clamp(0, 255)).pow(2) * i64::from(weight);
    lanes.zip(flat(weights)).map(square).sum()
}

#[test]
fn screlu_sums_are_exact() {
    fn check<V: Vector>() {
        let mut rng = Rng::with_seed(2);
        for number in [any, near] as [fn(&mut Rng) -> i16; 2] {
            for width in WIDTHS {
                let [us, them] = [0; 2].map(|_| vectors(&mut rng, width, number));
                let weights = vectors(&mut rng, 2 * width, weight);
                let expected = expected_screlu(&us, &them, &weights);
                assert_eq!(screlu_sum::<V>(&us, &them, &weights), expected);
                // The same while features are added, eight vectors at a time.
                let (sum, none) = (ScreluSum::<V>::new(&weights[..width]), ScreluSum::<V>::new(&[]));
                let rows = PlainWeights::new(them, width);
                let sum = rows.accumulate(&us, FeatureDelta { added: &[0, 0, 0], removed: &[0, 0, 0] }, sum);
                let expected = expected_screlu(&us, &[], &weights);
                assert_eq!(ScreluSum::total(&sum, &none), expected);
            }
        }
    }
    for_each_backend!(check());
}

#[test]
fn the_greatest_sums_do_not_overflow() {
    fn check<V: Vector>() {
        for lane in [255, i16::MAX, 0, i16::MIN] {
            for weight in [127, -127] {
                let accumulator = vec![I16x32([lane; LANES]); 64];
                let weights = vec![I16x32([weight; LANES]); 128];
                let expected = 4096 * i64::from(lane.clamp(0, 255)).pow(2) * i64::from(weight);
                assert_eq!(screlu_sum::<V>(&accumulator, &accumulator, &weights), expected);
            }
        }
    }
    for_each_backend!(check());
}

#[test]
fn clipped_relu_keeps_order_and_limits() {
    fn check<V: Vector>() {
        let mut rng = Rng::with_seed(3);
        for number in [any, near] as [fn(&mut Rng) -> i16; 2] {
            // An odd number of vectors and an even one.
            for width in [7, 8] {
                let accumulator = vectors(&mut rng, width, number);
                let ClippedRelu(inputs) = read::<V, _>(&accumulator, ClippedRelu(ClippedInputs([0; 256])));
                let is_clipped = |(input, lane): (&u8, i16)| i16::from(*input) == lane.clamp(0, 127);
                assert!(inputs.0.iter().zip(flat(&accumulator)).all(is_clipped));
                assert_eq!(inputs.0[32 * width..], vec![0; 256 - 32 * width]);
            }
        }
    }
    for_each_backend!(check());
}

/// Weights in the order of [`dense_layer`].
fn in_quads(weights: &[[i8; 32]]) -> [[I8x64; 2]; 8] {
    let mut quads = [[I8x64([0; 64]); 2]; 8];
    for (input, weights) in weights.iter().enumerate() {
        for (output, weight) in weights.iter().enumerate() {
            quads[input / 4][output / 16].0[output % 16 * 4 + input % 4] = *weight;
        }
    }
    quads
}

fn expected_layer(inputs: &[u8], weights: &[[i8; 32]], biases: &[i32; 32]) -> [u8; 32] {
    std::array::from_fn(|output| {
        let products =
            inputs.iter().zip(weights).map(|(&input, row)| i32::from(input) * i32::from(row[output]));
        ((biases[output] + products.sum::<i32>()) >> 6).clamp(0, 127) as u8
    })
}

#[test]
fn layers_are_exact() {
    fn check<V: Vector>() {
        let mut rng = Rng::with_seed(4);
        // The percentage of nonzero inputs.
        for share in [0, 1, 10, 26, 60, 100].repeat(8) {
            for extreme in [None, Some(127), Some(-128)] {
                let mut weight = || extreme.unwrap_or_else(|| rng.i8(..));
                let first: [[i8; 32]; 512] = std::array::from_fn(|_| std::array::from_fn(|_| weight()));
                let second: [[i8; 32]; 32] = std::array::from_fn(|_| std::array::from_fn(|_| weight()));
                let mut input = || match (rng.u8(..100) < share, extreme) {
                    (false, _) => 0,
                    (true, Some(_)) => 127,
                    (true, None) => rng.u8(1..128),
                };
                let inputs: [u8; 512] = std::array::from_fn(|_| input());
                let halves: [ClippedInputs<256>; 2] =
                    [0, 256].map(|at| ClippedInputs(*inputs[at..].first_chunk().expect("two halves")));
                // Sums are on both sides of all limits.
                let size = 1 << rng.u32(12..31);
                let biases = std::array::from_fn(|_| rng.i32(-size..size));
                let outputs = V::sparse_layer([&halves[0], &halves[1]], &V::arrange_weights(&first), &biases);
                assert_eq!(outputs, expected_layer(&inputs, &first, &biases));

                let inputs = inputs.first_chunk().expect("32 of 512");
                let outputs = dense_layer::<V>(inputs, &in_quads(&second), &biases);
                assert_eq!(outputs, expected_layer(inputs, &second, &biases));

                let weights = first[0];
                let products =
                    inputs.iter().zip(weights).map(|(&input, it)| i32::from(input) * i32::from(it));
                assert_eq!(V::dot(inputs, &weights), products.sum::<i32>());
            }
        }
    }
    for_each_backend!(check());
}

#[test]
fn nonzero_quads_are_listed() {
    fn check<V: Vector>() {
        let mut rng = Rng::with_seed(5);
        for share in [0, 1, 10, 50, 100] {
            let mut inputs = [0; 512];
            inputs.iter_mut().for_each(|input| {
                *input = if rng.u8(..100) < share { rng.u8(1..128) } else { 0 };
            });
            let mut list = [0; 128];
            let count = V::list_nonzero_quads(&inputs, &mut list);
            let quads = inputs.as_chunks::<4>().0.iter().enumerate();
            let expected: Vec<u8> =
                quads.filter(|(_, quad)| **quad != [0; 4]).map(|(i, _)| i as u8).collect();
            assert_eq!(list[..count], expected);
        }
    }
    for_each_backend!(check());
}
