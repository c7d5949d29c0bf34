//! The few operations on [`Block`]s that differ from processor to processor.
//!
//! A backend is a type that implements [`Lanes`]; the [kernels](super::kernels) are written once, for all of them.
//! The build chooses the best its target has: [`Best`]. All operations are on integers and either exact or
//! wrapping, so every backend gives the same bits. In tests all backends that the build can run are compared with
//! [`scalar`].
//!
//! Another instruction set needs one more file and one more line here. For NEON that is a `[int16x8_t; 4]` as
//! lanes and an `[int32x4_t; 4]` as sums; `vaddq_s16`, `vsubq_s16`, `vmulq_s16` and `vqrdmulhq_s16` (which saturates
//! where this wraps: -2¹⁵ squared), `vqmovn_s16` and `vmaxq_s8` to clip, `vmulq_s16` and `vmlal_s16` for squares (with
//! `vpaddq_s32`, since sums are of neighbours), `vdotq_s32` or `vmull_s8` with `vpadalq_s16` for products (inputs are
//! at most 127 and may be taken as signed), `vtstq_u32` for busy quads.

use super::block::{Block, Bytes, Inputs};

/// 32 numbers of 16 bits in registers, and how to sum them up.
pub(super) trait Lanes: Copy {
    /// Sixteen sums of 32 bits in registers.
    type Sums: Copy;

    /// Whether registers hold two dozen of these.
    const HAS_ROOM: bool;

    fn load(block: &Block) -> Self;
    fn store(self, block: &mut Block);
    /// Lane by lane, wrapping.
    fn plus(self, other: Self) -> Self;
    /// Lane by lane, wrapping.
    fn minus(self, other: Self) -> Self;
    /// Lane by lane, wrapping.
    fn times(self, other: Self) -> Self;
    /// The product divided by 2¹⁵, lane by lane, rounded, halves up.
    fn times_fraction(self, other: Self) -> Self;
    /// The same number in all lanes.
    fn splat(number: i16) -> Self;
    /// The lanes of two as bytes, below 0 as 0 and above 127 as 127.
    fn clip(pair: [Self; 2], bytes: &mut [u8; 64]);

    fn load_sums(sums: &[i32; 16]) -> Self::Sums;
    fn to_array(sums: Self::Sums) -> [i32; 16];
    /// Sum by sum, wrapping.
    fn merge(sums: Self::Sums, others: Self::Sums) -> Self::Sums;
    /// Adds square × weight of each lane, in pairs of neighbours, where lanes below 0 count as 0 and above 255 as
    /// 255. Weights must be within ±[`WEIGHT_LIMIT`].
    fn add_squares(sums: Self::Sums, lanes: Self, weights: Self) -> Self::Sums;
    /// Adds the products of four inputs, each at most 127, with the four weights of each of sixteen outputs.
    fn add_products(sums: Self::Sums, inputs: [u8; 4], weights: &Bytes) -> Self::Sums;
    /// The sums divided by 64, rounding down, as inputs of the next layer: below 0 as 0 and above 127 as 127.
    fn activate(sums: [Self::Sums; 2]) -> [u8; 32];
    /// The sum of the products of inputs, each at most 127, and weights.
    fn dot(inputs: &[u8; 32], weights: &[i8; 32]) -> i32;

    /// Which groups of four bytes, each at most 127, are not all zero.
    fn busy_quads(inputs: &[u8; 64]) -> u16;

    /// Adds the products of four inputs, each at most 127, with their weights for 16 outputs and for the other 16.
    #[inline(always)]
    fn add_quad(sums: [Self::Sums; 2], inputs: [u8; 4], weights: &[Bytes; 2]) -> [Self::Sums; 2] {
        let [low, high] = sums;
        [Self::add_products(low, inputs, &weights[0]), Self::add_products(high, inputs, &weights[1])]
    }

    /// The weights of a layer with 512 inputs and 32 outputs, given input by input, in the order in which
    /// [`add_sparse`](Lanes::add_sparse) wants them. Here: four inputs at a time, for 16 outputs and for the other 16.
    fn arrange(weights: &[[i8; 32]; 512]) -> Box<[Bytes; 256]> {
        let mut arranged = Box::new([Bytes([0; 64]); 256]);
        for (input, weights) in weights.iter().enumerate() {
            for (output, &weight) in weights.iter().enumerate() {
                arranged[input / 4 * 2 + output / 16].0[output % 16 * 4 + input % 4] = weight;
            }
        }
        arranged
    }

    /// Adds the products of all inputs, each at most 127, and passes over most of those that are zero.
    #[inline(always)]
    fn add_sparse(
        sums: [Self::Sums; 2],
        inputs: [&Inputs<256>; 2],
        weights: &[Bytes; 256],
    ) -> [Self::Sums; 2] {
        /// Pairs of sums that do not wait for each other.
        const CHAINS: usize = 4;
        let mut both = Inputs([0; 512]);
        let (first, second) = both.0.split_at_mut(256);
        first.copy_from_slice(&inputs[0].0);
        second.copy_from_slice(&inputs[1].0);
        let mut list = [0; 128];
        let count = Self::list_busy_quads(&both.0, &mut list);
        let ((quads, _), (weights, _)) = (both.0.as_chunks::<4>(), weights.as_chunks::<2>());
        let mut chains = [[Self::load_sums(&[0; 16]); 2]; CHAINS];
        chains[0] = sums;
        let mut add = |chain: usize, number: u8| {
            let number = usize::from(number & 127);
            chains[chain] = Self::add_quad(chains[chain], quads[number], &weights[number]);
        };
        let (groups, rest) = list[..count.min(128)].as_chunks::<CHAINS>();
        for group in groups {
            // As one number: the compiler would take it apart with vector instructions, which have enough to do.
            let group = u32::from_le_bytes(*group);
            for chain in 0..CHAINS {
                add(chain, (group >> (8 * chain)) as u8);
            }
        }
        rest.iter().enumerate().for_each(|(chain, number)| add(chain, *number));
        let [a, b, c, d] = chains;
        [0, 1].map(|half| Self::merge(Self::merge(a[half], b[half]), Self::merge(c[half], d[half])))
    }

    /// Lists the groups of four bytes, each at most 127, that are not all zero; how many they are.
    #[inline(always)]
    fn list_busy_quads(inputs: &[u8; 512], list: &mut [u8; 128]) -> usize {
        let (chunks, _) = inputs.as_chunks::<64>();
        let mut count = 0;
        for (half, chunks) in chunks.chunks(4).enumerate() {
            let join = |mask, chunk| mask >> 16 | u64::from(Self::busy_quads(chunk)) << 48;
            let mut mask = chunks.iter().fold(0u64, join);
            while mask != 0 {
                // At most one for each of the 128 groups.
                list[count & 127] = (64 * half) as u8 + mask.trailing_zeros() as u8;
                count += 1;
                mask &= mask - 1;
            }
        }
        count
    }
}

/// The greatest weight behind a squared activation: 255 × 127 still fits into 16 bits.
pub(super) const WEIGHT_LIMIT: i16 = 127;

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw"))]
pub(super) mod avx512;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw"))]
pub(super) use avx512::Avx512 as Best;

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    any(test, not(all(target_feature = "avx512f", target_feature = "avx512bw")))
))]
pub(super) mod avx2;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    not(all(target_feature = "avx512f", target_feature = "avx512bw"))
))]
pub(super) use avx2::Avx2 as Best;

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
pub(super) mod scalar;
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub(super) use scalar::Scalar as Best;

/// Runs a generic test with every backend this build has.
#[cfg(test)]
macro_rules! for_each_backend {
    ($test:ident ( $($argument:expr),* )) => {{
        $test::<$crate::nnue::simd::scalar::Scalar>($($argument),*);
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        $test::<$crate::nnue::simd::avx2::Avx2>($($argument),*);
        #[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw"))]
        $test::<$crate::nnue::simd::avx512::Avx512>($($argument),*);
    }};
}
#[cfg(test)]
pub(super) use for_each_backend;
