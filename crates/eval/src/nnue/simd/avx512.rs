//! AVX-512: a block is one register. Uses VNNI and VBMI2 where the build has them.

use core::arch::x86_64::*;

use super::Lanes;
use crate::nnue::block::{Block, Bytes};

/// One register of 32 lanes.
#[derive(Clone, Copy)]
pub(in crate::nnue) struct Avx512(__m512i);

macro_rules! vector {
    ($call:expr) => {{
        // SAFETY: this module exists only in builds for processors with AVX-512 F and BW, and what needs VNNI or
        // VBMI2 only where the build has these; loads and stores are of whole registers inside arrays that are
        // borrowed, at any alignment.
        #[allow(clippy::macro_metavars_in_unsafe)]
        unsafe {
            $call
        }
    }};
}

#[inline(always)]
fn load<T>(array: &T) -> __m512i {
    const { assert!(size_of::<T>() == 64) };
    vector!(_mm512_loadu_si512((&raw const *array).cast()))
}

#[inline(always)]
fn store<T>(array: &mut T, register: __m512i) {
    const { assert!(size_of::<T>() == 64) };
    vector!(_mm512_storeu_si512((&raw mut *array).cast(), register));
}

#[inline(always)]
fn clamp(lanes: __m512i, most: i16) -> __m512i {
    vector!(_mm512_min_epi16(_mm512_max_epi16(lanes, _mm512_setzero_si512()), _mm512_set1_epi16(most)))
}

impl Lanes for Avx512 {
    type Sums = __m512i;

    #[inline(always)]
    fn load(block: &Block) -> Avx512 {
        Avx512(load(&block.0))
    }

    #[inline(always)]
    fn store(self, block: &mut Block) {
        store(&mut block.0, self.0);
    }

    #[inline(always)]
    fn plus(self, other: Avx512) -> Avx512 {
        Avx512(vector!(_mm512_add_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn minus(self, other: Avx512) -> Avx512 {
        Avx512(vector!(_mm512_sub_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn clip(pair: [Avx512; 2], bytes: &mut [u8; 64]) {
        // Packing saturates at 127 and takes turns with 128 bits of each register.
        let packed =
            vector!(_mm512_max_epi8(_mm512_packs_epi16(pair[0].0, pair[1].0), _mm512_setzero_si512()));
        let order = vector!(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7));
        store(bytes, vector!(_mm512_permutexvar_epi64(order, packed)));
    }

    #[inline(always)]
    fn load_sums(sums: &[i32; 16]) -> __m512i {
        load(sums)
    }

    #[inline(always)]
    fn to_array(sums: __m512i) -> [i32; 16] {
        let mut array = [0; 16];
        store(&mut array, sums);
        array
    }

    #[inline(always)]
    fn merge(sums: __m512i, others: __m512i) -> __m512i {
        vector!(_mm512_add_epi32(sums, others))
    }

    #[inline(always)]
    fn add_squares(sums: __m512i, lanes: Avx512, weights: Avx512) -> __m512i {
        let lanes = clamp(lanes.0, 255);
        // At most 255 × 127 in size, so that the lower half of the product is all of it.
        let weighted = vector!(_mm512_mullo_epi16(lanes, weights.0));
        #[cfg(target_feature = "avx512vnni")]
        return vector!(_mm512_dpwssd_epi32(sums, weighted, lanes));
        #[cfg(not(target_feature = "avx512vnni"))]
        return vector!(_mm512_add_epi32(sums, _mm512_madd_epi16(weighted, lanes)));
    }

    #[inline(always)]
    fn add_products(sums: __m512i, inputs: [u8; 4], weights: &Bytes) -> __m512i {
        let (inputs, weights) = (vector!(_mm512_set1_epi32(i32::from_le_bytes(inputs))), load(&weights.0));
        #[cfg(target_feature = "avx512vnni")]
        return vector!(_mm512_dpbusd_epi32(sums, inputs, weights));
        #[cfg(not(target_feature = "avx512vnni"))]
        return vector!({
            // Two products are at most 2 × 127 × 128 in size: the sum of 16 bits does not saturate.
            let pairs = _mm512_maddubs_epi16(inputs, weights);
            _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
        });
    }

    #[inline(always)]
    fn activate(sums: [__m512i; 2]) -> [u8; 32] {
        let [low, high] = sums.map(|sums| {
            vector!(_mm512_cvtsepi32_epi8(_mm512_max_epi32(
                _mm512_srai_epi32::<6>(sums),
                _mm512_setzero_si512()
            )))
        });
        let mut inputs = [0; 32];
        vector!(_mm256_storeu_si256((&raw mut inputs).cast(), _mm256_set_m128i(high, low)));
        inputs
    }

    #[inline(always)]
    fn dot(inputs: &[u8; 32], weights: &[i8; 32]) -> i32 {
        // Two products are at most 2 × 127 × 128 in size: the sum of 16 bits does not saturate.
        let pairs = vector!(_mm256_maddubs_epi16(
            _mm256_loadu_si256((&raw const *inputs).cast()),
            _mm256_loadu_si256((&raw const *weights).cast())
        ));
        let quads = vector!(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
        vector!(_mm512_reduce_add_epi32(_mm512_zextsi256_si512(quads)))
    }

    #[inline(always)]
    fn busy_quads(inputs: &[u8; 64]) -> u16 {
        let quads = load(inputs);
        vector!(_mm512_test_epi32_mask(quads, quads))
    }

    #[cfg(target_feature = "avx512vbmi2")]
    #[inline(always)]
    fn list_busy_quads(inputs: &[u8; 512], list: &mut [u8; 128]) -> usize {
        const NUMBERS: [[u8; 64]; 2] = {
            let mut numbers = [[0; 64]; 2];
            let mut i = 0;
            while i < 128 {
                numbers[i / 64][i % 64] = i as u8;
                i += 1;
            }
            numbers
        };
        let (chunks, _) = inputs.as_chunks::<64>();
        let mut count = 0;
        for (numbers, chunks) in NUMBERS.iter().zip(chunks.chunks(4)) {
            let join = |mask, chunk| mask >> 16 | u64::from(Self::busy_quads(chunk)) << 48;
            let mask = chunks.iter().fold(0u64, join);
            // The first time from the start, the second at most 64 further on.
            if let Some(list) = list[count..].first_chunk_mut::<64>() {
                store(list, vector!(_mm512_maskz_compress_epi8(mask, load(numbers))));
            }
            count += mask.count_ones() as usize;
        }
        count
    }
}
