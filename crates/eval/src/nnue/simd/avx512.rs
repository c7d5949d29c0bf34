//! AVX-512: a vector is one register.

use core::arch::x86_64::*;
use core::mem::{MaybeUninit, transmute};

use super::{Vector, arrange_quads, sparse_layer_by_quads};
use crate::nnue::aligned::{ClippedInputs, I8x64, I16x32};

/// One register of 32 lanes, and what the processor has beside BW: nothing (Skylake-X), VNNI (Cascade Lake), or VNNI and
/// VBMI2 (Ice Lake, Zen 4 and later).
#[derive(Clone, Copy)]
pub(super) struct Avx512<const VNNI: bool, const VBMI2: bool>(__m512i);

impl<const VNNI: bool, const VBMI2: bool> Avx512<VNNI, VBMI2> {
    /// Whether the processor has the instructions.
    pub(super) fn is_available() -> bool {
        is_x86_feature_detected!("avx512bw")
            && (!VNNI || is_x86_feature_detected!("avx512vnni"))
            && (!VBMI2 || is_x86_feature_detected!("avx512vbmi2"))
    }
}

impl<const VNNI: bool, const VBMI2: bool> Vector for Avx512<VNNI, VBMI2> {
    type Sums = __m512i;

    const HAS_32_REGISTERS: bool = true;

    #[inline(always)]
    fn vectorize<R>(function: impl FnOnce() -> R) -> R {
        const { assert!(VNNI || !VBMI2) };
        match (VNNI, VBMI2) {
            (_, true) => call_with!("avx512bw,avx512vnni,avx512vbmi2", function),
            (true, false) => call_with!("avx512bw,avx512vnni", function),
            (false, false) => call_with!("avx512bw", function),
        }
    }

    forward! {
        fn load(from: &I16x32) -> Self;
        fn store(vector: Self, to: &mut I16x32);
        fn add(a: Self, b: Self) -> Self;
        fn sub(a: Self, b: Self) -> Self;
        fn mul_low(a: Self, b: Self) -> Self;
        fn mul_high_rounded(a: Self, b: Self) -> Self;
        fn splat(number: i16) -> Self;
        fn clipped_relu(pair: [Self; 2], outputs: &mut [u8; 64]);
        fn load_sums(from: &[i32; 16]) -> __m512i;
        fn store_sums(sums: __m512i) -> [i32; 16];
        fn add_sums(a: __m512i, b: __m512i) -> __m512i;
        fn clipped_relu_of_sums(sums: [__m512i; 2]) -> [u8; 32];
        fn dot(inputs: &[u8; 32], weights: &[i8; 32]) -> i32;
        fn nonzero_quads(inputs: &[u8; 64]) -> u16;
    }

    #[inline(always)]
    fn add_screlu(sums: __m512i, vector: Self, weights: Self) -> __m512i {
        // SAFETY: as in `call_with`.
        unsafe {
            if VNNI { add_screlu_vnni(sums, vector, weights) } else { add_screlu(sums, vector, weights) }
        }
    }

    #[inline(always)]
    fn add_products(sums: __m512i, inputs: [u8; 4], weights: &I8x64) -> __m512i {
        // SAFETY: as in `call_with`.
        unsafe {
            if VNNI { add_products_vnni(sums, inputs, weights) } else { add_products(sums, inputs, weights) }
        }
    }

    /// With VBMI2: two inputs at a time, for outputs in the order of [`sparse_layer`](Vector::sparse_layer).
    fn arrange_weights(weights: &[[i8; 32]; 512]) -> Box<[I8x64; 256]> {
        if !VBMI2 {
            return arrange_quads(weights);
        }
        let mut arranged = Box::new([I8x64([0; 64]); 256]);
        for (input, weights) in weights.iter().enumerate() {
            for (output, &weight) in weights.iter().enumerate() {
                let place = output % 16 / 4 * 8 + output / 16 * 4 + output % 4;
                arranged[input / 2].0[2 * place + input % 2] = weight;
            }
        }
        arranged
    }

    #[inline(always)]
    fn sparse_layer(
        inputs: [&ClippedInputs<256>; 2],
        weights: &[I8x64; 256],
        biases: &[i32; 32],
    ) -> [u8; 32] {
        if VBMI2 {
            // SAFETY: as in `call_with`.
            unsafe { sparse_layer_by_pairs(inputs, weights, biases) }
        } else {
            sparse_layer_by_quads::<Self>(inputs, weights, biases)
        }
    }
}

/// A register from an array of numbers.
#[inline]
#[target_feature(enable = "avx512bw")]
fn load_register<T>(array: &T) -> __m512i {
    const { assert!(size_of::<T>() == 64) };
    // SAFETY: the array is borrowed and as long as a register; any alignment will do.
    unsafe { _mm512_loadu_si512((&raw const *array).cast()) }
}

/// A register into an array of numbers.
#[inline]
#[target_feature(enable = "avx512bw")]
fn store_register<T>(array: &mut T, register: __m512i) {
    const { assert!(size_of::<T>() == 64) };
    // SAFETY: the array is borrowed and as long as a register; any alignment will do.
    unsafe { _mm512_storeu_si512((&raw mut *array).cast(), register) }
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn load<const A: bool, const B: bool>(from: &I16x32) -> Avx512<A, B> {
    Avx512(load_register(&from.0))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn store<const A: bool, const B: bool>(vector: Avx512<A, B>, to: &mut I16x32) {
    store_register(&mut to.0, vector.0);
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn add<const A: bool, const B: bool>(a: Avx512<A, B>, b: Avx512<A, B>) -> Avx512<A, B> {
    Avx512(_mm512_add_epi16(a.0, b.0))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn sub<const A: bool, const B: bool>(a: Avx512<A, B>, b: Avx512<A, B>) -> Avx512<A, B> {
    Avx512(_mm512_sub_epi16(a.0, b.0))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn mul_low<const A: bool, const B: bool>(a: Avx512<A, B>, b: Avx512<A, B>) -> Avx512<A, B> {
    Avx512(_mm512_mullo_epi16(a.0, b.0))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn mul_high_rounded<const A: bool, const B: bool>(a: Avx512<A, B>, b: Avx512<A, B>) -> Avx512<A, B> {
    Avx512(_mm512_mulhrs_epi16(a.0, b.0))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn splat<const A: bool, const B: bool>(number: i16) -> Avx512<A, B> {
    Avx512(_mm512_set1_epi16(number))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn clipped_relu<const A: bool, const B: bool>(pair: [Avx512<A, B>; 2], outputs: &mut [u8; 64]) {
    // Packing saturates at 127 and interleaves the 128-bit quarters of the registers.
    let packed = _mm512_max_epi8(_mm512_packs_epi16(pair[0].0, pair[1].0), _mm512_setzero_si512());
    let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    store_register(outputs, _mm512_permutexvar_epi64(order, packed));
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn load_sums(from: &[i32; 16]) -> __m512i {
    load_register(from)
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn store_sums(sums: __m512i) -> [i32; 16] {
    let mut array = [0; 16];
    store_register(&mut array, sums);
    array
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn add_sums(a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi32(a, b)
}

/// The lanes clamped to 0..=255, and the products of that with the weights. These are at most 255 × 127 in size: the
/// lower half holds the whole product.
#[inline]
#[target_feature(enable = "avx512bw")]
fn clip_and_weight<const A: bool, const B: bool>(
    vector: Avx512<A, B>,
    weights: Avx512<A, B>,
) -> [__m512i; 2] {
    let not_negative = _mm512_max_epi16(vector.0, _mm512_setzero_si512());
    let clipped = _mm512_min_epi16(not_negative, _mm512_set1_epi16(255));
    [clipped, _mm512_mullo_epi16(clipped, weights.0)]
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn add_screlu<const A: bool, const B: bool>(
    sums: __m512i,
    vector: Avx512<A, B>,
    weights: Avx512<A, B>,
) -> __m512i {
    let [clipped, weighted] = clip_and_weight(vector, weights);
    _mm512_add_epi32(sums, _mm512_madd_epi16(weighted, clipped))
}

#[inline]
#[target_feature(enable = "avx512bw,avx512vnni")]
fn add_screlu_vnni<const A: bool, const B: bool>(
    sums: __m512i,
    vector: Avx512<A, B>,
    weights: Avx512<A, B>,
) -> __m512i {
    let [clipped, weighted] = clip_and_weight(vector, weights);
    _mm512_dpwssd_epi32(sums, weighted, clipped)
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn add_products(sums: __m512i, inputs: [u8; 4], weights: &I8x64) -> __m512i {
    // Two products are at most 2 × 127 × 128 in size: the 16-bit sum does not saturate.
    let pairs =
        _mm512_maddubs_epi16(_mm512_set1_epi32(i32::from_le_bytes(inputs)), load_register(&weights.0));
    _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
}

#[inline]
#[target_feature(enable = "avx512bw,avx512vnni")]
fn add_products_vnni(sums: __m512i, inputs: [u8; 4], weights: &I8x64) -> __m512i {
    add_register_products(sums, _mm512_set1_epi32(i32::from_le_bytes(inputs)), load_register(&weights.0))
}

/// Adds products of inputs, each at most 127, and weights, four at a time.
#[inline]
#[target_feature(enable = "avx512bw,avx512vnni")]
fn add_register_products(sums: __m512i, inputs: __m512i, weights: __m512i) -> __m512i {
    _mm512_dpbusd_epi32(sums, inputs, weights)
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn clipped_relu_of_sums(sums: [__m512i; 2]) -> [u8; 32] {
    let mut outputs = [0; 32];
    let (low, high) = (clipped_relu_of_register(sums[0]), clipped_relu_of_register(sums[1]));
    // SAFETY: the array is as long as a register; any alignment will do.
    unsafe { _mm256_storeu_si256((&raw mut outputs).cast(), _mm256_set_m128i(high, low)) };
    outputs
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn clipped_relu_of_register(sums: __m512i) -> __m128i {
    _mm512_cvtsepi32_epi8(_mm512_max_epi32(_mm512_srai_epi32::<6>(sums), _mm512_setzero_si512()))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn dot(inputs: &[u8; 32], weights: &[i8; 32]) -> i32 {
    // SAFETY: both arrays are borrowed and as long as a register; any alignment will do.
    let (inputs, weights) = unsafe {
        (_mm256_loadu_si256((&raw const *inputs).cast()), _mm256_loadu_si256((&raw const *weights).cast()))
    };
    // Two products are at most 2 × 127 × 128 in size: the 16-bit sum does not saturate.
    let quads = _mm256_madd_epi16(_mm256_maddubs_epi16(inputs, weights), _mm256_set1_epi16(1));
    _mm512_reduce_add_epi32(_mm512_zextsi256_si512(quads))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn nonzero_quads(inputs: &[u8; 64]) -> u16 {
    let quads = load_register(inputs);
    _mm512_test_epi32_mask(quads, quads)
}

/// Adds two pairs of inputs at a time. Unpacking interleaves their weights, alternately for four outputs of the
/// first 16 and four of the others: hence the order of the weights.
#[inline]
#[target_feature(enable = "avx512bw,avx512vnni,avx512vbmi2")]
fn sparse_layer_by_pairs(
    inputs: [&ClippedInputs<256>; 2],
    weights: &[I8x64; 256],
    biases: &[i32; 32],
) -> [u8; 32] {
    let mut nonzero = NonzeroPairs::none();
    nonzero.list(inputs);
    let (biases, _) = biases.as_chunks::<16>();
    let mut chains = [[load_sums(&biases[0]), load_sums(&biases[1])], [_mm512_setzero_si512(); 2]];
    for (values, numbers) in nonzero.twos() {
        let inputs = _mm512_set1_epi32(values);
        let a = load_register(&weights[usize::from(numbers[0])].0);
        let b = load_register(&weights[usize::from(numbers[1])].0);
        let [sums, others] = chains;
        let low = add_register_products(sums[0], inputs, _mm512_unpacklo_epi16(a, b));
        let high = add_register_products(sums[1], inputs, _mm512_unpackhi_epi16(a, b));
        // The two take turns, so that they do not wait for each other.
        chains = [others, [low, high]];
    }
    clipped_relu_of_sums([add_sums(chains[0][0], chains[1][0]), add_sums(chains[0][1], chains[1][1])])
}

/// The pairs of neighbours among 512 inputs that are not both zero, followed by a register full of zeros.
///
/// Filling the lists with zeros first would cost a twentieth of an evaluation that follows moves.
struct NonzeroPairs {
    values: [MaybeUninit<u16>; 256 + 32],
    numbers: [MaybeUninit<u8>; 256 + 64],
    count: usize,
}

impl NonzeroPairs {
    /// Without the zeros at the end.
    #[inline(always)]
    fn none() -> NonzeroPairs {
        NonzeroPairs { values: [MaybeUninit::uninit(); 288], numbers: [MaybeUninit::uninit(); 320], count: 0 }
    }

    #[inline]
    #[target_feature(enable = "avx512vbmi2")]
    fn list(&mut self, inputs: [&ClippedInputs<256>; 2]) {
        let mut count = 0;
        let quarters = inputs.into_iter().flat_map(|half| half.0.as_chunks::<128>().0);
        for (quarter, numbers) in quarters.zip(&NUMBERS) {
            let (halves, _) = quarter.as_chunks::<64>();
            let (low, high) = (load_register(&halves[0]), load_register(&halves[1]));
            let masks = [_mm512_test_epi16_mask(low, low), _mm512_test_epi16_mask(high, high)];
            let both = u64::from(masks[0]) | u64::from(masks[1]) << 32;
            self.put_numbers(count, _mm512_maskz_compress_epi8(both, load_register(numbers)));
            self.put_values(count, _mm512_maskz_compress_epi16(masks[0], low));
            count += masks[0].count_ones() as usize;
            self.put_values(count, _mm512_maskz_compress_epi16(masks[1], high));
            count += masks[1].count_ones() as usize;
        }
        self.put_values(count, _mm512_setzero_si512());
        self.put_numbers(count, _mm512_setzero_si512());
        self.count = count;
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn put_values(&mut self, at: usize, values: __m512i) {
        store_register(self.values[at..].first_chunk_mut::<32>().expect("256 pairs and 32 zeros"), values);
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn put_numbers(&mut self, at: usize, numbers: __m512i) {
        store_register(self.numbers[at..].first_chunk_mut::<64>().expect("256 pairs and 64 zeros"), numbers);
    }

    /// Two pairs at a time, as one 32-bit number, and their numbers.
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

/// The numbers of all pairs.
const NUMBERS: [[u8; 64]; 4] = {
    let mut numbers = [[0; 64]; 4];
    let mut i = 0;
    while i < 256 {
        numbers[i / 64][i % 64] = i as u8;
        i += 1;
    }
    numbers
};
