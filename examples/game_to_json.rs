//! Turns a PGN game into JSON and back, and asks a `no_std` library about every position.
//!
//! ```text
//! game-to-json < game.pgn
//! ```

use std::error::Error;
use std::io;

use ferz_board::{Outcome, Position, UciMove};
use ferz_examples::mate_in_one;
use ferz_notation::pgn::{GameTree, NodeId, Reader};
use ferz_notation::san::San;
use serde::{Deserialize, Serialize};

/// A position of the game.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Step {
    fen: Position,
    /// The move that led here, for people and for programs.
    san: Option<String>,
    uci: Option<UciMove>,
    mate_in_one: Option<String>,
    outcome: Option<Outcome>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut tree = GameTree::new();
    tree.read(&mut Reader::new(io::stdin().lock()))?;
    let (mut before, mut steps) = (*tree.start(), Vec::new());
    for (node, position) in [(NodeId::ROOT, before)].into_iter().chain(tree.main_line_positions()) {
        let mv = tree.mv(node);
        steps.push(Step {
            fen: position,
            san: mv.map(|mv| San::new(&before, mv).to_string()),
            uci: mv.map(|mv| mv.uci(before.castling_mode())),
            mate_in_one: mate_in_one(&position).map(|mv| San::new(&position, mv).to_string()),
            outcome: position.outcome(),
        });
        before = position;
    }
    let json = serde_json::to_string_pretty(&steps)?;
    assert_eq!(serde_json::from_str::<Vec<Step>>(&json)?, steps);
    println!("{json}");
    Ok(())
}
