//! Finds positions with one winning move, and prints them as EPD.
//!
//! ```text
//! find-puzzles FILE.pgn [NODES]
//! ```

use std::error::Error;

use ferz_board::{Game, Position};
use ferz_notation::epd::{Epd, Operand};
use ferz_notation::pgn;
use ferz_notation::zst::TextReader;
use ferz_search::{Engine, Limits, Line, SearchOptions, Signals};

/// The expected score from which a position counts as won, and up to which it does not.
const WON: f64 = 0.95;
const NOT_WON: f64 = 0.6;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: find-puzzles FILE.pgn [NODES]")?;
    let nodes = arguments.next().map_or(Ok(20_000), |nodes| nodes.parse())?;
    let mut engine = Engine::new(16)?;
    for (number, game) in pgn::games(TextReader::open(file)?).enumerate() {
        let tree = game?;
        for (node, position) in tree.main_line_positions() {
            let Some(solution) = solution(&mut engine, &position, nodes) else { continue };
            let mut epd = Epd::new(position);
            epd.set("bm", Operand::Moves(vec![solution.moves[0]]))?;
            epd.set("pv", Operand::Variation(solution.moves))?;
            epd.set("id", Operand::Text(format!("game {} ply {}", number + 1, tree.ply(node))))?;
            println!("{epd}");
        }
    }
    Ok(())
}

/// The winning line, if there is one and no other move wins.
fn solution(engine: &mut Engine, position: &Position, nodes: u64) -> Option<Line> {
    engine.clear();
    let (limits, options) = (Limits::new().nodes(nodes), SearchOptions::new().lines(2));
    let found = engine.search(&Game::new(*position), &limits, &options, &Signals::new(), &mut |_| {});
    let [best, second] = <[Line; 2]>::try_from(found.lines).ok()?;
    (best.wdl.expected() >= WON && second.wdl.expected() <= NOT_WON).then_some(best)
}
