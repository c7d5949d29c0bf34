//! Vectors of 16-bit numbers, cut into pieces that fill a cache line.

/// How many numbers a block holds.
pub(super) const LANES: usize = 32;

/// 32 numbers of 16 bits: a cache line, one register of AVX-512, two of AVX2. Rows of weights and accumulators are
/// slices of these, so every load is aligned and no kernel has a remainder to deal with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(super) struct Block(pub(super) [i16; LANES]);

impl Block {
    pub(super) const ZERO: Block = Block([0; LANES]);
}

/// Numbers as blocks; there must be a multiple of 32 of them.
pub(super) fn blocks(numbers: impl IntoIterator<Item = i16>) -> Vec<Block> {
    let mut numbers = numbers.into_iter();
    let mut blocks = Vec::with_capacity(numbers.size_hint().0 / LANES);
    while let Some(first) = numbers.next() {
        let mut block = Block([first; LANES]);
        block.0[1..].iter_mut().zip(&mut numbers).for_each(|(lane, number)| *lane = number);
        blocks.push(block);
    }
    blocks
}

/// 64 bytes of 8-bit weights: what four inputs give to each of 16 outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(super) struct Bytes(pub(super) [i8; 64]);

/// Inputs of a layer, each from 0 to 127.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(super) struct Inputs<const N: usize>(pub(super) [u8; N]);
