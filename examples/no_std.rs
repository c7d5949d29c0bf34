//! A library that needs no operating system: `core`, and `alloc` through the board.
#![no_std]

use ferz_board::{Move, Position};

/// The first move that mates, if there is one.
#[must_use]
pub fn mate_in_one(position: &Position) -> Option<Move> {
    let mates = |mv: &Move| {
        let mut after = *position;
        after.play_unchecked(*mv);
        after.is_checkmate()
    };
    position.legal_moves().iter().copied().find(mates)
}
