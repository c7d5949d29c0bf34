//! Lists every line of the games in a file, from the first move to its end:
//!
//! ```text
//! cargo run --example variations games.pgn
//! ```

use std::error::Error;
use std::fs::File;

use ferz_board::Position;
use ferz_notation::pgn::{self, GameTree, NodeId};
use ferz_notation::san::San;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("the name of a PGN file is expected")?;
    for game in pgn::games(File::open(path)?) {
        let game = game?;
        println!("{} - {}", name(&game, "White"), name(&game, "Black"));
        for (node, _) in game.positions() {
            if game.next(node).is_none() {
                println!("  {}", line_to(&game, node));
            }
        }
        game.problems().iter().for_each(|problem| eprintln!("  {problem}"));
    }
    Ok(())
}

fn name<'a>(game: &'a GameTree, tag: &str) -> std::borrow::Cow<'a, str> {
    game.tag(tag).unwrap_or("?".into())
}

fn line_to(game: &GameTree, node: NodeId) -> String {
    let mut position: Position = *game.start();
    let mut text = String::new();
    for node in game.path(node) {
        match game.mv(node) {
            Some(mv) => {
                text += San::new(&position, mv).as_str();
                position.play_unchecked(mv);
            }
            None => {
                text += "--";
                position = position.null_move().unwrap_or(position);
            }
        }
        text += " ";
    }
    text
}
