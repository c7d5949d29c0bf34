//! AVX2: a vector is two registers.

use core::arch::x86_64::*;

use super::Vector;
use crate::nnue::aligned::{I8x64, I16x32};

/// Two registers of 16 lanes.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i, __m256i);

impl Vector for Avx2 {
    type Sums = [__m256i; 2];

    const HAS_32_REGISTERS: bool = false;

    #[inline(always)]
    fn vectorize<R>(function: impl FnOnce() -> R) -> R {
        call_with!("avx2", function)
    }

    forward! {
        fn load(from: &I16x32) -> Avx2;
        fn store(vector: Avx2, to: &mut I16x32);
        fn add(a: Avx2, b: Avx2) -> Avx2;
        fn sub(a: Avx2, b: Avx2) -> Avx2;
        fn mul_low(a: Avx2, b: Avx2) -> Avx2;
        fn mul_high_rounded(a: Avx2, b: Avx2) -> Avx2;
        fn splat(number: i16) -> Avx2;
        fn clipped_relu(pair: [Avx2; 2], outputs: &mut [u8; 64]);
        fn load_sums(from: &[i32; 16]) -> [__m256i; 2];
        fn store_sums(sums: [__m256i; 2]) -> [i32; 16];
        fn add_sums(a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2];
        fn add_screlu(sums: [__m256i; 2], vector: Avx2, weights: Avx2) -> [__m256i; 2];
        fn add_products(sums: [__m256i; 2], inputs: [u8; 4], weights: &I8x64) -> [__m256i; 2];
        fn clipped_relu_of_sums(sums: [[__m256i; 2]; 2]) -> [u8; 32];
        fn dot(inputs: &[u8; 32], weights: &[i8; 32]) -> i32;
        fn nonzero_quads(inputs: &[u8; 64]) -> u16;
    }
}

/// The two halves of an array.
#[inline(always)]
fn halves<T, const HALF: usize>(array: &[T]) -> &[[T; HALF]; 2] {
    array.as_chunks().0.first_chunk().expect("two halves")
}

/// A register from an array of numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn load_register<T>(array: &T) -> __m256i {
    const { assert!(size_of::<T>() == 32) };
    // SAFETY: the array is borrowed and as long as a register; any alignment will do.
    unsafe { _mm256_loadu_si256((&raw const *array).cast()) }
}

/// A register into an array of numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn store_register<T>(array: &mut T, register: __m256i) {
    const { assert!(size_of::<T>() == 32) };
    // SAFETY: the array is borrowed and as long as a register; any alignment will do.
    unsafe { _mm256_storeu_si256((&raw mut *array).cast(), register) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(from: &I16x32) -> Avx2 {
    let [low, high] = halves::<i16, 16>(&from.0);
    Avx2(load_register(low), load_register(high))
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(vector: Avx2, to: &mut I16x32) {
    let [low, high] = to.0.as_chunks_mut::<16>().0.first_chunk_mut::<2>().expect("two halves");
    store_register(low, vector.0);
    store_register(high, vector.1);
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: Avx2, b: Avx2) -> Avx2 {
    Avx2(_mm256_add_epi16(a.0, b.0), _mm256_add_epi16(a.1, b.1))
}

#[inline]
#[target_feature(enable = "avx2")]
fn sub(a: Avx2, b: Avx2) -> Avx2 {
    Avx2(_mm256_sub_epi16(a.0, b.0), _mm256_sub_epi16(a.1, b.1))
}

#[inline]
#[target_feature(enable = "avx2")]
fn mul_low(a: Avx2, b: Avx2) -> Avx2 {
    Avx2(_mm256_mullo_epi16(a.0, b.0), _mm256_mullo_epi16(a.1, b.1))
}

#[inline]
#[target_feature(enable = "avx2")]
fn mul_high_rounded(a: Avx2, b: Avx2) -> Avx2 {
    Avx2(_mm256_mulhrs_epi16(a.0, b.0), _mm256_mulhrs_epi16(a.1, b.1))
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat(number: i16) -> Avx2 {
    Avx2(_mm256_set1_epi16(number), _mm256_set1_epi16(number))
}

#[inline]
#[target_feature(enable = "avx2")]
fn clipped_relu(pair: [Avx2; 2], outputs: &mut [u8; 64]) {
    let outputs = outputs.as_chunks_mut::<32>().0;
    for (outputs, Avx2(low, high)) in outputs.iter_mut().zip(pair) {
        // Packing saturates at 127 and interleaves the 128-bit halves of the registers.
        let packed = _mm256_max_epi8(_mm256_packs_epi16(low, high), _mm256_setzero_si256());
        store_register(outputs, _mm256_permute4x64_epi64::<0b11_01_10_00>(packed));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_sums(from: &[i32; 16]) -> [__m256i; 2] {
    let [low, high] = halves::<i32, 8>(from);
    [load_register(low), load_register(high)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_sums(sums: [__m256i; 2]) -> [i32; 16] {
    let mut halves = [[0i32; 8]; 2];
    store_register(&mut halves[0], sums[0]);
    store_register(&mut halves[1], sums[1]);
    *halves.as_flattened().first_chunk().expect("sixteen sums")
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_sums(a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
    [_mm256_add_epi32(a[0], b[0]), _mm256_add_epi32(a[1], b[1])]
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_screlu(sums: [__m256i; 2], vector: Avx2, weights: Avx2) -> [__m256i; 2] {
    [
        _mm256_add_epi32(sums[0], weighted_screlu(vector.0, weights.0)),
        _mm256_add_epi32(sums[1], weighted_screlu(vector.1, weights.1)),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn weighted_screlu(lanes: __m256i, weights: __m256i) -> __m256i {
    let not_negative = _mm256_max_epi16(lanes, _mm256_setzero_si256());
    let clipped = _mm256_min_epi16(not_negative, _mm256_set1_epi16(255));
    // At most 255 × 127 in size: the lower half holds the whole product.
    _mm256_madd_epi16(_mm256_mullo_epi16(clipped, weights), clipped)
}

/// Products of inputs, each at most 127, and weights: the sums of four neighbours.
#[inline]
#[target_feature(enable = "avx2")]
fn products(inputs: __m256i, weights: __m256i) -> __m256i {
    // Two products are at most 2 × 127 × 128 in size: the 16-bit sum does not saturate.
    _mm256_madd_epi16(_mm256_maddubs_epi16(inputs, weights), _mm256_set1_epi16(1))
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_products(sums: [__m256i; 2], inputs: [u8; 4], weights: &I8x64) -> [__m256i; 2] {
    let inputs = _mm256_set1_epi32(i32::from_le_bytes(inputs));
    let [low, high] = halves::<i8, 32>(&weights.0);
    [
        _mm256_add_epi32(sums[0], products(inputs, load_register(low))),
        _mm256_add_epi32(sums[1], products(inputs, load_register(high))),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn clipped_relu_of_sums(sums: [[__m256i; 2]; 2]) -> [u8; 32] {
    let low = _mm256_packs_epi32(_mm256_srai_epi32::<6>(sums[0][0]), _mm256_srai_epi32::<6>(sums[0][1]));
    let high = _mm256_packs_epi32(_mm256_srai_epi32::<6>(sums[1][0]), _mm256_srai_epi32::<6>(sums[1][1]));
    let packed = _mm256_max_epi8(_mm256_packs_epi16(low, high), _mm256_setzero_si256());
    // Packing saturates at 127 and interleaves the 128-bit halves of the registers, here in groups of four bytes.
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let mut outputs = [0; 32];
    store_register(&mut outputs, _mm256_permutevar8x32_epi32(packed, order));
    outputs
}

#[inline]
#[target_feature(enable = "avx2")]
fn dot(inputs: &[u8; 32], weights: &[i8; 32]) -> i32 {
    let eight = products(load_register(inputs), load_register(weights));
    let four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
    let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two));
    _mm_cvtsi128_si32(one)
}

#[inline]
#[target_feature(enable = "avx2")]
fn nonzero_quads(inputs: &[u8; 64]) -> u16 {
    let [low, high] = halves::<u8, 32>(inputs);
    nonzero_quads_of_half(low) | nonzero_quads_of_half(high) << 8
}

#[inline]
#[target_feature(enable = "avx2")]
fn nonzero_quads_of_half(inputs: &[u8; 32]) -> u16 {
    // No byte has its highest bit set, so the quads are not negative as 32-bit numbers.
    let above = _mm256_cmpgt_epi32(load_register(inputs), _mm256_setzero_si256());
    _mm256_movemask_ps(_mm256_castsi256_ps(above)) as u16
}
