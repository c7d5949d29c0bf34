//! The reference: what every processor can do, one number after the other.

use super::Lanes;
use crate::nnue::block::{Block, Bytes, LANES};

/// Without vector instructions, unless the compiler finds some.
#[derive(Clone, Copy)]
pub(in crate::nnue) struct Scalar([i16; LANES]);

impl Lanes for Scalar {
    type Sums = [i32; 16];

    const HAS_ROOM: bool = false;

    #[inline(always)]
    fn load(block: &Block) -> Scalar {
        Scalar(block.0)
    }

    #[inline(always)]
    fn store(self, block: &mut Block) {
        block.0 = self.0;
    }

    #[inline(always)]
    fn plus(mut self, other: Scalar) -> Scalar {
        self.0.iter_mut().zip(other.0).for_each(|(lane, other)| *lane = lane.wrapping_add(other));
        self
    }

    #[inline(always)]
    fn minus(mut self, other: Scalar) -> Scalar {
        self.0.iter_mut().zip(other.0).for_each(|(lane, other)| *lane = lane.wrapping_sub(other));
        self
    }

    #[inline(always)]
    fn times(mut self, other: Scalar) -> Scalar {
        self.0.iter_mut().zip(other.0).for_each(|(lane, other)| *lane = lane.wrapping_mul(other));
        self
    }

    #[inline(always)]
    fn times_fraction(mut self, other: Scalar) -> Scalar {
        let rounded = |a: i16, b: i16| ((i32::from(a) * i32::from(b) + (1 << 14)) >> 15) as i16;
        self.0.iter_mut().zip(other.0).for_each(|(lane, other)| *lane = rounded(*lane, other));
        self
    }

    #[inline(always)]
    fn splat(number: i16) -> Scalar {
        Scalar([number; LANES])
    }

    #[inline(always)]
    fn clip(pair: [Scalar; 2], bytes: &mut [u8; 64]) {
        let lanes = pair[0].0.iter().chain(&pair[1].0);
        bytes.iter_mut().zip(lanes).for_each(|(byte, lane)| *byte = (*lane).clamp(0, 127) as u8);
    }

    #[inline(always)]
    fn load_sums(sums: &[i32; 16]) -> [i32; 16] {
        *sums
    }

    #[inline(always)]
    fn to_array(sums: [i32; 16]) -> [i32; 16] {
        sums
    }

    #[inline(always)]
    fn merge(mut sums: [i32; 16], others: [i32; 16]) -> [i32; 16] {
        sums.iter_mut().zip(others).for_each(|(sum, other)| *sum = sum.wrapping_add(other));
        sums
    }

    #[inline(always)]
    fn add_squares(mut sums: [i32; 16], lanes: Scalar, weights: Scalar) -> [i32; 16] {
        for (i, sum) in sums.iter_mut().enumerate() {
            for j in [2 * i, 2 * i + 1] {
                let lane = i32::from(lanes.0[j].clamp(0, 255));
                *sum += lane * lane * i32::from(weights.0[j]);
            }
        }
        sums
    }

    #[inline(always)]
    fn add_products(mut sums: [i32; 16], inputs: [u8; 4], weights: &Bytes) -> [i32; 16] {
        let (weights, _) = weights.0.as_chunks::<4>();
        for (sum, weights) in sums.iter_mut().zip(weights) {
            let products =
                inputs.iter().zip(weights).map(|(&input, &weight)| i32::from(input) * i32::from(weight));
            *sum += products.sum::<i32>();
        }
        sums
    }

    #[inline(always)]
    fn activate(sums: [[i32; 16]; 2]) -> [u8; 32] {
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
    fn busy_quads(inputs: &[u8; 64]) -> u16 {
        let (quads, _) = inputs.as_chunks::<4>();
        let set = |mask, (i, quad): (usize, &[u8; 4])| mask | u16::from(*quad != [0; 4]) << i;
        quads.iter().enumerate().fold(0, set)
    }
}
