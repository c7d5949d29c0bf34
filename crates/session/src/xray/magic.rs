//! The magic lookup of slider attacks.

use ferz_board::attacks::{self, Slider, magic};
use ferz_board::{Bitboard, Position, Square};
use serde::Serialize;

use super::word::Word;
use crate::protocol::{SliderName, SquareName};

/// The steps of the lookup, from the occupied squares to the attacks.
#[derive(Clone, Debug, Serialize)]
pub struct MagicLookup {
    square: SquareName,
    slider: SliderName,
    mask: Word,
    blockers: Word,
    multiplier: Word,
    product: Word,
    shift: u32,
    offset: usize,
    index: usize,
    attacks: Word,
    pext: Pext,
}

/// The same lookup by PEXT, which replaces the multiplication.
#[derive(Clone, Debug, Serialize)]
struct Pext {
    in_use: bool,
    index: usize,
}

/// Looks up the attacks of a slider on any square, occupied or not.
pub fn look_up(position: &Position, slider: Slider, square: Square) -> MagicLookup {
    let (name, magic) = match slider {
        Slider::Rook => (SliderName::Rook, magic::rook(square)),
        Slider::Bishop => (SliderName::Bishop, magic::bishop(square)),
    };
    let blockers = position.occupied() & magic.mask;
    MagicLookup {
        square: SquareName(square),
        slider: name,
        mask: magic.mask.into(),
        blockers: blockers.into(),
        multiplier: Word(magic.multiplier),
        product: Word(blockers.0.wrapping_mul(magic.multiplier)),
        shift: magic.shift,
        offset: magic.offset,
        index: magic.index(blockers),
        attacks: slider.walk(square, blockers).into(),
        pext: Pext { in_use: attacks::USES_PEXT, index: extract(blockers, magic.mask) },
    }
}

/// The bits of a set selected by a mask, packed at the low end, as PEXT does.
fn extract(set: Bitboard, mask: Bitboard) -> usize {
    let bits = mask.into_iter().enumerate();
    bits.filter(|&(_, square)| set.contains(square)).map(|(place, _)| 1 << place).sum()
}
