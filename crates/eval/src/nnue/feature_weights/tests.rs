//! Every representation of feature weights and every backend against plain sums.

use fastrand::Rng;

use super::*;
use crate::nnue::aligned::{LANES, to_vectors};
use crate::nnue::kernels::testing::{Keep, any, flat, vectors};
use crate::nnue::simd::for_each_backend;

const COLUMNS: usize = 256;

/// An accumulator with rows added and removed, one number after the other.
fn expected(
    start: &[i16],
    row: impl Fn(u32) -> Vec<i16>,
    FeatureDelta { added, removed }: FeatureDelta<'_>,
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
fn check_sums<V: Vector>(rows: &impl FeatureWeights, start: &[I16x32], row: impl Fn(u32) -> Vec<i16>) {
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
        let delta = FeatureDelta { added, removed };
        let kept = rows.accumulate::<V, _>(start, delta, Keep::new(start.len()));
        assert_eq!(kept.flat(), expected(&flat(start), &row, delta), "{delta:?}");
    }
    for length in [0, 1, 30, 64] {
        let pairs: Vec<[u32; 2]> = (0..length).map(|i| [i * 3 % 7, (i * i + 1) % 7]).collect();
        let sinks = [Keep::new(start.len()), Keep::new(start.len())];
        let kept = rows.accumulate_pairs::<V, _>(start, pairs.iter().copied(), sinks);
        for (half, kept) in kept.iter().enumerate() {
            let added: Vec<u32> = pairs.iter().map(|pair| pair[half]).collect();
            let delta = FeatureDelta { added: &added, removed: &[] };
            assert_eq!(kept.flat(), expected(&flat(start), &row, delta), "{length} pairs, {half}");
        }
    }
}

#[test]
fn plain_weights_are_accumulated() {
    fn check<V: Vector>() {
        let mut rng = Rng::with_seed(1);
        for width in [1, 2, 3, 4, 7, 8, 9, 24, 64] {
            let start = vectors(&mut rng, width, any);
            let weights = vectors(&mut rng, 7 * width, any);
            let row = |number: u32| flat(&weights[number as usize * width..][..width]);
            check_sums::<V>(&PlainWeights::new(weights.clone(), width), &start, row);
        }
    }
    for_each_backend!(check());
}

/// Eight rows whose columns reach this far to both sides of a middle, which differs for odd rows. The first rows go to the
/// very ends.
fn reaching(rng: &mut Rng, reaches: &[i16; COLUMNS]) -> Vec<[i16; COLUMNS]> {
    let middles = [0; 2].map(|_| [(); COLUMNS].map(|()| any(rng)));
    (0..8)
        .map(|number| {
            std::array::from_fn(|column| {
                let reach = i64::from(reaches[column]);
                let distance = match number {
                    0 | 3 => -reach,
                    1 | 2 => reach,
                    _ => rng.i64(-reach..=reach),
                };
                let ends = (i64::from(i16::MIN) + reach, i64::from(i16::MAX) - reach);
                (i64::from(middles[number % 2][column]).clamp(ends.0, ends.1) + distance) as i16
            })
        })
        .collect()
}

/// Packs rows and compares all sums.
fn check_packed<V: Vector>(rng: &mut Rng, weights: &[[i16; COLUMNS]]) {
    let (rows, order) = PackedWeights::pack(weights).expect("room enough");
    let mut columns = order;
    columns.sort_unstable();
    assert!(columns.into_iter().eq(0..COLUMNS), "every column has a place");
    let start = vectors(rng, COLUMNS / LANES, any);
    let row = |number: u32| order.iter().map(|&column| weights[number as usize][column]).collect();
    check_sums::<V>(&rows, &start, row);
}

#[test]
fn packed_weights_are_accumulated() {
    fn check<V: Vector>() {
        let mut rng = Rng::with_seed(2);
        // The same reach everywhere, up to the greatest for which there is room.
        for reach in [0, 1, 2, 60, 126, 127] {
            let weights = reaching(&mut rng, &[reach; COLUMNS]);
            check_packed::<V>(&mut rng, &weights);
        }
        // A quarter of the columns may reach as far as they like, and others further for what their neighbours do less.
        for _ in 0..20 {
            let mut reaches: [i16; COLUMNS] = std::array::from_fn(|column| match column % 8 {
                0 | 1 => rng.i16(0..1 << 14),
                2..5 => rng.i16(200..220),
                _ => rng.i16(1..=50),
            });
            reaches.rotate_left(rng.usize(..256));
            let weights = reaching(&mut rng, &reaches);
            check_packed::<V>(&mut rng, &weights);
        }
        // A column for which half of a lane's numbers are not enough, beside one that is always the same.
        let mut reaches = [0; COLUMNS];
        reaches[..160].fill(16_000);
        let weights = reaching(&mut rng, &reaches);
        check_packed::<V>(&mut rng, &weights);
    }
    for_each_backend!(check());
}

#[test]
fn weights_that_span_too_many_values_are_not_packed() {
    let mut rng = Rng::with_seed(3);
    for reach in [130, 1000, i16::MAX] {
        assert!(PackedWeights::pack(&reaching(&mut rng, &[reach; COLUMNS])).is_none(), "{reach}");
    }
    let extremes = [[i16::MIN; COLUMNS], [i16::MIN; COLUMNS], [i16::MAX; COLUMNS], [i16::MAX; COLUMNS]];
    assert!(PackedWeights::pack(&extremes).is_none());
    // Own and enemy pieces may differ by any amount.
    assert!(PackedWeights::pack(&[[i16::MIN; COLUMNS], [i16::MAX; COLUMNS]]).is_some());
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
    fn check<V: Vector>() {
        let mut rng = Rng::with_seed(4);
        for _ in 0..200 {
            let a = to_vectors((0..LANES).map(|_| any(&mut rng)))[0];
            let b = to_vectors((0..LANES).map(|_| any(&mut rng).max(-i16::MAX)))[0];
            let mut found = [I16x32::ZERO; 3];
            V::store(V::mul_low(V::load(&a), V::load(&b)), &mut found[0]);
            V::store(V::mul_high_rounded(V::load(&a), V::load(&b)), &mut found[1]);
            V::store(V::splat(a.0[0]), &mut found[2]);
            for lane in 0..LANES {
                let product = i32::from(a.0[lane]) * i32::from(b.0[lane]);
                let rounded = (f64::from(product) / 32768.0 + 0.5).floor() as i32;
                assert_eq!(found.map(|vector| vector.0[lane]), [product as i16, rounded as i16, a.0[0]]);
            }
        }
    }
    for_each_backend!(check());
}
