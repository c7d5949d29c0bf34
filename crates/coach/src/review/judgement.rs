//! What a move is called.

use std::fmt;

use ferz_board::Color;
use ferz_notation::pgn::Nag;
use serde::Serialize;

use super::Assessment;

/// `$8`: there was no reasonable alternative.
const SINGULAR: Nag = Nag(8);

/// What a move is called, by the expected score it lost: see [`Judgement::LIMITS`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// Theory: all positions up to here are on the lines of the table of openings. A bad move is bad all the same.
    Book,
    /// There was no other.
    Forced,
    /// The best move, all others are at least mistakes, and it is not just taking back.
    Only,
    /// What the search would have played.
    Best,
    /// It lost little or nothing.
    Good,
    /// It lost a tenth of the expected score or more.
    Inaccuracy,
    /// It lost a fifth or more.
    Mistake,
    /// It lost three tenths or more.
    Blunder,
}

impl Judgement {
    /// From which loss of expected score on a move is called so.
    const LIMITS: [(Judgement, f64); 3] =
        [(Judgement::Blunder, 0.3), (Judgement::Mistake, 0.2), (Judgement::Inaccuracy, 0.1)];

    /// Whether something better was there.
    pub fn is_error(self) -> bool {
        self >= Judgement::Inaccuracy
    }

    /// The glyph behind such a move.
    pub fn nag(self) -> Option<Nag> {
        match self {
            Judgement::Only => Some(SINGULAR),
            Judgement::Inaccuracy => Some(Nag::DUBIOUS),
            Judgement::Mistake => Some(Nag::MISTAKE),
            Judgement::Blunder => Some(Nag::BLUNDER),
            Judgement::Book | Judgement::Forced | Judgement::Best | Judgement::Good => None,
        }
    }

    /// For a reader.
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

/// What happened to a mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// There was a mate in so many moves, and after the move there is none.
    MissesMate(u32),
    /// After the move the opponent mates in so many moves, which could have been prevented.
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

/// A mate in more moves may be overlooked by anybody, if the game stays won.
const OBVIOUS_MATE: u32 = 5;

/// What a move is judged by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// Who played it.
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

    /// Whether the move would be called an error.
    pub(super) fn seems_wrong(&self) -> bool {
        self.judge().0.is_error()
    }

    pub(super) fn judge(&self) -> (Judgement, Option<Remark>) {
        let remark = self.remark();
        let by_loss = called(self.loss());
        let missed = matches!(remark, Some(Remark::MissesMate(moves)) if moves <= OBVIOUS_MATE);
        let judgement = match by_loss {
            Some(error) => error,
            None if missed => Judgement::Inaccuracy,
            None if self.is_forced => Judgement::Forced,
            None if self.is_book => Judgement::Book,
            None if self.is_best && self.is_only_good() => Judgement::Only,
            None if self.is_best => Judgement::Best,
            None => Judgement::Good,
        };
        // Where all is lost anyway, a mate more or less is not worth a word.
        let is_told = judgement.is_error() || matches!(remark, Some(Remark::MissesMate(_)));
        (judgement, remark.filter(|_| is_told))
    }

    fn is_only_good(&self) -> bool {
        let second = self.second.and_then(|second| called(self.loss_with(&second)));
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

/// How a side's move compares with the best one, by what the positions are worth with either: what it is called, and how
/// much of the expected score it gives away.
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

/// What an error is called by what it loses; `None` if it is none.
fn called(loss: f64) -> Option<Judgement> {
    Judgement::LIMITS.into_iter().find_map(|(judgement, limit)| (loss >= limit).then_some(judgement))
}
