//! The few vector operations that differ from processor to processor.
//!
//! A backend is a type that implements [`Vector`]; the [kernels](super::kernels) are written once, for all of them. The
//! build chooses the best backend its target has: [`Best`]. All operations are on integers and either exact or wrapping,
//! so every backend gives the same bits. In tests all backends that the build can run are compared with [`scalar`].
//!
//! The operations of a backend are safe `#[target_feature]` functions, in which intrinsics are safe too; [`forward!`]
//! makes them methods of the trait. That is the only place where the compiler has to trust us that the processor has the
//! instructions. Everything between an operation and an evaluation is `#[inline(always)]`: to choose a backend at run
//! time, a `#[target_feature]` function around a whole evaluation with that backend is enough.
//!
//! A new instruction set needs one file and one line here. NEON (`[int16x8_t; 4]` as vector, `[int32x4_t; 4]` as sums)
//! has `vaddq_s16`, `vsubq_s16`, `vmulq_s16` and `vqrdmulhq_s16` (which saturates where this wraps: -2¹⁵ squared),
//! `vqmovn_s16` and `vmaxq_s8` for ClippedReLU, `vmulq_s16` and `vmlal_s16` with `vpaddq_s32` for SCReLU, `vdotq_s32` or
//! `vmull_s8` with `vpadalq_s16` for products (inputs are at most 127 and may be taken as signed), `vtstq_u32` for
//! nonzero quads. WebAssembly's simd128 (`[v128; 4]` each) has the same operations under the names `i16x8_add`,
//! `i16x8_mul`, `i16x8_q15mulr_sat` (which saturates too), `i8x16_narrow_i16x8`, `i32x4_dot_i16x8` and
//! `i32x4_bitmask`.

use super::aligned::{ClippedInputs, I8x64, I16x32};

/// 32 numbers of 16 bits in registers, and what inference does with them.
pub(super) trait Vector: Copy {
    /// Sixteen 32-bit sums in registers.
    type Sums: Copy;

    /// Whether there are enough registers to keep two dozen vectors in them.
    const HAS_32_REGISTERS: bool;

    fn load(from: &I16x32) -> Self;
    fn store(vector: Self, to: &mut I16x32);
    /// Lane by lane, wrapping.
    fn add(a: Self, b: Self) -> Self;
    /// Lane by lane, wrapping.
    fn sub(a: Self, b: Self) -> Self;
    /// The lower half of the product, lane by lane.
    fn mul_low(a: Self, b: Self) -> Self;
    /// The product divided by 2¹⁵, lane by lane, rounded, halves up.
    fn mul_high_rounded(a: Self, b: Self) -> Self;
    /// The same number in all lanes.
    fn splat(number: i16) -> Self;
    /// ClippedReLU: the lanes of two vectors as bytes, clamped to 0..=127.
    fn clipped_relu(pair: [Self; 2], outputs: &mut [u8; 64]);

    fn load_sums(from: &[i32; 16]) -> Self::Sums;
    fn store_sums(sums: Self::Sums) -> [i32; 16];
    /// Sum by sum, wrapping.
    fn add_sums(a: Self::Sums, b: Self::Sums) -> Self::Sums;
    /// SCReLU and the weights behind it: adds clamp(lane, 0, 255)² × weight of each lane, in pairs of neighbours.
    /// Weights must be within ±[`WEIGHT_LIMIT`].
    fn add_screlu(sums: Self::Sums, vector: Self, weights: Self) -> Self::Sums;
    /// Adds the products of four inputs, each at most 127, with the four weights of each of sixteen outputs.
    fn add_products(sums: Self::Sums, inputs: [u8; 4], weights: &I8x64) -> Self::Sums;
    /// ClippedReLU of sums: divided by 64, rounding down, and clamped to 0..=127.
    fn clipped_relu_of_sums(sums: [Self::Sums; 2]) -> [u8; 32];
    /// The dot product of inputs, each at most 127, and weights.
    fn dot(inputs: &[u8; 32], weights: &[i8; 32]) -> i32;

    /// Which groups of four bytes, each at most 127, are not all zero.
    fn nonzero_quads(inputs: &[u8; 64]) -> u16;

    /// Adds the products of four inputs, each at most 127, with their weights for 16 outputs and for the other 16.
    #[inline(always)]
    fn add_quad(sums: [Self::Sums; 2], inputs: [u8; 4], weights: &[I8x64; 2]) -> [Self::Sums; 2] {
        let [low, high] = sums;
        [Self::add_products(low, inputs, &weights[0]), Self::add_products(high, inputs, &weights[1])]
    }

    /// The weights of a layer with 512 inputs and 32 outputs, given input by input, in the order that
    /// [`sparse_layer`](Vector::sparse_layer) needs. Here: four inputs at a time, for 16 outputs and for the other 16.
    fn arrange_weights(weights: &[[i8; 32]; 512]) -> Box<[I8x64; 256]> {
        let mut arranged = Box::new([I8x64([0; 64]); 256]);
        for (input, weights) in weights.iter().enumerate() {
            for (output, &weight) in weights.iter().enumerate() {
                arranged[input / 4 * 2 + output / 16].0[output % 16 * 4 + input % 4] = weight;
            }
        }
        arranged
    }

    /// The sums of a layer with 32 outputs before its inputs are added.
    #[inline(always)]
    fn load_biases(biases: &[i32; 32]) -> [Self::Sums; 2] {
        let (halves, _) = biases.as_chunks::<16>();
        [Self::load_sums(&halves[0]), Self::load_sums(&halves[1])]
    }

    /// A layer with 512 inputs and 32 outputs, with ClippedReLU. Skips most of the inputs that are zero. The weights are
    /// in the order of [`arrange_weights`](Vector::arrange_weights).
    #[inline(always)]
    fn sparse_layer(
        inputs: [&ClippedInputs<256>; 2],
        weights: &[I8x64; 256],
        biases: &[i32; 32],
    ) -> [u8; 32] {
        /// Pairs of sums that do not wait for each other.
        const CHAINS: usize = 4;
        let mut both = ClippedInputs([0; 512]);
        let (first, second) = both.0.split_at_mut(256);
        first.copy_from_slice(&inputs[0].0);
        second.copy_from_slice(&inputs[1].0);
        let mut list = [0; 128];
        let count = Self::list_nonzero_quads(&both.0, &mut list);
        let ((quads, _), (weights, _)) = (both.0.as_chunks::<4>(), weights.as_chunks::<2>());
        let mut chains = [[Self::load_sums(&[0; 16]); 2]; CHAINS];
        chains[0] = Self::load_biases(biases);
        let mut add = |chain: usize, number: u8| {
            let number = usize::from(number & 127);
            chains[chain] = Self::add_quad(chains[chain], quads[number], &weights[number]);
        };
        let (groups, rest) = list[..count.min(128)].as_chunks::<CHAINS>();
        for group in groups {
            // As one number: otherwise the compiler takes it apart with vector instructions, which have enough to do.
            let group = u32::from_le_bytes(*group);
            for chain in 0..CHAINS {
                add(chain, (group >> (8 * chain)) as u8);
            }
        }
        rest.iter().enumerate().for_each(|(chain, number)| add(chain, *number));
        let [a, b, c, d] = chains;
        let sum = |half| Self::add_sums(Self::add_sums(a[half], b[half]), Self::add_sums(c[half], d[half]));
        Self::clipped_relu_of_sums([sum(0), sum(1)])
    }

    /// Lists the groups of four bytes, each at most 127, that are not all zero, and returns their number.
    #[inline(always)]
    fn list_nonzero_quads(inputs: &[u8; 512], list: &mut [u8; 128]) -> usize {
        let (chunks, _) = inputs.as_chunks::<64>();
        let mut count = 0;
        for (half, chunks) in chunks.chunks(4).enumerate() {
            let join = |mask, chunk| mask >> 16 | u64::from(Self::nonzero_quads(chunk)) << 48;
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

/// The greatest weight behind SCReLU: 255 × 127 still fits into 16 bits.
pub(super) const WEIGHT_LIMIT: i16 = 127;

/// Methods of a [`Vector`] that call the `#[target_feature]` functions of the same names in the file of the backend.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
macro_rules! forward {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        #[inline(always)]
        fn $name($($argument: $type),*) $(-> $result)? {
            // SAFETY: the module of a backend exists only in builds for processors that have its instructions.
            unsafe { $name($($argument),*) }
        }
    )*};
}

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
