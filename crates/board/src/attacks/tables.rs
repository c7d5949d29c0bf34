//! Tables that need no search and no initialisation: all of them are constants.

use crate::{Bitboard, Square};

/// One step by file and rank.
pub(super) type Step = (i8, i8);

/// Opposite steps are two places apart.
pub(super) const ROOK_STEPS: [Step; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
pub(super) const BISHOP_STEPS: [Step; 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];
const KNIGHT_STEPS: [Step; 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING_STEPS: [Step; 8] = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (-1, 1), (1, -1)];

/// The squares a slider passes from `square` in one direction, up to and including the first blocker.
pub(super) const fn ray(square: Square, (files, ranks): Step, occupied: u64) -> u64 {
    let mut reached = 0;
    let mut at = square;
    while let Some(next) = at.offset(files, ranks) {
        reached |= next.bitboard().0;
        if occupied & next.bitboard().0 != 0 {
            break;
        }
        at = next;
    }
    reached
}

/// Slider attacks by walking: the definition the fast lookups are built from and tested against.
pub(super) const fn walk(steps: &[Step; 4], square: Square, occupied: u64) -> u64 {
    ray(square, steps[0], occupied)
        | ray(square, steps[1], occupied)
        | ray(square, steps[2], occupied)
        | ray(square, steps[3], occupied)
}

const fn leaper(steps: &[Step]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut i = 0;
    while i < 64 {
        let mut j = 0;
        while j < steps.len() {
            if let Some(target) = Square::ALL[i].offset(steps[j].0, steps[j].1) {
                table[i] = table[i].with(target);
            }
            j += 1;
        }
        i += 1;
    }
    table
}

pub(super) static KNIGHT: [Bitboard; 64] = leaper(&KNIGHT_STEPS);
pub(super) static KING: [Bitboard; 64] = leaper(&KING_STEPS);
pub(super) static PAWN: [[Bitboard; 64]; 2] = [leaper(&[(-1, 1), (1, 1)]), leaper(&[(-1, -1), (1, -1)])];

/// `(between, line)` for all pairs of squares.
const fn lines() -> ([[Bitboard; 64]; 64], [[Bitboard; 64]; 64]) {
    let mut between = [[Bitboard::EMPTY; 64]; 64];
    let mut line = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = KING_STEPS[direction];
            let square = Square::ALL[from];
            let whole = ray(square, (files, ranks), 0) | ray(square, (-files, -ranks), 0) | 1 << from;
            let mut passed = 0;
            let mut at = square;
            while let Some(next) = at.offset(files, ranks) {
                between[from][next.index()] = Bitboard(passed);
                line[from][next.index()] = Bitboard(whole);
                passed |= next.bitboard().0;
                at = next;
            }
            direction += 1;
        }
        from += 1;
    }
    (between, line)
}

const LINES: ([[Bitboard; 64]; 64], [[Bitboard; 64]; 64]) = lines();
pub(super) static BETWEEN: [[Bitboard; 64]; 64] = LINES.0;
pub(super) static LINE: [[Bitboard; 64]; 64] = LINES.1;

/// Eight words for one vector register.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub(crate) [u64; 8]);

/// For each square the eight rays by which the lanes' directions (the order of `KING_STEPS`: opposites side
/// by side) arrive at it, that is the rays *from* it in the opposite directions.
#[cfg_attr(not(any(test, target_arch = "x86_64", feature = "small-tables")), allow(dead_code))]
pub(crate) static RAYS_TOWARDS: [Lanes; 64] = {
    let mut table = [const { Lanes([0; 8]) }; 64];
    let mut square = 0;
    while square < 64 {
        let mut lane = 0;
        while lane < 8 {
            table[square].0[lane] = ray(Square::ALL[square], KING_STEPS[lane ^ 1], 0);
            lane += 1;
        }
        square += 1;
    }
    table
};
