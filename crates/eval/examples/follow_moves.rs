//! Follows a game and prints the evaluation after every move, updated incrementally.
//!
//! ```text
//! cargo run --release -p ferz-eval --example follow_moves -- e2e4 e7e5 g1f3
//! ```

use std::error::Error;

use ferz_board::{Color, Position};
use ferz_eval::{Evaluator, Network};

fn main() -> Result<(), Box<dyn Error>> {
    let mut position = Position::start();
    let mut evaluator = Evaluator::with_network(&position, Some(Network::embedded()));
    for text in std::env::args().skip(1) {
        let before = position;
        before.play_into(before.parse_uci(&text)?, &mut position, evaluator.push());
        let value = evaluator.evaluate(&position);
        let for_white = if position.side_to_move() == Color::White { value } else { -value };
        println!("{text:5} {for_white:+5} centipawns for White");
    }
    Ok(())
}
