//! Counting legal moves without generating them: the last ply of a perft, and the quick answer to "is it
//! mate?".
//!
//! There is one function, in two versions that agree: [`portable`], and `avx512` where the build has it.

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512dq",
    target_feature = "avx512vpopcntdq"
))]
mod avx512;
pub(crate) mod portable;

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512dq",
    target_feature = "avx512vpopcntdq"
))]
pub(crate) use avx512::count;

#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512dq",
    target_feature = "avx512vpopcntdq"
)))]
pub(crate) use portable::count;
