//! Counting legal moves without generating them: the last ply of a perft, and the quick answer to "is it
//! mate?".
//!
//! There is one function, in two versions that agree: [`portable`], and `avx512` where the processor has it. A build
//! that does not know its processor chooses when it runs.

use crate::movegen::for_side_to_move;
use crate::movegen::placement::Placement;
use crate::movegen::side::{Black, White};
use crate::{Color, Position};

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod cpu;
pub(crate) mod portable;

/// The number of legal moves of a position.
#[inline(always)]
pub(crate) fn count_legal(position: &Position) -> u64 {
    cfg_select! {
        target_arch = "x86_64" => {
            if cpu::BUILT_FOR_AVX512 && let Some(token) = cpu::Avx512::detect() {
                for_side_to_move!(position, S => avx512::count::<S>(&Placement::of::<S>(position), token))
            } else {
                crate::perft::count(position, 1) // asks the processor
            }
        }
        _ => for_side_to_move!(position, S => portable::count::<S>(&Placement::of::<S>(position))),
    }
}

#[cfg(test)]
mod tests {
    use super::portable::count as count_portably;
    use super::*;

    /// All counters find as many moves as the list holds.
    fn assert_counts(position: &Position) {
        let listed = position.legal_moves().len() as u64;
        assert_eq!(count_legal(position), listed, "chosen at run time: {position}");
        for_side_to_move!(position, S => {
            let node = Placement::of::<S>(position);
            assert_eq!(count_portably::<S>(&node), listed, "portable: {position}");
            #[cfg(target_arch = "x86_64")]
            if let Some(token) = cpu::Avx512::detect() {
                assert_eq!(avx512::count::<S>(&node, token), listed, "AVX-512: {position}");
            }
        });
    }

    fn assert_counts_in_tree(position: &Position, depth: u32) {
        assert_counts(position);
        if depth > 0 {
            position.for_each_child(|_, child| assert_counts_in_tree(child, depth - 1));
        }
    }

    #[test]
    fn special_positions_are_counted_right() {
        let special = include_str!("../../tests/data/special.perft");
        let impossible = include_str!("../../tests/data/impossible.perft");
        for line in special.lines().chain(impossible.lines()) {
            if let Some((fen, _)) = line.split_once(" ;") {
                let (position, _) = Position::from_fen_lenient(fen).expect("a position to be played");
                assert_counts_in_tree(&position, 2);
            }
        }
    }

    #[test]
    fn random_games_are_counted_right() {
        let mut random = fastrand::Rng::with_seed(512);
        for game in 0..1_000 {
            let mut position = match game % 2 {
                0 => Position::start(),
                _ => Position::chess960_start(random.u16(..960)).expect("a number below 960"),
            };
            for _ in 0..200 {
                assert_counts(&position);
                let Some(mv) = random.choice(position.legal_moves()) else { break };
                position.play_unchecked(mv);
            }
        }
    }
}
