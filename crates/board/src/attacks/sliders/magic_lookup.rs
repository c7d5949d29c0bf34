//! Sliders by [magic] multiplication.

use crate::attacks::magic::{self, Magic};
use crate::attacks::sliders::fill::fill;
use crate::attacks::sliders::{Slider, TABLE_SIZE};
use crate::{Bitboard, Square};

#[allow(dead_code)] // in tests of builds with another lookup
pub(super) const USES_PEXT: bool = false;

#[allow(long_running_const_eval)] // half a second at compile time saves every start of every program
static ATTACKS: [u64; TABLE_SIZE] = {
    let mut table = [0; TABLE_SIZE];
    let mut i = 0;
    while i < 64 {
        let square = Square::ALL[i];
        let (rook, bishop) = (magic::rook(square), magic::bishop(square));
        fill(&mut table, Slider::Rook, square, rook.offset, Some(rook.multiplier));
        fill(&mut table, Slider::Bishop, square, bishop.offset, Some(bishop.multiplier));
        i += 1;
    }
    table
};

#[inline(always)]
const fn attacks(magic: &Magic, occupied: Bitboard) -> Bitboard {
    // The index is always in range. The mask replaces the bounds check and costs nothing measurable.
    Bitboard(ATTACKS[magic.index(occupied) & (TABLE_SIZE - 1)])
}

#[inline(always)]
pub(crate) const fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    attacks(magic::rook(square), occupied)
}

#[inline(always)]
pub(crate) const fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    attacks(magic::bishop(square), occupied)
}
