//! Evaluates a position with the embedded net and with the classical evaluation.
//!
//! ```text
//! cargo run --release -p ferz-eval --example evaluate -- "8/8/4k3/8/8/4KQ2/8/8 w - - 0 1"
//! ```

use std::error::Error;

use ferz_board::Position;
use ferz_eval::{Evaluator, Network, explain};

fn main() -> Result<(), Box<dyn Error>> {
    let position = match std::env::args().nth(1) {
        Some(fen) => fen.parse()?,
        None => Position::start(),
    };
    println!("{}\n", explain(&position));

    let mut evaluator = Evaluator::new(&position);
    println!("classical  {:+5} centipawns for the side to move", evaluator.evaluate(&position));
    evaluator.set_network(Some(Network::embedded()));
    println!("net        {:+5} centipawns for the side to move", evaluator.evaluate(&position));
    Ok(())
}
