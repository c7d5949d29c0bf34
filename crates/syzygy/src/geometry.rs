//! Numbers of squares, pairs and sets of squares: what the index of a position is made of.
//!
//! Everything is computed at compile time. The orders themselves are facts of the format.

/// A table of `n choose k`, by `k` and `n`: all ways to place like men on the squares that are left.
pub(crate) static BINOMIAL: [[u32; 64]; 7] = {
    let mut table = [[0; 64]; 7];
    let mut n = 0;
    while n < 64 {
        table[0][n] = 1;
        let mut k = 1;
        while k < 7 && n > 0 {
            table[k][n] = table[k][n - 1] + table[k - 1][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

/// `n choose k`.
pub(crate) const fn binomial(n: usize, k: usize) -> u64 {
    BINOMIAL[k][n] as u64
}

/// Positive above the long diagonal a1–h8, negative below it, zero on it.
#[inline(always)]
pub(crate) const fn above_diagonal(square: u8) -> i8 {
    (square >> 3) as i8 - (square & 7) as i8
}

/// The number of a square of the triangle a1–d1–d4: first the six below the diagonal, then the four on it.
pub(crate) static TRIANGLE: [u8; 64] = {
    let mut table = [u8::MAX; 64];
    let (mut below, mut on) = (0, 6);
    let mut square = 0;
    while square < 28 {
        if square & 7 < 4 {
            if above_diagonal(square) < 0 {
                table[square as usize] = below;
                below += 1;
            } else if above_diagonal(square) == 0 {
                table[square as usize] = on;
                on += 1;
            }
        }
        square += 1;
    }
    table
};

/// The number of a square below the long diagonal, 0 to 27.
pub(crate) static BELOW_DIAGONAL: [u8; 64] = {
    let mut table = [u8::MAX; 64];
    let mut next = 0;
    let mut square = 0;
    while square < 64 {
        if above_diagonal(square) < 0 {
            table[square as usize] = next;
            next += 1;
        }
        square += 1;
    }
    table
};

/// How many ways there are to place two kings that do not touch, up to symmetry.
pub(crate) const KING_PAIRS: usize = 462;

/// The number of a pair of kings, by the [triangle](TRIANGLE) square of the first and the square of the second. Pairs
/// with both kings on the long diagonal come last; the other pairs with the first king there have the second below it.
pub(crate) static KINGS: [[u16; 64]; 10] = {
    let mut table = [[u16::MAX; 64]; 10];
    let mut next = 0;
    let mut both_on_diagonal = 0;
    while both_on_diagonal < 2 {
        let mut triangle = 0;
        while triangle < 10 {
            let first = triangle_square(triangle);
            let mut second = 0;
            while second < 64 {
                let on_diagonal = above_diagonal(first) == 0 && above_diagonal(second) == 0;
                let mirrored = above_diagonal(first) == 0 && above_diagonal(second) > 0;
                if !touch(first, second) && !mirrored && on_diagonal == (both_on_diagonal == 1) {
                    table[triangle as usize][second as usize] = next;
                    next += 1;
                }
                second += 1;
            }
            triangle += 1;
        }
        both_on_diagonal += 1;
    }
    assert!(next as usize == KING_PAIRS);
    table
};

/// The square with this number in the triangle.
const fn triangle_square(number: u8) -> u8 {
    let mut square = 0;
    while TRIANGLE[square as usize] != number {
        square += 1;
    }
    square
}

/// Whether kings on these squares are the same or neighbours.
const fn touch(a: u8, b: u8) -> bool {
    (a & 7).abs_diff(b & 7) <= 1 && (a >> 3).abs_diff(b >> 3) <= 1
}

/// The number of a pawn's square, from 47 (a2) down to 0 (e7): file by file from the edge, each square followed by its
/// mirror image. The leading pawn is the one with the highest number.
pub(crate) static PAWN_NUMBER: [u8; 64] = {
    let mut table = [0; 64];
    let mut next = 48;
    let mut file = 0;
    while file < 4 {
        let mut rank = 1;
        while rank < 7 {
            table[8 * rank + file] = next - 1;
            table[8 * rank + 7 - file] = next - 2;
            next -= 2;
            rank += 1;
        }
        file += 1;
    }
    table
};

/// The square of each [number](PAWN_NUMBER).
pub(crate) static PAWN_SQUARE: [u8; 48] = {
    let mut table = [0; 48];
    let mut square = 8;
    while square < 56 {
        table[PAWN_NUMBER[square] as usize] = square as u8;
        square += 1;
    }
    table
};

/// The most pawns of one colour.
pub(crate) const MAX_PAWNS: usize = 5;

/// Where the placements of leading pawns begin, by their number and the square of the first one; the last rank of each
/// file has their total.
const LEADING_PAWNS: [[u32; 64]; MAX_PAWNS + 1] = {
    let mut table = [[0; 64]; MAX_PAWNS + 1];
    let mut pawns = 1;
    while pawns <= MAX_PAWNS {
        let mut file = 0;
        while file < 4 {
            let mut square = 8 + file;
            while square < 56 {
                let others = BINOMIAL[pawns - 1][PAWN_NUMBER[square] as usize];
                table[pawns][square + 8] = table[pawns][square] + others;
                square += 8;
            }
            file += 1;
        }
        pawns += 1;
    }
    table
};

/// [`LEADING_PAWNS`] in memory.
pub(crate) static LEADING_PAWN_START: [[u32; 64]; MAX_PAWNS + 1] = LEADING_PAWNS;

/// How many ways there are to place this many leading pawns, the first on this file (0 to 3).
pub(crate) const fn leading_pawn_placements(pawns: usize, file: usize) -> u64 {
    LEADING_PAWNS[pawns][56 + file] as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_format() {
        assert_eq!(binomial(62, 5), 6_471_002);
        assert_eq!([TRIANGLE[1], TRIANGLE[19], TRIANGLE[0], TRIANGLE[27]], [0, 5, 6, 9]);
        assert_eq!([BELOW_DIAGONAL[1], BELOW_DIAGONAL[10], BELOW_DIAGONAL[55]], [0, 7, 27]);
        assert_eq!([KINGS[0][3], KINGS[6][2], KINGS[6][18], KINGS[9][63]], [0, 339, 441, 461]);
        assert_eq!([PAWN_NUMBER[8], PAWN_NUMBER[15], PAWN_NUMBER[52]], [47, 46, 0]);
        assert!((0..48).all(|number| PAWN_NUMBER[usize::from(PAWN_SQUARE[number])] == number as u8));
        assert_eq!([0, 1, 2, 3].map(|file| leading_pawn_placements(1, file)), [6; 4]);
        assert_eq!([0, 1, 2, 3].map(|file| leading_pawn_placements(2, file)), [252, 180, 108, 36]);
    }
}
