//! What the tests of inference have in common.

use super::Sink;
use crate::nnue::block::{Block, LANES, blocks};
use crate::nnue::simd::Lanes;

/// SplitMix64.
pub(in crate::nnue) struct Random(pub(in crate::nnue) u64);

impl Random {
    pub(in crate::nnue) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Any number, and now and then an extreme one.
    pub(in crate::nnue) fn any(&mut self) -> i16 {
        const EXTREMES: [i16; 8] = [i16::MIN, i16::MAX, 0, -1, 127, 128, 255, 256];
        match self.next() {
            bits if bits % 4 == 0 => EXTREMES[(bits >> 8) as usize % 8],
            bits => (bits >> 16) as i16,
        }
    }

    /// Near the numbers in which accumulators usually are.
    pub(in crate::nnue) fn near(&mut self) -> i16 {
        (self.next() % 601) as i16 - 200
    }

    pub(in crate::nnue) fn weight(&mut self) -> i16 {
        (self.next() % 255) as i16 - 127
    }

    pub(in crate::nnue) fn blocks(&mut self, width: usize, number: fn(&mut Random) -> i16) -> Vec<Block> {
        blocks((0..width * LANES).map(|_| number(self)))
    }
}

pub(in crate::nnue) fn flat(blocks: &[Block]) -> Vec<i16> {
    blocks.iter().flat_map(|block| block.0).collect()
}

/// Keeps what it is given, so that a test can look at it.
pub(in crate::nnue) struct Keep(Vec<Option<Block>>);

impl Keep {
    pub(in crate::nnue) fn new(width: usize) -> Keep {
        Keep(vec![None; width])
    }

    pub(in crate::nnue) fn flat(&self) -> Vec<i16> {
        self.0.iter().flat_map(|block| block.expect("every block is taken").0).collect()
    }
}

impl<L: Lanes> Sink<L> for Keep {
    fn take<const N: usize>(&mut self, at: usize, blocks: [L; N]) {
        for (block, place) in blocks.iter().zip(&mut self.0[at..at + N]) {
            assert_eq!(*place, None, "a block is taken twice");
            block.store(place.insert(Block::ZERO));
        }
    }
}
