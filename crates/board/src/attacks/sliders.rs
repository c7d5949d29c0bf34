//! Rook and bishop attacks: by PEXT where the processor does it fast, else by [magic](super::magic) lookup, or without
//! large tables (feature `small-tables`).

#[cfg(any(test, not(feature = "small-tables")))]
mod fill;
#[cfg(any(test, feature = "small-tables"))]
mod obstruction;

use super::tables::{BISHOP_STEPS, ROOK_STEPS, walk};
use crate::{Bitboard, Square};

/// The two kinds of sliders; a queen is both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slider {
    /// Along ranks and files.
    Rook,
    /// Along diagonals.
    Bishop,
}

/// 102,400 entries for rooks and 5,248 for bishops, rounded up to a power of two.
pub(super) const TABLE_SIZE: usize = 1 << 17;

impl Slider {
    /// Attacks by walking square by square, without any table.
    #[must_use]
    pub const fn walk(self, square: Square, occupied: Bitboard) -> Bitboard {
        Bitboard(walk(self.steps(), square, occupied.0))
    }

    const fn steps(self) -> &'static [(i8, i8); 4] {
        match self {
            Slider::Rook => &ROOK_STEPS,
            Slider::Bishop => &BISHOP_STEPS,
        }
    }

    /// The squares whose occupation changes the attacks: the rays without their last square.
    #[must_use]
    pub const fn mask(self, square: Square) -> Bitboard {
        let file = Bitboard::from_file(square.file()).0;
        let rank = Bitboard::from_rank(square.rank()).0;
        const SIDES: u64 = Bitboard::from_file(crate::File::A).0 | Bitboard::from_file(crate::File::H).0;
        let rim = (SIDES & !file) | (Bitboard::BACK_RANKS.0 & !rank);
        Bitboard(self.walk(square, Bitboard::EMPTY).0 & !rim)
    }

    /// How many blocker sets the 64 squares have together.
    pub(super) const fn table_len(self) -> usize {
        let (mut len, mut i) = (0, 0);
        while i < 64 {
            len += 1 << self.mask(Square::ALL[i]).len();
            i += 1;
        }
        len
    }
}

// AMD processors before Zen 3 run PEXT as slow microcode, so a build that may meet one uses magics. Such builds are those
// for these processors, which have SSE4a, and the generic x86-64-v3. PEXT is fast in every build with AVX-512 (Zen 4 and
// later, Intel) or VAES (Zen 3 and later, Intel since Ice Lake), and in one for an Intel processor since Haswell: such a
// build has PCLMULQDQ, which x86-64-v3 does not include, and lacks SSE4a.
cfg_select! {
    feature = "small-tables" => {
        #[cfg(test)]
        mod magic_lookup;
        use obstruction as lookup;
    }
    all(
        target_arch = "x86_64",
        target_feature = "bmi2",
        any(
            target_feature = "avx512f",
            target_feature = "vaes",
            all(target_feature = "pclmulqdq", not(target_feature = "sse4a"))
        )
    ) => {
        #[cfg(test)]
        mod magic_lookup;
        mod pext;
        use pext as lookup;
    }
    _ => {
        mod magic_lookup;
        use magic_lookup as lookup;
    }
}

pub(super) use lookup::{bishop, rook};

/// Whether this build looks sliders up by PEXT.
pub const USES_PEXT: bool = lookup::USES_PEXT;

#[cfg(test)]
mod tests {
    use super::{Slider, lookup, magic_lookup, obstruction};
    use crate::attacks::magic;
    use crate::{Bitboard, Square};

    #[test]
    fn lookups_equal_walking_for_every_blocker_set() {
        for square in Square::ALL {
            for blockers in Slider::Rook.mask(square).subsets() {
                let expected = Slider::Rook.walk(square, blockers);
                assert_eq!(lookup::rook(square, blockers), expected, "rook {square} {blockers:?}");
                assert_eq!(magic_lookup::rook(square, blockers), expected, "rook magic {square}");
                assert_eq!(obstruction::rook(square, blockers), expected, "rook obstruction {square}");
            }
            for blockers in Slider::Bishop.mask(square).subsets() {
                let expected = Slider::Bishop.walk(square, blockers);
                assert_eq!(lookup::bishop(square, blockers), expected, "bishop {square} {blockers:?}");
                assert_eq!(magic_lookup::bishop(square, blockers), expected, "bishop magic {square}");
                assert_eq!(obstruction::bishop(square, blockers), expected, "bishop obstruction {square}");
            }
        }
    }

    #[test]
    fn irrelevant_blockers_change_nothing() {
        for square in Square::ALL {
            for other in Square::ALL {
                if !Slider::Rook.mask(square).contains(other) {
                    assert_eq!(lookup::rook(square, other.bitboard()), lookup::rook(square, Bitboard::EMPTY));
                }
            }
        }
    }

    #[test]
    fn the_finder_finds_the_numbers_in_use() {
        // All 128 take seconds; these are quick and prove that the published numbers are the finder's.
        for square in [Square::A1, Square::D4, Square::H8] {
            let found = magic::find(Slider::Bishop, square, magic::SEED);
            assert_eq!(found, magic::bishop(square).multiplier, "{square}");
            let found = magic::find(Slider::Rook, square, magic::SEED);
            assert_eq!(found, magic::rook(square).multiplier, "{square}");
        }
    }
}
