//! Scores for users.

/// The score of a line for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a pawn, scaled so that 100 means a win probability of 50 %.
    Centipawns(i32),
    /// Mate in this number of moves of the winner: positive if the side to move mates, negative if it is mated, 0 if
    /// it is mated now.
    Mate(i32),
}

/// The probabilities of a win, a draw and a loss for the side to move, in thousandths. They add up to 1000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl {
    /// The side to move wins.
    pub win: u16,
    /// A draw.
    pub draw: u16,
    /// The opponent wins.
    pub loss: u16,
}
