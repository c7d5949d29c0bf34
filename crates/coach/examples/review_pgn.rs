//! Reviews the games of a PGN file: `cargo run --release -p ferz-coach --example review_pgn -- games.pgn`.

use std::error::Error;
use std::{env, fs};

use ferz_board::Color;
use ferz_coach::review::{ReviewSettings, review};
use ferz_notation::pgn;
use ferz_notation::san::San;
use ferz_search::{Engine, Limits, Signals};

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args().nth(1).ok_or("usage: review_pgn FILE")?;
    let text = fs::read(file)?;
    let mut engine = Engine::new(64)?;
    let limits = Limits::default().nodes(50_000);
    let settings = ReviewSettings::new(limits);
    for game in pgn::games(&text[..]) {
        let tree = game?;
        let review = review(&mut engine, &tree, &settings, &Signals::new(), &mut |_| {});
        let Some(review) = review else { break };
        for it in review.moves.iter().filter(|it| it.judgement.is_error()) {
            let san = San::new(&it.position, it.mv);
            println!("{}. {} {san}: {}", it.position.fullmove_number(), it.color(), it.judgement.name());
        }
        let [white, black] = Color::ALL.map(|color| review.accuracy(color).unwrap_or(100.0));
        println!("accuracy {white:.1} {black:.1}\n");
    }
    Ok(())
}
