//! Magic bitboards: the blockers of a slider, multiplied by a number found by search, give the index of its
//! attacks in a table.
//!
//! The numbers in use come from [`find`] (`cargo run --release --example find_magics` prints them again);
//! the tables are computed at compile time. Where the processor has a fast PEXT instruction that takes the
//! place of the multiplication, see [`super`].

use super::magic_numbers::{BISHOP_MAGICS, ROOK_MAGICS};
use super::sliders::{Slider, TABLE_SIZE};
use crate::{Bitboard, Square};

/// The lookup of one slider on one square.
#[derive(Clone, Copy, Debug)]
pub struct Magic {
    /// The squares whose occupation matters: the rays without their last square.
    pub mask: Bitboard,
    /// The number that gathers the mask's bits at the top of the word.
    pub multiplier: u64,
    /// How far the product is shifted down: 64 less the number of mask bits.
    pub shift: u32,
    /// Where this square's attacks start in the shared table.
    pub offset: usize,
}

impl Magic {
    /// The place of the attacks in the shared table for these blockers.
    #[inline(always)]
    #[must_use]
    pub const fn index(&self, occupied: Bitboard) -> usize {
        self.offset + ((occupied.0 & self.mask.0).wrapping_mul(self.multiplier) >> self.shift) as usize
    }
}

/// The lookup of a rook on this square.
#[inline(always)]
#[must_use]
pub const fn rook(square: Square) -> &'static Magic {
    &ROOKS[square.index()]
}

/// The lookup of a bishop on this square.
#[inline(always)]
#[must_use]
pub const fn bishop(square: Square) -> &'static Magic {
    &BISHOPS[square.index()]
}

const fn lookups(slider: Slider, multipliers: &[u64; 64], mut offset: usize) -> [Magic; 64] {
    let mut table = [Magic { mask: Bitboard::EMPTY, multiplier: 0, shift: 0, offset: 0 }; 64];
    let mut i = 0;
    while i < 64 {
        let mask = slider.mask(Square::ALL[i]);
        table[i] = Magic { mask, multiplier: multipliers[i], shift: 64 - mask.len(), offset };
        offset += 1 << mask.len();
        i += 1;
    }
    assert!(offset <= TABLE_SIZE);
    table
}

static ROOKS: [Magic; 64] = lookups(Slider::Rook, &ROOK_MAGICS, 0);
static BISHOPS: [Magic; 64] = lookups(Slider::Bishop, &BISHOP_MAGICS, Slider::Rook.table_len());

/// The seed the numbers in use were found with.
pub const SEED: u64 = 0x0fe2_2026;

/// The random numbers that [`find`] tries, in order. They have few bits: such multipliers work more often.
#[doc(alias("random_u64_fewbits", "sparse"))]
pub fn candidates(slider: Slider, square: Square, seed: u64) -> impl Iterator<Item = u64> {
    let mut random = SplitMix::for_square(slider, square, seed);
    core::iter::repeat_with(move || random.sparse())
}

/// Whether a multiplier is worth trying for a mask: few bits at the top of the product mean many collisions.
#[must_use]
pub const fn is_promising(mask: Bitboard, multiplier: u64) -> bool {
    (mask.0.wrapping_mul(multiplier) >> 56).count_ones() >= 6
}

/// What became of a multiplier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trial {
    /// Two blocker sets with different attacks got the same index.
    Collision {
        /// The first of them.
        earlier: Bitboard,
        /// The second.
        later: Bitboard,
        /// How many blocker sets had found their place before.
        placed: usize,
    },
    /// It works, and the attacks take this many places of the table.
    Works(usize),
}

/// Tries a multiplier: fills a table of attacks, whose length must be a power of two, for every blocker set. A blocker
/// set with the same attacks may share a place (a constructive collision). Unused places are left empty.
///
/// # Panics
///
/// If the length of the table is not a power of two, or is 1.
pub fn try_multiplier(slider: Slider, square: Square, multiplier: u64, table: &mut [Bitboard]) -> Trial {
    const FREE: Bitboard = Bitboard::EMPTY; // no slider attacks nothing, so this marks an unused place
    assert!(table.len() > 1 && table.len().is_power_of_two(), "the length of the table is a power of two");
    let mask = slider.mask(square);
    let shift = 64 - table.len().ilog2();
    let index = |blockers: Bitboard| (blockers.0.wrapping_mul(multiplier) >> shift) as usize;
    table.fill(FREE);
    let mut used = 0;
    for (placed, later) in mask.subsets().enumerate() {
        let attacks = slider.walk(square, later);
        let place = &mut table[index(later)];
        if *place == FREE {
            *place = attacks;
            used += 1;
        } else if *place != attacks {
            let earlier = mask.subsets().find(|&earlier| index(earlier) == index(later));
            return Trial::Collision { earlier: earlier.unwrap_or(later), later, placed };
        }
    }
    Trial::Works(used)
}

/// Searches a multiplier for a slider on a square: sparse random numbers are tried until one sends no two
/// blocker sets with different attacks to the same place. The same seed finds the same number.
///
/// ```
/// use ferz_board::Square;
/// use ferz_board::attacks::{Slider, magic};
/// let found = magic::find(Slider::Bishop, Square::D4, magic::SEED);
/// assert_eq!(found, magic::bishop(Square::D4).multiplier);
/// ```
#[doc(alias("find_magic", "wizardry", "magician"))]
#[must_use]
pub fn find(slider: Slider, square: Square, seed: u64) -> u64 {
    let mut table = [Bitboard::EMPTY; 4096];
    let mask = slider.mask(square);
    let table = &mut table[..1 << mask.len()];
    let mut random = SplitMix::for_square(slider, square, seed);
    loop {
        let multiplier = random.sparse();
        if is_promising(mask, multiplier)
            && matches!(try_multiplier(slider, square, multiplier, table), Trial::Works(_))
        {
            return multiplier;
        }
    }
}

/// The SplitMix64 generator, here and not from a crate, because [`find`] is part of the library, which has no
/// dependencies, and its numbers must never change.
struct SplitMix(u64);

impl SplitMix {
    fn for_square(slider: Slider, square: Square, seed: u64) -> SplitMix {
        SplitMix(seed ^ (square as u64) << 8 ^ slider as u64)
    }

    /// A number with an eighth of its bits set.
    fn sparse(&mut self) -> u64 {
        self.next() & self.next() & self.next()
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
