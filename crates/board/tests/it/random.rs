//! Random start positions. The generators have fixed seeds: a test that fails once fails again.

use fastrand::Rng;
use ferz_board::{CastlingMode, Position, Setup};

/// A Chess960 start position, every other time a double one.
pub fn chess960_start(random: &mut Rng) -> Position {
    let white = random.u16(..960);
    let black = if random.bool() { white } else { random.u16(..960) };
    let setup = Setup::chess960(white, black).expect("both numbers are below 960");
    Position::from_setup(&setup, CastlingMode::Chess960).expect("a start position is legal")
}
