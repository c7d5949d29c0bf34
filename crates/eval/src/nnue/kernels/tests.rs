//! Every backend against the definitions, with random numbers and with the worst there are.

use super::*;
use crate::nnue::block::{LANES, blocks};
use crate::nnue::simd::for_each_backend;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Any number, and now and then an extreme one.
    fn any(&mut self) -> i16 {
        const EXTREMES: [i16; 8] = [i16::MIN, i16::MAX, 0, -1, 127, 128, 255, 256];
        match self.next() {
            bits if bits % 4 == 0 => EXTREMES[(bits >> 8) as usize % 8],
            bits => (bits >> 16) as i16,
        }
    }

    /// Near the numbers in which accumulators usually are.
    fn near(&mut self) -> i16 {
        (self.next() % 601) as i16 - 200
    }

    fn weight(&mut self) -> i16 {
        (self.next() % 255) as i16 - 127
    }

    fn blocks(&mut self, width: usize, number: fn(&mut Random) -> i16) -> Vec<Block> {
        blocks((0..width * LANES).map(|_| number(self)))
    }
}

fn flat(blocks: &[Block]) -> Vec<i16> {
    blocks.iter().flat_map(|block| block.0).collect()
}

const WIDTHS: [usize; 9] = [1, 2, 3, 4, 7, 8, 9, 24, 64];

/// Keeps what it is given, so that a test can look at it.
struct Keep(Vec<Option<Block>>);

impl Keep {
    fn new(width: usize) -> Keep {
        Keep(vec![None; width])
    }

    fn flat(&self) -> Vec<i16> {
        self.0.iter().flat_map(|block| block.expect("every block is taken").0).collect()
    }
}

impl<L: Lanes> Sink<L> for Keep {
    fn take<const N: usize>(&mut self, at: usize, blocks: [L; N]) {
        for (block, place) in blocks.iter().zip(&mut self.0[at..at + N]) {
            assert_eq!(*place, None, "a block is taken twice");
            block.store(place.insert(Block::ZERO));
        }
    }
}

#[test]
fn updates_are_sums() {
    fn check<L: Lanes>() {
        let mut random = Random(1);
        for width in WIDTHS {
            let from = random.blocks(width, Random::any);
            let rows: Vec<Vec<Block>> = (0..6).map(|_| random.blocks(width, Random::any)).collect();
            let weights = rows.concat();
            let expected = |added: &[u32], removed: &[u32]| {
                let mut sums = flat(&from);
                for (i, sum) in sums.iter_mut().enumerate() {
                    let lane = |row: &u32| flat(&rows[*row as usize])[i];
                    *sum = added.iter().map(lane).fold(*sum, i16::wrapping_add);
                    *sum = removed.iter().map(lane).fold(*sum, i16::wrapping_sub);
                }
                sums
            };
            let mut to = vec![Block::ZERO; width];
            let mut is_expected =
                |compute: &dyn Fn(&mut [Block], &mut Keep), added: &[u32], removed: &[u32]| {
                    let mut kept = Keep::new(width);
                    to.fill(Block([77; LANES]));
                    compute(&mut to, &mut kept);
                    assert_eq!(flat(&to), expected(added, removed));
                    assert_eq!(kept.flat(), flat(&to));
                };
            let row = |number: usize| &rows[number][..];
            is_expected(&|to, kept| update::<L, 1, 1>(&from, to, [row(0)], [row(1)], kept), &[0], &[1]);
            is_expected(
                &|to, kept| update::<L, 1, 2>(&from, to, [row(0)], [row(1), row(2)], kept),
                &[0],
                &[1, 2],
            );
            is_expected(
                &|to, kept| update::<L, 2, 2>(&from, to, [row(0), row(3)], [row(1), row(2)], kept),
                &[0, 3],
                &[1, 2],
            );
            let lists: [(&[u32], &[u32]); 4] =
                [(&[], &[]), (&[5], &[]), (&[1, 1, 0], &[4, 3]), (&[], &[0, 5])];
            for (added, removed) in lists {
                let rows = Rows { weights: &weights, width, added, removed };
                is_expected(&|to, kept| apply::<L>(&from, to, rows, kept), added, removed);
                let mut kept = Keep::new(width);
                sum_up::<L>(&from, rows, &mut kept);
                assert_eq!(kept.flat(), expected(added, removed));
            }
            let mut kept = Keep::new(width);
            pass::<L>(&from, &mut kept);
            assert_eq!(kept.flat(), flat(&from));
        }
    }
    for_each_backend!(check());
}

fn sum_of_squares<L: Lanes>(own: &[Block], other: &[Block], weights: &[Block]) -> i64 {
    let (own_weights, other_weights) = weights.split_at(own.len());
    let (mut own_sum, mut other_sum) = (Squares::<L>::new(own_weights), Squares::<L>::new(other_weights));
    pass(own, &mut own_sum);
    pass(other, &mut other_sum);
    Squares::total(&own_sum, &other_sum)
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
                let (mut sum, none) = (Squares::<L>::new(&weights[..width]), Squares::<L>::new(&[]));
                sum_up(&own, Rows { weights: &other, width, added: &[0], removed: &[0] }, &mut sum);
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
            for width in WIDTHS {
                let blocks = random.blocks(width, number);
                let mut inputs = vec![0; 32 * width];
                pass::<L>(&blocks, &mut Clip(&mut inputs));
                let is_clipped = |(input, lane): (&u8, i16)| i16::from(*input) == lane.clamp(0, 127);
                assert!(inputs.iter().zip(flat(&blocks)).all(is_clipped));
            }
        }
    }
    for_each_backend!(check());
}

/// Weights of a layer with 32 outputs, in both orders.
fn layer<const QUADS: usize>(mut weight: impl FnMut() -> i8) -> (Box<[[Bytes; 2]; QUADS]>, Vec<[i8; 32]>) {
    let mut packed = Box::new([[Bytes([0; 64]); 2]; QUADS]);
    let mut by_input = vec![[0; 32]; 4 * QUADS];
    for (input, row) in by_input.iter_mut().enumerate() {
        for (output, place) in row.iter_mut().enumerate() {
            *place = weight();
            packed[input / 4][output / 16].0[output % 16 * 4 + input % 4] = *place;
        }
    }
    (packed, by_input)
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
        for share in [0, 1, 30, 60, 100].repeat(8) {
            for extreme in [None, Some(127), Some(-128)] {
                let mut weight = || extreme.unwrap_or(random.next() as i8);
                let (first, first_by_input) = layer::<128>(&mut weight);
                let (second, second_by_input) = layer::<8>(&mut weight);
                let mut inputs = Inputs([0; 512]);
                for quad in inputs.0.as_chunks_mut::<4>().0 {
                    if random.next() % 100 < share {
                        *quad = std::array::from_fn(|_| match extreme {
                            Some(_) => 127,
                            None => (random.next() % 128) as u8,
                        });
                    }
                }
                // Such that sums are on both sides of all limits.
                let size = 1 << (random.next() % 19 + 12);
                let biases = std::array::from_fn(|_| (random.next() % (2 * size)) as i32 - size as i32);
                let expected = expected_layer(&inputs.0, &first_by_input, &biases);
                assert_eq!(sparse_layer::<L>(&inputs, &first, &biases), expected);
                let inputs = inputs.0.first_chunk().expect("32 of 512");
                let expected = expected_layer(inputs, &second_by_input, &biases);
                assert_eq!(dense_layer::<L>(inputs, &second, &biases), expected);
                let weights = first_by_input[0];
                let products = inputs.iter().zip(weights);
                let expected =
                    products.map(|(&input, weight)| i32::from(input) * i32::from(weight)).sum::<i32>();
                assert_eq!(L::dot(inputs, &weights), expected);
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
