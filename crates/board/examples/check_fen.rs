//! Checks a FEN: prints every broken rule with its squares, and what a lenient reader would repair.
//!
//! `cargo run --example check_fen -- "4k3/8/8/8/8/8/4R3/4K3 w KQ - 0 1"`

use ferz_board::{CastlingMode, FenError, Position};

fn main() {
    let fen = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    match Position::from_fen_in(&fen, CastlingMode::Chess960) {
        Ok(position) => println!("a legal position\n\n{}", position.board()),
        Err(FenError::Position(error)) => {
            for violation in error.violations() {
                println!("{} ({})\n\n{}", violation.rule, violation.rule.name(), violation.squares);
            }
        }
        Err(error) => println!("not a FEN: {error}"),
    }
    match Position::from_fen_lenient(&fen) {
        Ok((position, repairs)) => {
            println!("read leniently as {position}");
            repairs.iter().for_each(|repair| println!("  {repair}"));
        }
        Err(error) => println!("cannot be repaired: {error}"),
    }
}
