//! Late move reductions (LMR): how much less deep late moves are searched.

use crate::parameters::params;

const SIZE: usize = 64;

/// Binary logarithm in 1024ths, in integer arithmetic, so that it is the same on every machine.
const fn log2(x: u32) -> i32 {
    let whole = x.ilog2();
    let mut mantissa = ((x as u64) << 31) >> whole;
    let mut result = whole as i32;
    let mut bit = 0;
    while bit < 10 {
        mantissa = (mantissa * mantissa) >> 31;
        result *= 2;
        if mantissa >= 1 << 32 {
            mantissa >>= 1;
            result += 1;
        }
        bit += 1;
    }
    result
}

/// Natural logarithms in 1024ths.
const LN: [i32; SIZE] = {
    let mut table = [0; SIZE];
    let mut x = 1;
    while x < SIZE {
        table[x] = log2(x as u32) * 710 / 1024;
        x += 1;
    }
    table
};

/// The base reduction of the n-th move of a node, in 1024ths of a ply. It grows with the product of the logarithms
/// of depth and move count; `node.rs` adjusts it to the move.
#[inline]
pub(crate) fn lmr_reduction(depth: i32, move_count: usize) -> i32 {
    let depth = (depth.max(1) as usize).min(SIZE - 1);
    let product = LN[depth] * LN[move_count.clamp(1, SIZE - 1)] / 1024;
    params::lmr_base() + product * params::lmr_slope() / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right() {
        for (x, &ln) in LN.iter().enumerate().skip(1) {
            let exact = (x as f64).ln() * 1024.0;
            assert!((f64::from(ln) - exact).abs() < 4.0, "{x}: {ln} {exact}");
        }
    }

    #[test]
    fn later_and_deeper_means_more() {
        assert!(lmr_reduction(10, 20) > lmr_reduction(10, 3));
        assert!(lmr_reduction(20, 20) > lmr_reduction(5, 20));
        assert_eq!(lmr_reduction(500, 500), lmr_reduction(63, 63));
    }
}
