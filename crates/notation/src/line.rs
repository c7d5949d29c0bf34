//! Lines of moves as text: in SAN, with move numbers, or as UCI writes them.
//!
//! A line is a slice of moves that follow each other from a position, for example a principal variation.
//!
//! ```
//! use ferz_board::Position;
//! use ferz_notation::line;
//!
//! let start = Position::start();
//! let moves = line::parse_uci(&start, ["e2e4", "e7e5", "g1f3"])?;
//! assert_eq!(line::numbered(&start, &moves), "1. e4 e5 2. Nf3");
//! assert_eq!(line::san(&start, &moves), ["e4", "e5", "Nf3"]);
//! assert_eq!(line::uci(&start, &moves), ["e2e4", "e7e5", "g1f3"]);
//! # Ok::<(), ferz_board::UciError>(())
//! ```

use std::fmt::Write as _;

use ferz_board::{Color, Move, Position, UciError};

use crate::san::San;

/// The moves in SAN. The text ends before the first illegal move.
///
/// ```
/// use ferz_board::Position;
/// use ferz_notation::line;
///
/// let start = Position::start();
/// let moves = line::parse_uci(&start, ["d2d4", "d7d5"])?;
/// assert_eq!(line::san(&start, &moves).join(" "), "d4 d5");
/// assert!(line::san(&start, &moves[1..]).is_empty(), "Black is not to move");
/// # Ok::<(), ferz_board::UciError>(())
/// ```
#[must_use]
pub fn san(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = *position;
    let mut texts = Vec::with_capacity(moves.len());
    for &mv in moves {
        let san = San::new(&position, mv).to_string();
        if position.play(mv).is_err() {
            break;
        }
        texts.push(san);
    }
    texts
}

/// The moves in SAN with move numbers, as books print them: `12... Nf6 13. e5`. The text ends before the first illegal
/// move.
///
/// ```
/// use ferz_board::Position;
/// use ferz_notation::line;
///
/// let position = Position::from_fen("rnbqkbnr/pppp1ppp/8/4p3/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 2")?;
/// let moves = line::parse_uci(&position, ["b8c6", "d2d4"])?;
/// assert_eq!(line::numbered(&position, &moves), "2... Nc6 3. d4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn numbered(position: &Position, moves: &[Move]) -> String {
    let mut number = position.fullmove_number();
    let mut color = position.side_to_move();
    let mut text = String::new();
    for san in san(position, moves) {
        let space = if text.is_empty() { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = match color {
            Color::White => write!(text, "{space}{number}. {san}"),
            Color::Black if text.is_empty() => write!(text, "{number}... {san}"),
            Color::Black => write!(text, " {san}"),
        };
        number += u32::from(color == Color::Black);
        color = !color;
    }
    text
}

/// The last move of a line with its number: `13. e5` or `13... Nd5`. Empty if the line is, or if one of its moves is
/// illegal.
///
/// ```
/// use ferz_board::Position;
/// use ferz_notation::line;
///
/// let start = Position::start();
/// let moves = line::parse_uci(&start, ["e2e4", "c7c5"])?;
/// assert_eq!(line::numbered_last(&start, &moves), "1... c5");
/// # Ok::<(), ferz_board::UciError>(())
/// ```
#[must_use]
pub fn numbered_last(position: &Position, moves: &[Move]) -> String {
    let Some((&last, others)) = moves.split_last() else { return String::new() };
    let mut position = *position;
    match others.iter().try_for_each(|&mv| position.play(mv)) {
        Ok(()) => numbered(&position, &[last]),
        Err(_) => String::new(),
    }
}

/// The moves as UCI writes them: castling is `e1g1`, or king takes rook if the position needs Chess960 rules.
///
/// ```
/// use ferz_board::{CastlingMode, Position};
/// use ferz_notation::line;
///
/// let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")?;
/// let castling = line::parse_uci(&position, ["e1g1"])?;
/// assert_eq!(line::uci(&position, &castling), ["e1g1"]);
///
/// let chess960 = Position::from_fen_in("4k3/8/8/8/8/8/8/5K1R w H - 0 1", CastlingMode::Chess960)?;
/// let castling = line::parse_uci(&chess960, ["f1h1"])?;
/// assert_eq!(line::uci(&chess960, &castling), ["f1h1"], "king takes rook");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn uci(position: &Position, moves: &[Move]) -> Vec<String> {
    let mode = position.castling_mode();
    moves.iter().map(|mv| mv.uci(mode).to_string()).collect()
}

/// Reads moves as UCI writes them, each in the position after the one before.
///
/// ```
/// use ferz_board::Position;
/// use ferz_notation::line;
///
/// let start = Position::start();
/// assert_eq!(line::parse_uci(&start, "e2e4 e7e5".split(' '))?.len(), 2);
/// assert!(line::parse_uci(&start, ["e2e4", "e2e4"]).is_err());
/// # Ok::<(), ferz_board::UciError>(())
/// ```
pub fn parse_uci<'a>(
    position: &Position,
    texts: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<Move>, UciError> {
    let mut position = *position;
    let mut moves = Vec::new();
    for text in texts {
        let mv = position.parse_uci(text)?;
        position.play_unchecked(mv);
        moves.push(mv);
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_move_numbers() {
        let start = Position::start();
        let line = parse_uci(&start, ["e2e4", "e7e5", "g1f3"]).expect("legal");
        assert_eq!(numbered(&start, &line), "1. e4 e5 2. Nf3");
        let mut after = start;
        after.play_unchecked(line[0]);
        assert_eq!(numbered(&after, &line[1..]), "1... e5 2. Nf3");
        assert_eq!(
            (numbered_last(&start, &line[..2]), numbered_last(&start, &line)),
            ("1... e5".into(), "2. Nf3".into())
        );
        assert_eq!(numbered(&start, &[]), "");
        assert_eq!(numbered(&start, &line[1..]), "", "Black's move is not legal here");
        assert_eq!(numbered_last(&start, &line[1..]), "", "nor is a line that begins with it");
        assert_eq!(uci(&start, &line), ["e2e4", "e7e5", "g1f3"]);
    }
}
