//! AVX2: a block is two registers.

use core::arch::x86_64::*;

use super::Lanes;
use crate::nnue::block::{Block, Bytes, LANES};

/// Two registers of 16 lanes.
#[derive(Clone, Copy)]
pub(in crate::nnue) struct Avx2(__m256i, __m256i);

macro_rules! vector {
    ($call:expr) => {{
        // SAFETY: this module exists only in builds for processors with AVX2; loads and stores are of whole
        // registers inside arrays that are borrowed, at any alignment.
        #[allow(clippy::macro_metavars_in_unsafe)]
        unsafe {
            $call
        }
    }};
}

#[inline(always)]
fn load<T>(array: &[T; 2], half: usize) -> __m256i {
    const { assert!(size_of::<T>() == 32) };
    vector!(_mm256_loadu_si256((&raw const array[half]).cast()))
}

#[inline(always)]
fn store<T>(array: &mut [T; 2], half: usize, register: __m256i) {
    const { assert!(size_of::<T>() == 32) };
    vector!(_mm256_storeu_si256((&raw mut array[half]).cast(), register));
}

/// The two halves of an array, as arrays of their own.
macro_rules! halves {
    ($array:expr, $length:literal) => {
        $array.as_chunks::<$length>().0.first_chunk().expect("two halves")
    };
}

#[inline(always)]
fn clamp(lanes: __m256i, most: i16) -> __m256i {
    vector!(_mm256_min_epi16(_mm256_max_epi16(lanes, _mm256_setzero_si256()), _mm256_set1_epi16(most)))
}

#[inline(always)]
fn weighted_squares(lanes: __m256i, weights: __m256i) -> __m256i {
    let lanes = clamp(lanes, 255);
    // At most 255 × 127 in size, so that the lower half of the product is all of it.
    vector!(_mm256_madd_epi16(_mm256_mullo_epi16(lanes, weights), lanes))
}

impl Lanes for Avx2 {
    type Sums = [__m256i; 2];

    const HAS_ROOM: bool = false;

    #[inline(always)]
    fn load(block: &Block) -> Avx2 {
        let halves: &[[i16; LANES / 2]; 2] = halves!(block.0, 16);
        Avx2(load(halves, 0), load(halves, 1))
    }

    #[inline(always)]
    fn store(self, block: &mut Block) {
        let halves = block.0.as_chunks_mut::<16>().0.first_chunk_mut::<2>().expect("two halves");
        store(halves, 0, self.0);
        store(halves, 1, self.1);
    }

    #[inline(always)]
    fn plus(self, other: Avx2) -> Avx2 {
        vector!(Avx2(_mm256_add_epi16(self.0, other.0), _mm256_add_epi16(self.1, other.1)))
    }

    #[inline(always)]
    fn minus(self, other: Avx2) -> Avx2 {
        vector!(Avx2(_mm256_sub_epi16(self.0, other.0), _mm256_sub_epi16(self.1, other.1)))
    }

    #[inline(always)]
    fn times(self, other: Avx2) -> Avx2 {
        vector!(Avx2(_mm256_mullo_epi16(self.0, other.0), _mm256_mullo_epi16(self.1, other.1)))
    }

    #[inline(always)]
    fn times_fraction(self, other: Avx2) -> Avx2 {
        vector!(Avx2(_mm256_mulhrs_epi16(self.0, other.0), _mm256_mulhrs_epi16(self.1, other.1)))
    }

    #[inline(always)]
    fn splat(number: i16) -> Avx2 {
        vector!(Avx2(_mm256_set1_epi16(number), _mm256_set1_epi16(number)))
    }

    #[inline(always)]
    fn clip(pair: [Avx2; 2], bytes: &mut [u8; 64]) {
        let halves = bytes.as_chunks_mut::<32>().0.first_chunk_mut::<2>().expect("two halves");
        for (half, Avx2(low, high)) in pair.into_iter().enumerate() {
            // Packing saturates at 127 and takes turns with 128 bits of each register.
            let packed = vector!(_mm256_max_epi8(_mm256_packs_epi16(low, high), _mm256_setzero_si256()));
            store(halves, half, vector!(_mm256_permute4x64_epi64::<0b11_01_10_00>(packed)));
        }
    }

    #[inline(always)]
    fn load_sums(sums: &[i32; 16]) -> [__m256i; 2] {
        let halves: &[[i32; 8]; 2] = halves!(sums, 8);
        [load(halves, 0), load(halves, 1)]
    }

    #[inline(always)]
    fn to_array(sums: [__m256i; 2]) -> [i32; 16] {
        let mut halves = [[0i32; 8]; 2];
        store(&mut halves, 0, sums[0]);
        store(&mut halves, 1, sums[1]);
        *halves.as_flattened().first_chunk().expect("sixteen sums")
    }

    #[inline(always)]
    fn merge(sums: [__m256i; 2], others: [__m256i; 2]) -> [__m256i; 2] {
        vector!([_mm256_add_epi32(sums[0], others[0]), _mm256_add_epi32(sums[1], others[1])])
    }

    #[inline(always)]
    fn add_squares(sums: [__m256i; 2], lanes: Avx2, weights: Avx2) -> [__m256i; 2] {
        let (low, high) = (weighted_squares(lanes.0, weights.0), weighted_squares(lanes.1, weights.1));
        vector!([_mm256_add_epi32(sums[0], low), _mm256_add_epi32(sums[1], high)])
    }

    #[inline(always)]
    fn add_products(sums: [__m256i; 2], inputs: [u8; 4], weights: &Bytes) -> [__m256i; 2] {
        let inputs = vector!(_mm256_set1_epi32(i32::from_le_bytes(inputs)));
        let halves: &[[i8; 32]; 2] = halves!(weights.0, 32);
        [0, 1].map(|half| {
            // Two products are at most 2 × 127 × 128 in size: the sum of 16 bits does not saturate.
            let pairs = vector!(_mm256_maddubs_epi16(inputs, load(halves, half)));
            vector!(_mm256_add_epi32(sums[half], _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))))
        })
    }

    #[inline(always)]
    fn activate(sums: [[__m256i; 2]; 2]) -> [u8; 32] {
        let [low, high] = sums.map(|sums| {
            let [low, high] = sums.map(|sums| vector!(_mm256_srai_epi32::<6>(sums)));
            vector!(_mm256_packs_epi32(low, high))
        });
        let packed = vector!(_mm256_max_epi8(_mm256_packs_epi16(low, high), _mm256_setzero_si256()));
        // Packing saturates at 127 and takes turns with 128 bits of each register, here in groups of four bytes.
        let order = vector!(_mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        let mut inputs = [0; 32];
        let ordered = vector!(_mm256_permutevar8x32_epi32(packed, order));
        vector!(_mm256_storeu_si256((&raw mut inputs).cast(), ordered));
        inputs
    }

    #[inline(always)]
    fn dot(inputs: &[u8; 32], weights: &[i8; 32]) -> i32 {
        // Two products are at most 2 × 127 × 128 in size: the sum of 16 bits does not saturate.
        let pairs = vector!(_mm256_maddubs_epi16(
            _mm256_loadu_si256((&raw const *inputs).cast()),
            _mm256_loadu_si256((&raw const *weights).cast())
        ));
        let eight = vector!(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
        let four =
            vector!(_mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight)));
        let two = vector!(_mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four)));
        let one = vector!(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)));
        vector!(_mm_cvtsi128_si32(one))
    }

    #[inline(always)]
    fn busy_quads(inputs: &[u8; 64]) -> u16 {
        let halves: &[[u8; 32]; 2] = halves!(inputs, 32);
        let busy = |half| {
            // No byte has its highest bit set: as numbers of 32 bits they are not negative.
            let above = vector!(_mm256_cmpgt_epi32(load(halves, half), _mm256_setzero_si256()));
            vector!(_mm256_movemask_ps(_mm256_castsi256_ps(above))) as u16
        };
        busy(0) | busy(1) << 8
    }
}
