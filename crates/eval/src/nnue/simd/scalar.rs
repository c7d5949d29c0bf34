//! The reference: what every processor can do, one number after the other.

use super::Vector;
use crate::nnue::aligned::{I8x64, I16x32, LANES};

/// Without vector instructions, unless the compiler finds some.
#[derive(Clone, Copy)]
pub(super) struct Scalar([i16; LANES]);

impl Vector for Scalar {
    type Sums = [i32; 16];

    const HAS_32_REGISTERS: bool = false;

    #[inline(always)]
    fn vectorize<R>(function: impl FnOnce() -> R) -> R {
        function()
    }

    #[inline(always)]
    fn load(from: &I16x32) -> Scalar {
        Scalar(from.0)
    }

    #[inline(always)]
    fn store(vector: Scalar, to: &mut I16x32) {
        to.0 = vector.0;
    }

    #[inline(always)]
    fn add(mut a: Scalar, b: Scalar) -> Scalar {
        a.0.iter_mut().zip(b.0).for_each(|(lane, other)| *lane = lane.wrapping_add(other));
        a
    }

    #[inline(always)]
    fn sub(mut a: Scalar, b: Scalar) -> Scalar {
        a.0.iter_mut().zip(b.0).for_each(|(lane, other)| *lane = lane.wrapping_sub(other));
        a
    }

    #[inline(always)]
    fn mul_low(mut a: Scalar, b: Scalar) -> Scalar {
        a.0.iter_mut().zip(b.0).for_each(|(lane, other)| *lane = lane.wrapping_mul(other));
        a
    }

    #[inline(always)]
    fn mul_high_rounded(mut a: Scalar, b: Scalar) -> Scalar {
        let rounded = |a: i16, b: i16| ((i32::from(a) * i32::from(b) + (1 << 14)) >> 15) as i16;
        a.0.iter_mut().zip(b.0).for_each(|(lane, other)| *lane = rounded(*lane, other));
        a
    }

    #[inline(always)]
    fn splat(number: i16) -> Scalar {
        Scalar([number; LANES])
    }

    #[inline(always)]
    fn clipped_relu(pair: [Scalar; 2], outputs: &mut [u8; 64]) {
        let lanes = pair[0].0.iter().chain(&pair[1].0);
        outputs.iter_mut().zip(lanes).for_each(|(output, lane)| *output = (*lane).clamp(0, 127) as u8);
    }

    #[inline(always)]
    fn load_sums(from: &[i32; 16]) -> [i32; 16] {
        *from
    }

    #[inline(always)]
    fn store_sums(sums: [i32; 16]) -> [i32; 16] {
        sums
    }

    #[inline(always)]
    fn add_sums(mut a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        a.iter_mut().zip(b).for_each(|(sum, other)| *sum = sum.wrapping_add(other));
        a
    }

    #[inline(always)]
    fn add_screlu(mut sums: [i32; 16], vector: Scalar, weights: Scalar) -> [i32; 16] {
        for (i, sum) in sums.iter_mut().enumerate() {
            for j in [2 * i, 2 * i + 1] {
                let lane = i32::from(vector.0[j].clamp(0, 255));
                *sum += lane * lane * i32::from(weights.0[j]);
            }
        }
        sums
    }

    #[inline(always)]
    fn add_products(mut sums: [i32; 16], inputs: [u8; 4], weights: &I8x64) -> [i32; 16] {
        let (weights, _) = weights.0.as_chunks::<4>();
        for (sum, weights) in sums.iter_mut().zip(weights) {
            let products =
                inputs.iter().zip(weights).map(|(&input, &weight)| i32::from(input) * i32::from(weight));
            *sum += products.sum::<i32>();
        }
        sums
    }

    #[inline(always)]
    fn clipped_relu_of_sums(sums: [[i32; 16]; 2]) -> [u8; 32] {
        let mut inputs = [0; 32];
        for (input, sum) in inputs.iter_mut().zip(sums.as_flattened()) {
            *input = (sum >> 6).clamp(0, 127) as u8;
        }
        inputs
    }

    #[inline(always)]
    fn dot(inputs: &[u8; 32], weights: &[i8; 32]) -> i32 {
        inputs.iter().zip(weights).map(|(&input, &weight)| i32::from(input) * i32::from(weight)).sum()
    }

    #[inline(always)]
    fn nonzero_quads(inputs: &[u8; 64]) -> u16 {
        let (quads, _) = inputs.as_chunks::<4>();
        let set = |mask, (i, quad): (usize, &[u8; 4])| mask | u16::from(*quad != [0; 4]) << i;
        quads.iter().enumerate().fold(0, set)
    }
}
