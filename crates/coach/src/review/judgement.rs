//! Judgements of moves.

use std::fmt;

use ferz_board::Color;
use ferz_notation::pgn::Nag;
use serde::Serialize;

use super::Assessment;

/// `$7`, forced move: all others lose quickly.
pub(super) const FORCED: Nag = Nag(7);
/// `$8`, singular move: there is no reasonable alternative.
const SINGULAR: Nag = Nag(8);
/// A side with this expected score is losing.
const LOST: f64 = 0.1;

/// The judgement of a move by the expected score that it lost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// A book move: all positions up to here are in the table of openings. An error is still called an error.
    Book,
    /// The only legal move.
    Forced,
    /// The only good move: all others are at least mistakes, and it is not just a recapture.
    Only,
    /// The move that the engine would play.
    Best,
    /// It lost little or nothing.
    Good,
    /// It lost a tenth of the expected score or more.
    Inaccuracy,
    /// It lost a fifth or more, or allowed a short mate while there was hope.
    Mistake,
    /// It lost three tenths or more.
    Blunder,
}

impl Judgement {
    /// The least loss of expected score for each kind of error.
    const LIMITS: [(Judgement, f64); 3] =
        [(Judgement::Blunder, 0.3), (Judgement::Mistake, 0.2), (Judgement::Inaccuracy, 0.1)];

    /// Whether it is an inaccuracy, a mistake or a blunder.
    #[must_use]
    pub fn is_error(self) -> bool {
        self >= Judgement::Inaccuracy
    }

    /// The glyph for such a move. [`ReviewedMove::nag`](super::ReviewedMove::nag) knows more about only moves.
    #[must_use]
    pub fn nag(self) -> Option<Nag> {
        match self {
            Judgement::Only => Some(SINGULAR),
            Judgement::Inaccuracy => Some(Nag::DUBIOUS),
            Judgement::Mistake => Some(Nag::MISTAKE),
            Judgement::Blunder => Some(Nag::BLUNDER),
            Judgement::Book | Judgement::Forced | Judgement::Best | Judgement::Good => None,
        }
    }

    /// The name, such as `Best move`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Book => "Book move",
            Judgement::Forced => "Forced move",
            Judgement::Only => "Only move",
            Judgement::Best => "Best move",
            Judgement::Good => "Good move",
            Judgement::Inaccuracy => "Inaccuracy",
            Judgement::Mistake => "Mistake",
            Judgement::Blunder => "Blunder",
        }
    }
}

/// A missed or allowed mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Remark {
    /// There was a mate in this many moves, and after the move there is none.
    MissesMate(u32),
    /// After the move the opponent mates in this many moves, which could have been prevented.
    AllowsMate(u32),
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::MissesMate(moves) => write!(f, "Misses mate in {moves}"),
            Remark::AllowsMate(moves) => write!(f, "Allows mate in {moves}"),
        }
    }
}

/// Missing a longer mate is not an error if the game stays won.
const OBVIOUS_MATE: u32 = 5;
/// With this expected score there is hope: to allow an obvious mate is a mistake, however little it costs.
const HOPE: f64 = 0.03;

/// The evidence for a judgement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// The side that moved.
    pub(super) color: Color,
    /// With the best move.
    pub(super) before: Assessment,
    pub(super) after: Assessment,
    pub(super) is_best: bool,
    /// With the second best move, if that is known.
    pub(super) second: Option<Assessment>,
    /// The only legal move.
    pub(super) is_forced: bool,
    pub(super) takes_back: bool,
    pub(super) is_book: bool,
}

impl Evidence {
    /// The expected score that the move gave away.
    pub(super) fn loss(&self) -> f64 {
        if self.is_best || self.is_forced { 0.0 } else { self.loss_with(&self.after) }
    }

    fn loss_with(&self, other: &Assessment) -> f64 {
        self.before.expected_score_above(other, self.color).max(0.0)
    }

    pub(super) fn judge(&self) -> (Judgement, Option<Remark>) {
        let remark = self.remark();
        let by_loss = error_for(self.loss());
        let by_mate = match remark {
            Some(Remark::MissesMate(moves)) if moves <= OBVIOUS_MATE => Some(Judgement::Inaccuracy),
            Some(Remark::AllowsMate(moves)) if moves <= OBVIOUS_MATE && self.has_hope() => {
                Some(Judgement::Mistake)
            }
            _ => None,
        };
        let judgement = match by_loss.max(by_mate) {
            Some(error) => error,
            None if self.is_forced => Judgement::Forced,
            None if self.is_book => Judgement::Book,
            None if self.is_best && self.is_only_good() => Judgement::Only,
            None if self.is_best => Judgement::Best,
            None => Judgement::Good,
        };
        // In a lost position, an allowed mate is not worth a remark.
        let is_reported = judgement.is_error() || matches!(remark, Some(Remark::MissesMate(_)));
        (judgement, remark.filter(|_| is_reported))
    }

    /// Whether the side had a chance to survive.
    fn has_hope(&self) -> bool {
        self.before.expected_score(self.color) >= HOPE
    }

    /// Whether every other move loses.
    pub(super) fn others_lose(&self) -> bool {
        self.second.is_some_and(|second| second.expected_score(self.color) <= LOST)
    }

    fn is_only_good(&self) -> bool {
        let second = self.second.and_then(|second| error_for(self.loss_with(&second)));
        !self.takes_back && second >= Some(Judgement::Mistake)
    }

    fn remark(&self) -> Option<Remark> {
        if self.is_best || self.is_forced {
            return None;
        }
        let (before, after) = (&self.before, &self.after);
        if let Some(moves) = before.mate_by(self.color) {
            return after.mate_by(self.color).is_none().then_some(Remark::MissesMate(moves));
        }
        let allowed = after.mate_by(!self.color).filter(|_| before.mate_by(!self.color).is_none());
        allowed.map(Remark::AllowsMate)
    }
}

/// Compares a move of a side with the best one, by the assessments after both. Returns the judgement, a remark about a
/// mate, and the loss of expected score.
#[must_use]
pub fn compare(color: Color, best: Assessment, other: Assessment) -> (Judgement, Option<Remark>, f64) {
    let evidence = Evidence {
        color,
        before: best,
        after: other,
        is_best: false,
        second: None,
        is_forced: false,
        takes_back: false,
        is_book: false,
    };
    let (judgement, remark) = evidence.judge();
    (judgement, remark, evidence.loss())
}

/// The kind of error for a loss; `None` if it is not an error.
fn error_for(loss: f64) -> Option<Judgement> {
    Judgement::LIMITS.into_iter().find_map(|(judgement, limit)| (loss >= limit).then_some(judgement))
}
