//! Every way of storing rows and every backend against plain sums.

use super::*;
use crate::nnue::block::{LANES, blocks};
use crate::nnue::kernels::testing::{Keep, Random, flat};
use crate::nnue::simd::for_each_backend;

const COLUMNS: usize = 256;

/// An accumulator with rows added and removed, one number after the other.
fn expected(
    start: &[i16],
    row: impl Fn(u32) -> Vec<i16>,
    Selection { added, removed }: Selection<'_>,
) -> Vec<i16> {
    let mut sums = start.to_vec();
    for &number in added {
        sums.iter_mut().zip(row(number)).for_each(|(sum, weight)| *sum = sum.wrapping_add(weight));
    }
    for &number in removed {
        sums.iter_mut().zip(row(number)).for_each(|(sum, weight)| *sum = sum.wrapping_sub(weight));
    }
    sums
}

/// Compares all sums of some rows, given as a function, with those of a table.
fn check_sums<L: Lanes>(rows: &impl Rows, start: &[Block], row: impl Fn(u32) -> Vec<i16>) {
    let many: Vec<u32> = (0..32).map(|i| i * 5 % 7).collect();
    let lists: [(&[u32], &[u32]); 10] = [
        (&[], &[]),
        (&[0], &[1]),
        (&[2], &[4]),
        (&[2], &[3, 5]),
        (&[4, 1], &[6, 3]),
        (&[5], &[]),
        (&[], &[6]),
        (&[1, 1, 0], &[4, 3]),
        (&[], &[0, 5]),
        (&many, &[3, 3, 3]),
    ];
    for (added, removed) in lists {
        let selection = Selection { added, removed };
        let kept = rows.sum_up::<L, _>(start, selection, Keep::new(start.len()));
        assert_eq!(kept.flat(), expected(&flat(start), &row, selection), "{selection:?}");
    }
    for length in [0, 1, 30, 64] {
        let pairs: Vec<[u32; 2]> = (0..length).map(|i| [i * 3 % 7, (i * i + 1) % 7]).collect();
        let sinks = [Keep::new(start.len()), Keep::new(start.len())];
        let kept = rows.sum_up_pairs::<L, _>(start, pairs.iter().copied(), sinks);
        for (half, kept) in kept.iter().enumerate() {
            let added: Vec<u32> = pairs.iter().map(|pair| pair[half]).collect();
            let selection = Selection { added: &added, removed: &[] };
            assert_eq!(kept.flat(), expected(&flat(start), &row, selection), "{length} pairs, {half}");
        }
    }
}

#[test]
fn plain_rows_are_summed_up() {
    fn check<L: Lanes>() {
        let mut random = Random(1);
        for width in [1, 2, 3, 4, 7, 8, 9, 24, 64] {
            let start = random.blocks(width, Random::any);
            let weights = random.blocks(7 * width, Random::any);
            let row = |number: u32| flat(&weights[number as usize * width..][..width]);
            check_sums::<L>(&PlainRows::new(weights.clone(), width), &start, row);
        }
    }
    for_each_backend!(check());
}

/// Eight rows whose columns reach from a middle, which is another for odd rows, this far to both sides, first to the very
/// ends.
fn reaching(random: &mut Random, reaches: &[i16; COLUMNS]) -> Vec<[i16; COLUMNS]> {
    let middles = [0; 2].map(|_| [(); COLUMNS].map(|()| random.any()));
    (0..8)
        .map(|number| {
            std::array::from_fn(|column| {
                let reach = i64::from(reaches[column]);
                let distance = match number {
                    0 | 3 => -reach,
                    1 | 2 => reach,
                    _ => (random.next() % (2 * reach as u64 + 1)) as i64 - reach,
                };
                let ends = (i64::from(i16::MIN) + reach, i64::from(i16::MAX) - reach);
                (i64::from(middles[number % 2][column]).clamp(ends.0, ends.1) + distance) as i16
            })
        })
        .collect()
}

/// Packs rows and compares all sums.
fn check_packed<L: Lanes>(random: &mut Random, weights: &[[i16; COLUMNS]]) {
    let (rows, order) = PackedRows::pack(weights).expect("room enough");
    let mut columns = order;
    columns.sort_unstable();
    assert!(columns.into_iter().eq(0..COLUMNS), "every column has a place");
    let start = random.blocks(COLUMNS / LANES, Random::any);
    let row = |number: u32| order.iter().map(|&column| weights[number as usize][column]).collect();
    check_sums::<L>(&rows, &start, row);
}

#[test]
fn packed_rows_are_summed_up() {
    fn check<L: Lanes>() {
        let mut random = Random(2);
        // The same reach everywhere, up to the greatest for which there is room.
        for reach in [0, 1, 2, 60, 126, 127] {
            let weights = reaching(&mut random, &[reach; COLUMNS]);
            check_packed::<L>(&mut random, &weights);
        }
        // A quarter of the columns may reach as far as they like, and others further for what their neighbours do less.
        for _ in 0..20 {
            let mut reaches: [i16; COLUMNS] = std::array::from_fn(|column| match column % 8 {
                0 | 1 => (random.next() % (1 << 14)) as i16,
                2..5 => 200 + (random.next() % 20) as i16,
                _ => 1 + (random.next() % 50) as i16,
            });
            reaches.rotate_left((random.next() % 256) as usize);
            let weights = reaching(&mut random, &reaches);
            check_packed::<L>(&mut random, &weights);
        }
        // A column for which half of a lane's numbers are not enough, beside one that is always the same.
        let mut reaches = [0; COLUMNS];
        reaches[..160].fill(16_000);
        let weights = reaching(&mut random, &reaches);
        check_packed::<L>(&mut random, &weights);
    }
    for_each_backend!(check());
}

#[test]
fn rows_that_span_too_many_values_are_not_packed() {
    let mut random = Random(3);
    for reach in [130, 1000, i16::MAX] {
        assert!(PackedRows::pack(&reaching(&mut random, &[reach; COLUMNS])).is_none(), "{reach}");
    }
    let extremes = [[i16::MIN; COLUMNS], [i16::MIN; COLUMNS], [i16::MAX; COLUMNS], [i16::MAX; COLUMNS]];
    assert!(PackedRows::pack(&extremes).is_none());
    // Own and foreign pieces may differ as much as they like.
    assert!(PackedRows::pack(&[[i16::MIN; COLUMNS], [i16::MAX; COLUMNS]]).is_some());
}

#[test]
fn packed_lanes_are_taken_apart_exactly() {
    // Every pair of numbers in a lane, for some reaches with little room to spare.
    for (low, high) in [(127, 126), (84, 160), (160, 84), (212, 70), (0, 16_000), (16_000, 0), (1, 5000)] {
        let (factor, reciprocal) = packed::factor(low, high).expect("room enough");
        let (low, high) = (i32::from(low), i32::from(high));
        for high_number in -high..=high {
            for low_number in -low..=low {
                let lane = i16::try_from(low_number + high_number * i32::from(factor)).expect("a lane");
                let quotient = (i32::from(lane) * i32::from(reciprocal) + (1 << 14)) >> 15;
                assert_eq!(quotient, high_number, "{low} {high}: {low_number}");
            }
        }
    }
}

#[test]
fn products_are_what_they_should_be() {
    fn check<L: Lanes>() {
        let mut random = Random(4);
        for _ in 0..200 {
            let [a, b] = [0; 2].map(|_| blocks((0..LANES).map(|_| random.any()))[0]);
            let mut found = [Block::ZERO; 3];
            L::load(&a).times(L::load(&b)).store(&mut found[0]);
            L::load(&a).times_fraction(L::load(&b)).store(&mut found[1]);
            L::splat(a.0[0]).store(&mut found[2]);
            for lane in 0..LANES {
                let product = i32::from(a.0[lane]) * i32::from(b.0[lane]);
                let rounded = (f64::from(product) / 32768.0 + 0.5).floor() as i32;
                assert_eq!(found.map(|block| block.0[lane]), [product as i16, rounded as i16, a.0[0]]);
            }
        }
    }
    for_each_backend!(check());
}
