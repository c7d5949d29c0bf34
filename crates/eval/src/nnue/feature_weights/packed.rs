//! Feature weights in rows of 256, compressed to five eighths without loss: most columns of a trained net span so few
//! values that two weights fit into 16 bits.
//!
//! Updates wait for the cache most of the time, so every byte that is not loaded saves time. A lane that holds two columns
//! is `low + factor × high`, where both count from the middle of their column. Such lanes can be added up as they are:
//! besides their sum only that of the high weights is needed, and the low ones follow from the two at the end. The
//! high weight of a lane is its quotient by the factor, rounded: a product with the reciprocal.
//!
//! Own and enemy pieces have middles of their own, since a column spans fewer values in either half of the rows. What is
//! missing in a sum follows from how many rows of each half it has.

use super::{FeatureDelta, FeatureWeights, accumulate_lists};
use crate::nnue::aligned::{I16x32, LANES};
use crate::nnue::kernels::Sink;
use crate::nnue::simd::Vector;

/// How many columns an accumulator has.
const COLUMNS: usize = 256;
/// The vectors of a row: first those with one column in each lane, then those with two.
const WIDE: usize = 2;
const SHARED: usize = 3;
const WIDTH: usize = WIDE + SHARED;
const _: () = assert!((WIDE + 2 * SHARED) * LANES == COLUMNS);

/// The row of one feature.
type Row = [I16x32; WIDTH];

/// Feature weights for accumulators whose columns come in [a different order](PackedWeights::pack). Even features are
/// own pieces, odd ones enemy pieces.
#[derive(Clone, PartialEq)]
pub(in crate::nnue) struct PackedWeights {
    rows: Vec<Row>,
    /// For each lane that two columns share, what the high one is multiplied by,
    factors: [I16x32; SHARED],
    /// and 2¹⁵ divided by that.
    reciprocals: [I16x32; SHARED],
    /// For even and odd features, the middles of the columns that share lanes: of the low ones, then of the high ones.
    middles: [[[I16x32; 2]; SHARED]; 2],
}

/// The columns of a net in the order they have in accumulators.
pub(in crate::nnue) type Order = [usize; COLUMNS];

impl PackedWeights {
    /// Packs an even number of rows. Also returns the order of the columns in accumulators. `None` if columns span too
    /// many values.
    pub(in crate::nnue) fn pack(weights: &[[i16; COLUMNS]]) -> Option<(PackedWeights, Order)> {
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
        let (mut factors, mut reciprocals) = ([I16x32::ZERO; SHARED], [I16x32::ZERO; SHARED]);
        let pairs = shared.iter().zip(shared.iter().rev()).take(SHARED * LANES);
        for (i, (&low, &high)) in pairs.enumerate() {
            let (vector, lane) = (i / LANES, i % LANES);
            [order[low_at(vector, lane)], order[high_at(vector, lane)]] = [low, high];
            let (factor, reciprocal) = factor(reaches[low], reaches[high])?;
            factors[vector].0[lane] = factor;
            reciprocals[vector].0[lane] = reciprocal;
        }

        let row = |weights: &[i16; COLUMNS], middle: &[i16; COLUMNS]| -> Row {
            std::array::from_fn(|vector| {
                I16x32(std::array::from_fn(|lane| {
                    let Some(shared) = vector.checked_sub(WIDE) else {
                        return weights[order[vector * LANES + lane]];
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
            std::array::from_fn(|vector| {
                [low_at, high_at]
                    .map(|at| I16x32(std::array::from_fn(|lane| middle[order[at(vector, lane)]])))
            })
        });
        Some((PackedWeights { rows, factors, reciprocals, middles }, order))
    }
}

/// Where in an accumulator the low columns of a shared vector are.
fn low_at(vector: usize, lane: usize) -> usize {
    (WIDE + 2 * vector) * LANES + lane
}

/// Where in an accumulator the high columns of a shared vector are.
fn high_at(vector: usize, lane: usize) -> usize {
    low_at(vector, lane) + LANES
}

/// The factor of the high one of two numbers in a lane, and 2¹⁵ divided by it, if the numbers are at most this far from
/// 0. `None` if they do not fit.
pub(super) fn factor(low: u16, high: u16) -> Option<(i16, i16)> {
    let (low, high) = (i32::from(low), i32::from(high));
    for factor in (2 * low + 1).max(2)..=i32::from(i16::MAX) {
        if low + factor.checked_mul(high)? > i32::from(i16::MAX) {
            return None;
        }
        let reciprocal = ((1 << 15) + factor / 2) / factor;
        // The error of the rounded quotient is linear in both numbers: right in the corners means right everywhere.
        let is_right = |low: i32, high: i32| ((low + factor * high) * reciprocal + (1 << 14)) >> 15 == high;
        if [low, -low].iter().all(|&low| is_right(low, high) && is_right(low, -high)) {
            return Some((factor as i16, reciprocal as i16));
        }
    }
    None
}

/// Sums of rows in registers: `W` vectors with one column in each lane and `N` with two.
struct Sums<V, const W: usize, const N: usize> {
    reciprocals: [V; N],
    wide: [V; W],
    lanes: [V; N],
    /// Of the high columns in these lanes.
    high: [V; N],
    /// Odd features added minus odd features removed.
    odd: i16,
}

impl<V: Vector, const W: usize, const N: usize> Sums<V, W, N> {
    /// The sums of no rows, for shared vectors from the number `at` on.
    #[inline(always)]
    fn none(table: &PackedWeights, at: usize) -> Sums<V, W, N> {
        let zero = V::load(&I16x32::ZERO);
        let mut reciprocals = [zero; N];
        for (lanes, vector) in reciprocals.iter_mut().zip(&table.reciprocals[at..at + N]) {
            *lanes = V::load(vector);
        }
        Sums { reciprocals, wide: [zero; W], lanes: [zero; N], high: [zero; N], odd: 0 }
    }

    #[inline(always)]
    fn add(&mut self, table: &PackedWeights, at: usize, number: u32) {
        self.apply(&table.rows[number as usize], at, V::add);
        self.odd += (number % 2) as i16;
    }

    #[inline(always)]
    fn remove(&mut self, table: &PackedWeights, at: usize, number: u32) {
        self.apply(&table.rows[number as usize], at, V::sub);
        self.odd -= (number % 2) as i16;
    }

    #[inline(always)]
    fn apply(&mut self, row: &Row, at: usize, operation: impl Fn(V, V) -> V) {
        for (sum, vector) in self.wide.iter_mut().zip(row) {
            *sum = operation(*sum, V::load(vector));
        }
        for i in 0..N {
            let lanes = V::load(&row[WIDE + at + i]);
            self.lanes[i] = operation(self.lanes[i], lanes);
            self.high[i] = operation(self.high[i], V::mul_high_rounded(lanes, self.reciprocals[i]));
        }
    }

    /// Adds the sums to an accumulator and gives it to the sink. `count` is features added minus features removed.
    #[inline(always)]
    fn finish<S: Sink<V>>(
        self,
        table: &PackedWeights,
        at: usize,
        count: i16,
        accumulator: &[I16x32],
        mut sink: S,
    ) -> S {
        if W > 0 {
            let mut wide = self.wide;
            for (sum, vector) in wide.iter_mut().zip(accumulator) {
                *sum = V::add(*sum, V::load(vector));
            }
            sink.take(0, wide);
        }
        let mut columns = [[V::load(&I16x32::ZERO); 2]; N];
        for (i, columns) in columns.iter_mut().enumerate() {
            let low = V::sub(self.lanes[i], V::mul_low(self.high[i], V::load(&table.factors[at + i])));
            *columns = [low, self.high[i]];
        }
        for (count, middles) in [count - self.odd, self.odd].into_iter().zip(&table.middles) {
            if count != 0 {
                let count = V::splat(count);
                let middles = middles[at..at + N].as_flattened();
                for (columns, middle) in columns.as_flattened_mut().iter_mut().zip(middles) {
                    *columns = V::add(*columns, V::mul_low(V::load(middle), count));
                }
            }
        }
        for (i, [low, high]) in columns.into_iter().enumerate() {
            let place = WIDE + 2 * (at + i);
            let sums =
                [V::add(low, V::load(&accumulator[place])), V::add(high, V::load(&accumulator[place + 1]))];
            sink.take(place, sums);
        }
        sink
    }
}

impl PackedWeights {
    /// Computes the part of an accumulator that `Sums<V, W, N>` covers.
    #[inline(always)]
    fn accumulate_part<V: Vector, S: Sink<V>, const W: usize, const N: usize>(
        &self,
        at: usize,
        accumulator: &[I16x32],
        delta: FeatureDelta<'_>,
        sink: S,
    ) -> S {
        let mut sums = Sums::<V, W, N>::none(self, at);
        for &number in delta.added {
            sums.add(self, at, number);
        }
        for &number in delta.removed {
            sums.remove(self, at, number);
        }
        let count = delta.added.len() as i16 - delta.removed.len() as i16;
        sums.finish(self, at, count, accumulator, sink)
    }
}

impl FeatureWeights for PackedWeights {
    #[inline(always)]
    fn accumulate<V: Vector, S: Sink<V>>(
        &self,
        accumulator: &[I16x32],
        delta: FeatureDelta<'_>,
        sink: S,
    ) -> S {
        let accumulator = &accumulator[..WIDE + 2 * SHARED];
        if V::HAS_32_REGISTERS {
            self.accumulate_part::<V, S, WIDE, SHARED>(0, accumulator, delta, sink)
        } else {
            let sink = self.accumulate_part::<V, S, WIDE, 1>(0, accumulator, delta, sink);
            self.accumulate_part::<V, S, 0, { SHARED - 1 }>(1, accumulator, delta, sink)
        }
    }

    #[inline(always)]
    fn accumulate_pairs<V: Vector, S: Sink<V>>(
        &self,
        accumulator: &[I16x32],
        pairs: impl Iterator<Item = [u32; 2]>,
        sinks: [S; 2],
    ) -> [S; 2] {
        if !V::HAS_32_REGISTERS {
            return accumulate_lists(self, accumulator, pairs, sinks);
        }
        let accumulator = &accumulator[..WIDE + 2 * SHARED];
        let mut first = Sums::<V, WIDE, SHARED>::none(self, 0);
        let mut second = Sums::<V, WIDE, SHARED>::none(self, 0);
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
