//! Filling the tables of slider attacks at compile time.

use super::{Slider, TABLE_SIZE};
use crate::Square;
use crate::attacks::tables::{Step, ray};

/// The subsets of one line's part of a mask, at most 64, with what each contributes to an index and to the attacks.
struct LineSets {
    len: usize,
    indices: [u64; 64],
    attacks: [u64; 64],
}

impl LineSets {
    /// The line of two opposite steps. Its part of an index is the product with a multiplier, or without one the
    /// subset's bits packed as PEXT does.
    const fn new(square: Square, steps: [Step; 2], mask: u64, multiplier: Option<u64>) -> LineSets {
        let line_mask = mask & (ray(square, steps[0], 0) | ray(square, steps[1], 0));
        let mut sets = LineSets { len: 0, indices: [0; 64], attacks: [0; 64] };
        let mut blockers = 0u64;
        loop {
            sets.indices[sets.len] = match multiplier {
                Some(multiplier) => blockers.wrapping_mul(multiplier),
                None => pack(blockers, mask),
            };
            sets.attacks[sets.len] = ray(square, steps[0], blockers) | ray(square, steps[1], blockers);
            sets.len += 1;
            blockers = blockers.wrapping_sub(line_mask) & line_mask;
            if blockers == 0 {
                return sets;
            }
        }
    }
}

/// The bits of a subset of a mask, packed at the low end: PEXT in plain code.
const fn pack(mut set: u64, mask: u64) -> u64 {
    let mut packed = 0;
    while set != 0 {
        let lowest = set & set.wrapping_neg();
        packed |= 1 << (mask & (lowest - 1)).count_ones();
        set ^= lowest;
    }
    packed
}

/// Writes the attacks of one slider on one square for every blocker set, by magic multiplication or in the order of
/// PEXT.
///
/// Const evaluation runs a hundred times slower than compiled code, and [`Slider::walk`] for every set would keep the
/// compiler busy for half a minute. So the two lines of a slider are walked one by one, and for each pair of their
/// blocker sets the attacks are united and the parts of the index added.
pub(super) const fn fill(
    table: &mut [u64; TABLE_SIZE],
    slider: Slider,
    square: Square,
    offset: usize,
    multiplier: Option<u64>,
) {
    let steps = slider.steps();
    let mask = slider.mask(square);
    let first = LineSets::new(square, [steps[0], steps[2]], mask.0, multiplier);
    let second = LineSets::new(square, [steps[1], steps[3]], mask.0, multiplier);
    let shift = if multiplier.is_some() { 64 - mask.len() } else { 0 };
    let mut i = 0;
    while i < first.len {
        let (index, attacks) = (first.indices[i], first.attacks[i]);
        let mut j = 0;
        while j < second.len {
            table[offset + (index.wrapping_add(second.indices[j]) >> shift) as usize] =
                attacks | second.attacks[j];
            j += 1;
        }
        i += 1;
    }
}
