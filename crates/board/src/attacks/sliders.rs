//! Rook and bishop attacks, by PEXT where the processor does it fast, else by [magic](super::magic) lookup.

use super::tables::{BISHOP_STEPS, ROOK_STEPS, ray, walk};
use crate::{Bitboard, Square};

/// The two kinds of sliders; a queen is both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slider {
    /// Along ranks and files.
    Rook,
    /// Along diagonals.
    Bishop,
}

/// The attacks of one slider on one square for every blocker set, quickly: const evaluation runs a hundred
/// times slower than compiled code, and [`Slider::walk`] would keep the compiler busy for half a minute.
pub(super) struct AttackSets {
    pub(super) mask: u64,
    /// Two rays towards higher squares and two towards lower ones.
    rays: [u64; 4],
}

impl AttackSets {
    pub(super) const fn new(slider: Slider, square: Square) -> AttackSets {
        let steps = slider.steps();
        let mut rays = [0; 4];
        let mut i = 0;
        while i < 4 {
            rays[i] = ray(square, steps[i], 0);
            i += 1;
        }
        AttackSets { mask: slider.mask(square).0, rays }
    }

    /// The squares of each ray up to and including its first blocker.
    pub(super) const fn attacks(&self, blockers: u64) -> Bitboard {
        let [up, up_too, down, down_too] = self.rays;
        let (a, b) = (blockers & up, blockers & up_too);
        let (c, d) = (blockers & down | 1, blockers & down_too | 1);
        Bitboard(
            up & (a ^ a.wrapping_sub(1))
                | up_too & (b ^ b.wrapping_sub(1))
                | down & (!0 << (63 - c.leading_zeros()))
                | down_too & (!0 << (63 - d.leading_zeros())),
        )
    }
}

/// 102,400 entries for rooks and 5,248 for bishops, rounded up to a power of two.
pub(super) const TABLE_SIZE: usize = 1 << 17;

impl Slider {
    /// Attacks by walking square by square, without any table.
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

// AMD processors before Zen 3 run PEXT as slow microcode. They are the ones with SSE4a but without VAES.
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "bmi2",
    any(not(target_feature = "sse4a"), target_feature = "vaes")
))]
mod lookup {
    /// Whether this build looks sliders up by PEXT, and not by magic multiplication.
    pub const USES_PEXT: bool = true;

    use super::{AttackSets, Slider, TABLE_SIZE};
    use crate::{Bitboard, Square};

    #[derive(Clone, Copy)]
    struct Pext {
        mask: Bitboard,
        offset: u32,
    }

    const fn lookups(slider: Slider, mut offset: u32) -> [Pext; 64] {
        let mut table = [Pext { mask: Bitboard::EMPTY, offset: 0 }; 64];
        let mut i = 0;
        while i < 64 {
            let mask = slider.mask(Square::ALL[i]);
            table[i] = Pext { mask, offset };
            offset += 1 << mask.len();
            i += 1;
        }
        table
    }

    static ROOKS: [Pext; 64] = lookups(Slider::Rook, 0);
    static BISHOPS: [Pext; 64] = lookups(Slider::Bishop, Slider::Rook.table_len() as u32);

    #[allow(long_running_const_eval)] // see the table of the magics
    static ATTACKS: [Bitboard; TABLE_SIZE] = {
        let mut table = [Bitboard::EMPTY; TABLE_SIZE];
        let (mut kind, mut at) = (0, 0);
        while kind < 2 {
            let slider = if kind == 0 { Slider::Rook } else { Slider::Bishop };
            let mut i = 0;
            while i < 64 {
                // Subsets in counting order are exactly the order of their extracted bits.
                let sets = AttackSets::new(slider, Square::ALL[i]);
                let mut blockers = 0u64;
                loop {
                    table[at] = sets.attacks(blockers);
                    at += 1;
                    blockers = blockers.wrapping_sub(sets.mask) & sets.mask;
                    if blockers == 0 {
                        break;
                    }
                }
                i += 1;
            }
            kind += 1;
        }
        table
    };

    #[inline(always)]
    fn attacks(lookup: &Pext, occupied: Bitboard) -> Bitboard {
        // SAFETY: this module is compiled only where BMI2 is enabled for the whole program. Against the
        // multiplication of a magic it gains 13 % of a perft.
        let extracted = unsafe { core::arch::x86_64::_pext_u64(occupied.0, lookup.mask.0) };
        // The index is always in range. The mask replaces the bounds check and costs nothing measurable.
        ATTACKS[(lookup.offset as usize + extracted as usize) & (TABLE_SIZE - 1)]
    }

    #[inline(always)]
    pub(crate) fn rook(square: Square, occupied: Bitboard) -> Bitboard {
        attacks(&ROOKS[square.index()], occupied)
    }

    #[inline(always)]
    pub(crate) fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
        attacks(&BISHOPS[square.index()], occupied)
    }
}

#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "bmi2",
    any(not(target_feature = "sse4a"), target_feature = "vaes")
)))]
mod lookup {
    /// Whether this build looks sliders up by PEXT, and not by magic multiplication.
    pub const USES_PEXT: bool = false;

    use crate::attacks::magic;
    use crate::{Bitboard, Square};

    #[inline(always)]
    pub(crate) fn rook(square: Square, occupied: Bitboard) -> Bitboard {
        magic::rook(square).attacks(occupied)
    }

    #[inline(always)]
    pub(crate) fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
        magic::bishop(square).attacks(occupied)
    }
}

pub use lookup::USES_PEXT;
pub(super) use lookup::{bishop, rook};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks::magic;

    #[test]
    fn lookups_equal_walking_for_every_blocker_set() {
        for square in Square::ALL {
            for blockers in Slider::Rook.mask(square).subsets() {
                let expected = Slider::Rook.walk(square, blockers);
                assert_eq!(rook(square, blockers), expected, "rook {square} {blockers:?}");
                assert_eq!(magic::rook(square).attacks(blockers), expected, "rook magic {square}");
            }
            for blockers in Slider::Bishop.mask(square).subsets() {
                let expected = Slider::Bishop.walk(square, blockers);
                assert_eq!(bishop(square, blockers), expected, "bishop {square} {blockers:?}");
                assert_eq!(magic::bishop(square).attacks(blockers), expected, "bishop magic {square}");
            }
        }
    }

    #[test]
    fn irrelevant_blockers_change_nothing() {
        for square in Square::ALL {
            for other in Square::ALL {
                if !Slider::Rook.mask(square).contains(other) {
                    assert_eq!(rook(square, other.bitboard()), rook(square, Bitboard::EMPTY));
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
