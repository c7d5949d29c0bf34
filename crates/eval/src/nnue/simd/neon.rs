//! NEON, which every 64-bit ARM processor has: a vector is four registers.

use core::arch::aarch64::*;

use super::Vector;
use crate::nnue::aligned::{I8x64, I16x32};

/// Four registers of 8 lanes.
#[derive(Clone, Copy)]
pub(super) struct Neon([int16x8_t; 4]);

impl Vector for Neon {
    type Sums = [int32x4_t; 4];

    // There are, but four of them make a vector.
    const HAS_32_REGISTERS: bool = false;

    #[inline(always)]
    fn vectorize<R>(function: impl FnOnce() -> R) -> R {
        call_with!("neon", function)
    }

    forward! {
        fn load(from: &I16x32) -> Neon;
        fn store(vector: Neon, to: &mut I16x32);
        fn add(a: Neon, b: Neon) -> Neon;
        fn sub(a: Neon, b: Neon) -> Neon;
        fn mul_low(a: Neon, b: Neon) -> Neon;
        fn mul_high_rounded(a: Neon, b: Neon) -> Neon;
        fn splat(number: i16) -> Neon;
        fn clipped_relu(pair: [Neon; 2], outputs: &mut [u8; 64]);
        fn load_sums(from: &[i32; 16]) -> [int32x4_t; 4];
        fn store_sums(sums: [int32x4_t; 4]) -> [i32; 16];
        fn add_sums(a: [int32x4_t; 4], b: [int32x4_t; 4]) -> [int32x4_t; 4];
        fn add_screlu(sums: [int32x4_t; 4], vector: Neon, weights: Neon) -> [int32x4_t; 4];
        fn add_products(sums: [int32x4_t; 4], inputs: [u8; 4], weights: &I8x64) -> [int32x4_t; 4];
        fn clipped_relu_of_sums(sums: [[int32x4_t; 4]; 2]) -> [u8; 32];
        fn dot(inputs: &[u8; 32], weights: &[i8; 32]) -> i32;
        fn nonzero_quads(inputs: &[u8; 64]) -> u16;
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn load(from: &I16x32) -> Neon {
    let at = from.0.as_ptr();
    // SAFETY: the array has 32 numbers.
    Neon(unsafe { [vld1q_s16(at), vld1q_s16(at.add(8)), vld1q_s16(at.add(16)), vld1q_s16(at.add(24))] })
}

#[inline]
#[target_feature(enable = "neon")]
fn store(vector: Neon, to: &mut I16x32) {
    let at = to.0.as_mut_ptr();
    // SAFETY: the array has 32 numbers.
    unsafe {
        vst1q_s16(at, vector.0[0]);
        vst1q_s16(at.add(8), vector.0[1]);
        vst1q_s16(at.add(16), vector.0[2]);
        vst1q_s16(at.add(24), vector.0[3]);
    }
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

#[inline]
#[target_feature(enable = "neon")]
fn add(a: Neon, b: Neon) -> Neon {
    Neon(lane_by_lane!(vaddq_s16, a.0, b.0))
}

#[inline]
#[target_feature(enable = "neon")]
fn sub(a: Neon, b: Neon) -> Neon {
    Neon(lane_by_lane!(vsubq_s16, a.0, b.0))
}

#[inline]
#[target_feature(enable = "neon")]
fn mul_low(a: Neon, b: Neon) -> Neon {
    Neon(lane_by_lane!(vmulq_s16, a.0, b.0))
}

#[inline]
#[target_feature(enable = "neon")]
fn mul_high_rounded(a: Neon, b: Neon) -> Neon {
    // Saturates only for -2¹⁵ squared.
    Neon(lane_by_lane!(vqrdmulhq_s16, a.0, b.0))
}

#[inline]
#[target_feature(enable = "neon")]
fn splat(number: i16) -> Neon {
    Neon([vdupq_n_s16(number); 4])
}

#[inline]
#[target_feature(enable = "neon")]
fn clipped_relu(pair: [Neon; 2], outputs: &mut [u8; 64]) {
    let outputs = outputs.as_chunks_mut::<32>().0;
    for (outputs, Neon(registers)) in outputs.iter_mut().zip(pair) {
        let (low, high) = (narrowed(registers[0], registers[1]), narrowed(registers[2], registers[3]));
        *outputs = store_bytes([low, high]);
    }
}

/// Lanes as bytes, clamped to 0..=127.
#[inline]
#[target_feature(enable = "neon")]
fn narrowed(low: int16x8_t, high: int16x8_t) -> int8x16_t {
    vmaxq_s8(vqmovn_high_s16(vqmovn_s16(low), high), vdupq_n_s8(0))
}

/// Bytes that are not negative.
#[inline]
#[target_feature(enable = "neon")]
fn store_bytes(registers: [int8x16_t; 2]) -> [u8; 32] {
    let mut bytes = [0; 32];
    let at = bytes.as_mut_ptr();
    // SAFETY: the array has 32 bytes.
    unsafe {
        vst1q_u8(at, vreinterpretq_u8_s8(registers[0]));
        vst1q_u8(at.add(16), vreinterpretq_u8_s8(registers[1]));
    }
    bytes
}

#[inline]
#[target_feature(enable = "neon")]
fn load_sums(from: &[i32; 16]) -> [int32x4_t; 4] {
    let at = from.as_ptr();
    // SAFETY: the array has 16 numbers.
    unsafe { [vld1q_s32(at), vld1q_s32(at.add(4)), vld1q_s32(at.add(8)), vld1q_s32(at.add(12))] }
}

#[inline]
#[target_feature(enable = "neon")]
fn store_sums(sums: [int32x4_t; 4]) -> [i32; 16] {
    let mut array = [0; 16];
    let at = array.as_mut_ptr();
    // SAFETY: the array has 16 numbers.
    unsafe {
        vst1q_s32(at, sums[0]);
        vst1q_s32(at.add(4), sums[1]);
        vst1q_s32(at.add(8), sums[2]);
        vst1q_s32(at.add(12), sums[3]);
    }
    array
}

#[inline]
#[target_feature(enable = "neon")]
fn add_sums(a: [int32x4_t; 4], b: [int32x4_t; 4]) -> [int32x4_t; 4] {
    lane_by_lane!(vaddq_s32, a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn add_screlu(mut sums: [int32x4_t; 4], vector: Neon, weights: Neon) -> [int32x4_t; 4] {
    for (sum, (lanes, weights)) in sums.iter_mut().zip(vector.0.into_iter().zip(weights.0)) {
        let clipped = vminq_s16(vmaxq_s16(lanes, vdupq_n_s16(0)), vdupq_n_s16(255));
        // At most 255 × 127 in size: the lower half holds the whole product.
        let weighted = vmulq_s16(clipped, weights);
        *sum = vmlal_s16(*sum, vget_low_s16(weighted), vget_low_s16(clipped));
        *sum = vmlal_high_s16(*sum, weighted, clipped);
    }
    sums
}

/// Adds products of inputs, each at most 127, and weights, four neighbours at a time.
#[inline]
#[target_feature(enable = "neon")]
fn add_register_products(sums: int32x4_t, inputs: int8x16_t, weights: int8x16_t) -> int32x4_t {
    let low = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
    let high = vmull_high_s8(inputs, weights);
    // Two products are at most 2 × 127 × 128 in size: the 16-bit sum does not overflow.
    vpadalq_s16(sums, vpaddq_s16(low, high))
}

#[inline]
#[target_feature(enable = "neon")]
fn add_products(mut sums: [int32x4_t; 4], inputs: [u8; 4], weights: &I8x64) -> [int32x4_t; 4] {
    let inputs = vreinterpretq_s8_s32(vdupq_n_s32(i32::from_le_bytes(inputs)));
    for (sum, weights) in sums.iter_mut().zip(weights.0.as_chunks::<16>().0) {
        // SAFETY: the array has 16 bytes.
        let weights = unsafe { vld1q_s8(weights.as_ptr()) };
        *sum = add_register_products(*sum, inputs, weights);
    }
    sums
}

#[inline]
#[target_feature(enable = "neon")]
fn clipped_relu_of_sums(sums: [[int32x4_t; 4]; 2]) -> [u8; 32] {
    let [low, high] = sums;
    store_bytes([
        narrowed(shifted(low[0], low[1]), shifted(low[2], low[3])),
        narrowed(shifted(high[0], high[1]), shifted(high[2], high[3])),
    ])
}

/// Divided by 64, rounding down, and saturated to 16 bits.
#[inline]
#[target_feature(enable = "neon")]
fn shifted(low: int32x4_t, high: int32x4_t) -> int16x8_t {
    vqshrn_high_n_s32::<6>(vqshrn_n_s32::<6>(low), high)
}

#[inline]
#[target_feature(enable = "neon")]
fn dot(inputs: &[u8; 32], weights: &[i8; 32]) -> i32 {
    let mut sums = vdupq_n_s32(0);
    for (inputs, weights) in inputs.as_chunks::<16>().0.iter().zip(weights.as_chunks::<16>().0) {
        // SAFETY: both arrays have 16 bytes.
        let (inputs, weights) = unsafe { (vld1q_u8(inputs.as_ptr()), vld1q_s8(weights.as_ptr())) };
        sums = add_register_products(sums, vreinterpretq_s8_u8(inputs), weights);
    }
    vaddvq_s32(sums)
}

#[inline]
#[target_feature(enable = "neon")]
fn nonzero_quads(inputs: &[u8; 64]) -> u16 {
    let (registers, _) = inputs.as_chunks::<16>();
    let low = nonzero_quads_of_half([&registers[0], &registers[1]]);
    let high = nonzero_quads_of_half([&registers[2], &registers[3]]);
    u16::from(low) | u16::from(high) << 8
}

#[inline]
#[target_feature(enable = "neon")]
fn nonzero_quads_of_half(inputs: [&[u8; 16]; 2]) -> u8 {
    const BITS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: all arrays have 16 bytes.
    let (low, high, bits) =
        unsafe { (vld1q_u8(inputs[0].as_ptr()), vld1q_u8(inputs[1].as_ptr()), vld1q_u16(BITS.as_ptr())) };
    let (low, high) = (vreinterpretq_u32_u8(low), vreinterpretq_u32_u8(high));
    let nonzero = vmovn_high_u32(vmovn_u32(vtstq_u32(low, low)), vtstq_u32(high, high));
    vaddvq_u16(vandq_u16(nonzero, bits)) as u8
}
