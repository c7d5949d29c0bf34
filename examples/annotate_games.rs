//! Annotates games: an evaluation behind every move, and the better line where a move was a mistake.
//!
//! ```text
//! annotate-games [NODES] < games.pgn > annotated.pgn
//! ```

use std::error::Error;
use std::io;

use ferz_board::Game;
use ferz_coach::review::Assessment;
use ferz_notation::pgn::annotation::Annotation;
use ferz_notation::pgn::{GameTree, Nag, NodeId, PgnWriter, Reader};
use ferz_search::{Engine, Limits, Line, SearchOptions, Signals};

/// The loss of expected score that makes a move a mistake.
const MISTAKE: f64 = 0.15;

fn main() -> Result<(), Box<dyn Error>> {
    let nodes = std::env::args().nth(1).map_or(Ok(10_000), |nodes| nodes.parse())?;
    let mut engine = Engine::new(16)?;
    let mut reader = Reader::new(io::stdin().lock());
    let mut writer = PgnWriter::new(io::stdout().lock());
    let mut tree = GameTree::new();
    while tree.read(&mut reader)? {
        annotate(&mut tree, &mut engine, nodes)?;
        writer.write(&tree)?;
    }
    Ok(())
}

fn annotate(tree: &mut GameTree, engine: &mut Engine, nodes: u64) -> Result<(), Box<dyn Error>> {
    let limits = Limits::new().nodes(nodes);
    // The line before the move, and the node it starts from.
    let mut before: Option<(NodeId, Line)> = None;
    let start = [(NodeId::ROOT, *tree.start())];
    for (node, position) in start.into_iter().chain(tree.main_line_positions()).collect::<Vec<_>>() {
        let found =
            engine.search(&Game::new(position), &limits, &SearchOptions::new(), &Signals::new(), &mut |_| {});
        let Some(line) = found.lines.into_iter().next() else { break };
        let now = Assessment::of_line(&line, position.side_to_move());
        if let Some(eval) = now.eval() {
            tree.annotate(node, &Annotation::Eval(eval));
        }
        if let Some((parent, better)) = before.replace((node, line)) {
            let mover = !position.side_to_move();
            let lost = better.wdl.expected() - now.expected_score(mover);
            if lost > MISTAKE && better.moves.first().copied() != tree.mv(node) {
                tree.add_nag(node, Nag::MISTAKE);
                tree.add_line(parent, better.moves)?;
            }
        }
    }
    Ok(())
}
