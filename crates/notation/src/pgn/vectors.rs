//! The vector code of the reader, chosen once for each game.
//!
//! A library is mostly compiled for any processor of its kind, yet most processors have more. So there are several copies
//! of the reading loop: one for the instructions of every processor ([`Baseline`]: SSE2, NEON or simd128), and on x86-64 one each
//! for AVX2 and AVX-512. Nothing is decided inside the loop, and nothing at all where the build promises AVX-512.

use ferz_board::{Bitboard, Square};

use super::byte_masks::{Block, ByteMasks, baseline};
use super::sight;

/// An instruction set, and what the reader needs of it. A value proves that the processor has the instructions.
pub(super) trait Vectors: Copy {
    /// The masks of all classes of bytes.
    fn classify(self, block: &Block) -> ByteMasks;
    /// Where a byte occurs.
    fn places_of(self, block: &Block, byte: u8) -> u64;
    /// Where control characters occur: line ends, tabs and everything else below the blank.
    fn places_of_controls(self, block: &Block) -> u64;

    /// Whether no piece stands between two squares on a line: nonzero if so.
    #[inline(always)]
    fn path_is_clear(self, from: Square, to: Square, occupied: Bitboard) -> u8 {
        sight::path_is_clear(from, to, occupied)
    }

    /// Whether one of these rooks or queens (`straight`), or bishops or queens (`diagonal`), attacks a square.
    #[inline(always)]
    fn is_attacked_by_sliders(
        self,
        square: Square,
        occupied: Bitboard,
        straight: Bitboard,
        diagonal: Bitboard,
    ) -> bool {
        sight::is_attacked_by_sliders(square, occupied, straight, diagonal)
    }
}

macro_rules! classify_with {
    ($module:ident) => {
        // SAFETY (all three): the value proves that the processor has the instructions.
        #[inline(always)]
        #[allow(unused_unsafe, reason = "the byte-by-byte loop needs no instructions")]
        fn classify(self, block: &Block) -> ByteMasks {
            // SAFETY: see above.
            unsafe { $module::classify(block) }
        }

        #[inline(always)]
        #[allow(unused_unsafe, reason = "the byte-by-byte loop needs no instructions")]
        fn places_of(self, block: &Block, byte: u8) -> u64 {
            // SAFETY: see above.
            unsafe { $module::places_of(block, byte) }
        }

        #[inline(always)]
        #[allow(unused_unsafe, reason = "the byte-by-byte loop needs no instructions")]
        fn places_of_controls(self, block: &Block) -> u64 {
            // SAFETY: see above.
            unsafe { $module::places_of_controls(block) }
        }
    };
}

/// The instructions that every processor of its kind has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Baseline;

impl Vectors for Baseline {
    classify_with!(baseline);
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86_64::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::is_x86_feature_detected as detected;

    use ferz_board::{Bitboard, Square};

    use super::Vectors;
    use crate::pgn::byte_masks::{Block, ByteMasks, avx2, avx512};
    use crate::pgn::sight;

    /// A processor with AVX2 and BMI: x86-64-v3.
    #[derive(Clone, Copy, Debug)]
    pub(in crate::pgn) struct Avx2(());

    impl Avx2 {
        /// `None` if the processor has less.
        #[inline]
        pub(in crate::pgn) fn detect() -> Option<Avx2> {
            let found = detected!("avx2") && detected!("bmi1") && detected!("bmi2");
            (found && detected!("lzcnt") && detected!("popcnt")).then_some(Avx2(()))
        }
    }

    impl Vectors for Avx2 {
        classify_with!(avx2);
    }

    /// A processor with AVX-512: x86-64-v4.
    #[derive(Clone, Copy, Debug)]
    pub(in crate::pgn) struct Avx512(());

    impl Avx512 {
        /// `None` if the processor has less.
        #[inline]
        pub(in crate::pgn) fn detect() -> Option<Avx512> {
            let found = detected!("avx512f") && detected!("avx512bw") && detected!("avx512cd");
            let found = found && detected!("avx512dq") && detected!("avx512vl");
            Avx2::detect().filter(|_| found).map(|_| Avx512(()))
        }
    }

    impl Vectors for Avx512 {
        classify_with!(avx512);

        #[inline(always)]
        fn path_is_clear(self, from: Square, to: Square, occupied: Bitboard) -> u8 {
            // SAFETY: the value proves that the processor has the instructions.
            unsafe { sight::avx512::path_is_clear(from, to, occupied) }
        }

        #[inline(always)]
        fn is_attacked_by_sliders(
            self,
            square: Square,
            occupied: Bitboard,
            straight: Bitboard,
            diagonal: Bitboard,
        ) -> bool {
            // SAFETY: the value proves that the processor has the instructions.
            unsafe { sight::avx512::is_attacked_by_sliders(square, occupied, straight, diagonal) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgn::byte_masks::scalar;

    fn agrees_with_the_byte_loop(vectors: impl Vectors) {
        // Every byte value at every place, among neighbours that change.
        for shift in 0..=255u8 {
            let mut block = [0; 64];
            for (place, byte) in block.iter_mut().enumerate() {
                *byte = (place as u8).wrapping_mul(37).wrapping_add(shift);
            }
            assert_eq!(vectors.classify(&block), scalar::classify(&block), "{block:?}");
            assert_eq!(vectors.places_of_controls(&block), scalar::places_of_controls(&block), "{block:?}");
            for byte in [b'"', b'\n', b'\\', shift] {
                assert_eq!(vectors.places_of(&block, byte), scalar::places_of(&block, byte));
            }
        }
    }

    fn agrees_with_the_lookups(vectors: impl Vectors) {
        let mut random = fastrand::Rng::with_seed(1);
        let mut sparse = || Bitboard(random.u64(..) & random.u64(..));
        for _ in 0..2_000 {
            let occupied = sparse();
            let (straight, diagonal) = (sparse() & occupied, sparse() & occupied);
            for square in Square::ALL {
                assert_eq!(
                    vectors.is_attacked_by_sliders(square, occupied, straight, diagonal),
                    sight::lookup::is_attacked_by_sliders(square, occupied, straight, diagonal),
                    "{square} {occupied:?}"
                );
                for from in ferz_board::attacks::queen(square, Bitboard::EMPTY) & occupied {
                    let expected = sight::lookup::path_is_clear(from, square, occupied) != 0;
                    let clear = vectors.path_is_clear(from, square, occupied) != 0;
                    assert_eq!(clear, expected, "{from} {square} {occupied:?}");
                }
            }
        }
    }

    #[test]
    fn all_vectors_agree_with_their_definition() {
        agrees_with_the_byte_loop(Baseline);
        agrees_with_the_lookups(Baseline);
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(vectors) = Avx2::detect() {
                agrees_with_the_byte_loop(vectors);
            }
            if let Some(vectors) = Avx512::detect() {
                agrees_with_the_byte_loop(vectors);
                agrees_with_the_lookups(vectors);
            }
        }
    }
}
