//! Lines of play as text.

use ferz_board::{CastlingMode, Color, Move, Position};
use ferz_notation::san::San;

/// Moves that follow each other, in SAN; it ends before one that is not legal.
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

/// The same with move numbers: `12... Nf6 13. e5`.
pub fn numbered(position: &Position, moves: &[Move]) -> String {
    let mut number = position.fullmove_number();
    let mut color = position.side_to_move();
    let mut text = String::new();
    for san in san(position, moves) {
        match color {
            Color::White => text += &format!("{number}. "),
            Color::Black if text.is_empty() => text += &format!("{number}... "),
            Color::Black => {}
        }
        text += &format!("{san} ");
        number += u32::from(color == Color::Black);
        color = !color;
    }
    text.truncate(text.trim_end().len());
    text
}

/// The last of some moves, with its number: `13. e5`, `13... Nd5`.
pub fn numbered_last(position: &Position, moves: &[Move]) -> String {
    let Some((&last, others)) = moves.split_last() else { return String::new() };
    let mut position = *position;
    others.iter().for_each(|&mv| _ = position.play(mv));
    numbered(&position, &[last])
}

/// Moves that follow each other, as UCI has them.
pub fn uci(position: &Position, moves: &[Move]) -> Vec<String> {
    let mode = castling_mode(position);
    moves.iter().map(|mv| mv.uci(mode).to_string()).collect()
}

/// How castling is written where nobody has said how.
pub fn castling_mode(position: &Position) -> CastlingMode {
    position.castling_mode()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers() {
        let mut position = Position::start();
        let line: Vec<Move> = ["e2e4", "e7e5", "g1f3"]
            .map(|text| {
                let mv = position.parse_uci(text).expect("legal");
                position.play_unchecked(mv);
                mv
            })
            .into();
        let start = Position::start();
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
        assert_eq!(uci(&start, &line), ["e2e4", "e7e5", "g1f3"]);
    }
}
