//! The number of a position in a table, found by counting in the order of the format.

use ferz_board::Square;

use crate::solve::State;

/// Triples of squares without symmetry, by number: the first in the triangle a1–d1–d4.
pub(crate) struct Triples {
    numbers: Vec<u32>,
    len: usize,
}

/// 0 on the long diagonal a1–h8, negative below it.
fn side(square: usize) -> i32 {
    (square / 8) as i32 - (square % 8) as i32
}

impl Triples {
    /// Counts all triples: none on the diagonal at first, then the first, the first two, and all three.
    pub(crate) fn new() -> Triples {
        let mut triples = Triples { numbers: vec![u32::MAX; 64 * 64 * 64], len: 0 };
        let all: Vec<usize> = (0..64).collect();
        let below: Vec<usize> = (0..64).filter(|&square| side(square) < 0).collect();
        let diagonal: Vec<usize> = (0..64).filter(|&square| side(square) == 0).collect();
        let first_below: Vec<usize> =
            below.iter().copied().filter(|square| square % 8 < 4 && square / 8 < 4).collect();
        let first_diagonal = &diagonal[..4];
        triples.count(&first_below, &all, &all);
        triples.count(first_diagonal, &below, &all);
        triples.count(first_diagonal, &diagonal, &below);
        triples.count(first_diagonal, &diagonal, &diagonal);
        triples
    }

    fn count(&mut self, first: &[usize], second: &[usize], third: &[usize]) {
        for &a in first {
            for &b in second.iter().filter(|&&b| b != a) {
                for &c in third.iter().filter(|&&c| c != a && c != b) {
                    self.numbers[(a * 64 + b) * 64 + c] = self.len as u32;
                    self.len += 1;
                }
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The number of a triple: that of the only one of its eight mirror images that was counted.
    pub(crate) fn number(&self, squares: [Square; 3]) -> Option<usize> {
        (0..8).find_map(|mirror| {
            let [a, b, c] = squares.map(|square| {
                let xor = [0, 7, 56, 63][mirror / 2];
                let square = square.index() ^ xor;
                if mirror % 2 == 0 { square } else { square % 8 * 8 + square / 8 }
            });
            let number = self.numbers[(a * 64 + b) * 64 + c];
            (number != u32::MAX).then_some(number as usize)
        })
    }
}

/// How many numbers a subtable of KPvK has.
pub(crate) const PAWN_LEN: usize = 6 * 63 * 62;

/// The file of the pawn, 0 to 3, and the number of a position of KPvK: pawn, strong king, weak king.
pub(crate) fn pawn_number(state: State) -> (usize, usize) {
    let mirror = if state.man.index() % 8 > 3 { 7 } else { 0 };
    let [pawn, strong, weak] =
        [state.man, state.strong_king, state.weak_king].map(|square| square.index() ^ mirror);
    // Squares that others stand on are not counted.
    let strong_number = strong - usize::from(pawn < strong);
    let weak_number = weak - usize::from(pawn < weak) - usize::from(strong < weak);
    (pawn % 8, (pawn / 8 - 1) + 6 * (strong_number + 63 * weak_number))
}
