//! Scores for the two stages of a game in one word.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A value for the middle game and one for the end game.
///
/// Both live in one 32-bit word, the end game in the upper half, so that a sum costs one addition. A negative
/// lower half borrows one from the upper; [`eg`](Score::eg) gives it back. Each half holds 16 bits: enough for
/// any position, as the evaluation stays below [`VALUE_LIMIT`](crate::VALUE_LIMIT) by a wide margin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Score(i32);

/// A score under the short name the weights are written with.
pub(crate) const fn s(mg: i32, eg: i32) -> Score {
    Score::new(mg, eg)
}

impl Score {
    /// Nothing for either side.
    pub const ZERO: Score = Score(0);

    /// A score from its halves, each of which must fit 16 bits.
    #[inline(always)]
    pub const fn new(mg: i32, eg: i32) -> Score {
        debug_assert!(mg == mg as i16 as i32 && eg == eg as i16 as i32);
        Score(eg.wrapping_shl(16).wrapping_add(mg))
    }

    /// The value for the middle game.
    #[inline(always)]
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The value for the end game.
    #[inline(always)]
    pub const fn eg(self) -> i32 {
        // Half a unit of the upper part undoes the borrow of a negative lower part.
        self.0.wrapping_add(0x8000) >> 16
    }

    /// The sum, for constants.
    #[inline(always)]
    pub(crate) const fn plus(self, other: Score) -> Score {
        Score(self.0.wrapping_add(other.0))
    }

    /// The negation, for constants.
    #[inline(always)]
    pub(crate) const fn negated(self) -> Score {
        Score(self.0.wrapping_neg())
    }
}

impl Add for Score {
    type Output = Score;

    #[inline(always)]
    fn add(self, other: Score) -> Score {
        self.plus(other)
    }
}

impl Sub for Score {
    type Output = Score;

    #[inline(always)]
    fn sub(self, other: Score) -> Score {
        Score(self.0.wrapping_sub(other.0))
    }
}

impl Neg for Score {
    type Output = Score;

    #[inline(always)]
    fn neg(self) -> Score {
        self.negated()
    }
}

impl Mul<i32> for Score {
    type Output = Score;

    #[inline(always)]
    fn mul(self, count: i32) -> Score {
        Score(self.0.wrapping_mul(count))
    }
}

impl AddAssign for Score {
    #[inline(always)]
    fn add_assign(&mut self, other: Score) {
        *self = *self + other;
    }
}

impl SubAssign for Score {
    #[inline(always)]
    fn sub_assign(&mut self, other: Score) {
        *self = *self - other;
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S({}, {})", self.mg(), self.eg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_do_not_disturb_each_other() {
        for mg in (-3000..=3000).step_by(97) {
            for eg in (-3000..=3000).step_by(89) {
                let score = s(mg, eg);
                assert_eq!((score.mg(), score.eg()), (mg, eg));
                assert_eq!(-score, s(-mg, -eg));
                assert_eq!(score * -7, s(mg * -7, eg * -7));
                assert_eq!(score + s(-1, 5), s(mg - 1, eg + 5));
                assert_eq!(score - s(-1, 5), s(mg + 1, eg - 5));
            }
        }
    }
}
