//! Draws a position as SVG, with the best squares of your choice marked.
//!
//! `cargo run --example draw_board -- "FEN" > board.svg`

use ferz_board::{Position, Square};
use ferz_notation::svg::{Coordinates, Diagram, Paint};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let fen = std::env::args().nth(1);
    let usual = "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4";
    let (position, repairs) = Position::from_fen_lenient(fen.as_deref().unwrap_or(usual))?;
    repairs.iter().for_each(|repair| eprintln!("note: {repair}"));
    let diagram = Diagram::new(&position)
        .size(480)
        .coordinates(Coordinates::Margin)
        .arrow(Square::C4, Square::F7, Paint::GREEN)
        .circle(Square::F7, Paint::RED);
    println!("{diagram}");
    Ok(())
}
