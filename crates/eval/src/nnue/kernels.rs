//! What inference does with vectors, written once for all [backends](super::simd).

use super::block::{Block, Bytes, Inputs};
use super::simd::Lanes;

/// How many blocks of an accumulator are kept in registers while rows are added to them.
const TILE: usize = 8;

/// A child's accumulator from its parent's, with these rows added and those removed: each is read or written once.
#[inline(always)]
pub(super) fn update<L: Lanes, const A: usize, const R: usize>(
    from: &[Block],
    to: &mut [Block],
    added: [&[Block]; A],
    removed: [&[Block]; R],
) {
    let width = to.len();
    let from = &from[..width];
    let added = added.map(|row| &row[..width]);
    let removed = removed.map(|row| &row[..width]);
    for i in 0..width {
        let mut lanes = L::load(&from[i]);
        for row in added {
            lanes = lanes.plus(L::load(&row[i]));
        }
        for row in removed {
            lanes = lanes.minus(L::load(&row[i]));
        }
        lanes.store(&mut to[i]);
    }
}

/// Adds any number of rows to an accumulator and removes others. Rows are numbers of rows in `weights`.
#[inline(always)]
pub(super) fn apply<L: Lanes>(accumulator: &mut [Block], weights: &[Block], added: &[u32], removed: &[u32]) {
    let width = accumulator.len();
    let (tiles, rest) = accumulator.as_chunks_mut::<TILE>();
    let rest_at = TILE * tiles.len();
    for (i, tile) in tiles.iter_mut().enumerate() {
        apply_to_tile::<L, TILE>(tile, weights, width, TILE * i, added, removed);
    }
    for (i, block) in rest.as_chunks_mut::<1>().0.iter_mut().enumerate() {
        apply_to_tile::<L, 1>(block, weights, width, rest_at + i, added, removed);
    }
}

#[inline(always)]
fn apply_to_tile<L: Lanes, const T: usize>(
    tile: &mut [Block; T],
    weights: &[Block],
    width: usize,
    at: usize,
    added: &[u32],
    removed: &[u32],
) {
    let mut lanes = [L::load(&tile[0]); T];
    lanes.iter_mut().zip(&*tile).for_each(|(lanes, block)| *lanes = L::load(block));
    let row = |number: u32| -> &[Block; T] {
        weights[number as usize * width + at..].first_chunk().expect("rows are as wide as the accumulator")
    };
    for &number in added {
        lanes.iter_mut().zip(row(number)).for_each(|(lanes, row)| *lanes = lanes.plus(L::load(row)));
    }
    for &number in removed {
        lanes.iter_mut().zip(row(number)).for_each(|(lanes, row)| *lanes = lanes.minus(L::load(row)));
    }
    tile.iter_mut().zip(lanes).for_each(|(block, lanes)| lanes.store(block));
}

/// The sum over both accumulators of square × weight, where numbers below 0 count as 0 and above 255 as 255.
///
/// It cannot overflow: a block adds at most 2 × 255² × 127 = 16516350 to each of the sixteen sums of 32 bits, and
/// two accumulators of 2048 numbers have 128 blocks, 2114092800 < 2³¹ in all. The sixteen are added up in 64 bits.
#[inline(always)]
pub(super) fn sum_of_squares<L: Lanes>(own: &[Block], other: &[Block], weights: &[Block]) -> i64 {
    let width = own.len();
    let (own_weights, other_weights) = weights.split_at(width);
    // Two sums for each half, so that no addition waits for the one before.
    let mut sums = [L::zeros(); 4];
    for (half, (blocks, weights)) in
        [(own, own_weights), (&other[..width], &other_weights[..width])].into_iter().enumerate()
    {
        let [even, odd] = [2 * half, 2 * half + 1];
        let (pairs, last) = blocks.as_chunks::<2>();
        let (weight_pairs, last_weights) = weights.as_chunks::<2>();
        for (blocks, weights) in pairs.iter().zip(weight_pairs) {
            sums[even] = L::add_squares(sums[even], L::load(&blocks[0]), L::load(&weights[0]));
            sums[odd] = L::add_squares(sums[odd], L::load(&blocks[1]), L::load(&weights[1]));
        }
        for (block, weights) in last.iter().zip(last_weights) {
            sums[even] = L::add_squares(sums[even], L::load(block), L::load(weights));
        }
    }
    let sum = L::merge(L::merge(sums[0], sums[1]), L::merge(sums[2], sums[3]));
    L::to_array(sum).into_iter().map(i64::from).sum()
}

/// Numbers as inputs of the next layer, below 0 as 0 and above 127 as 127.
#[inline(always)]
pub(super) fn clip<L: Lanes>(blocks: &[Block], inputs: &mut [u8]) {
    let (inputs, _) = inputs.as_chunks_mut::<32>();
    blocks.iter().zip(inputs).for_each(|(block, inputs)| L::load(block).clip(inputs));
}

/// 32 outputs of a layer with many inputs, most of which are zero. `weights` are those of four inputs at a time,
/// for 16 outputs and for the other 16.
#[inline(always)]
pub(super) fn sparse_layer<L: Lanes>(
    inputs: &Inputs<512>,
    weights: &[[Bytes; 2]; 128],
    biases: &[i32; 32],
) -> [i32; 32] {
    /// Sums that do not wait for each other.
    const CHAINS: usize = 4;
    let mut list = [0; 128];
    let count = L::list_busy_quads(&inputs.0, &mut list);
    let (quads, _) = inputs.0.as_chunks::<4>();
    let mut sums = [[L::zeros(); 2]; CHAINS];
    let (groups, rest) = list[..count.min(128)].as_chunks::<CHAINS>();
    for group in groups {
        for (sums, &number) in sums.iter_mut().zip(group) {
            let number = usize::from(number & 127);
            add_quad::<L>(sums, quads[number], &weights[number]);
        }
    }
    for (sums, &number) in sums.iter_mut().zip(rest) {
        let number = usize::from(number & 127);
        add_quad::<L>(sums, quads[number], &weights[number]);
    }
    let [a, b, c, d] = sums;
    let low = L::merge(L::merge(a[0], b[0]), L::merge(c[0], d[0]));
    let high = L::merge(L::merge(a[1], b[1]), L::merge(c[1], d[1]));
    with_biases([L::to_array(low), L::to_array(high)], biases)
}

/// 32 outputs of a layer with 32 inputs; weights as in [`sparse_layer`].
#[inline(always)]
pub(super) fn dense_layer<L: Lanes>(
    inputs: &[u8; 32],
    weights: &[[Bytes; 2]; 8],
    biases: &[i32; 32],
) -> [i32; 32] {
    let (quads, _) = inputs.as_chunks::<4>();
    let [mut even, mut odd] = [[L::zeros(); 2]; 2];
    for (quads, weights) in quads.as_chunks::<2>().0.iter().zip(weights.as_chunks::<2>().0) {
        add_quad::<L>(&mut even, quads[0], &weights[0]);
        add_quad::<L>(&mut odd, quads[1], &weights[1]);
    }
    let (low, high) = (L::merge(even[0], odd[0]), L::merge(even[1], odd[1]));
    with_biases([L::to_array(low), L::to_array(high)], biases)
}

/// What four inputs give to 32 outputs.
#[inline(always)]
fn add_quad<L: Lanes>(sums: &mut [L::Sums; 2], quad: [u8; 4], weights: &[Bytes; 2]) {
    sums[0] = L::add_products(sums[0], quad, &weights[0]);
    sums[1] = L::add_products(sums[1], quad, &weights[1]);
}

#[inline(always)]
fn with_biases(halves: [[i32; 16]; 2], biases: &[i32; 32]) -> [i32; 32] {
    let mut outputs = *biases;
    outputs.iter_mut().zip(halves.as_flattened()).for_each(|(output, sum)| *output += sum);
    outputs
}

#[cfg(test)]
mod tests;
