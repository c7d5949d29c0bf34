//! Feature weights as they are: vectors of 16-bit weights.

use super::{FeatureDelta, FeatureWeights};
use crate::nnue::aligned::I16x32;
use crate::nnue::kernels::Sink;
use crate::nnue::simd::Vector;

/// Row after row, each as wide as an accumulator.
#[derive(Clone, PartialEq)]
pub(in crate::nnue) struct PlainWeights {
    weights: Vec<I16x32>,
    /// How many vectors a row has.
    width: usize,
}

impl PlainWeights {
    pub(in crate::nnue) fn new(weights: Vec<I16x32>, width: usize) -> PlainWeights {
        PlainWeights { weights, width }
    }

    /// The weights of a feature.
    pub(in crate::nnue) fn row(&self, feature: u32) -> Option<&[I16x32]> {
        self.weights.chunks(self.width).nth(feature as usize)
    }

    /// For numbers of features that the compiler knows: two vectors are enough to keep the processor busy.
    #[inline(always)]
    fn accumulate_few<V: Vector, S: Sink<V>, const A: usize, const R: usize>(
        &self,
        accumulator: &[I16x32],
        added: [u32; A],
        removed: [u32; R],
        sink: S,
    ) -> S {
        let delta = FeatureDelta { added: &added, removed: &removed };
        if V::IS_NARROW {
            self.accumulate_in_tiles::<V, S, 1>(accumulator, delta, sink)
        } else {
            self.accumulate_in_tiles::<V, S, 2>(accumulator, delta, sink)
        }
    }

    /// Register tiling: `TILE` vectors at a time, and one at a time at the end, stay in registers while features are
    /// added to them.
    #[inline(always)]
    fn accumulate_in_tiles<V: Vector, S: Sink<V>, const TILE: usize>(
        &self,
        accumulator: &[I16x32],
        delta: FeatureDelta<'_>,
        mut sink: S,
    ) -> S {
        let (tiles, rest) = accumulator[..self.width].as_chunks::<TILE>();
        for (i, tile) in tiles.iter().enumerate() {
            sink.take(TILE * i, self.tile::<V, TILE>(tile, TILE * i, delta));
        }
        for (i, vector) in rest.as_chunks::<1>().0.iter().enumerate() {
            let at = TILE * tiles.len() + i;
            sink.take(at, self.tile::<V, 1>(vector, at, delta));
        }
        sink
    }

    /// `T` vectors of an accumulator, the first of which has the number `at`, with the features added and removed.
    #[inline(always)]
    fn tile<V: Vector, const T: usize>(
        &self,
        start: &[I16x32; T],
        at: usize,
        delta: FeatureDelta<'_>,
    ) -> [V; T] {
        let mut vectors = [V::load(&start[0]); T];
        for (vector, from) in vectors.iter_mut().zip(start) {
            *vector = V::load(from);
        }
        let row = |feature: u32| -> &[I16x32; T] {
            let row = &self.weights[feature as usize * self.width + at..];
            row.first_chunk().expect("rows are as wide as the accumulator")
        };
        for &feature in delta.added {
            for (sum, row) in vectors.iter_mut().zip(row(feature)) {
                *sum = V::add(*sum, V::load(row));
            }
        }
        for &feature in delta.removed {
            for (sum, row) in vectors.iter_mut().zip(row(feature)) {
                *sum = V::sub(*sum, V::load(row));
            }
        }
        vectors
    }
}

impl FeatureWeights for PlainWeights {
    #[inline(always)]
    fn accumulate<V: Vector, S: Sink<V>>(
        &self,
        accumulator: &[I16x32],
        delta: FeatureDelta<'_>,
        sink: S,
    ) -> S {
        // Quiet moves, captures and castling.
        match (delta.added, delta.removed) {
            (&[a], &[c]) => self.accumulate_few(accumulator, [a], [c], sink),
            (&[a], &[c, d]) => self.accumulate_few(accumulator, [a], [c, d], sink),
            (&[a, b], &[c, d]) => self.accumulate_few(accumulator, [a, b], [c, d], sink),
            _ if V::IS_NARROW => self.accumulate_in_tiles::<V, S, 2>(accumulator, delta, sink),
            _ => self.accumulate_in_tiles::<V, S, 8>(accumulator, delta, sink),
        }
    }
}
