//! The few vector operations that differ from processor to processor.
//!
//! A type that implements [`Vector`] stands for an instruction set; the [kernels](super::kernels) are written once, for all
//! of them. All operations are on integers and either exact or wrapping, so all give the same bits. In tests all that the
//! processor can run are compared with `scalar`.
//!
//! The [`Backend`] is the best of them that the processor has. It is chosen when a net is read, unless the build leaves no
//! choice, and every [`Task`] is run with it. No code outside this module can name a vector type: it gets one as a type
//! parameter, after the check that the processor has the instructions. Therefore the operations are safe to call.
//!
//! The operations are safe `#[target_feature]` functions, in which intrinsics are safe too; `forward!` makes them methods
//! of the trait. They are inlined only into functions with the same features. [`Vector::vectorize`] is such a function,
//! and everything between it and the operations must be inlined into it. So the kernels use `#[inline(always)]` and
//! loops, but neither closures nor `array::map`: a call of `add` in the assembly of a plain x86-64 build costs dearly.
//!
//! A new instruction set needs one file and one line here.

use super::aligned::{ClippedInputs, I8x64, I16x32};

/// 32 numbers of 16 bits in registers, and what inference does with them.
pub(super) trait Vector: Copy {
    /// Sixteen 32-bit sums in registers.
    type Sums: Copy;

    /// Whether there are enough registers to keep two dozen vectors in them.
    const HAS_32_REGISTERS: bool;
    /// Whether four of only 16 registers make a vector, so that two or three vectors are all that stay in them.
    const IS_NARROW: bool = false;

    /// Calls a function, which must be `#[inline(always)]`, within one that has the instructions.
    fn vectorize<R>(function: impl FnOnce() -> R) -> R;

    fn load(from: &I16x32) -> Self;
    fn store(vector: Self, to: &mut I16x32);
    /// Lane by lane, wrapping.
    fn add(a: Self, b: Self) -> Self;
    /// Lane by lane, wrapping.
    fn sub(a: Self, b: Self) -> Self;
    /// The lower half of the product, lane by lane.
    fn mul_low(a: Self, b: Self) -> Self;
    /// The product divided by 2¹⁵, lane by lane, rounded, halves up. No lane of `b` may be -2¹⁵.
    fn mul_high_rounded(a: Self, b: Self) -> Self;
    /// The same number in all lanes.
    fn splat(number: i16) -> Self;
    /// ClippedReLU: the lanes of two vectors as bytes, clamped to 0..=127.
    fn clipped_relu(pair: [Self; 2], outputs: &mut [u8; 64]);

    fn load_sums(from: &[i32; 16]) -> Self::Sums;
    fn store_sums(sums: Self::Sums) -> [i32; 16];
    /// Sum by sum, wrapping.
    fn add_sums(a: Self::Sums, b: Self::Sums) -> Self::Sums;
    /// SCReLU and the weights behind it: adds clamp(lane, 0, 255)² × weight of each lane, those of two lanes to each of
    /// the sums. Weights must be within ±[`WEIGHT_LIMIT`].
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
    /// [`sparse_layer`](Vector::sparse_layer) needs.
    fn arrange_weights(weights: &[[i8; 32]; 512]) -> Box<[I8x64; 256]> {
        arrange_quads(weights)
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
        sparse_layer_by_quads::<Self>(inputs, weights, biases)
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

/// [`Vector::arrange_weights`]: four inputs at a time, for 16 outputs and for the other 16.
fn arrange_quads(weights: &[[i8; 32]; 512]) -> Box<[I8x64; 256]> {
    let mut arranged = Box::new([I8x64([0; 64]); 256]);
    for (input, weights) in weights.iter().enumerate() {
        for (output, &weight) in weights.iter().enumerate() {
            arranged[input / 4 * 2 + output / 16].0[output % 16 * 4 + input % 4] = weight;
        }
    }
    arranged
}

/// [`Vector::sparse_layer`] with weights in the order of [`arrange_quads`].
#[inline(always)]
fn sparse_layer_by_quads<V: Vector>(
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
    let count = V::list_nonzero_quads(&both.0, &mut list);
    let ((quads, _), (weights, _)) = (both.0.as_chunks::<4>(), weights.as_chunks::<2>());
    let mut chains = [[V::load_sums(&[0; 16]); 2]; CHAINS];
    chains[0] = V::load_biases(biases);
    let (groups, rest) = list[..count.min(128)].as_chunks::<CHAINS>();
    for group in groups {
        // As one number: otherwise the compiler takes it apart with vector instructions, which have enough to do.
        let group = u32::from_le_bytes(*group);
        for (chain, sums) in chains.iter_mut().enumerate() {
            let number = (group >> (8 * chain)) as usize & 127;
            *sums = V::add_quad(*sums, quads[number], &weights[number]);
        }
    }
    for (sums, number) in chains.iter_mut().zip(rest) {
        let number = usize::from(*number & 127);
        *sums = V::add_quad(*sums, quads[number], &weights[number]);
    }
    let [a, b, c, d] = chains;
    V::clipped_relu_of_sums([
        V::add_sums(V::add_sums(a[0], b[0]), V::add_sums(c[0], d[0])),
        V::add_sums(V::add_sums(a[1], b[1]), V::add_sums(c[1], d[1])),
    ])
}

/// The greatest weight behind SCReLU: 255 × 127 still fits into 16 bits.
pub(super) const WEIGHT_LIMIT: i16 = 127;

/// Something to do with the vectors of a backend.
pub(super) trait Task {
    type Output;
    /// Must be `#[inline(always)]`.
    fn run<V: Vector>(self) -> Self::Output;
}

/// Methods of a [`Vector`] that call the `#[target_feature]` functions of the same names in its file.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! forward {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        #[inline(always)]
        fn $name($($argument: $type),*) $(-> $result)? {
            // SAFETY: the type can be named in this module only, which checks that the processor has its instructions.
            unsafe { $name($($argument),*) }
        }
    )*};
}

/// Calls a function within one that has these instructions, for [`Vector::vectorize`].
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! call_with {
    ($features:literal, $function:expr) => {{
        #[inline]
        #[target_feature(enable = $features)]
        fn vectorized<R>(function: impl FnOnce() -> R) -> R {
            function()
        }
        // SAFETY: the type can be named in this module only, which checks that the processor has its instructions.
        unsafe { vectorized($function) }
    }};
}

// A build has only the implementations that it may need. Tests have all.
#[cfg(all(target_arch = "x86_64", any(test, not(target_feature = "avx512bw"))))]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
#[cfg(any(
    test,
    feature = "compare-backends",
    not(any(
        all(target_arch = "x86_64", target_feature = "avx2"),
        all(target_arch = "aarch64", target_endian = "little"),
        all(target_arch = "wasm32", target_feature = "simd128")
    ))
))]
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

/// The vectors that inference uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Backend(BackendKind);

/// Lists the backends, the best last: its vectors, its name and whether the processor has it.
macro_rules! backends {
    ($($(#[$cfg:meta])* $kind:ident: $vector:ty, $name:literal, $is_available:expr;)*) => {
        /// A backend of this build. Where there is only one, nothing is decided at run time.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum BackendKind {
            $($(#[$cfg])* $kind,)*
        }

        impl Backend {
            /// Those that the processor can run, the best last.
            pub(super) fn available() -> impl Iterator<Item = Backend> {
                let kinds = [$($(#[$cfg])* $is_available.then_some(BackendKind::$kind)),*];
                kinds.into_iter().flatten().map(Backend)
            }

            pub(super) fn name(self) -> &'static str {
                match self.0 {
                    $($(#[$cfg])* BackendKind::$kind => $name,)*
                }
            }

            /// Runs a task with the vectors of this backend.
            #[inline(always)]
            pub(super) fn run<T: Task>(self, task: T) -> T::Output {
                match self.0 {
                    $($(#[$cfg])* BackendKind::$kind => <$vector>::vectorize(
                        #[inline(always)]
                        || task.run::<$vector>(),
                    ),)*
                }
            }
        }
    };
}

backends! {
    #[cfg(any(
        test,
        feature = "compare-backends",
        not(any(
            all(target_arch = "x86_64", target_feature = "avx2"),
            all(target_arch = "aarch64", target_endian = "little"),
            all(target_arch = "wasm32", target_feature = "simd128")
        ))
    ))]
    Scalar: scalar::Scalar, "scalar", true;
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    Neon: neon::Neon, "NEON", true;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128: simd128::Simd128, "simd128", true;
    #[cfg(all(target_arch = "x86_64", any(test, not(target_feature = "avx512bw"))))]
    Avx2: avx2::Avx2, "AVX2", is_x86_feature_detected!("avx2");
    #[cfg(all(target_arch = "x86_64", any(test, not(target_feature = "avx512vnni"))))]
    Avx512: avx512::Avx512<false, false>, "AVX-512", avx512::Avx512::<false, false>::is_available();
    #[cfg(all(target_arch = "x86_64", any(test, not(target_feature = "avx512vbmi2"))))]
    Avx512Vnni: avx512::Avx512<true, false>, "AVX-512 VNNI", avx512::Avx512::<true, false>::is_available();
    #[cfg(target_arch = "x86_64")]
    Avx512Vbmi2: avx512::Avx512<true, true>, "AVX-512 VBMI2", avx512::Avx512::<true, true>::is_available();
}

impl Backend {
    /// The best that the processor can run.
    pub(super) fn best() -> Backend {
        Backend::available().last().expect("a build has the backend of its target")
    }
}

/// Runs a generic test with every backend the processor can run.
#[cfg(test)]
macro_rules! for_each_backend {
    ($test:ident ()) => {{
        struct Test;
        impl $crate::nnue::simd::Task for Test {
            type Output = ();
            #[inline(always)]
            fn run<V: Vector>(self) {
                $test::<V>();
            }
        }
        $crate::nnue::simd::Backend::available().for_each(|backend| backend.run(Test));
    }};
}
#[cfg(test)]
pub(super) use for_each_backend;
