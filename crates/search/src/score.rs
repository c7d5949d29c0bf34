//! Scores as users see them.

use std::fmt;

/// What a line is worth to the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a pawn, scaled so that 100 means an even chance to win the game.
    Centipawns(i32),
    /// Mate in so many moves of the winner: positive if the side to move mates, negative if it is mated, 0 if it
    /// is mated now.
    Mate(i32),
}

/// As UCI writes it: `cp 34`, `mate -3`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Centipawns(value) => write!(f, "cp {value}"),
            Score::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

/// Chances of winning, drawing and losing, in thousandths; they add up to 1000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl {
    /// The side to move wins.
    pub win: u16,
    /// A draw.
    pub draw: u16,
    /// The other side wins.
    pub loss: u16,
}
