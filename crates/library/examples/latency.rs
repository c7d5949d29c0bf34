//! How long the questions of a page take: `cargo run --release --example latency -- library.sqlite`.

use std::env;
use std::error::Error;
use std::time::Instant;

use ferz_board::Position;
use ferz_library::{Library, Query, Sort};

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).ok_or("name a library")?;
    let start = Instant::now();
    let mut library = Library::open(path)?;
    println!("open: {:?}, {} games", start.elapsed(), library.count()?);
    let start = Instant::now();
    library.prepare()?;
    println!("read and sort the list: {:?}", start.elapsed());
    let total = library.count()?;
    for sort in Sort::ALL {
        let start = Instant::now();
        for from in [0, total / 2, total.saturating_sub(50)] {
            library.list(&Query::default(), sort, true, from, 50)?;
        }
        println!("a page by {sort:?}: {:?}", start.elapsed() / 3);
    }
    let some = |text: &str| Some(text.to_owned());
    let sicilian = "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
    for (name, query) in [
        ("one word", Query { text: some("carlsen"), ..Query::default() }),
        ("three words", Query { text: some("carlsen world open"), ..Query::default() }),
        ("a letter", Query { text: some("e"), ..Query::default() }),
        ("a player", Query { player: some("nakamura"), ..Query::default() }),
        ("an opening", Query { opening: some("sicilian"), ..Query::default() }),
        ("dates and ratings", Query { date_from: some("2020"), elo_from: Some(2700), ..Query::default() }),
        ("the start position", Query { fen: Some(Position::start().to_string()), ..Query::default() }),
        ("an opening position", Query { fen: some(sicilian), ..Query::default() }),
        ("material", Query { material: some("KRPkr"), ..Query::default() }),
    ] {
        let start = Instant::now();
        let page = library.list(&query, Sort::White, false, 0, 50)?;
        println!("{name}: {:?}, {} games", start.elapsed(), page.total);
    }
    let start = Instant::now();
    let game = library.add(b"[White \"Latency\"]\n\n1. e4 e5 *\n")?;
    println!("add a game: {:?}", start.elapsed());
    let start = Instant::now();
    library.list(&Query::default(), Sort::White, false, total / 2, 50)?;
    println!("a page after that: {:?}", start.elapsed());
    library.delete(&[game])?;
    Ok(())
}
