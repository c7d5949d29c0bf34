//! simd128, the vector instructions of WebAssembly: a vector is four registers.
//!
//! A module that has them cannot be loaded where they are missing, so this backend is chosen when the module is built.

use core::arch::wasm32::*;

use super::Vector;
use crate::nnue::aligned::{I8x64, I16x32};

/// Four registers of 8 lanes.
#[derive(Clone, Copy)]
pub(super) struct Simd128([v128; 4]);

/// Four registers from 64 bytes.
#[inline(always)]
fn load<T>(from: &T) -> [v128; 4] {
    const { assert!(size_of::<T>() == 64) };
    let at = (&raw const *from).cast::<v128>();
    // SAFETY: the 64 bytes are borrowed, and the load has no alignment.
    unsafe { [v128_load(at), v128_load(at.add(1)), v128_load(at.add(2)), v128_load(at.add(3))] }
}

/// Writes four registers as numbers that may have any value.
macro_rules! store {
    ($registers:expr => $to:expr) => {{
        let to: &mut [_] = &mut $to[..];
        assert!(size_of_val(to) == 64);
        let at = to.as_mut_ptr().cast::<v128>();
        let registers = $registers;
        // SAFETY: the 64 bytes are borrowed, and the store has no alignment.
        unsafe {
            v128_store(at, registers[0]);
            v128_store(at.add(1), registers[1]);
            v128_store(at.add(2), registers[2]);
            v128_store(at.add(3), registers[3]);
        }
    }};
}

/// The same operation on all four registers.
macro_rules! lane_by_lane {
    ($operation:ident, $a:expr, $b:expr) => {
        [
            $operation($a[0], $b[0]),
            $operation($a[1], $b[1]),
            $operation($a[2], $b[2]),
            $operation($a[3], $b[3]),
        ]
    };
}

impl Vector for Simd128 {
    type Sums = [v128; 4];

    const HAS_32_REGISTERS: bool = false;

    /// Every function of the module has the instructions.
    #[inline(always)]
    fn vectorize<R>(function: impl FnOnce() -> R) -> R {
        function()
    }

    #[inline(always)]
    fn load(from: &I16x32) -> Simd128 {
        Simd128(load(&from.0))
    }

    #[inline(always)]
    fn store(vector: Simd128, to: &mut I16x32) {
        store!(vector.0 => to.0);
    }

    #[inline(always)]
    fn add(a: Simd128, b: Simd128) -> Simd128 {
        Simd128(lane_by_lane!(i16x8_add, a.0, b.0))
    }

    #[inline(always)]
    fn sub(a: Simd128, b: Simd128) -> Simd128 {
        Simd128(lane_by_lane!(i16x8_sub, a.0, b.0))
    }

    #[inline(always)]
    fn mul_low(a: Simd128, b: Simd128) -> Simd128 {
        Simd128(lane_by_lane!(i16x8_mul, a.0, b.0))
    }

    #[inline(always)]
    fn mul_high_rounded(a: Simd128, b: Simd128) -> Simd128 {
        // Saturates only for -2¹⁵ squared.
        Simd128(lane_by_lane!(i16x8_q15mulr_sat, a.0, b.0))
    }

    #[inline(always)]
    fn splat(number: i16) -> Simd128 {
        Simd128([i16x8_splat(number); 4])
    }

    #[inline(always)]
    fn clipped_relu(pair: [Simd128; 2], outputs: &mut [u8; 64]) {
        let [Simd128([a, b, c, d]), Simd128([e, f, g, h])] = pair;
        store!([narrowed(a, b), narrowed(c, d), narrowed(e, f), narrowed(g, h)] => outputs);
    }

    #[inline(always)]
    fn load_sums(from: &[i32; 16]) -> [v128; 4] {
        load(from)
    }

    #[inline(always)]
    fn store_sums(sums: [v128; 4]) -> [i32; 16] {
        let mut array = [0i32; 16];
        store!(sums => array);
        array
    }

    #[inline(always)]
    fn add_sums(a: [v128; 4], b: [v128; 4]) -> [v128; 4] {
        lane_by_lane!(i32x4_add, a, b)
    }

    #[inline(always)]
    fn add_screlu(mut sums: [v128; 4], vector: Simd128, weights: Simd128) -> [v128; 4] {
        for (sum, (lanes, weights)) in sums.iter_mut().zip(vector.0.into_iter().zip(weights.0)) {
            let clipped = i16x8_min(i16x8_max(lanes, i16x8_splat(0)), i16x8_splat(255));
            // At most 255 × 127 in size: the lower half holds the whole product.
            let weighted = i16x8_mul(clipped, weights);
            *sum = i32x4_add(*sum, i32x4_dot_i16x8(weighted, clipped));
        }
        sums
    }

    #[inline(always)]
    fn add_products(mut sums: [v128; 4], inputs: [u8; 4], weights: &I8x64) -> [v128; 4] {
        let inputs = i32x4_splat(i32::from_le_bytes(inputs));
        for (sum, weights) in sums.iter_mut().zip(load(&weights.0)) {
            *sum = i32x4_add(*sum, products(inputs, weights));
        }
        sums
    }

    #[inline(always)]
    fn clipped_relu_of_sums(sums: [[v128; 4]; 2]) -> [u8; 32] {
        let [low, high] = sums;
        let (low, high) = (
            narrowed(shifted(low[0], low[1]), shifted(low[2], low[3])),
            narrowed(shifted(high[0], high[1]), shifted(high[2], high[3])),
        );
        let mut bytes = [0; 32];
        let at = bytes.as_mut_ptr().cast::<v128>();
        // SAFETY: the array has 32 bytes, and the store has no alignment.
        unsafe {
            v128_store(at, low);
            v128_store(at.add(1), high);
        }
        bytes
    }

    #[inline(always)]
    fn dot(inputs: &[u8; 32], weights: &[i8; 32]) -> i32 {
        let (inputs, weights) = (inputs.as_ptr().cast::<v128>(), weights.as_ptr().cast::<v128>());
        // SAFETY: both arrays have 32 bytes, and the load has no alignment.
        let (low, high) = unsafe {
            let low = products(v128_load(inputs), v128_load(weights));
            (low, products(v128_load(inputs.add(1)), v128_load(weights.add(1))))
        };
        let sums = i32x4_add(low, high);
        let pairs = i32x4_add(sums, i32x4_shuffle::<2, 3, 0, 1>(sums, sums));
        i32x4_extract_lane::<0>(pairs).wrapping_add(i32x4_extract_lane::<1>(pairs))
    }

    #[inline(always)]
    fn nonzero_quads(inputs: &[u8; 64]) -> u16 {
        let [a, b, c, d] = load(inputs);
        u16::from(nonzero_lanes(a))
            | u16::from(nonzero_lanes(b)) << 4
            | u16::from(nonzero_lanes(c)) << 8
            | u16::from(nonzero_lanes(d)) << 12
    }
}

/// Lanes of 16 bits as bytes, clamped to 0..=127.
#[inline(always)]
fn narrowed(low: v128, high: v128) -> v128 {
    i8x16_max(i8x16_narrow_i16x8(low, high), i8x16_splat(0))
}

/// Lanes of 32 bits divided by 64, rounding down, and saturated to 16 bits.
#[inline(always)]
fn shifted(low: v128, high: v128) -> v128 {
    i16x8_narrow_i32x4(i32x4_shr(low, 6), i32x4_shr(high, 6))
}

/// The sums of four neighbouring products of inputs, each at most 127, and weights.
#[inline(always)]
fn products(inputs: v128, weights: v128) -> v128 {
    let low = i16x8_extmul_low_i8x16(inputs, weights);
    let high = i16x8_extmul_high_i8x16(inputs, weights);
    // Adding pairs of 16 bits first would be shorter, but LLVM 22 makes an instruction of relaxed SIMD of it.
    let (low, high) = (i32x4_extadd_pairwise_i16x8(low), i32x4_extadd_pairwise_i16x8(high));
    i32x4_add(i32x4_shuffle::<0, 2, 4, 6>(low, high), i32x4_shuffle::<1, 3, 5, 7>(low, high))
}

/// Which lanes of 32 bits are not zero.
#[inline(always)]
fn nonzero_lanes(lanes: v128) -> u8 {
    i32x4_bitmask(i32x4_ne(lanes, i32x4_splat(0)))
}
