//! Looking at 64 bytes, or in eight directions, at once. The only unsafe code of the crate: by AVX-512 where
//! the build has it, by SSE2 on every other x86-64, and one by one elsewhere. All of them agree.

use ferz_board::{Bitboard, Square, attacks};

/// For each kind of byte the places where it is in a block: bit 0 is the first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Masks {
    /// What moves in SAN begin with: `a`–`h`, `N B R Q K O`.
    pub(super) letters: u64,
    /// `0`–`9`
    pub(super) digits: u64,
    /// What else moves consist of: `x + # = -`
    pub(super) signs: u64,
    /// Blanks, control characters, and the dots behind move numbers.
    pub(super) blanks: u64,
}

/// The bytes of a block.
pub(super) type Block = [u8; 64];

pub(super) use implementation::{classify, places_of, places_of_controls};
pub(super) use lines::{is_seen_by_sliders, path_is_clear};

/// Whether nothing stands between two squares on a line: not zero, if so. A number and not a truth value,
/// because the compiler makes branches of those, and this is hard to predict.
#[cfg_attr(all(target_feature = "avx512f", target_feature = "avx512cd"), allow(dead_code))]
#[inline(always)]
pub(super) fn path_is_clear_by_table(from: Square, to: Square, occupied: Bitboard) -> u8 {
    u8::from(!attacks::between(from, to).intersects(occupied))
}

/// Whether one of these rooks or queens (`straight`), or bishops or queens (`diagonal`), attacks a square.
#[cfg_attr(all(target_feature = "avx512f", target_feature = "avx512cd"), allow(dead_code))]
#[inline(always)]
pub(super) fn is_seen_by_sliders_by_table(
    square: Square,
    occupied: Bitboard,
    straight: Bitboard,
    diagonal: Bitboard,
) -> bool {
    attacks::rook(square, occupied).intersects(straight)
        || attacks::bishop(square, occupied).intersects(diagonal)
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512cd")))]
use tables as lines;

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512cd")))]
mod tables {
    pub(in super::super) use super::is_seen_by_sliders_by_table as is_seen_by_sliders;
    pub(in super::super) use super::path_is_clear_by_table as path_is_clear;
}

/// The first piece in each direction, from one small table that stays in the nearest cache, where the tables
/// of the slider lookups do not.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512cd"))]
mod lines {
    use core::arch::x86_64::*;

    use ferz_board::{Bitboard, Square};

    /// Four straight directions, then four diagonal ones.
    const DIRECTIONS: [(i8, i8); 8] = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, 1), (-1, -1), (1, -1)];
    /// The lanes whose direction leads to higher squares.
    const UPWARDS: u8 = 0b0011_0011;

    #[repr(C, align(64))]
    struct Rays([u64; 8]);

    static RAYS: [Rays; 64] = {
        let mut table = [const { Rays([0; 8]) }; 64];
        let mut square = 0;
        while square < 64 {
            let mut lane = 0;
            while lane < 8 {
                let (files, ranks) = DIRECTIONS[lane];
                let mut at = Square::ALL[square];
                while let Some(next) = at.offset(files, ranks) {
                    table[square].0[lane] |= next.bitboard().0;
                    at = next;
                }
                lane += 1;
            }
            square += 1;
        }
        table
    };

    /// In each lane the first occupied square in that direction, if there is one.
    #[inline(always)]
    fn first_pieces(square: Square, occupied: Bitboard) -> __m512i {
        // SAFETY: this module is compiled only where AVX-512 F and CD are enabled for the whole program; the
        // one load reads an aligned `Rays`. It makes checking moves a quarter faster.
        unsafe {
            let rays = _mm512_load_si512((&raw const RAYS[square.index()]).cast());
            let pieces = _mm512_and_si512(rays, _mm512_set1_epi64(occupied.0 as i64));
            let lowest = _mm512_and_si512(pieces, _mm512_sub_epi64(_mm512_setzero_si512(), pieces));
            let highest = _mm512_srlv_epi64(_mm512_set1_epi64(i64::MIN), _mm512_lzcnt_epi64(pieces));
            _mm512_mask_blend_epi64(UPWARDS, highest, lowest)
        }
    }

    #[inline(always)]
    pub(in super::super) fn path_is_clear(from: Square, to: Square, occupied: Bitboard) -> u8 {
        let first = first_pieces(to, occupied);
        // SAFETY: as above.
        unsafe { _mm512_test_epi64_mask(first, _mm512_set1_epi64(from.bitboard().0 as i64)) }
    }

    #[inline(always)]
    pub(in super::super) fn is_seen_by_sliders(
        square: Square,
        occupied: Bitboard,
        straight: Bitboard,
        diagonal: Bitboard,
    ) -> bool {
        let first = first_pieces(square, occupied);
        // SAFETY: as above.
        unsafe {
            let sliders = _mm512_mask_blend_epi64(
                0xf0,
                _mm512_set1_epi64(straight.0 as i64),
                _mm512_set1_epi64(diagonal.0 as i64),
            );
            _mm512_test_epi64_mask(first, sliders) != 0
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw"))]
mod implementation {
    use core::arch::x86_64::*;

    use super::{Block, Masks};

    macro_rules! vector {
        ($call:expr) => {{
            // SAFETY: this module is compiled only where AVX-512 F and BW are enabled for the whole program;
            // the one load reads the 64 bytes of a `Block`, unaligned. It makes reading a third faster.
            #[allow(clippy::macro_metavars_in_unsafe)]
            unsafe {
                $call
            }
        }};
    }

    #[inline(always)]
    fn load(block: &Block) -> __m512i {
        vector!(_mm512_loadu_si512(block.as_ptr().cast()))
    }

    #[inline(always)]
    fn equal(bytes: __m512i, byte: u8) -> u64 {
        vector!(_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8)))
    }

    #[inline(always)]
    fn between(bytes: __m512i, first: u8, last: u8) -> u64 {
        vector!({
            let from_first = _mm512_sub_epi8(bytes, _mm512_set1_epi8(first as i8));
            _mm512_cmple_epu8_mask(from_first, _mm512_set1_epi8((last - first) as i8))
        })
    }

    #[inline(always)]
    pub(in super::super) fn places_of(block: &Block, byte: u8) -> u64 {
        equal(load(block), byte)
    }

    /// Where bytes below the blank are: line ends, tabs and worse.
    #[inline(always)]
    pub(in super::super) fn places_of_controls(block: &Block) -> u64 {
        between(load(block), 0, b' ' - 1)
    }

    #[inline(always)]
    pub(in super::super) fn classify(block: &Block) -> Masks {
        let bytes = load(block);
        // `#` and `+` differ in one bit, as do `=` and `-`: one comparison less each.
        let without_8 = vector!(_mm512_andnot_si512(_mm512_set1_epi8(8), bytes));
        let without_16 = vector!(_mm512_andnot_si512(_mm512_set1_epi8(16), bytes));
        Masks {
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
mod implementation {
    use core::arch::x86_64::*;

    use super::{Block, Masks};

    macro_rules! vector {
        ($call:expr) => {{
            // SAFETY: SSE2 is part of x86-64; the one load reads 16 bytes of an array of 16, unaligned. It
            // makes reading a third faster.
            #[allow(clippy::macro_metavars_in_unsafe)]
            unsafe {
                $call
            }
        }};
    }

    /// Where a condition holds, 16 bytes at a time.
    #[inline(always)]
    fn places(block: &Block, condition: impl Fn(__m128i) -> __m128i) -> u64 {
        let (quarters, _) = block.as_chunks::<16>();
        let mut mask = 0;
        for (i, quarter) in quarters.iter().enumerate() {
            let bytes = vector!(_mm_loadu_si128(quarter.as_ptr().cast()));
            let holds = condition(bytes);
            mask |= u64::from(vector!(_mm_movemask_epi8(holds)) as u16) << (16 * i);
        }
        mask
    }

    #[inline(always)]
    fn equal(bytes: __m128i, byte: u8) -> __m128i {
        vector!(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8)))
    }

    #[inline(always)]
    fn between(bytes: __m128i, first: u8, last: u8) -> __m128i {
        vector!({
            let from_first = _mm_sub_epi8(bytes, _mm_set1_epi8(first as i8));
            _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8((last - first) as i8)), from_first)
        })
    }

    #[inline(always)]
    fn either(a: __m128i, b: __m128i) -> __m128i {
        vector!(_mm_or_si128(a, b))
    }

    #[inline(always)]
    pub(in super::super) fn places_of(block: &Block, byte: u8) -> u64 {
        places(block, |bytes| equal(bytes, byte))
    }

    /// Where bytes below the blank are: line ends, tabs and worse.
    #[inline(always)]
    pub(in super::super) fn places_of_controls(block: &Block) -> u64 {
        places(block, |bytes| between(bytes, 0, b' ' - 1))
    }

    #[inline(always)]
    pub(in super::super) fn classify(block: &Block) -> Masks {
        Masks {
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

#[cfg(not(target_arch = "x86_64"))]
use scalar as implementation;

/// The definition of the masks, byte by byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod scalar {
    use super::{Block, Masks};

    fn places(block: &Block, condition: impl Fn(u8) -> bool) -> u64 {
        block.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(condition(byte)))
    }

    pub(in super::super) fn places_of(block: &Block, byte: u8) -> u64 {
        places(block, |it| it == byte)
    }

    pub(in super::super) fn places_of_controls(block: &Block) -> u64 {
        places(block, |it| it < b' ')
    }

    pub(in super::super) fn classify(block: &Block) -> Masks {
        Masks {
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
    fn lines_are_seen_alike() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state ^ state >> 29
        };
        for _ in 0..2_000 {
            let occupied = Bitboard(random() & random());
            let straight = Bitboard(random() & random()) & occupied;
            let diagonal = Bitboard(random() & random()) & occupied;
            for square in Square::ALL {
                assert_eq!(
                    is_seen_by_sliders(square, occupied, straight, diagonal),
                    is_seen_by_sliders_by_table(square, occupied, straight, diagonal),
                    "{square} {occupied:?}"
                );
                for from in attacks::queen(square, Bitboard::EMPTY) & occupied {
                    let expected = path_is_clear_by_table(from, square, occupied) != 0;
                    let clear = path_is_clear(from, square, occupied) != 0;
                    assert_eq!(clear, expected, "{from} {square} {occupied:?}");
                }
            }
        }
    }

    #[test]
    fn vectors_see_what_a_walk_sees() {
        // Every byte in every place, among others that change.
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
