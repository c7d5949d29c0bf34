//! Lines of sight of sliding pieces, for the board on which games are replayed.
//!
//! With AVX-512 the first piece in each of the eight directions comes from one small table, which stays in the
//! nearest cache where the tables of the slider lookups do not: checking moves is a quarter faster. Elsewhere the
//! lookups of `ferz-board` do it. Both agree. The functions here are for any processor of the build; the reading loop
//! chooses at run time, see [`vectors`](super::vectors).

use ferz_board::{Bitboard, Square};

/// Whether no piece stands between two squares on a line: nonzero if so.
///
/// A number instead of a `bool`, because the compiler turns a `bool` into a branch, and this one is hard to predict.
#[inline(always)]
pub(super) fn path_is_clear(from: Square, to: Square, occupied: Bitboard) -> u8 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512cd"))]
    // SAFETY: the whole program is compiled for processors with AVX-512 F and CD.
    return unsafe { avx512::path_is_clear(from, to, occupied) };

    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512cd")))]
    lookup::path_is_clear(from, to, occupied)
}

/// Whether one of these rooks or queens (`straight`), or bishops or queens (`diagonal`), attacks a square.
#[inline(always)]
pub(super) fn is_attacked_by_sliders(
    square: Square,
    occupied: Bitboard,
    straight: Bitboard,
    diagonal: Bitboard,
) -> bool {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512cd"))]
    // SAFETY: the whole program is compiled for processors with AVX-512 F and CD.
    return unsafe { avx512::is_attacked_by_sliders(square, occupied, straight, diagonal) };

    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512cd")))]
    lookup::is_attacked_by_sliders(square, occupied, straight, diagonal)
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use core::arch::x86_64::*;

    use ferz_board::{Bitboard, Square};

    /// Four straight directions, then four diagonal ones.
    const DIRECTIONS: [(i8, i8); 8] = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, 1), (-1, -1), (1, -1)];
    /// The lanes whose direction leads to higher squares.
    const UPWARDS: u8 = 0b0011_0011;
    /// The lanes of the diagonal directions.
    const DIAGONAL: u8 = 0b1111_0000;

    /// The squares in each direction.
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
    #[inline]
    #[target_feature(enable = "avx512f,avx512cd")]
    fn first_pieces(square: Square, occupied: Bitboard) -> __m512i {
        // SAFETY: the load reads one `Rays`, which has 64 bytes and is aligned to them.
        let rays = unsafe { _mm512_load_si512((&raw const RAYS[square.index()]).cast()) };
        let pieces = _mm512_and_si512(rays, _mm512_set1_epi64(occupied.0 as i64));
        let lowest = _mm512_and_si512(pieces, _mm512_sub_epi64(_mm512_setzero_si512(), pieces));
        let highest = _mm512_srlv_epi64(_mm512_set1_epi64(i64::MIN), _mm512_lzcnt_epi64(pieces));
        _mm512_mask_blend_epi64(UPWARDS, highest, lowest)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512cd")]
    pub(in crate::pgn) fn path_is_clear(from: Square, to: Square, occupied: Bitboard) -> u8 {
        let first = first_pieces(to, occupied);
        _mm512_test_epi64_mask(first, _mm512_set1_epi64(from.bitboard().0 as i64))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512cd")]
    pub(in crate::pgn) fn is_attacked_by_sliders(
        square: Square,
        occupied: Bitboard,
        straight: Bitboard,
        diagonal: Bitboard,
    ) -> bool {
        let first = first_pieces(square, occupied);
        let sliders = _mm512_mask_blend_epi64(
            DIAGONAL,
            _mm512_set1_epi64(straight.0 as i64),
            _mm512_set1_epi64(diagonal.0 as i64),
        );
        _mm512_test_epi64_mask(first, sliders) != 0
    }
}

/// The definition, by the slider lookups of the board.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512cd"))))]
pub(super) mod lookup {
    use ferz_board::{Bitboard, Square, attacks};

    #[inline(always)]
    pub(in crate::pgn) fn path_is_clear(from: Square, to: Square, occupied: Bitboard) -> u8 {
        u8::from(!attacks::between(from, to).intersects(occupied))
    }

    #[inline(always)]
    pub(in crate::pgn) fn is_attacked_by_sliders(
        square: Square,
        occupied: Bitboard,
        straight: Bitboard,
        diagonal: Bitboard,
    ) -> bool {
        attacks::rook(square, occupied).intersects(straight)
            || attacks::bishop(square, occupied).intersects(diagonal)
    }
}
