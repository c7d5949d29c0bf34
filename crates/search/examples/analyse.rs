//! Analyses a position and prints every line that the search reports.
//!
//! ```text
//! cargo run --release -p ferz-search --example analyse -- "FEN" [MILLISECONDS] [LINES]
//! ```

use std::error::Error;
use std::time::Duration;

use ferz_board::{CastlingMode, Game, Position};
use ferz_search::{Engine, Limits, Report, Score, SearchOptions, Signals};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let position = arguments.next().map_or(Ok(Position::start()), |fen| fen.parse())?;
    let time = arguments.next().map_or(Ok(1000), |time| time.parse())?;
    let lines = arguments.next().map_or(Ok(1), |lines| lines.parse())?;

    let mut engine = Engine::new(64)?;
    engine.set_threads(std::thread::available_parallelism()?.get())?;
    let limits = Limits::default().move_time(Duration::from_millis(time));
    let options = SearchOptions::default().lines(lines);
    let result = engine.search(&Game::new(position), &limits, &options, &Signals::new(), &mut |report| {
        let Report::Line(line) = report else { return };
        let score = match line.score {
            Score::Centipawns(value) => format!("{:+.2}", f64::from(value) / 100.0),
            Score::Mate(moves) => format!("mate in {moves}"),
        };
        let moves = line.moves.iter().map(|mv| mv.uci(CastlingMode::Standard).to_string());
        let moves = moves.collect::<Vec<_>>().join(" ");
        println!("{}. depth {:2}  {score:>9}  {:9} nodes  {moves}", line.rank, line.depth, line.nodes);
    });
    match result.best {
        Some(best) => println!("best move: {}", best.uci(CastlingMode::Standard)),
        None => println!("the game is over"),
    }
    Ok(())
}
