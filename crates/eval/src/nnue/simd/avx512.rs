//! AVX-512: a block is one register. Uses VNNI, VBMI and VBMI2 where the build has them.

use core::arch::x86_64::*;

use super::Lanes;
#[cfg(all(target_feature = "avx512vbmi", target_feature = "avx512vbmi2"))]
use crate::nnue::block::Inputs;
use crate::nnue::block::{Block, Bytes};

/// One register of 32 lanes.
#[derive(Clone, Copy)]
pub(in crate::nnue) struct Avx512(__m512i);

macro_rules! vector {
    ($call:expr) => {{
        // SAFETY: this module exists only in builds for processors with AVX-512 F and BW, and what needs VNNI, VBMI or
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

/// The weights of one of 256 inputs for 32 outputs.
#[cfg(all(target_feature = "avx512vbmi", target_feature = "avx512vbmi2"))]
#[inline(always)]
fn load_weights(weights: &[Bytes; 128], input: u8) -> __m256i {
    let start = (&raw const *weights).cast::<[i8; 32]>();
    // SAFETY: 128 times 64 bytes are 256 times 32, and a byte is below 256; any alignment will do.
    unsafe { _mm256_loadu_si256(start.add(input.into()).cast()) }
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

/// Adds products of inputs, each at most 127, and weights, four at a time.
#[inline(always)]
fn add_products(sums: __m512i, inputs: __m512i, weights: __m512i) -> __m512i {
    #[cfg(target_feature = "avx512vnni")]
    return vector!(_mm512_dpbusd_epi32(sums, inputs, weights));
    #[cfg(not(target_feature = "avx512vnni"))]
    return vector!({
        // Two products are at most 2 × 127 × 128 in size: the sum of 16 bits does not saturate.
        let pairs = _mm512_maddubs_epi16(inputs, weights);
        _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
    });
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
        add_products(sums, vector!(_mm512_set1_epi32(i32::from_le_bytes(inputs))), load(&weights.0))
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

    #[cfg(all(target_feature = "avx512vbmi", target_feature = "avx512vbmi2"))]
    fn arrange(weights: &[[i8; 32]; 512]) -> Box<[Bytes; 256]> {
        let (pairs, _) = weights.as_chunks::<2>();
        let mut arranged = Box::new([Bytes([0; 64]); 256]);
        for (arranged, pair) in arranged.iter_mut().zip(pairs) {
            arranged.0.copy_from_slice(pair.as_flattened());
        }
        arranged
    }

    /// Inputs that are not zero are listed with their numbers; the weights of any four of them can be brought together
    /// by two permutations.
    #[cfg(all(target_feature = "avx512vbmi", target_feature = "avx512vbmi2"))]
    #[inline(always)]
    fn add_sparse(sums: [__m512i; 2], inputs: [&Inputs<256>; 2], weights: &[Bytes; 256]) -> [__m512i; 2] {
        // Lists of both halves, the first filled up with zeros so that four inputs are always of one half.
        let (mut values, mut numbers) = ([0; 576], [0; 576]);
        let first = list_busy_inputs(inputs[0], &mut values, &mut numbers, 0).next_multiple_of(4);
        let count = list_busy_inputs(inputs[1], &mut values, &mut numbers, first);
        let orders = [load(&INTERLEAVED[0]), load(&INTERLEAVED[1])];
        let weights: &[[Bytes; 128]; 2] = weights.as_chunks().0.first_chunk().expect("two halves");
        let mut sums = sums;
        for i in (0..count.min(572)).step_by(4) {
            let four = |list: &[u8; 576]| list[i..].first_chunk::<4>().copied().unwrap_or_default();
            let inputs = vector!(_mm512_set1_epi32(i32::from_le_bytes(four(&values))));
            let numbers = u32::from_le_bytes(four(&numbers));
            let weights = &weights[usize::from(i >= first)];
            let rows = [0, 8, 16, 24].map(|shift| load_weights(weights, (numbers >> shift) as u8));
            let pair = |a, b| vector!(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(a), b));
            let (low, high) = (pair(rows[0], rows[1]), pair(rows[2], rows[3]));
            for (sums, order) in sums.iter_mut().zip(orders) {
                *sums = add_products(*sums, inputs, vector!(_mm512_permutex2var_epi8(low, order, high)));
            }
        }
        sums
    }
}

/// Lists the inputs that are not zero and their numbers from a place on, and then zeros; the place behind them.
#[cfg(all(target_feature = "avx512vbmi", target_feature = "avx512vbmi2"))]
#[inline(always)]
fn list_busy_inputs(
    inputs: &Inputs<256>,
    values: &mut [u8; 576],
    numbers: &mut [u8; 576],
    at: usize,
) -> usize {
    const NUMBERS: [[u8; 64]; 4] = {
        let mut numbers = [[0; 64]; 4];
        let mut i = 0;
        while i < 256 {
            numbers[i / 64][i % 64] = i as u8;
            i += 1;
        }
        numbers
    };
    let mut count = at;
    for (chunk, chunk_numbers) in inputs.0.as_chunks::<64>().0.iter().zip(&NUMBERS) {
        let chunk = load(chunk);
        let busy = vector!(_mm512_test_epi8_mask(chunk, chunk));
        // At most 64 of each chunk, of which there are eight, and three zeros between the halves.
        let room = |list: &mut [u8; 576], bytes| {
            if let Some(place) = list[count..].first_chunk_mut::<64>() {
                store(place, vector!(_mm512_maskz_compress_epi8(busy, bytes)));
            }
        };
        room(values, chunk);
        room(numbers, load(chunk_numbers));
        count += busy.count_ones() as usize;
    }
    count
}

/// Which bytes of two registers, each with the weights of two inputs for 32 outputs, are the four weights of each of
/// 16 outputs, and of the other 16.
#[cfg(all(target_feature = "avx512vbmi", target_feature = "avx512vbmi2"))]
const INTERLEAVED: [[u8; 64]; 2] = {
    let mut bytes = [[0; 64]; 2];
    let mut i = 0;
    while i < 128 {
        let (output, input) = (i / 4, i % 4);
        bytes[i / 64][i % 64] = (32 * input + output) as u8;
        i += 1;
    }
    bytes
};
