//! Classifies the bytes of a text, 64 at a time.
//!
//! Each instruction set has a module with the same functions. The one that every processor of its kind has is the
//! [`baseline`]; better ones are chosen at run time, see [`vectors`](super::vectors). All agree with the byte-by-byte loop
//! in `scalar`. The vectors make reading a third faster.

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub(super) use neon as baseline;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub(super) use scalar as baseline;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use simd128 as baseline;
#[cfg(target_arch = "x86_64")]
pub(super) use sse2 as baseline;

/// Which bytes of a block belong to each class: bit 0 is the first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ByteMasks {
    /// The first characters of SAN moves: `a`–`h`, `N B R Q K O`.
    pub(super) letters: u64,
    /// `0`–`9`
    pub(super) digits: u64,
    /// The other characters of SAN moves: `x + # = -`
    pub(super) signs: u64,
    /// Blanks, control characters, and the dots behind move numbers.
    pub(super) blanks: u64,
}

/// 64 bytes of text.
pub(super) type Block = [u8; 64];

/// The functions of a module with shorter vectors than a block, from its `places`, `equal`, `between` and `either`.
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
macro_rules! classes {
    ($feature:literal) => {
        /// Where a byte occurs.
        #[inline]
        #[target_feature(enable = $feature)]
        pub(in crate::pgn) fn places_of(block: &Block, byte: u8) -> u64 {
            places(block, |bytes| equal(bytes, byte))
        }

        /// Where control characters occur: line ends, tabs and everything else below the blank.
        #[inline]
        #[target_feature(enable = $feature)]
        pub(in crate::pgn) fn places_of_controls(block: &Block) -> u64 {
            places(block, |bytes| between(bytes, 0, b' ' - 1))
        }

        /// The masks of all classes.
        #[inline]
        #[target_feature(enable = $feature)]
        pub(in crate::pgn) fn classify(block: &Block) -> ByteMasks {
            ByteMasks {
                letters: places(block, |bytes| {
                    let pieces = either(between(bytes, b'N', b'O'), between(bytes, b'Q', b'R'));
                    let others = either(equal(bytes, b'K'), equal(bytes, b'B'));
                    either(between(bytes, b'a', b'h'), either(pieces, others))
                }),
                digits: places(block, |bytes| between(bytes, b'0', b'9')),
                signs: places(block, |bytes| {
                    let checks = either(equal(bytes, b'+'), equal(bytes, b'#'));
                    let others = either(equal(bytes, b'='), equal(bytes, b'-'));
                    either(either(equal(bytes, b'x'), checks), others)
                }),
                blanks: places(block, |bytes| either(between(bytes, 0, b' '), equal(bytes, b'.'))),
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use core::arch::x86_64::*;

    use super::{Block, ByteMasks};

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn load(block: &Block) -> __m512i {
        // SAFETY: the load needs no alignment and reads the 64 bytes of the block.
        unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn equal(bytes: __m512i, byte: u8) -> u64 {
        _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn between(bytes: __m512i, first: u8, last: u8) -> u64 {
        let from_first = _mm512_sub_epi8(bytes, _mm512_set1_epi8(first as i8));
        _mm512_cmple_epu8_mask(from_first, _mm512_set1_epi8((last - first) as i8))
    }

    /// Where a byte occurs.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(in crate::pgn) fn places_of(block: &Block, byte: u8) -> u64 {
        equal(load(block), byte)
    }

    /// Where control characters occur: line ends, tabs and everything else below the blank.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(in crate::pgn) fn places_of_controls(block: &Block) -> u64 {
        between(load(block), 0, b' ' - 1)
    }

    /// The masks of all classes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(in crate::pgn) fn classify(block: &Block) -> ByteMasks {
        let bytes = load(block);
        // `#` and `+` differ in one bit, as do `=` and `-`: this saves two comparisons.
        let without_8 = _mm512_andnot_si512(_mm512_set1_epi8(8), bytes);
        let without_16 = _mm512_andnot_si512(_mm512_set1_epi8(16), bytes);
        ByteMasks {
            letters: between(bytes, b'a', b'h')
                | between(bytes, b'N', b'O')
                | between(bytes, b'Q', b'R')
                | equal(bytes, b'K')
                | equal(bytes, b'B'),
            digits: between(bytes, b'0', b'9'),
            signs: equal(bytes, b'x') | equal(without_8, b'#') | equal(without_16, b'-'),
            blanks: between(bytes, 0, b' ') | equal(bytes, b'.'),
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use core::arch::x86_64::*;

    use super::{Block, ByteMasks};

    classes!("avx2");

    /// Where a condition holds, tested 32 bytes at a time.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn places(block: &Block, condition: impl Fn(__m256i) -> __m256i) -> u64 {
        let (halves, _) = block.as_chunks::<32>();
        let mut mask = 0;
        for (i, half) in halves.iter().enumerate() {
            // SAFETY: the load needs no alignment and reads the 32 bytes of the half.
            let bytes = unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
            mask |= u64::from(_mm256_movemask_epi8(condition(bytes)) as u32) << (32 * i);
        }
        mask
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn equal(bytes: __m256i, byte: u8) -> __m256i {
        _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn between(bytes: __m256i, first: u8, last: u8) -> __m256i {
        let from_first = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first as i8));
        _mm256_cmpeq_epi8(_mm256_min_epu8(from_first, _mm256_set1_epi8((last - first) as i8)), from_first)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn either(a: __m256i, b: __m256i) -> __m256i {
        _mm256_or_si256(a, b)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod sse2 {
    use core::arch::x86_64::*;

    use super::{Block, ByteMasks};

    classes!("sse2");

    /// Where a condition holds, tested 16 bytes at a time.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn places(block: &Block, condition: impl Fn(__m128i) -> __m128i) -> u64 {
        let (quarters, _) = block.as_chunks::<16>();
        let mut mask = 0;
        for (i, quarter) in quarters.iter().enumerate() {
            // SAFETY: the load needs no alignment and reads the 16 bytes of the quarter.
            let bytes = unsafe { _mm_loadu_si128(quarter.as_ptr().cast()) };
            mask |= u64::from(_mm_movemask_epi8(condition(bytes)) as u16) << (16 * i);
        }
        mask
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn equal(bytes: __m128i, byte: u8) -> __m128i {
        _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn between(bytes: __m128i, first: u8, last: u8) -> __m128i {
        let from_first = _mm_sub_epi8(bytes, _mm_set1_epi8(first as i8));
        _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8((last - first) as i8)), from_first)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn either(a: __m128i, b: __m128i) -> __m128i {
        _mm_or_si128(a, b)
    }
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub(super) mod neon {
    use core::arch::aarch64::*;

    use super::{Block, ByteMasks};

    classes!("neon");

    /// Where a condition holds, tested 16 bytes at a time.
    #[inline]
    #[target_feature(enable = "neon")]
    fn places(block: &Block, condition: impl Fn(uint8x16_t) -> uint8x16_t) -> u64 {
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: the load needs no alignment and reads the 16 bytes of the constant.
        let bits = unsafe { vld1q_u8(BITS.as_ptr()) };
        let (quarters, _) = block.as_chunks::<16>();
        let bits_of = |i: usize| {
            // SAFETY: the load needs no alignment and reads the 16 bytes of the quarter.
            let bytes = unsafe { vld1q_u8(quarters[i].as_ptr()) };
            vandq_u8(condition(bytes), bits)
        };
        // NEON has no `movemask`: each byte keeps one bit, and pairwise sums bring eight of them together.
        let pairs = [vpaddq_u8(bits_of(0), bits_of(1)), vpaddq_u8(bits_of(2), bits_of(3))];
        let fours = vpaddq_u8(pairs[0], pairs[1]);
        vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(fours, fours)))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn equal(bytes: uint8x16_t, byte: u8) -> uint8x16_t {
        vceqq_u8(bytes, vdupq_n_u8(byte))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn between(bytes: uint8x16_t, first: u8, last: u8) -> uint8x16_t {
        vcleq_u8(vsubq_u8(bytes, vdupq_n_u8(first)), vdupq_n_u8(last - first))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn either(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        vorrq_u8(a, b)
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) mod simd128 {
    use core::arch::wasm32::*;

    use super::{Block, ByteMasks};

    classes!("simd128");

    /// Where a condition holds, tested 16 bytes at a time.
    #[inline]
    #[target_feature(enable = "simd128")]
    fn places(block: &Block, condition: impl Fn(v128) -> v128) -> u64 {
        let (quarters, _) = block.as_chunks::<16>();
        let mut mask = 0;
        for (i, quarter) in quarters.iter().enumerate() {
            // SAFETY: the load needs no alignment and reads the 16 bytes of the quarter.
            let bytes = unsafe { v128_load(quarter.as_ptr().cast()) };
            mask |= u64::from(i8x16_bitmask(condition(bytes))) << (16 * i);
        }
        mask
    }

    #[inline]
    #[target_feature(enable = "simd128")]
    fn equal(bytes: v128, byte: u8) -> v128 {
        u8x16_eq(bytes, u8x16_splat(byte))
    }

    #[inline]
    #[target_feature(enable = "simd128")]
    fn between(bytes: v128, first: u8, last: u8) -> v128 {
        u8x16_le(u8x16_sub(bytes, u8x16_splat(first)), u8x16_splat(last - first))
    }

    #[inline]
    #[target_feature(enable = "simd128")]
    fn either(a: v128, b: v128) -> v128 {
        v128_or(a, b)
    }
}

/// The definition of the masks, byte by byte.
#[cfg(any(
    test,
    not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
        all(target_arch = "wasm32", target_feature = "simd128")
    ))
))]
pub(super) mod scalar {
    use super::{Block, ByteMasks};

    fn places(block: &Block, condition: impl Fn(u8) -> bool) -> u64 {
        block.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(condition(byte)))
    }

    /// Where a byte occurs.
    pub(in crate::pgn) fn places_of(block: &Block, byte: u8) -> u64 {
        places(block, |it| it == byte)
    }

    /// Where control characters occur: line ends, tabs and everything else below the blank.
    pub(in crate::pgn) fn places_of_controls(block: &Block) -> u64 {
        places(block, |it| it < b' ')
    }

    /// The masks of all classes.
    pub(in crate::pgn) fn classify(block: &Block) -> ByteMasks {
        ByteMasks {
            letters: places(block, |byte| {
                matches!(byte, b'a'..=b'h' | b'N' | b'O' | b'Q' | b'R' | b'K' | b'B')
            }),
            digits: places(block, |byte| byte.is_ascii_digit()),
            signs: places(block, |byte| matches!(byte, b'x' | b'+' | b'#' | b'=' | b'-')),
            blanks: places(block, |byte| matches!(byte, 0..=b' ' | b'.')),
        }
    }
}
