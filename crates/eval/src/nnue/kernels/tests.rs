//! Every backend against the definitions, with random numbers and with the worst there are.

use super::testing::{Random, flat};
use super::*;
use crate::nnue::block::LANES;
use crate::nnue::rows::{PlainRows, Rows, Selection};
use crate::nnue::simd::for_each_backend;

const WIDTHS: [usize; 9] = [1, 2, 3, 4, 7, 8, 9, 24, 64];

fn sum_of_squares<L: Lanes>(own: &[Block], other: &[Block], weights: &[Block]) -> i64 {
    let (own_weights, other_weights) = weights.split_at(own.len());
    let (own_sum, other_sum) = (Squares::<L>::new(own_weights), Squares::<L>::new(other_weights));
    Squares::total(&pass(own, own_sum), &pass(other, other_sum))
}

fn expected_squares(own: &[Block], other: &[Block], weights: &[Block]) -> i64 {
    let lanes = flat(own).into_iter().chain(flat(other));
    let square = |(lane, weight): (i16, i16)| i64::from(lane.clamp(0, 255)).pow(2) * i64::from(weight);
    lanes.zip(flat(weights)).map(square).sum()
}

#[test]
fn sums_of_squares_are_exact() {
    fn check<L: Lanes>() {
        let mut random = Random(2);
        for number in [Random::any, Random::near] {
            for width in WIDTHS {
                let [own, other] = [0; 2].map(|_| random.blocks(width, number));
                let weights = random.blocks(2 * width, Random::weight);
                let expected = expected_squares(&own, &other, &weights);
                assert_eq!(sum_of_squares::<L>(&own, &other, &weights), expected);
                // The same, while rows are added eight blocks at a time.
                let (sum, none) = (Squares::<L>::new(&weights[..width]), Squares::<L>::new(&[]));
                let rows = PlainRows::new(other, width);
                let sum = rows.sum_up(&own, Selection { added: &[0, 0, 0], removed: &[0, 0, 0] }, sum);
                let expected = expected_squares(&own, &[], &weights);
                assert_eq!(Squares::total(&sum, &none), expected);
            }
        }
    }
    for_each_backend!(check());
}

#[test]
fn the_greatest_sums_do_not_overflow() {
    fn check<L: Lanes>() {
        for lane in [255, i16::MAX, 0, i16::MIN] {
            for weight in [127, -127] {
                let accumulator = vec![Block([lane; LANES]); 64];
                let weights = vec![Block([weight; LANES]); 128];
                let expected = 4096 * i64::from(lane.clamp(0, 255)).pow(2) * i64::from(weight);
                assert_eq!(sum_of_squares::<L>(&accumulator, &accumulator, &weights), expected);
            }
        }
    }
    for_each_backend!(check());
}

#[test]
fn clipping_keeps_order_and_limits() {
    fn check<L: Lanes>() {
        let mut random = Random(3);
        for number in [Random::any, Random::near] {
            // An even number of blocks and an odd one.
            for width in [7, 8] {
                let blocks = random.blocks(width, number);
                let Clip(inputs) = pass::<L, _>(&blocks, Clip(Inputs([0; 256])));
                let is_clipped = |(input, lane): (&u8, i16)| i16::from(*input) == lane.clamp(0, 127);
                assert!(inputs.0.iter().zip(flat(&blocks)).all(is_clipped));
                assert_eq!(inputs.0[32 * width..], vec![0; 256 - 32 * width]);
            }
        }
    }
    for_each_backend!(check());
}

/// Weights in the order of [`dense_layer`].
fn in_quads(weights: &[[i8; 32]]) -> [[Bytes; 2]; 8] {
    let mut quads = [[Bytes([0; 64]); 2]; 8];
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
    fn check<L: Lanes>() {
        let mut random = Random(4);
        // How many inputs of a hundred are not zero.
        for share in [0, 1, 10, 26, 60, 100].repeat(8) {
            for extreme in [None, Some(127), Some(-128)] {
                let mut weight = || extreme.unwrap_or(random.next() as i8);
                let first: [[i8; 32]; 512] = std::array::from_fn(|_| std::array::from_fn(|_| weight()));
                let second: [[i8; 32]; 32] = std::array::from_fn(|_| std::array::from_fn(|_| weight()));
                let mut input = || match (random.next() % 100 < share, extreme) {
                    (false, _) => 0,
                    (true, Some(_)) => 127,
                    (true, None) => 1 + (random.next() % 127) as u8,
                };
                let inputs: [u8; 512] = std::array::from_fn(|_| input());
                let halves: [Inputs<256>; 2] =
                    [0, 256].map(|at| Inputs(*inputs[at..].first_chunk().expect("two halves")));
                // Such that sums are on both sides of all limits.
                let size = 1 << (random.next() % 19 + 12);
                let biases = std::array::from_fn(|_| (random.next() % (2 * size)) as i32 - size as i32);
                let outputs = sparse_layer::<L>([&halves[0], &halves[1]], &L::arrange(&first), &biases);
                assert_eq!(outputs, expected_layer(&inputs, &first, &biases));

                let inputs = inputs.first_chunk().expect("32 of 512");
                let outputs = dense_layer::<L>(inputs, &in_quads(&second), &biases);
                assert_eq!(outputs, expected_layer(inputs, &second, &biases));

                let weights = first[0];
                let products =
                    inputs.iter().zip(weights).map(|(&input, it)| i32::from(input) * i32::from(it));
                assert_eq!(L::dot(inputs, &weights), products.sum::<i32>());
            }
        }
    }
    for_each_backend!(check());
}

#[test]
fn busy_quads_are_those_not_zero() {
    fn check<L: Lanes>() {
        let mut random = Random(5);
        for share in [0, 1, 10, 50, 100] {
            let mut inputs = [0; 512];
            inputs.iter_mut().for_each(|input| {
                *input = if random.next() % 100 < share { 1 + (random.next() % 127) as u8 } else { 0 };
            });
            let mut list = [0; 128];
            let count = L::list_busy_quads(&inputs, &mut list);
            let quads = inputs.as_chunks::<4>().0.iter().enumerate();
            let expected: Vec<u8> =
                quads.filter(|(_, quad)| **quad != [0; 4]).map(|(i, _)| i as u8).collect();
            assert_eq!(list[..count], expected);
        }
    }
    for_each_backend!(check());
}
