//! What inference does with vectors, written once for all [backends](super::simd).
//!
//! An accumulator is read or written once: while its blocks are in registers a [`Sink`] makes of them what the next
//! layer wants.

use super::block::{Block, Bytes, Inputs};
use super::simd::Lanes;

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

/// Keeps the blocks before they go on.
pub(super) struct Store<'a, S> {
    pub(super) to: &'a mut [Block],
    pub(super) sink: S,
}

impl<L: Lanes, S: Sink<L>> Sink<L> for Store<'_, S> {
    #[inline(always)]
    fn take<const N: usize>(&mut self, at: usize, blocks: [L; N]) {
        blocks.iter().zip(&mut self.to[at..at + N]).for_each(|(lanes, block)| lanes.store(block));
        self.sink.take(at, blocks);
    }
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
pub(super) mod testing;
#[cfg(test)]
mod tests;
