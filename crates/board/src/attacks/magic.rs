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

/// Searches a multiplier for a slider on a square: sparse random numbers are tried until one sends no two
/// blocker sets with different attacks to the same place. The same seed finds the same number.
#[must_use]
pub fn find(slider: Slider, square: Square, seed: u64) -> u64 {
    const FREE: Bitboard = Bitboard::EMPTY; // no slider attacks nothing, so this marks an unused place
    let mask = slider.mask(square);
    let shift = 64 - mask.len();
    let mut random = SplitMix(seed ^ (square as u64) << 8 ^ slider as u64);
    let mut places = [FREE; 4096];
    loop {
        let multiplier = random.next() & random.next() & random.next();
        // Few bits at the top of the product mean many collisions: not worth trying.
        if (mask.0.wrapping_mul(multiplier) >> 56).count_ones() < 6 {
            continue;
        }
        places.fill(FREE);
        let works = mask.subsets().all(|blockers| {
            let attacks = slider.walk(square, blockers);
            let place = &mut places[(blockers.0.wrapping_mul(multiplier) >> shift) as usize];
            let usable = *place == FREE || *place == attacks;
            *place = attacks;
            usable
        });
        if works {
            return multiplier;
        }
    }
}

/// The SplitMix64 generator, here and not from a crate, because [`find`] is part of the library, which has no
/// dependencies, and its numbers must never change.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
