//! Rows as they are: block after block of 16-bit weights.

use super::{Rows, Selection};
use crate::nnue::block::Block;
use crate::nnue::kernels::Sink;
use crate::nnue::simd::Lanes;

/// Row after row of as many blocks as an accumulator has.
#[derive(Clone, PartialEq)]
pub(in crate::nnue) struct PlainRows {
    weights: Vec<Block>,
    /// How many blocks a row has.
    width: usize,
}

impl PlainRows {
    pub(in crate::nnue) fn new(weights: Vec<Block>, width: usize) -> PlainRows {
        PlainRows { weights, width }
    }

    /// For numbers of rows that the compiler knows: two blocks are enough to keep the processor busy.
    #[inline(always)]
    fn sum_up_few<L: Lanes, S: Sink<L>, const A: usize, const R: usize>(
        &self,
        accumulator: &[Block],
        added: [u32; A],
        removed: [u32; R],
        sink: S,
    ) -> S {
        self.sum_up_in_tiles::<L, S, 2>(accumulator, Selection { added: &added, removed: &removed }, sink)
    }

    /// So many blocks at a time, and one at a time at the end, are kept in registers while rows are added to them.
    #[inline(always)]
    fn sum_up_in_tiles<L: Lanes, S: Sink<L>, const TILE: usize>(
        &self,
        accumulator: &[Block],
        selection: Selection<'_>,
        mut sink: S,
    ) -> S {
        let (tiles, rest) = accumulator[..self.width].as_chunks::<TILE>();
        for (i, tile) in tiles.iter().enumerate() {
            sink.take(TILE * i, self.tile::<L, TILE>(tile, TILE * i, selection));
        }
        for (i, block) in rest.as_chunks::<1>().0.iter().enumerate() {
            let at = TILE * tiles.len() + i;
            sink.take(at, self.tile::<L, 1>(block, at, selection));
        }
        sink
    }

    /// So many blocks of an accumulator, from this one on, with the rows added and removed.
    #[inline(always)]
    fn tile<L: Lanes, const T: usize>(
        &self,
        start: &[Block; T],
        at: usize,
        selection: Selection<'_>,
    ) -> [L; T] {
        let mut lanes = [L::load(&start[0]); T];
        lanes.iter_mut().zip(start).for_each(|(lanes, block)| *lanes = L::load(block));
        let row = |number: u32| -> &[Block; T] {
            let row = &self.weights[number as usize * self.width + at..];
            row.first_chunk().expect("rows are as wide as the accumulator")
        };
        for &number in selection.added {
            lanes.iter_mut().zip(row(number)).for_each(|(lanes, row)| *lanes = lanes.plus(L::load(row)));
        }
        for &number in selection.removed {
            lanes.iter_mut().zip(row(number)).for_each(|(lanes, row)| *lanes = lanes.minus(L::load(row)));
        }
        lanes
    }
}

impl Rows for PlainRows {
    #[inline(always)]
    fn sum_up<L: Lanes, S: Sink<L>>(&self, accumulator: &[Block], selection: Selection<'_>, sink: S) -> S {
        // What most moves change.
        match (selection.added, selection.removed) {
            (&[a], &[c]) => self.sum_up_few(accumulator, [a], [c], sink),
            (&[a], &[c, d]) => self.sum_up_few(accumulator, [a], [c, d], sink),
            (&[a, b], &[c, d]) => self.sum_up_few(accumulator, [a, b], [c, d], sink),
            _ => self.sum_up_in_tiles::<L, S, 8>(accumulator, selection, sink),
        }
    }
}
