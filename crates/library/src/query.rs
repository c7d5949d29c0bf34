//! Which games are wanted, and in which order.

use std::fmt;

use ferz_board::{Color, Piece, Position};
use ferz_notation::pgn::GameResult;

use crate::reached::{self, Material};
use crate::strings::Needle;

/// The longest text of a query in bytes.
const MAX_TEXT: usize = 1_000;
/// The most words of a text.
const MAX_WORDS: usize = 10;

/// Which games are wanted: those that satisfy every condition.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Query {
    /// Words that occur in the players, the event, the site or the opening.
    pub text: Option<String>,
    /// Part of the name of a player.
    pub player: Option<String>,
    /// The colour of that player.
    pub color: Option<Color>,
    /// An ECO code or the start of one, or part of the name of the opening.
    pub opening: Option<String>,
    /// The result.
    pub result: Option<GameResult>,
    /// The earliest date: `2024`, `2024.05` or `2024.05.31`.
    pub date_from: Option<String>,
    /// The latest date.
    pub date_to: Option<String>,
    /// The lowest rating of the stronger player.
    pub elo_from: Option<u32>,
    /// The highest rating of the stronger player.
    pub elo_to: Option<u32>,
    /// The fewest plies.
    pub plies_from: Option<u32>,
    /// The most plies.
    pub plies_to: Option<u32>,
    /// Material that was on the board at some time, such as `KRPkr`.
    pub material: Option<String>,
    /// A position that was on the board at some time, as FEN.
    pub fen: Option<String>,
    /// The folder; 0 is none.
    pub folder: Option<u64>,
    /// A tag.
    pub tag: Option<String>,
    /// Only deleted games; otherwise only those that are not deleted.
    pub deleted: bool,
}

/// The order of a list. Games that are equal come in the order in which they were added.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Sort {
    /// When the game came into the library.
    #[default]
    Added,
    /// The date of the game.
    Date,
    /// White's name.
    White,
    /// Black's name.
    Black,
    /// The result.
    Result,
    /// The ECO code, then the name of the opening.
    Opening,
    /// The length of the game.
    Plies,
    /// The rating of the stronger player.
    Elo,
}

impl Sort {
    /// All orders.
    pub const ALL: [Sort; 8] = [
        Sort::Added,
        Sort::Date,
        Sort::White,
        Sort::Black,
        Sort::Result,
        Sort::Opening,
        Sort::Plies,
        Sort::Elo,
    ];
}

/// Why a query cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BadQuery {
    /// A date of a different form.
    Date,
    /// Letters that are not pieces, or too many.
    Material,
    /// An invalid FEN, and why.
    Fen(String),
    /// A text that is too long.
    TooLong,
}

impl fmt::Display for BadQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadQuery::Date => f.write_str("a date is written 2024, 2024.05 or 2024.05.31"),
            BadQuery::Material => f.write_str("material is written as pieces of both sides, such as KRPkr"),
            BadQuery::Fen(why) => write!(f, "the FEN is not valid: {why}"),
            BadQuery::TooLong => {
                write!(f, "a search has at most {MAX_WORDS} words and {MAX_TEXT} characters")
            }
        }
    }
}

impl std::error::Error for BadQuery {}

/// The parts of a query that had to be read.
#[derive(Debug)]
pub(crate) struct Conditions {
    pub(crate) words: Vec<Needle>,
    pub(crate) player: Option<Needle>,
    pub(crate) opening: Option<OpeningCondition>,
    pub(crate) dates: (u32, u32),
    /// Keys of positions and material.
    pub(crate) keys: Vec<u64>,
}

#[derive(Debug)]
pub(crate) enum OpeningCondition {
    /// The first letters of the code.
    Eco(String),
    Name(Needle),
}

impl Query {
    pub(crate) fn conditions(&self) -> Result<Conditions, BadQuery> {
        let texts = [&self.text, &self.player, &self.opening, &self.material, &self.fen, &self.tag];
        if texts.into_iter().flatten().any(|text| text.len() > MAX_TEXT) {
            return Err(BadQuery::TooLong);
        }
        let words: Vec<_> =
            self.text.iter().flat_map(|text| text.split_whitespace()).map(Needle::new).collect();
        if words.len() > MAX_WORDS {
            return Err(BadQuery::TooLong);
        }
        let given = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned)
        };
        let mut keys = Vec::new();
        if let Some(fen) = given(&self.fen) {
            let (position, _) =
                Position::from_fen_lenient(&fen).map_err(|error| BadQuery::Fen(error.to_string()))?;
            keys.push(position.repetition_key());
        }
        if let Some(text) = given(&self.material) {
            keys.push(reached::material_key(&material(&text).ok_or(BadQuery::Material)?));
        }
        let date = |text: &Option<String>, is_end| match given(text) {
            Some(text) => date_bound(&text, is_end).map(Some),
            None => Ok(None),
        };
        Ok(Conditions {
            words,
            player: given(&self.player).map(|name| Needle::new(&name)),
            opening: given(&self.opening).map(|text| OpeningCondition::new(&text)),
            dates: (
                date(&self.date_from, false)?.unwrap_or(0),
                date(&self.date_to, true)?.unwrap_or(u32::MAX),
            ),
            keys,
        })
    }
}

impl OpeningCondition {
    fn new(text: &str) -> OpeningCondition {
        let upper = text.to_ascii_uppercase();
        let (letter, digits) = upper.split_at_checked(1).unwrap_or_default();
        let is_code = matches!(letter, "A" | "B" | "C" | "D" | "E")
            && digits.len() <= 2
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_code { OpeningCondition::Eco(upper) } else { OpeningCondition::Name(Needle::new(text)) }
    }
}

/// Pieces as letters of FEN, in any order.
fn material(text: &str) -> Option<Material> {
    let mut material = [0_u8; 12];
    for letter in text.chars().filter(|letter| !letter.is_whitespace()) {
        let piece = Piece::ALL.into_iter().find(|piece| piece.to_char() == letter)?;
        material[piece.index()] = material[piece.index()].checked_add(1)?;
    }
    // Both kings are always there.
    for king in [Piece::WhiteKing, Piece::BlackKing] {
        material[king.index()] = material[king.index()].max(1);
    }
    Some(material)
}

/// A date as a number such as 20240531; what is unknown is 0.
pub(crate) fn date_number(text: &str) -> u32 {
    let mut parts = text.split(['.', '-', '/']);
    let mut part = |most: u32| {
        parts.next().and_then(|part| part.parse::<u32>().ok()).filter(|&number| number <= most).unwrap_or(0)
    };
    let (year, month, day) = (part(9999), part(12), part(31));
    if year == 0 { 0 } else { year * 10_000 + month * 100 + if month == 0 { 0 } else { day } }
}

fn date_bound(text: &str, is_end: bool) -> Result<u32, BadQuery> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let count = text.split(['.', '-']).count();
    if count > 3 || !text.split(['.', '-']).all(is_number) {
        return Err(BadQuery::Date);
    }
    let number = date_number(text);
    if number == 0
        || (count > 1 && (number / 100).is_multiple_of(100))
        || (count > 2 && number.is_multiple_of(100))
    {
        return Err(BadQuery::Date);
    }
    Ok(match (is_end, count) {
        (true, 1) => number + 9_999,
        (true, 2) => number + 99,
        _ => number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_numbers() {
        for (text, number) in [
            ("2024.05.31", 20_240_531),
            ("2024.??.??", 20_240_000),
            ("2024.??.05", 20_240_000),
            ("????.??.??", 0),
            ("1851-06-21", 18_510_621),
            ("", 0),
            ("99999999999", 0),
        ] {
            assert_eq!(date_number(text), number, "{text}");
        }
        assert_eq!(date_bound("2024", true), Ok(20_249_999));
        assert_eq!(date_bound("2024.05", false), Ok(20_240_500));
        for bad in ["x", "2024.13", "2024.5.32", "2024.1.1.1", "0", "2024.", "-1"] {
            assert_eq!(date_bound(bad, false), Err(BadQuery::Date), "{bad}");
        }
    }

    #[test]
    fn material_is_read_in_any_order() {
        assert_eq!(material("KRPkr"), material("rk PRK"));
        assert_eq!(material("RPr"), material("KRPkr"));
        assert!(material("KX").is_none() && material(&"P".repeat(300)).is_none());
    }
}
