//! The kernels of inference, written once for all [backends](super::simd).
//!
//! An accumulator is read or written once: while its vectors are in registers, a [`Sink`] computes what the next layer
//! needs (fused updates and activations).

use super::aligned::{ClippedInputs, I8x64, I16x32};
use super::simd::Vector;

/// Takes the vectors of an accumulator while they are in registers. Kernels take it by value and return it, so that its
/// sums stay in registers, too.
pub(super) trait Sink<V: Vector> {
    /// Takes vectors of an accumulator, the first of which has the number `at`.
    fn take<const N: usize>(&mut self, at: usize, vectors: [V; N]);
}

/// Discards the vectors.
pub(super) struct Discard;

impl<V: Vector> Sink<V> for Discard {
    #[inline(always)]
    fn take<const N: usize>(&mut self, _: usize, _: [V; N]) {}
}

/// SCReLU and the output layer: adds up clamp(x, 0, 255)² × weight.
///
/// It cannot overflow: a vector adds at most 2 × 255² × 127 = 16516350 to each of the sixteen sums of 32 bits, and
/// two accumulators of 2048 numbers have 128 vectors, 2114092800 < 2³¹ in all. The sixteen are added up in 64 bits.
pub(super) struct ScreluSum<'a, V: Vector> {
    weights: &'a [I16x32],
    /// Two, so that no addition waits for the one before.
    sums: [V::Sums; 2],
}

impl<'a, V: Vector> ScreluSum<'a, V> {
    /// The weights are those of one perspective.
    #[inline(always)]
    pub(super) fn new(weights: &'a [I16x32]) -> ScreluSum<'a, V> {
        ScreluSum { weights, sums: [V::load_sums(&[0; 16]); 2] }
    }

    /// The sum over both perspectives.
    #[inline(always)]
    pub(super) fn total(us: &ScreluSum<'_, V>, them: &ScreluSum<'_, V>) -> i64 {
        let (ours, theirs) = (V::add_sums(us.sums[0], us.sums[1]), V::add_sums(them.sums[0], them.sums[1]));
        V::store_sums(V::add_sums(ours, theirs)).into_iter().map(i64::from).sum()
    }
}

impl<V: Vector> Sink<V> for ScreluSum<'_, V> {
    #[inline(always)]
    fn take<const N: usize>(&mut self, at: usize, vectors: [V; N]) {
        for (i, (vector, weights)) in vectors.into_iter().zip(&self.weights[at..at + N]).enumerate() {
            self.sums[i % 2] = V::add_screlu(self.sums[i % 2], vector, V::load(weights));
        }
    }
}

/// ClippedReLU: the numbers of an accumulator clamped to 0..=127, as inputs of the next layer.
pub(super) struct ClippedRelu<const N: usize>(pub(super) ClippedInputs<N>);

impl<V: Vector, const INPUTS: usize> Sink<V> for ClippedRelu<INPUTS> {
    #[inline(always)]
    fn take<const N: usize>(&mut self, at: usize, vectors: [V; N]) {
        let (pairs, last) = vectors.as_chunks::<2>();
        let (inputs, last_inputs) = self.0.0[32 * at..32 * (at + N)].as_chunks_mut::<64>();
        for (pair, inputs) in pairs.iter().zip(inputs) {
            V::clipped_relu(*pair, inputs);
        }
        if let [last] = *last {
            let mut inputs = [0; 64];
            V::clipped_relu([last; 2], &mut inputs);
            last_inputs.copy_from_slice(&inputs[..32]);
        }
    }
}

/// Gives an accumulator to a sink as it is.
#[inline(always)]
pub(super) fn read<V: Vector, S: Sink<V>>(accumulator: &[I16x32], mut sink: S) -> S {
    let (pairs, last) = accumulator.as_chunks::<2>();
    for (i, pair) in pairs.iter().enumerate() {
        sink.take(2 * i, [V::load(&pair[0]), V::load(&pair[1])]);
    }
    if let [last] = last {
        sink.take(2 * pairs.len(), [V::load(last)]);
    }
    sink
}

/// Stores the vectors, then gives them to the next sink.
pub(super) struct Store<'a, S> {
    pub(super) to: &'a mut [I16x32],
    pub(super) sink: S,
}

impl<V: Vector, S: Sink<V>> Sink<V> for Store<'_, S> {
    #[inline(always)]
    fn take<const N: usize>(&mut self, at: usize, vectors: [V; N]) {
        for (vector, to) in vectors.iter().zip(&mut self.to[at..at + N]) {
            V::store(*vector, to);
        }
        self.sink.take(at, vectors);
    }
}

/// A layer with 32 inputs and 32 outputs, with ClippedReLU. `weights` are those of four inputs at a time,
/// for 16 outputs and for the other 16.
#[inline(always)]
pub(super) fn dense_layer<V: Vector>(
    inputs: &[u8; 32],
    weights: &[[I8x64; 2]; 8],
    biases: &[i32; 32],
) -> [u8; 32] {
    let (quads, _) = inputs.as_chunks::<4>();
    let (mut even, mut odd) = (V::load_biases(biases), [V::load_sums(&[0; 16]); 2]);
    for (quads, weights) in quads.as_chunks::<2>().0.iter().zip(weights.as_chunks::<2>().0) {
        even = V::add_quad(even, quads[0], &weights[0]);
        odd = V::add_quad(odd, quads[1], &weights[1]);
    }
    V::clipped_relu_of_sums([V::add_sums(even[0], odd[0]), V::add_sums(even[1], odd[1])])
}

#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
