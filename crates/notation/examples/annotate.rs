//! Marks the moves of a game that were forced (`$7`), and says in a comment how many choices there were for the
//! one with the most. Reads from standard input, writes to standard output:
//!
//! ```text
//! cargo run --example annotate < games.pgn
//! ```

use std::io;

use ferz_notation::pgn::{GameTree, Nag, PgnWriter, Reader};

/// The only move there is.
const FORCED: Nag = Nag(7);

fn main() -> io::Result<()> {
    let mut reader = Reader::new(io::stdin().lock());
    let mut writer = PgnWriter::new(io::stdout().lock());
    let mut game = GameTree::new();
    while game.read(&mut reader)? {
        annotate(&mut game);
        writer.write(&game)?;
    }
    Ok(())
}

fn annotate(game: &mut GameTree) {
    let mut position = *game.start();
    let mut choices = Vec::new();
    for node in game.main_line() {
        choices.push((position.legal_moves().len(), node));
        match game.mv(node) {
            Some(mv) => position.play_unchecked(mv),
            None => position = position.null_move().unwrap_or(position),
        }
    }
    for &(count, node) in &choices {
        if count == 1 {
            game.add_nag(node, FORCED);
        }
    }
    if let Some(&(count, node)) = choices.iter().max() {
        game.add_comment(node, &format!("one of {count} moves"));
    }
}
