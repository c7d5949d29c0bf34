//! What inference does with vectors, written once for all [backends](super::simd).
//!
//! An accumulator is read or written once: while its blocks are in registers a [`Sink`] makes of them what the next
//! layer wants.

use super::block::{Block, Bytes, Inputs};
use super::simd::Lanes;

/// How many blocks of an accumulator are kept in registers while rows are added to them.
const TILE: usize = 8;

/// Where the blocks of an accumulator go on their way. Kernels take it by value and give it back, so that its sums
/// stay in registers, too.
pub(super) trait Sink<L: Lanes> {
    /// Takes the blocks of an accumulator from this one on.
    fn take<const N: usize>(&mut self, at: usize, blocks: [L; N]);
}

/// Blocks that nobody wants yet.
pub(super) struct Nowhere;

impl<L: Lanes> Sink<L> for Nowhere {
    #[inline(always)]
    fn take<const N: usize>(&mut self, _: usize, _: [L; N]) {}
}

/// Adds up square × weight, where numbers below 0 count as 0 and above 255 as 255.
///
/// It cannot overflow: a block adds at most 2 × 255² × 127 = 16516350 to each of the sixteen sums of 32 bits, and
/// two accumulators of 2048 numbers have 128 blocks, 2114092800 < 2³¹ in all. The sixteen are added up in 64 bits.
pub(super) struct Squares<'a, L: Lanes> {
    weights: &'a [Block],
    /// Two, so that no addition waits for the one before.
    sums: [L::Sums; 2],
}

impl<'a, L: Lanes> Squares<'a, L> {
    /// The weights are those of one accumulator.
    #[inline(always)]
    pub(super) fn new(weights: &'a [Block]) -> Squares<'a, L> {
        Squares { weights, sums: [L::load_sums(&[0; 16]); 2] }
    }

    /// The sum over two accumulators.
    #[inline(always)]
    pub(super) fn total(own: &Squares<'_, L>, other: &Squares<'_, L>) -> i64 {
        let sums = [own, other].map(|half| L::merge(half.sums[0], half.sums[1]));
        L::to_array(L::merge(sums[0], sums[1])).into_iter().map(i64::from).sum()
    }
}

impl<L: Lanes> Sink<L> for Squares<'_, L> {
    #[inline(always)]
    fn take<const N: usize>(&mut self, at: usize, blocks: [L; N]) {
        for (i, (block, weights)) in blocks.into_iter().zip(&self.weights[at..at + N]).enumerate() {
            self.sums[i % 2] = L::add_squares(self.sums[i % 2], block, L::load(weights));
        }
    }
}

/// Numbers as inputs of the next layer, below 0 as 0 and above 127 as 127.
pub(super) struct Clip<const N: usize>(pub(super) Inputs<N>);

impl<L: Lanes, const INPUTS: usize> Sink<L> for Clip<INPUTS> {
    #[inline(always)]
    fn take<const N: usize>(&mut self, at: usize, blocks: [L; N]) {
        let (pairs, last) = blocks.as_chunks::<2>();
        let (inputs, last_inputs) = self.0.0[32 * at..32 * (at + N)].as_chunks_mut::<64>();
        pairs.iter().zip(inputs).for_each(|(pair, inputs)| L::clip(*pair, inputs));
        if let [last] = *last {
            let mut inputs = [0; 64];
            L::clip([last; 2], &mut inputs);
            last_inputs.copy_from_slice(&inputs[..32]);
        }
    }
}

/// An accumulator as it is.
#[inline(always)]
pub(super) fn pass<L: Lanes, S: Sink<L>>(accumulator: &[Block], mut sink: S) -> S {
    let (pairs, last) = accumulator.as_chunks::<2>();
    for (i, pair) in pairs.iter().enumerate() {
        sink.take(2 * i, [L::load(&pair[0]), L::load(&pair[1])]);
    }
    if let [last] = last {
        sink.take(2 * pairs.len(), [L::load(last)]);
    }
    sink
}

/// A child's accumulator from its parent's, with these rows added and those removed.
#[inline(always)]
pub(super) fn update<L: Lanes, S: Sink<L>, const A: usize, const R: usize>(
    from: &[Block],
    to: &mut [Block],
    added: [&[Block]; A],
    removed: [&[Block]; R],
    mut sink: S,
) -> S {
    let width = to.len();
    let from = &from[..width];
    let added = added.map(|row| &row[..width]);
    let removed = removed.map(|row| &row[..width]);
    let sum = |i: usize| {
        let mut lanes = L::load(&from[i]);
        for row in added {
            lanes = lanes.plus(L::load(&row[i]));
        }
        for row in removed {
            lanes = lanes.minus(L::load(&row[i]));
        }
        lanes
    };
    let (pairs, last) = to.as_chunks_mut::<2>();
    let last_at = 2 * pairs.len();
    for (i, pair) in pairs.iter_mut().enumerate() {
        let lanes = [sum(2 * i), sum(2 * i + 1)];
        lanes[0].store(&mut pair[0]);
        lanes[1].store(&mut pair[1]);
        sink.take(2 * i, lanes);
    }
    if let [last] = last {
        let lanes = sum(last_at);
        lanes.store(last);
        sink.take(last_at, [lanes]);
    }
    sink
}

/// Rows to be added and removed, as numbers of rows in `weights`.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) weights: &'a [Block],
    /// How many blocks a row has.
    pub(super) width: usize,
    pub(super) added: &'a [u32],
    pub(super) removed: &'a [u32],
}

impl Rows<'_> {
    /// So many blocks of an accumulator, from this one on, with the rows added and removed.
    #[inline(always)]
    fn apply<L: Lanes, const T: usize>(&self, start: &[Block; T], at: usize) -> [L; T] {
        let mut lanes = [L::load(&start[0]); T];
        lanes.iter_mut().zip(start).for_each(|(lanes, block)| *lanes = L::load(block));
        let row = |number: u32| -> &[Block; T] {
            let row = &self.weights[number as usize * self.width + at..];
            row.first_chunk().expect("rows are as wide as the accumulator")
        };
        for &number in self.added {
            lanes.iter_mut().zip(row(number)).for_each(|(lanes, row)| *lanes = lanes.plus(L::load(row)));
        }
        for &number in self.removed {
            lanes.iter_mut().zip(row(number)).for_each(|(lanes, row)| *lanes = lanes.minus(L::load(row)));
        }
        lanes
    }
}

/// An accumulator from another and any number of rows.
#[inline(always)]
pub(super) fn apply<L: Lanes, S: Sink<L>>(from: &[Block], to: &mut [Block], rows: Rows<'_>, sink: S) -> S {
    sum_up(from, rows, Store { to, sink }).sink
}

/// Keeps the blocks before they go on.
struct Store<'a, S> {
    to: &'a mut [Block],
    sink: S,
}

impl<L: Lanes, S: Sink<L>> Sink<L> for Store<'_, S> {
    #[inline(always)]
    fn take<const N: usize>(&mut self, at: usize, blocks: [L; N]) {
        blocks.iter().zip(&mut self.to[at..at + N]).for_each(|(lanes, block)| lanes.store(block));
        self.sink.take(at, blocks);
    }
}

/// An accumulator from another and any number of rows, kept by nobody but the sink.
#[inline(always)]
pub(super) fn sum_up<L: Lanes, S: Sink<L>>(from: &[Block], rows: Rows<'_>, mut sink: S) -> S {
    let (tiles, rest) = from.as_chunks::<TILE>();
    for (i, tile) in tiles.iter().enumerate() {
        sink.take(TILE * i, rows.apply::<L, TILE>(tile, TILE * i));
    }
    for (i, block) in rest.as_chunks::<1>().0.iter().enumerate() {
        let at = TILE * tiles.len() + i;
        sink.take(at, rows.apply::<L, 1>(block, at));
    }
    sink
}

/// 32 outputs of a layer with 512 inputs, of which many are zero, as inputs of the next layer. The weights must be
/// [arranged](Lanes::arrange).
#[inline(always)]
pub(super) fn sparse_layer<L: Lanes>(
    inputs: [&Inputs<256>; 2],
    weights: &[Bytes; 256],
    biases: &[i32; 32],
) -> [u8; 32] {
    L::activate(L::add_sparse(load_biases::<L>(biases), inputs, weights))
}

/// 32 outputs of a layer with 32 inputs, as inputs of the next layer. `weights` are those of four inputs at a time,
/// for 16 outputs and for the other 16.
#[inline(always)]
pub(super) fn dense_layer<L: Lanes>(
    inputs: &[u8; 32],
    weights: &[[Bytes; 2]; 8],
    biases: &[i32; 32],
) -> [u8; 32] {
    let (quads, _) = inputs.as_chunks::<4>();
    let (mut even, mut odd) = (load_biases::<L>(biases), [L::load_sums(&[0; 16]); 2]);
    for (quads, weights) in quads.as_chunks::<2>().0.iter().zip(weights.as_chunks::<2>().0) {
        even = L::add_quad(even, quads[0], &weights[0]);
        odd = L::add_quad(odd, quads[1], &weights[1]);
    }
    L::activate([L::merge(even[0], odd[0]), L::merge(even[1], odd[1])])
}

#[inline(always)]
fn load_biases<L: Lanes>(biases: &[i32; 32]) -> [L::Sums; 2] {
    let (halves, _) = biases.as_chunks::<16>();
    [L::load_sums(&halves[0]), L::load_sums(&halves[1])]
}

#[cfg(test)]
mod tests;
