//! Tapered scores: middlegame and endgame in one word.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A middlegame and an endgame score, in centipawns.
///
/// Both are packed into one 32-bit word, the endgame in the upper half, so that a sum costs one addition. A negative
/// lower half borrows one from the upper; [`eg`](TaperedScore::eg) corrects that. Each half holds 16 bits: enough for
/// any position, as the evaluation stays below [`VALUE_LIMIT`](crate::VALUE_LIMIT) by a wide margin.
#[doc(alias("W", "S", "tapered"))]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct TaperedScore(i32);

/// The short name of [`TaperedScore::new`] in `weights.rs`.
pub(crate) const fn s(mg: i32, eg: i32) -> TaperedScore {
    TaperedScore::new(mg, eg)
}

impl TaperedScore {
    /// Zero in both halves.
    pub const ZERO: TaperedScore = TaperedScore(0);

    /// A score from its halves, each of which must fit into 16 bits.
    #[inline(always)]
    #[must_use]
    pub const fn new(mg: i32, eg: i32) -> TaperedScore {
        debug_assert!(mg == mg as i16 as i32 && eg == eg as i16 as i32);
        TaperedScore(eg.wrapping_shl(16).wrapping_add(mg))
    }

    /// The middlegame score.
    #[inline(always)]
    #[must_use]
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame score.
    #[inline(always)]
    #[must_use]
    pub const fn eg(self) -> i32 {
        // Half a unit of the upper part undoes the borrow of a negative lower part.
        self.0.wrapping_add(0x8000) >> 16
    }

    /// The sum, for constants.
    #[inline(always)]
    pub(crate) const fn plus(self, other: TaperedScore) -> TaperedScore {
        TaperedScore(self.0.wrapping_add(other.0))
    }

    /// The negation, for constants.
    #[inline(always)]
    pub(crate) const fn negated(self) -> TaperedScore {
        TaperedScore(self.0.wrapping_neg())
    }
}

impl Add for TaperedScore {
    type Output = TaperedScore;

    #[inline(always)]
    fn add(self, other: TaperedScore) -> TaperedScore {
        self.plus(other)
    }
}

impl Sub for TaperedScore {
    type Output = TaperedScore;

    #[inline(always)]
    fn sub(self, other: TaperedScore) -> TaperedScore {
        TaperedScore(self.0.wrapping_sub(other.0))
    }
}

impl Neg for TaperedScore {
    type Output = TaperedScore;

    #[inline(always)]
    fn neg(self) -> TaperedScore {
        self.negated()
    }
}

impl Mul<i32> for TaperedScore {
    type Output = TaperedScore;

    #[inline(always)]
    fn mul(self, count: i32) -> TaperedScore {
        TaperedScore(self.0.wrapping_mul(count))
    }
}

impl AddAssign for TaperedScore {
    #[inline(always)]
    fn add_assign(&mut self, other: TaperedScore) {
        *self = *self + other;
    }
}

impl SubAssign for TaperedScore {
    #[inline(always)]
    fn sub_assign(&mut self, other: TaperedScore) {
        *self = *self - other;
    }
}

impl fmt::Debug for TaperedScore {
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
