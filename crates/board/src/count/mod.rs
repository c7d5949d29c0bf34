//! Counting legal moves without generating them: the last ply of a perft, and the quick answer to "is it
//! mate?".
//!
//! There is one function, in two versions that agree: [`portable`], and `avx512` where the build has it.

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512dq",
    target_feature = "avx512vpopcntdq"
))]
mod avx512;
pub(crate) mod portable;

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512dq",
    target_feature = "avx512vpopcntdq"
))]
pub(crate) use avx512::count;

#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512dq",
    target_feature = "avx512vpopcntdq"
)))]
pub(crate) use portable::count;

#[cfg(test)]
mod tests {
    use super::count;
    use super::portable::count as count_portably;
    use crate::movegen::placement::Placement;
    use crate::movegen::side::{Black, White};
    use crate::movegen::{AnyCastling, StandardCastling, for_side_to_move};
    use crate::{Color, Position};

    /// Both counters find as many moves as the list holds, under both sets of castling rules.
    fn assert_counts(position: &Position) {
        let listed = position.legal_moves().len() as u64;
        for_side_to_move!(position, S => {
            let node = Placement::of::<S>(position);
            assert_eq!(count_portably::<S, AnyCastling>(&node), listed, "portable: {position}");
            assert_eq!(count::<S, AnyCastling>(&node), listed, "fastest: {position}");
            if position.has_standard_castling() {
                assert_eq!(count_portably::<S, StandardCastling>(&node), listed, "portable: {position}");
                assert_eq!(count::<S, StandardCastling>(&node), listed, "fastest: {position}");
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
