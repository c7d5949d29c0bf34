//! What the tables say: the result, and the distance to the next capture or pawn move.

use std::fmt;
use std::ops::Neg;

use ferz_board::Move;

/// The result of a position with best play, seen from the side to move.
///
/// The 50-move rule makes five of the three results: a win that takes too long is *cursed*, the loss on the other side
/// is *blessed*, and both are draws if the rule is claimed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(i8)]
pub enum Wdl {
    /// The side to move loses.
    Loss = -2,
    /// The side to move loses, but the 50-move rule makes it a draw.
    BlessedLoss = -1,
    /// A draw.
    Draw = 0,
    /// The side to move wins, but the 50-move rule makes it a draw.
    CursedWin = 1,
    /// The side to move wins.
    Win = 2,
}

impl Wdl {
    /// All results, the worst first.
    pub const ALL: [Wdl; 5] = [Wdl::Loss, Wdl::BlessedLoss, Wdl::Draw, Wdl::CursedWin, Wdl::Win];

    /// From -2 (loss) to 2 (win).
    #[inline]
    #[must_use]
    pub const fn value(self) -> i32 {
        self as i32
    }

    /// The result with this value.
    #[inline]
    #[must_use]
    pub const fn from_value(value: i32) -> Option<Wdl> {
        match value {
            -2..=2 => Some(Wdl::ALL[(value + 2) as usize]),
            _ => None,
        }
    }

    /// A name in lower case: `cursed win`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Wdl::Loss => "loss",
            Wdl::BlessedLoss => "blessed loss",
            Wdl::Draw => "draw",
            Wdl::CursedWin => "cursed win",
            Wdl::Win => "win",
        }
    }
}

/// The same result for the opponent.
impl Neg for Wdl {
    type Output = Wdl;

    #[inline]
    fn neg(self) -> Wdl {
        Wdl::ALL[(2 - self.value()) as usize]
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The distance to zeroing: plies to the next capture or pawn move with best play.
///
/// It is positive if the side to move wins, negative if it loses, and 0 for a draw; a checkmate counts as one ply. Above
/// 100 plies the 50-move rule makes the game a draw: 100 plies are added to the distances of cursed wins and blessed
/// losses if a later phase makes them so. Tables may round: a distance can be one ply too short, but not where this would
/// change the result of a game that follows the tables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Dtz(i32);

impl Dtz {
    /// A draw.
    pub const DRAW: Dtz = Dtz(0);

    /// This many plies; negative if the side to move loses.
    #[inline]
    #[must_use]
    pub const fn new(plies: i32) -> Dtz {
        Dtz(plies)
    }

    /// The plies; negative if the side to move loses.
    #[inline]
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }

    /// The result if the halfmove clock has this value.
    #[inline]
    #[must_use]
    pub const fn wdl(self, halfmove_clock: u32) -> Wdl {
        let in_time = self.0.unsigned_abs().saturating_add(halfmove_clock) <= 100;
        match (self.0.signum(), in_time) {
            (1, true) => Wdl::Win,
            (1, false) => Wdl::CursedWin,
            (-1, true) => Wdl::Loss,
            (-1, false) => Wdl::BlessedLoss,
            _ => Wdl::Draw,
        }
    }
}

/// The same distance for the opponent.
impl Neg for Dtz {
    type Output = Dtz;

    #[inline]
    fn neg(self) -> Dtz {
        Dtz(self.0.saturating_neg())
    }
}

impl fmt::Display for Dtz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a move leads to, seen from the side that plays it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct MoveVerdict {
    /// The move.
    pub mv: Move,
    /// The result of the position after the move, as if its halfmove clock were 0.
    pub wdl: Wdl,
    /// The distance to zeroing of the position after the move: positive if the side that plays it wins, 1 after a
    /// checkmate, 0 for a draw.
    pub dtz: Dtz,
}
