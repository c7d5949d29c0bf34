//! Helpers for the tests of inference.

use fastrand::Rng;

use super::Sink;
use crate::nnue::aligned::{I16x32, LANES, to_vectors};
use crate::nnue::simd::Vector;

/// Any number, and often an extreme one.
pub(in crate::nnue) fn any(rng: &mut Rng) -> i16 {
    const EXTREMES: [i16; 8] = [i16::MIN, i16::MAX, 0, -1, 127, 128, 255, 256];
    if rng.u8(..4) == 0 { EXTREMES[rng.usize(..8)] } else { rng.i16(..) }
}

/// Near the range in which the numbers of accumulators usually are.
pub(in crate::nnue) fn near(rng: &mut Rng) -> i16 {
    rng.i16(-200..=400)
}

/// A valid output weight.
pub(in crate::nnue) fn weight(rng: &mut Rng) -> i16 {
    rng.i16(-127..=127)
}

/// Vectors of such numbers.
pub(in crate::nnue) fn vectors(rng: &mut Rng, width: usize, number: fn(&mut Rng) -> i16) -> Vec<I16x32> {
    to_vectors((0..width * LANES).map(|_| number(rng)))
}

/// The numbers of vectors.
pub(in crate::nnue) fn flat(vectors: &[I16x32]) -> Vec<i16> {
    vectors.iter().flat_map(|vector| vector.0).collect()
}

/// A sink that keeps the vectors, so that a test can compare them.
pub(in crate::nnue) struct Keep(Vec<Option<I16x32>>);

impl Keep {
    pub(in crate::nnue) fn new(width: usize) -> Keep {
        Keep(vec![None; width])
    }

    pub(in crate::nnue) fn flat(&self) -> Vec<i16> {
        self.0.iter().flat_map(|vector| vector.expect("every vector is taken").0).collect()
    }
}

impl<V: Vector> Sink<V> for Keep {
    fn take<const N: usize>(&mut self, at: usize, vectors: [V; N]) {
        for (vector, place) in vectors.iter().zip(&mut self.0[at..at + N]) {
            assert_eq!(*place, None, "a vector is taken twice");
            V::store(*vector, place.insert(I16x32::ZERO));
        }
    }
}
