//! The size of an index of many games, and the time of queries: `cargo run --release --example explorer_latency -- FOLDER
//! [GAMES]`. The index is made in the folder, which must not exist.
//!
//! The games follow popular moves for 16 half-moves and random ones afterwards, so that nearly all later positions occur
//! once. That is the worst case.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ferz_board::{Move, Position};
use ferz_library::explorer::{Index, IndexReader, IndexedGame, OpeningLine};
use ferz_notation::pgn::GameResult;

const LABEL: &str = "many games";
const POPULAR_PLIES: usize = 16;
const QUERIES: usize = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: explorer_latency FOLDER [GAMES]")?);
    let count = arguments.next().map_or(Ok(1_000_000), |count| count.to_string_lossy().parse::<u64>())?;
    if folder.exists() {
        return Err("the folder exists already".into());
    }
    let mut random = fastrand::Rng::with_seed(11);
    let start = Instant::now();
    let mut index = Index::open(&folder, LABEL)?;
    let mut update = index.update();
    let mut line = OpeningLine::new();
    for id in 0..count {
        line.clear();
        let mut position = Position::start();
        for ply in 0.. {
            let Some(mv) = next_move(&mut random, &position, ply) else { break };
            let before = position;
            position.play(mv)?;
            if !line.play(&before, mv, &position) {
                break;
            }
        }
        let game = IndexedGame { id, result: GameResult::Draw, elo: Some(2000), year: Some(2000) };
        update.add(&game, &line)?;
    }
    update.commit()?;
    println!("{count} games in {:?}, {} bytes", start.elapsed(), index.size());

    let reader = IndexReader::open(&folder, LABEL)?.ok_or("the index is missing")?;
    let mut times: Vec<(Duration, u64)> = Vec::new();
    for _ in 0..QUERIES {
        let mut position = Position::start();
        for ply in 0..random.usize(..POPULAR_PLIES) {
            let Some(mv) = next_move(&mut random, &position, ply) else { break };
            position.play(mv)?;
        }
        let start = Instant::now();
        let found = reader.explore(&position)?;
        times.push((start.elapsed(), found.total));
    }
    times.sort_unstable();
    let share = |percent: usize| times[(QUERIES - 1) * percent / 100];
    println!(
        "time and games of a query: median {:?}, 99 % {:?}, slowest {:?}",
        share(50),
        share(99),
        share(100)
    );
    Ok(())
}

fn next_move(random: &mut fastrand::Rng, position: &Position, ply: usize) -> Option<Move> {
    let legal = position.legal_moves();
    let place = if ply < POPULAR_PLIES { random.f64().powi(4) } else { random.f64() };
    legal.get((place * legal.len() as f64) as usize).copied()
}
