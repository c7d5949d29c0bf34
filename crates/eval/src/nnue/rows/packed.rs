//! Rows of 256 weights in five eighths of their space, without loss: most columns of a trained net span so few
//! values that two weights fit into 16 bits.
//!
//! Sums of rows wait for the cache most of the time, so what is not loaded is time won. A lane that holds two columns
//! is `low + factor × high`, where both count from the middle of their column. Such lanes can be added up as they are:
//! besides their sum only that of the high weights is wanted, and the low ones follow from the two at the end. The
//! high weight of a lane is its quotient by the factor, rounded: a product with the reciprocal.
//!
//! Own and foreign pieces have middles of their own, since a column spans fewer values in either half of the rows.
//! What is missing in a sum follows from how many rows of each half it has.

use super::{Rows, Selection, sum_up_lists};
use crate::nnue::block::{Block, LANES};
use crate::nnue::kernels::Sink;
use crate::nnue::simd::Lanes;

/// How many columns an accumulator has.
const COLUMNS: usize = 256;
/// The blocks of a row: first those with a column in each lane, then those with two.
const WIDE: usize = 2;
const SHARED: usize = 3;
const WIDTH: usize = WIDE + SHARED;
const _: () = assert!((WIDE + 2 * SHARED) * LANES == COLUMNS);

/// The row of one feature.
type Row = [Block; WIDTH];

/// Rows for accumulators whose columns come in [another order](PackedRows::pack), those with even numbers for pieces of
/// one side and those with odd numbers for pieces of the other.
#[derive(Clone, PartialEq)]
pub(in crate::nnue) struct PackedRows {
    rows: Vec<Row>,
    /// For each lane that two columns share what the high one is multiplied by,
    factors: [Block; SHARED],
    /// and 2¹⁵ divided by that.
    reciprocals: [Block; SHARED],
    /// Of the rows with even and with odd numbers the middles of the columns that share lanes: of the low ones, then of
    /// the high ones.
    middles: [[[Block; 2]; SHARED]; 2],
}

/// Where the columns of a net have gone.
pub(in crate::nnue) type Order = [usize; COLUMNS];

impl PackedRows {
    /// Packs an even number of rows. Also returns the order in which the columns are in accumulators from now on. `None`
    /// if columns span too many values.
    pub(in crate::nnue) fn pack(weights: &[[i16; COLUMNS]]) -> Option<(PackedRows, Order)> {
        let (mut least, mut greatest) = ([[i16::MAX; COLUMNS]; 2], [[i16::MIN; COLUMNS]; 2]);
        for (number, row) in weights.iter().enumerate() {
            let (least, greatest) = (&mut least[number % 2], &mut greatest[number % 2]);
            for (column, &weight) in row.iter().enumerate() {
                least[column] = least[column].min(weight);
                greatest[column] = greatest[column].max(weight);
            }
        }
        let middles: [[i16; COLUMNS]; 2] =
            std::array::from_fn(|half| std::array::from_fn(|i| least[half][i].midpoint(greatest[half][i])));
        // How far weights are from the middle at most.
        let reaches: [u16; COLUMNS] = std::array::from_fn(|i| {
            let reach = |half: usize| greatest[half][i].abs_diff(least[half][i]).div_ceil(2);
            reach(0).max(reach(1))
        });

        // Those that reach furthest get lanes of their own. Of the others the one that reaches furthest shares a lane
        // with the one that reaches least far, and so on.
        let mut columns: Order = std::array::from_fn(|column| column);
        columns.sort_by_key(|&column| std::cmp::Reverse(reaches[column]));
        let (wide, shared) = columns.split_at(WIDE * LANES);
        let mut order = [0; COLUMNS];
        order[..wide.len()].copy_from_slice(wide);
        let (mut factors, mut reciprocals) = ([Block::ZERO; SHARED], [Block::ZERO; SHARED]);
        let pairs = shared.iter().zip(shared.iter().rev()).take(SHARED * LANES);
        for (i, (&low, &high)) in pairs.enumerate() {
            let (block, lane) = (i / LANES, i % LANES);
            [order[low_at(block, lane)], order[high_at(block, lane)]] = [low, high];
            let (factor, reciprocal) = factor(reaches[low], reaches[high])?;
            factors[block].0[lane] = factor;
            reciprocals[block].0[lane] = reciprocal;
        }

        let row = |weights: &[i16; COLUMNS], middle: &[i16; COLUMNS]| -> Row {
            std::array::from_fn(|block| {
                Block(std::array::from_fn(|lane| {
                    let Some(shared) = block.checked_sub(WIDE) else {
                        return weights[order[block * LANES + lane]];
                    };
                    let [low, high] = [low_at(shared, lane), high_at(shared, lane)]
                        .map(|at| weights[order[at]] - middle[order[at]]);
                    low + high * factors[shared].0[lane]
                }))
            })
        };
        let rows =
            weights.iter().enumerate().map(|(number, weights)| row(weights, &middles[number % 2])).collect();
        let middles = middles.map(|middle| {
            std::array::from_fn(|block| {
                [low_at, high_at].map(|at| Block(std::array::from_fn(|lane| middle[order[at(block, lane)]])))
            })
        });
        Some((PackedRows { rows, factors, reciprocals, middles }, order))
    }
}

/// Where in an accumulator the low columns of a shared block are.
fn low_at(block: usize, lane: usize) -> usize {
    (WIDE + 2 * block) * LANES + lane
}

/// Where in an accumulator the high columns of a shared block are.
fn high_at(block: usize, lane: usize) -> usize {
    low_at(block, lane) + LANES
}

/// What the high one of two numbers in a lane is to be multiplied by, and 2¹⁵ divided by that, if the numbers are at most
/// this far from 0. `None` if there is no room for them.
pub(super) fn factor(low: u16, high: u16) -> Option<(i16, i16)> {
    let (low, high) = (i32::from(low), i32::from(high));
    for factor in (2 * low + 1).max(2)..=i32::from(i16::MAX) {
        if low + factor.checked_mul(high)? > i32::from(i16::MAX) {
            return None;
        }
        let reciprocal = ((1 << 15) + factor / 2) / factor;
        // What the rounded quotient lacks is linear in both numbers: if it is right in the corners, it is everywhere.
        let is_right = |low: i32, high: i32| ((low + factor * high) * reciprocal + (1 << 14)) >> 15 == high;
        if [low, -low].iter().all(|&low| is_right(low, high) && is_right(low, -high)) {
            return Some((factor as i16, reciprocal as i16));
        }
    }
    None
}

/// Sums of rows in registers: `W` blocks with a column in each lane and `N` with two.
struct Sums<L, const W: usize, const N: usize> {
    reciprocals: [L; N],
    wide: [L; W],
    lanes: [L; N],
    /// Of the high columns in these lanes.
    high: [L; N],
    /// How many rows with odd numbers more were added than removed.
    odd: i16,
}

impl<L: Lanes, const W: usize, const N: usize> Sums<L, W, N> {
    /// No rows, of the blocks that two columns share from this one on.
    #[inline(always)]
    fn none(table: &PackedRows, at: usize) -> Sums<L, W, N> {
        let zero = L::load(&Block::ZERO);
        let reciprocals = std::array::from_fn(|i| L::load(&table.reciprocals[at + i]));
        Sums { reciprocals, wide: [zero; W], lanes: [zero; N], high: [zero; N], odd: 0 }
    }

    #[inline(always)]
    fn add(&mut self, table: &PackedRows, at: usize, number: u32) {
        self.apply(&table.rows[number as usize], at, L::plus);
        self.odd += (number % 2) as i16;
    }

    #[inline(always)]
    fn remove(&mut self, table: &PackedRows, at: usize, number: u32) {
        self.apply(&table.rows[number as usize], at, L::minus);
        self.odd -= (number % 2) as i16;
    }

    #[inline(always)]
    fn apply(&mut self, row: &Row, at: usize, operation: impl Fn(L, L) -> L) {
        for (sum, block) in self.wide.iter_mut().zip(row) {
            *sum = operation(*sum, L::load(block));
        }
        for i in 0..N {
            let lanes = L::load(&row[WIDE + at + i]);
            self.lanes[i] = operation(self.lanes[i], lanes);
            self.high[i] = operation(self.high[i], lanes.times_fraction(self.reciprocals[i]));
        }
    }

    /// Gives the sink an accumulator to which this is added. So many rows more were added than removed.
    #[inline(always)]
    fn finish<S: Sink<L>>(
        self,
        table: &PackedRows,
        at: usize,
        count: i16,
        accumulator: &[Block],
        mut sink: S,
    ) -> S {
        if W > 0 {
            sink.take(0, std::array::from_fn::<L, W, _>(|i| self.wide[i].plus(L::load(&accumulator[i]))));
        }
        let mut columns: [[L; 2]; N] = std::array::from_fn(|i| {
            let low = self.lanes[i].minus(self.high[i].times(L::load(&table.factors[at + i])));
            [low, self.high[i]]
        });
        for (count, middles) in [count - self.odd, self.odd].into_iter().zip(&table.middles) {
            if count != 0 {
                let count = L::splat(count);
                let middles = middles[at..at + N].as_flattened();
                for (columns, middle) in columns.as_flattened_mut().iter_mut().zip(middles) {
                    *columns = columns.plus(L::load(middle).times(count));
                }
            }
        }
        for (i, [low, high]) in columns.into_iter().enumerate() {
            let place = WIDE + 2 * (at + i);
            let sums = [low.plus(L::load(&accumulator[place])), high.plus(L::load(&accumulator[place + 1]))];
            sink.take(place, sums);
        }
        sink
    }
}

impl PackedRows {
    /// The part of an accumulator that `Sums` of this kind has.
    #[inline(always)]
    fn sum_up_part<L: Lanes, S: Sink<L>, const W: usize, const N: usize>(
        &self,
        at: usize,
        accumulator: &[Block],
        selection: Selection<'_>,
        sink: S,
    ) -> S {
        let mut sums = Sums::<L, W, N>::none(self, at);
        for &number in selection.added {
            sums.add(self, at, number);
        }
        for &number in selection.removed {
            sums.remove(self, at, number);
        }
        let count = selection.added.len() as i16 - selection.removed.len() as i16;
        sums.finish(self, at, count, accumulator, sink)
    }
}

impl Rows for PackedRows {
    #[inline(always)]
    fn sum_up<L: Lanes, S: Sink<L>>(&self, accumulator: &[Block], selection: Selection<'_>, sink: S) -> S {
        let accumulator = &accumulator[..WIDE + 2 * SHARED];
        if L::HAS_ROOM {
            self.sum_up_part::<L, S, WIDE, SHARED>(0, accumulator, selection, sink)
        } else {
            let sink = self.sum_up_part::<L, S, WIDE, 1>(0, accumulator, selection, sink);
            self.sum_up_part::<L, S, 0, { SHARED - 1 }>(1, accumulator, selection, sink)
        }
    }

    #[inline(always)]
    fn sum_up_pairs<L: Lanes, S: Sink<L>>(
        &self,
        accumulator: &[Block],
        pairs: impl Iterator<Item = [u32; 2]>,
        sinks: [S; 2],
    ) -> [S; 2] {
        if !L::HAS_ROOM {
            return sum_up_lists(self, accumulator, pairs, sinks);
        }
        let accumulator = &accumulator[..WIDE + 2 * SHARED];
        let [mut first, mut second] = [0; 2].map(|_| Sums::<L, WIDE, SHARED>::none(self, 0));
        let mut count = 0;
        for pair in pairs {
            first.add(self, 0, pair[0]);
            second.add(self, 0, pair[1]);
            count += 1;
        }
        let [first_sink, second_sink] = sinks;
        [
            first.finish(self, 0, count, accumulator, first_sink),
            second.finish(self, 0, count, accumulator, second_sink),
        ]
    }
}
