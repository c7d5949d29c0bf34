//! Scores for users.

use std::error::Error;
use std::fmt;
use std::ops::Neg;
use std::str::FromStr;

use ferz_board::Color;

/// The score of a line for the side to move.
///
/// As text it is that of UCI: `cp 35`, `mate -3`. The negated score is the opponent's.
///
/// ```
/// use ferz_board::Color;
/// use ferz_search::Score;
///
/// let score: Score = "mate -3".parse()?;
/// assert_eq!(score, Score::Mate(-3));
/// assert_eq!(score.for_white(Color::Black), Score::Mate(3));
/// assert_eq!(Score::Centipawns(35).to_string(), "cp 35");
/// # Ok::<(), ferz_search::ParseScoreError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Score {
    /// Hundredths of a pawn, scaled so that 100 means a win probability of 50 %.
    #[doc(alias = "cp")]
    #[cfg_attr(feature = "serde", serde(rename = "cp"))]
    Centipawns(i32),
    /// Mate in this number of moves of the winner: positive if the side to move mates, negative if it is mated, 0 if
    /// it is mated now.
    #[cfg_attr(feature = "serde", serde(rename = "mate"))]
    Mate(i32),
}

impl Score {
    /// The same score from White's point of view, as PGN and user interfaces show it.
    #[must_use]
    pub const fn for_white(self, side_to_move: Color) -> Score {
        match side_to_move {
            Color::White => self,
            Color::Black => self.negated(),
        }
    }

    const fn negated(self) -> Score {
        match self {
            Score::Centipawns(value) => Score::Centipawns(value.saturating_neg()),
            Score::Mate(moves) => Score::Mate(moves.saturating_neg()),
        }
    }
}

impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        self.negated()
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Centipawns(value) => write!(f, "cp {value}"),
            Score::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

impl FromStr for Score {
    type Err = ParseScoreError;

    fn from_str(text: &str) -> Result<Score, ParseScoreError> {
        let (unit, number) = text.split_once(' ').ok_or(ParseScoreError)?;
        let number = number.parse().map_err(|_| ParseScoreError)?;
        match unit {
            "cp" => Ok(Score::Centipawns(number)),
            "mate" => Ok(Score::Mate(number)),
            _ => Err(ParseScoreError),
        }
    }
}

/// A text is not a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ParseScoreError;

impl fmt::Display for ParseScoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a score such as \"cp 35\" or \"mate -3\"")
    }
}

impl Error for ParseScoreError {}

/// The probabilities of a win, a draw and a loss for the side to move, in thousandths. They add up to 1000.
///
/// As text it is that of UCI: `120 800 80`.
///
/// ```
/// use ferz_search::Wdl;
///
/// let wdl = Wdl::new(120, 800, 80).expect("they add up to 1000");
/// assert_eq!(wdl.expected(), 0.52);
/// assert_eq!(wdl.reversed().to_string(), "80 800 120");
/// assert_eq!(Wdl::new(500, 500, 500), None);
/// ```
#[doc(alias("win", "draw", "loss", "UCI_ShowWDL"))]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "[u16; 3]", into = "[u16; 3]"))]
pub struct Wdl {
    win: u16,
    draw: u16,
    loss: u16,
}

impl Wdl {
    /// The side to move has won.
    pub const WIN: Wdl = Wdl { win: 1000, draw: 0, loss: 0 };
    /// A draw.
    pub const DRAW: Wdl = Wdl { win: 0, draw: 1000, loss: 0 };
    /// The side to move has lost.
    pub const LOSS: Wdl = Wdl { win: 0, draw: 0, loss: 1000 };

    /// Probabilities in thousandths; `None` unless they add up to 1000.
    #[must_use]
    pub const fn new(win: u16, draw: u16, loss: u16) -> Option<Wdl> {
        if win as u32 + draw as u32 + loss as u32 == 1000 { Some(Wdl { win, draw, loss }) } else { None }
    }

    /// The probability that the side to move wins, in thousandths.
    #[must_use]
    pub const fn win(self) -> u16 {
        self.win
    }

    /// The probability of a draw, in thousandths.
    #[must_use]
    pub const fn draw(self) -> u16 {
        self.draw
    }

    /// The probability that the opponent wins, in thousandths.
    #[must_use]
    pub const fn loss(self) -> u16 {
        self.loss
    }

    /// The expected score of the side to move, 0 to 1: the win probability plus half of the draw probability.
    #[must_use]
    pub fn expected(self) -> f64 {
        f64::from(2 * self.win + self.draw) / 2000.0
    }

    /// The same probabilities from the opponent's point of view.
    #[must_use]
    pub const fn reversed(self) -> Wdl {
        Wdl { win: self.loss, draw: self.draw, loss: self.win }
    }

    /// The same probabilities from White's point of view.
    #[must_use]
    pub const fn for_white(self, side_to_move: Color) -> Wdl {
        match side_to_move {
            Color::White => self,
            Color::Black => self.reversed(),
        }
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.win, self.draw, self.loss)
    }
}

impl From<Wdl> for [u16; 3] {
    /// Win, draw and loss.
    fn from(wdl: Wdl) -> [u16; 3] {
        [wdl.win, wdl.draw, wdl.loss]
    }
}

impl TryFrom<[u16; 3]> for Wdl {
    type Error = ParseWdlError;

    fn try_from([win, draw, loss]: [u16; 3]) -> Result<Wdl, ParseWdlError> {
        Wdl::new(win, draw, loss).ok_or(ParseWdlError)
    }
}

impl FromStr for Wdl {
    type Err = ParseWdlError;

    fn from_str(text: &str) -> Result<Wdl, ParseWdlError> {
        let numbers: Result<Vec<u16>, _> = text.split(' ').map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[win, draw, loss]) => [win, draw, loss].try_into(),
            _ => Err(ParseWdlError),
        }
    }
}

/// A text or three numbers are not probabilities of a win, a draw and a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ParseWdlError;

impl fmt::Display for ParseWdlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected three numbers that add up to 1000, such as \"120 800 80\"")
    }
}

impl Error for ParseWdlError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_back() {
        for score in
            [0, 1, -350, i32::MAX, i32::MIN].into_iter().flat_map(|n| [Score::Centipawns(n), Score::Mate(n)])
        {
            assert_eq!(score.to_string().parse(), Ok(score));
        }
        for wdl in [Wdl::WIN, Wdl::DRAW, Wdl::LOSS, Wdl { win: 1, draw: 2, loss: 997 }] {
            assert_eq!(wdl.to_string().parse(), Ok(wdl));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "cp",
            "35",
            "cp 35 ",
            "cp  35",
            "cp 3.5",
            "mate x",
            "cp 2147483648",
            "CP 35",
            "cp 35 lowerbound",
        ] {
            assert_eq!(text.parse::<Score>(), Err(ParseScoreError), "{text}");
        }
        for text in ["", "1000", "500 500", "500 500 1", "1 2 997 0", "65535 65535 466", "-1 1000 1"] {
            assert_eq!(text.parse::<Wdl>(), Err(ParseWdlError), "{text}");
        }
    }

    #[test]
    fn expected_scores_of_both_sides_add_up_to_one() {
        for (win, draw) in [(0, 0), (1000, 0), (0, 1000), (333, 333), (1, 998)] {
            let wdl = Wdl::new(win, draw, 1000 - win - draw).unwrap();
            assert!((wdl.expected() + wdl.reversed().expected() - 1.0).abs() < 1e-12);
        }
        assert_eq!([Wdl::WIN, Wdl::DRAW, Wdl::LOSS].map(Wdl::expected), [1.0, 0.5, 0.0]);
    }

    #[test]
    fn points_of_view() {
        assert_eq!(-Score::Centipawns(i32::MIN), Score::Centipawns(i32::MAX));
        assert_eq!(Score::Mate(2).for_white(Color::White), Score::Mate(2));
        assert_eq!(Score::Mate(2).for_white(Color::Black), Score::Mate(-2));
        assert_eq!(Wdl::WIN.for_white(Color::Black), Wdl::LOSS);
    }
}
