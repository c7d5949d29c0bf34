//! Searches the start position with a network from a file, or with the classical evaluation.
//!
//! ```text
//! cargo run --release -p ferz-search --example evaluation_file -- my.nnue
//! cargo run --release -p ferz-search --example evaluation_file
//! ```

use std::error::Error;
use std::sync::Arc;

use ferz_board::{CastlingMode, Game};
use ferz_eval::Network;
use ferz_search::{Engine, Limits, SearchOptions, Signals};

fn main() -> Result<(), Box<dyn Error>> {
    let mut engine = Engine::new(16)?;
    let network = match std::env::args_os().nth(1) {
        Some(path) => Some(Arc::new(Network::from_bytes(&std::fs::read(path)?)?)),
        None => None,
    };
    engine.set_network(network);
    let limits = Limits::default().nodes(100_000);
    let options = SearchOptions::default();
    let result = engine.search(&Game::default(), &limits, &options, &Signals::new(), &mut |_| {});
    let line = result.lines.first().ok_or("the game is over")?;
    println!("{:?} at depth {}:", line.score, line.depth);
    line.moves.iter().for_each(|mv| println!("{}", mv.uci(CastlingMode::Standard)));
    Ok(())
}
