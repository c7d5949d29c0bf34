//! AVX-512: a block is one register. Uses VNNI and VBMI2 where the build has them.

use core::arch::x86_64::*;
#[cfg(target_feature = "avx512vbmi2")]
use core::mem::{MaybeUninit, transmute};

use super::Lanes;
#[cfg(target_feature = "avx512vbmi2")]
use crate::nnue::block::Inputs;
use crate::nnue::block::{Block, Bytes};

/// One register of 32 lanes.
#[derive(Clone, Copy)]
pub(in crate::nnue) struct Avx512(__m512i);

macro_rules! vector {
    ($call:expr) => {{
        // SAFETY: this module exists only in builds for processors with AVX-512 F and BW, and what needs VNNI or VBMI2
        // only where the build has these; loads and stores are of whole registers inside arrays that are borrowed, at
        // any alignment.
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

    const HAS_ROOM: bool = true;

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
    fn times(self, other: Avx512) -> Avx512 {
        Avx512(vector!(_mm512_mullo_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn times_fraction(self, other: Avx512) -> Avx512 {
        Avx512(vector!(_mm512_mulhrs_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn splat(number: i16) -> Avx512 {
        Avx512(vector!(_mm512_set1_epi16(number)))
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

    /// Two inputs at a time, for outputs in the order of [`add_sparse`](Lanes::add_sparse).
    #[cfg(target_feature = "avx512vbmi2")]
    fn arrange(weights: &[[i8; 32]; 512]) -> Box<[Bytes; 256]> {
        let mut arranged = Box::new([Bytes([0; 64]); 256]);
        for (input, weights) in weights.iter().enumerate() {
            for (output, &weight) in weights.iter().enumerate() {
                let place = output % 16 / 4 * 8 + output / 16 * 4 + output % 4;
                arranged[input / 2].0[2 * place + input % 2] = weight;
            }
        }
        arranged
    }

    /// Adds up two pairs of inputs at a time. Unpacking brings their weights together, and does so by turns for four
    /// outputs of the first 16 and four of the others: hence the order of the weights.
    #[cfg(target_feature = "avx512vbmi2")]
    #[inline(always)]
    fn add_sparse(sums: [__m512i; 2], inputs: [&Inputs<256>; 2], weights: &[Bytes; 256]) -> [__m512i; 2] {
        let mut busy = BusyPairs::none();
        busy.list(inputs);
        let mut chains = [sums, [vector!(_mm512_setzero_si512()); 2]];
        for (values, numbers) in busy.twos() {
            let inputs = vector!(_mm512_set1_epi32(values));
            let [a, b] = numbers.map(|number| load(&weights[usize::from(number)].0));
            let [sums, others] = chains;
            let low = add_products(sums[0], inputs, vector!(_mm512_unpacklo_epi16(a, b)));
            let high = add_products(sums[1], inputs, vector!(_mm512_unpackhi_epi16(a, b)));
            // The two take turns, so that they do not wait for each other.
            chains = [others, [low, high]];
        }
        [0, 1].map(|half| Self::merge(chains[0][half], chains[1][half]))
    }
}

/// The pairs of neighbours among 512 inputs that are not both zero, and behind them a register full of zeros.
///
/// To fill the lists with zeros first would cost a twentieth of an evaluation move by move.
#[cfg(target_feature = "avx512vbmi2")]
struct BusyPairs {
    values: [MaybeUninit<u16>; 256 + 32],
    numbers: [MaybeUninit<u8>; 256 + 64],
    count: usize,
}

#[cfg(target_feature = "avx512vbmi2")]
impl BusyPairs {
    /// No zeros yet.
    #[inline(always)]
    fn none() -> BusyPairs {
        BusyPairs { values: [MaybeUninit::uninit(); 288], numbers: [MaybeUninit::uninit(); 320], count: 0 }
    }

    #[inline(always)]
    fn list(&mut self, inputs: [&Inputs<256>; 2]) {
        let mut count = 0;
        let quarters = inputs.into_iter().flat_map(|half| half.0.as_chunks::<128>().0);
        for (quarter, numbers) in quarters.zip(&NUMBERS) {
            let (halves, _) = quarter.as_chunks::<64>();
            let (low, high) = (load(&halves[0]), load(&halves[1]));
            let busy = [low, high].map(|half| vector!(_mm512_test_epi16_mask(half, half)));
            let busy_of_both = u64::from(busy[0]) | u64::from(busy[1]) << 32;
            self.put_numbers(count, vector!(_mm512_maskz_compress_epi8(busy_of_both, load(numbers))));
            self.put_values(count, vector!(_mm512_maskz_compress_epi16(busy[0], low)));
            count += busy[0].count_ones() as usize;
            self.put_values(count, vector!(_mm512_maskz_compress_epi16(busy[1], high)));
            count += busy[1].count_ones() as usize;
        }
        self.put_values(count, vector!(_mm512_setzero_si512()));
        self.put_numbers(count, vector!(_mm512_setzero_si512()));
        self.count = count;
    }

    #[inline(always)]
    fn put_values(&mut self, at: usize, values: __m512i) {
        store(self.values[at..].first_chunk_mut::<32>().expect("256 pairs and 32 zeros"), values);
    }

    #[inline(always)]
    fn put_numbers(&mut self, at: usize, numbers: __m512i) {
        store(self.numbers[at..].first_chunk_mut::<64>().expect("256 pairs and 64 zeros"), numbers);
    }

    /// Two pairs at a time, as one number of 32 bits, and their numbers.
    #[inline(always)]
    fn twos(&self) -> impl Iterator<Item = (i32, [u8; 2])> {
        let (values, numbers) = (self.values.as_chunks::<2>().0, self.numbers.as_chunks::<2>().0);
        values.iter().zip(numbers).take(self.count.div_ceil(2)).map(|(values, numbers)| {
            // SAFETY: both lists are written without gaps from the beginning to at least 32 places behind `count`.
            unsafe {
                (
                    transmute::<[MaybeUninit<u16>; 2], i32>(*values),
                    transmute::<[MaybeUninit<u8>; 2], [u8; 2]>(*numbers),
                )
            }
        })
    }
}

/// Those of all pairs.
#[cfg(target_feature = "avx512vbmi2")]
const NUMBERS: [[u8; 64]; 4] = {
    let mut numbers = [[0; 64]; 4];
    let mut i = 0;
    while i < 256 {
        numbers[i / 64][i % 64] = i as u8;
        i += 1;
    }
    numbers
};
