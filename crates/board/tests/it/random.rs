//! A random generator with a fixed seed: a test that fails once fails again.

use ferz_board::{CastlingMode, Position, Setup};

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to one below the bound.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Whether the one case in so many has come.
    pub fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }

    /// One of the items, if there are any.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() { None } else { Some(items[self.below(items.len())]) }
    }

    /// A Chess960 start position, every other time a double one.
    pub fn chess960_start(&mut self) -> Position {
        let white = self.below(960) as u16;
        let black = if self.one_in(2) { white } else { self.below(960) as u16 };
        let setup = Setup::chess960(white, black).expect("both numbers are below 960");
        Position::from_setup(&setup, CastlingMode::Chess960).expect("a start position is legal")
    }
}
