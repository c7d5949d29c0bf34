//! Evaluations by engines.

use std::fmt;
use std::str::FromStr;

/// An engine's evaluation of a position from White's point of view: `0.35`, `#-3`, `0.35,12`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Eval {
    /// How good it is for White.
    pub score: EvalScore,
    /// How deep the engine looked.
    pub depth: Option<u32>,
}

/// How good a position is for White, as in `[%eval 0.35]`. (`ce` of [EPD](crate::epd::Evaluation) has the point of view of the
/// side to move.)
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvalScore {
    /// In hundredths of a pawn.
    Centipawns(i32),
    /// White mates in this number of moves, or Black if negative.
    Mate(i32),
}

impl Eval {
    pub(super) fn parse(text: &str) -> Option<Eval> {
        match text.split_once(',') {
            Some((score, depth)) => {
                Some(Eval { score: EvalScore::parse(score)?, depth: Some(number(depth.trim())?) })
            }
            None => Some(Eval { score: EvalScore::parse(text)?, depth: None }),
        }
    }
}

impl EvalScore {
    fn parse(text: &str) -> Option<EvalScore> {
        let text = text.trim();
        let (text, is_mate) = match text.strip_prefix('#') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (text, sign) = match text.strip_prefix('-') {
            Some(text) => (text, -1),
            None => (text.strip_prefix('+').unwrap_or(text), 1),
        };
        if is_mate {
            let moves = i32::try_from(number(text)?).ok()?;
            // A number cannot express a mate in minus zero.
            return (moves != 0 || sign == 1).then_some(EvalScore::Mate(sign * moves));
        }
        let (pawns, fraction) = text.split_once('.').unwrap_or((text, ""));
        if pawns.is_empty() && fraction.is_empty() {
            return None;
        }
        let pawns = if pawns.is_empty() { 0 } else { i32::try_from(number(pawns)?).ok()? };
        let hundredths = pawns.checked_mul(100)?.checked_add(hundredths(fraction)?)?;
        Some(EvalScore::Centipawns(sign * hundredths))
    }
}

/// A number of plain digits.
fn number(text: &str) -> Option<u32> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// The digits behind a point, rounded to two.
fn hundredths(text: &str) -> Option<i32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let digits = text.bytes().chain(std::iter::repeat(b'0')).take(3);
    let thousandths = digits.fold(0, |number, digit| 10 * number + i32::from(digit.wrapping_sub(b'0')));
    is_number.then_some((thousandths + 5) / 10)
}

impl fmt::Display for EvalScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            EvalScore::Centipawns(score) => {
                let sign = if score < 0 { "-" } else { "" };
                let score = score.unsigned_abs();
                write!(f, "{sign}{}.{:02}", score / 100, score % 100)
            }
            EvalScore::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}

impl fmt::Display for Eval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.score)?;
        self.depth.map_or(Ok(()), |depth| write!(f, ",{depth}"))
    }
}

/// A text that is not an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NotAnEval;

impl fmt::Display for NotAnEval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected an evaluation such as 0.35, #-3 or 0.35,12")
    }
}

impl std::error::Error for NotAnEval {}

/// Reads `0.35`, `#-3`, `0.35,12`.
///
/// ```
/// use ferz_notation::pgn::annotation::{Eval, EvalScore};
/// assert_eq!("#-3,20".parse(), Ok(Eval { score: EvalScore::Mate(-3), depth: Some(20) }));
/// ```
impl FromStr for Eval {
    type Err = NotAnEval;

    fn from_str(text: &str) -> Result<Eval, NotAnEval> {
        Eval::parse(text).ok_or(NotAnEval)
    }
}

/// Reads `0.35` or `#-3`.
impl FromStr for EvalScore {
    type Err = NotAnEval;

    fn from_str(text: &str) -> Result<EvalScore, NotAnEval> {
        EvalScore::parse(text).ok_or(NotAnEval)
    }
}
