//! Reading results.

use std::fmt;
use std::str::FromStr;

use super::GameResult;

/// A text that is not the result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NotAResult;

impl fmt::Display for NotAResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected 1-0, 0-1, 1/2-1/2 or *")
    }
}

impl std::error::Error for NotAResult {}

/// Reads the PGN text; `1/2` and `½` are draws, too.
///
/// ```
/// use ferz_board::Color;
/// use ferz_notation::pgn::GameResult;
/// assert_eq!("0-1".parse(), Ok(GameResult::Win(Color::Black)));
/// assert!("2-0".parse::<GameResult>().is_err());
/// ```
impl FromStr for GameResult {
    type Err = NotAResult;

    fn from_str(text: &str) -> Result<GameResult, NotAResult> {
        GameResult::from_ascii(text.as_bytes()).ok_or(NotAResult)
    }
}
