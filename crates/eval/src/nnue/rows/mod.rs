//! The rows of weights of the first layer, however they are stored, and their sums.

mod packed;
mod plain;

pub(super) use packed::PackedRows;
pub(super) use plain::PlainRows;

use super::block::Block;
use super::kernels::Sink;
use super::simd::Lanes;

/// Rows of weights.
pub(super) trait Rows {
    /// Gives the sink an accumulator with these rows added and removed. All numbers wrap round.
    fn sum_up<L: Lanes, S: Sink<L>>(&self, accumulator: &[Block], selection: Selection<'_>, sink: S) -> S;

    /// Gives each of two sinks an accumulator with one row of each pair added, of at most 64 pairs.
    #[inline(always)]
    fn sum_up_pairs<L: Lanes, S: Sink<L>>(
        &self,
        accumulator: &[Block],
        pairs: impl Iterator<Item = [u32; 2]>,
        sinks: [S; 2],
    ) -> [S; 2] {
        sum_up_lists(self, accumulator, pairs, sinks)
    }
}

/// Sums up the rows of one sink after those of the other.
#[inline(always)]
fn sum_up_lists<L: Lanes, S: Sink<L>>(
    rows: &(impl Rows + ?Sized),
    accumulator: &[Block],
    pairs: impl Iterator<Item = [u32; 2]>,
    sinks: [S; 2],
) -> [S; 2] {
    let [mut firsts, mut seconds] = [RowList::<64>::new(), RowList::new()];
    for [first, second] in pairs {
        firsts.push_if(true, first);
        seconds.push_if(true, second);
    }
    let [first, second] = sinks;
    [
        rows.sum_up(accumulator, Selection { added: firsts.as_slice(), removed: &[] }, first),
        rows.sum_up(accumulator, Selection { added: seconds.as_slice(), removed: &[] }, second),
    ]
}

/// The numbers of the rows to be added and removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selection<'a> {
    pub(super) added: &'a [u32],
    pub(super) removed: &'a [u32],
}

/// Numbers of rows, at most `N`.
pub(super) struct RowList<const N: usize> {
    rows: [u32; N],
    count: usize,
}

impl<const N: usize> RowList<N> {
    #[inline(always)]
    pub(super) fn new() -> RowList<N> {
        const { assert!(N.is_power_of_two()) };
        RowList { rows: [0; N], count: 0 }
    }

    /// Without a branch, since nobody could foretell it.
    #[inline(always)]
    pub(super) fn push_if(&mut self, condition: bool, row: u32) {
        self.rows[self.count & (N - 1)] = row;
        self.count += usize::from(condition);
    }

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[u32] {
        &self.rows[..self.count.min(N)]
    }
}

#[cfg(test)]
mod tests;
