//! Arrays of numbers aligned to a cache line, under the names that `std::simd` will give them.
//!
//! Own types, because all they need is an alignment: a crate for it would be the only dependency of this library.

/// How many 16-bit numbers a vector has.
pub(super) const LANES: usize = 32;

/// 32 numbers of 16 bits: a cache line, one register of AVX-512, two of AVX2. Feature weights and accumulators are
/// slices of these, so every load is aligned and no kernel has a remainder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(super) struct I16x32(pub(super) [i16; LANES]);

impl I16x32 {
    pub(super) const ZERO: I16x32 = I16x32([0; LANES]);
}

/// Numbers as vectors; their count must be a multiple of 32.
pub(super) fn to_vectors(numbers: impl IntoIterator<Item = i16>) -> Vec<I16x32> {
    let mut numbers = numbers.into_iter();
    let mut vectors = Vec::with_capacity(numbers.size_hint().0 / LANES);
    while let Some(first) = numbers.next() {
        let mut vector = I16x32([first; LANES]);
        vector.0[1..].iter_mut().zip(&mut numbers).for_each(|(lane, number)| *lane = number);
        vectors.push(vector);
    }
    vectors
}

/// 64 weights of 8 bits: those of four inputs for each of 16 outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(super) struct I8x64(pub(super) [i8; 64]);

/// Inputs of a layer behind ClippedReLU, each from 0 to 127.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(super) struct ClippedInputs<const N: usize>(pub(super) [u8; N]);
