//! Appending all moves of one piece, or of all pawns in one direction, at once.
//!
//! A processor with AVX-512 VBMI2 makes the moves to all 64 squares and packs those to the targets together. The number of
//! targets, which is hard to predict, decides no branch.

use super::{KIND_DOUBLE_STEP, KIND_NORMAL, MoveList};
use crate::{Bitboard, Square};

impl MoveList {
    /// Appends one normal move to each target.
    #[inline(always)]
    pub(crate) fn push_targets(&mut self, from: Square, targets: Bitboard) {
        cfg_select! {
            all(target_arch = "x86_64", target_feature = "avx512bw", target_feature = "avx512vbmi2") => {
                vbmi2::push(self, &vbmi2::TO, from as u16, targets);
            }
            _ => {
                push_targets_one_by_one(self, from, targets);
            }
        }
    }

    /// Appends one pawn move to each target, from `step` squares below it.
    #[inline(always)]
    pub(crate) fn push_pawn_moves(&mut self, targets: Bitboard, step: i32, double_step: bool) {
        cfg_select! {
            all(target_arch = "x86_64", target_feature = "avx512bw", target_feature = "avx512vbmi2") => {
                let kind = if double_step { KIND_DOUBLE_STEP } else { KIND_NORMAL };
                vbmi2::push(self, &vbmi2::FROM_AND_TO, (kind << 12).wrapping_sub(step as u16), targets);
            }
            _ => {
                push_pawn_moves_one_by_one(self, targets, step, double_step);
            }
        }
    }
}

#[cfg_attr(all(target_feature = "avx512bw", target_feature = "avx512vbmi2"), cfg(test))]
#[inline(always)]
fn push_targets_one_by_one(list: &mut MoveList, from: Square, targets: Bitboard) {
    for to in targets {
        list.push(super::Move::normal(from, to));
    }
}

#[cfg_attr(all(target_feature = "avx512bw", target_feature = "avx512vbmi2"), cfg(test))]
#[inline(always)]
fn push_pawn_moves_one_by_one(list: &mut MoveList, targets: Bitboard, step: i32, double_step: bool) {
    let kind = if double_step { KIND_DOUBLE_STEP } else { KIND_NORMAL };
    for to in targets {
        list.push(super::Move::assemble(Square::wrapping((to as i32 - step) as u32), to, kind));
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx512bw", target_feature = "avx512vbmi2"))]
mod vbmi2 {
    use core::arch::x86_64::*;

    use super::{Bitboard, MoveList};

    /// By target, in two halves: the bits of a move.
    type Table = [[u16; 32]; 2];

    /// Moves to each square, from a1.
    pub(super) static TO: Table = multiples_of(64);
    /// Moves to each square, from itself.
    pub(super) static FROM_AND_TO: Table = multiples_of(65);

    const fn multiples_of(factor: u16) -> Table {
        let mut table = [[0; 32]; 2];
        let mut to = 0;
        while to < 64 {
            table[to / 32][to % 32] = to as u16 * factor;
            to += 1;
        }
        table
    }

    /// Appends the moves of a table to these targets, with a number added to each.
    #[inline(always)]
    pub(super) fn push(list: &mut MoveList, table: &Table, addend: u16, targets: Bitboard) {
        for (moves, kept) in table.iter().zip([targets.0 as u32, (targets.0 >> 32) as u32]) {
            debug_assert!(list.len + 32 <= MoveList::CAPACITY);
            let Some(Some(block)) = list.moves.get_mut(list.len..).map(<[_]>::first_chunk_mut::<32>) else {
                return;
            };
            // SAFETY: this module is compiled only where AVX-512 BW and VBMI2 are enabled for the whole program. Load
            // and store are of 64 bytes, as long as their arrays. No piece moves to the square it comes from, so no
            // move that is kept is zero. Against a loop this gains 7 % of the walk over lists.
            unsafe {
                let moves = _mm512_loadu_si512(moves.as_ptr().cast());
                let moves = _mm512_add_epi16(moves, _mm512_set1_epi16(addend as i16));
                _mm512_storeu_si512(block.as_mut_ptr().cast(), _mm512_maskz_compress_epi16(kept, moves));
            }
            list.len += kept.count_ones() as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_appended_as_one_by_one() {
        let mut random = fastrand::Rng::with_seed(32);
        for _ in 0..10_000 {
            let sparse = Bitboard(random.u64(..) & random.u64(..) & random.u64(..));
            let from = *random.choice(&Square::ALL).expect("64 squares");
            let (mut at_once, mut one_by_one) = (MoveList::new(), MoveList::new());
            at_once.push_targets(from, sparse.without(from));
            push_targets_one_by_one(&mut one_by_one, from, sparse.without(from));
            for (step, double_step) in [(8, false), (16, true), (7, false), (9, false)] {
                for step in [step, -step] {
                    let from_board = |to: &Square| (0..64).contains(&(*to as i32 - step));
                    let targets = sparse.into_iter().filter(from_board).collect();
                    at_once.push_pawn_moves(targets, step, double_step);
                    push_pawn_moves_one_by_one(&mut one_by_one, targets, step, double_step);
                }
            }
            assert_eq!(at_once.as_slice(), one_by_one.as_slice());
        }
    }
}
