//! Checks all 960 start positions: numbers, both FEN styles, and SAN and UCI notation of every move two plies deep.

use std::error::Error;

use ferz_board::{CastlingMode, CastlingStyle, EnPassantMode, Position, UciMove};
use ferz_notation::san::{self, San};

fn main() -> Result<(), Box<dyn Error>> {
    let (mut moves, mut castlings) = (0, 0);
    for number in 0..960 {
        let start = Position::chess960_start(number).ok_or("there are 960 start positions")?;
        assert_eq!(start.chess960_number(), Some(number));
        for style in [CastlingStyle::XFen, CastlingStyle::Shredder] {
            assert_eq!(start.fen(EnPassantMode::Legal, style).to_string().parse::<Position>()?, start);
        }
        for &first in &start.legal_moves() {
            let mut position = start;
            position.play(first)?;
            check(&position, &mut moves, &mut castlings)?;
        }
    }
    println!("960 positions, {moves} moves, {castlings} castlings");
    Ok(())
}

/// Every move is read back from its notations.
fn check(position: &Position, moves: &mut u64, castlings: &mut u64) -> Result<(), Box<dyn Error>> {
    for &mv in &position.legal_moves() {
        *moves += 1;
        *castlings += u64::from(mv.is_castling());
        assert_eq!(san::parse(position, San::new(position, mv).as_str())?, mv);
        let uci: UciMove = mv.uci(CastlingMode::Chess960).to_string().parse()?;
        assert_eq!(uci.to_move(position)?, mv);
    }
    Ok(())
}
