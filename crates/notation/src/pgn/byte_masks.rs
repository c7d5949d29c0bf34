//! Classifies the bytes of a text, 64 at a time.
//!
//! Three implementations agree: AVX-512 where the build enables it, SSE2 on every other x86-64 processor, and a
//! byte-by-byte loop elsewhere. The vectors make reading a third faster.

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

/// The masks of all classes.
#[inline(always)]
pub(super) fn classify(block: &Block) -> ByteMasks {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw"))]
    // SAFETY: the whole program is compiled for processors with AVX-512 F and BW.
    return unsafe { avx512::classify(block) };

    #[cfg(all(target_arch = "x86_64", not(all(target_feature = "avx512f", target_feature = "avx512bw"))))]
    // SAFETY: every x86-64 processor has SSE2.
    return unsafe { sse2::classify(block) };

    #[cfg(not(target_arch = "x86_64"))]
    scalar::classify(block)
}

/// Where a byte occurs.
#[inline(always)]
pub(super) fn places_of(block: &Block, byte: u8) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw"))]
    // SAFETY: the whole program is compiled for processors with AVX-512 F and BW.
    return unsafe { avx512::places_of(block, byte) };

    #[cfg(all(target_arch = "x86_64", not(all(target_feature = "avx512f", target_feature = "avx512bw"))))]
    // SAFETY: every x86-64 processor has SSE2.
    return unsafe { sse2::places_of(block, byte) };

    #[cfg(not(target_arch = "x86_64"))]
    scalar::places_of(block, byte)
}

/// Where control characters occur: line ends, tabs and everything else below the blank.
#[inline(always)]
pub(super) fn places_of_controls(block: &Block) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw"))]
    // SAFETY: the whole program is compiled for processors with AVX-512 F and BW.
    return unsafe { avx512::places_of_controls(block) };

    #[cfg(all(target_arch = "x86_64", not(all(target_feature = "avx512f", target_feature = "avx512bw"))))]
    // SAFETY: every x86-64 processor has SSE2.
    return unsafe { sse2::places_of_controls(block) };

    #[cfg(not(target_arch = "x86_64"))]
    scalar::places_of_controls(block)
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw"))]
mod avx512 {
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

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn places_of(block: &Block, byte: u8) -> u64 {
        equal(load(block), byte)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn places_of_controls(block: &Block) -> u64 {
        between(load(block), 0, b' ' - 1)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn classify(block: &Block) -> ByteMasks {
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

#[cfg(all(target_arch = "x86_64", not(all(target_feature = "avx512f", target_feature = "avx512bw"))))]
mod sse2 {
    use core::arch::x86_64::*;

    use super::{Block, ByteMasks};

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

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn places_of(block: &Block, byte: u8) -> u64 {
        places(block, |bytes| equal(bytes, byte))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn places_of_controls(block: &Block) -> u64 {
        places(block, |bytes| between(bytes, 0, b' ' - 1))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn classify(block: &Block) -> ByteMasks {
        ByteMasks {
            letters: places(block, |bytes| {
                let pieces = either(between(bytes, b'N', b'O'), between(bytes, b'Q', b'R'));
                let others = either(equal(bytes, b'K'), equal(bytes, b'B'));
                either(between(bytes, b'a', b'h'), either(pieces, others))
            }),
            digits: places(block, |bytes| between(bytes, b'0', b'9')),
            signs: places(block, |bytes| {
                let checks = either(equal(bytes, b'+'), equal(bytes, b'#'));
                either(either(equal(bytes, b'x'), checks), either(equal(bytes, b'='), equal(bytes, b'-')))
            }),
            blanks: places(block, |bytes| either(between(bytes, 0, b' '), equal(bytes, b'.'))),
        }
    }
}

/// The definition of the masks, byte by byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod scalar {
    use super::{Block, ByteMasks};

    fn places(block: &Block, condition: impl Fn(u8) -> bool) -> u64 {
        block.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(condition(byte)))
    }

    pub(super) fn places_of(block: &Block, byte: u8) -> u64 {
        places(block, |it| it == byte)
    }

    pub(super) fn places_of_controls(block: &Block) -> u64 {
        places(block, |it| it < b' ')
    }

    pub(super) fn classify(block: &Block) -> ByteMasks {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_agree_with_the_byte_loop() {
        // Every byte value at every place, among neighbours that change.
        for shift in 0..=255u8 {
            let mut block = [0; 64];
            for (place, byte) in block.iter_mut().enumerate() {
                *byte = (place as u8).wrapping_mul(37).wrapping_add(shift);
            }
            assert_eq!(classify(&block), scalar::classify(&block), "{block:?}");
            assert_eq!(places_of_controls(&block), scalar::places_of_controls(&block), "{block:?}");
            for byte in [b'"', b'\n', b'\\', shift] {
                assert_eq!(places_of(&block, byte), scalar::places_of(&block, byte));
            }
        }
    }
}
