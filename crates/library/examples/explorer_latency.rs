//! The cost of an index of many games: `cargo run --release --example explorer_latency -- FOLDER [GAMES] [PGN …]`.
//!
//! The first run makes the index in the folder. Each run measures queries, first as they come and then again after all
//! of the index was read, and the change of one game.
//!
//! The games follow the moves of the PGN files, weighted by their frequency, as long as three of those go on. Without
//! files they follow popular moves for 16 half-moves. Afterwards moves are random, so that nearly all later positions
//! occur once. That is the worst case.

use std::collections::HashMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, io};

use ferz_board::{Color, Move, Position};
use ferz_library::explorer::{Index, IndexError, IndexReader, IndexedGame, OpeningLine};
use ferz_notation::pgn::{GameResult, Movetext, Reader, Stop, Visitor};

const LABEL: &str = "many games";
const POPULAR_PLIES: usize = 16;
/// Fewer games are not followed.
const MIN_GAMES: u32 = 3;
/// Games in one change, as in the index of a library.
const BATCH: u64 = 200_000;
/// Half-moves before a query.
const MAX_PLY: usize = 20;
const QUERIES_OF_PLY: usize = 60;
const CHANGES: u64 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let usage = "usage: explorer_latency FOLDER [GAMES] [PGN …]";
    let folder = PathBuf::from(arguments.next().ok_or(usage)?);
    let count = arguments.next().map_or(Ok(1_000_000), |count| count.to_string_lossy().parse::<u64>())?;
    let mut book = Book::default();
    for path in arguments {
        book.read(Path::new(&path))?;
    }
    let mut random = fastrand::Rng::with_seed(11);
    if !folder.exists() {
        build(&folder, count, &book, &mut random)?;
    }
    let mut random = fastrand::Rng::with_seed(12);
    let start = Instant::now();
    let reader = IndexReader::open(&folder, LABEL)?.ok_or("the index is missing")?;
    println!("{} games opened in {:.1?}", reader.games(), start.elapsed());
    query(&reader, &book, &mut random)?;
    // Different changes in every run.
    change(&folder, count, &book, &mut fastrand::Rng::new())?;
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    }
    Ok(())
}

fn build(folder: &Path, count: u64, book: &Book, random: &mut fastrand::Rng) -> Result<(), IndexError> {
    let mut times = [Duration::ZERO; 3];
    let mut index = Index::open(folder, LABEL)?;
    for first in (0..count).step_by(BATCH as usize) {
        let mut update = index.update();
        for id in first..count.min(first + BATCH) {
            let start = Instant::now();
            let (game, line) = book.game(random, id);
            times[0] += start.elapsed();
            let start = Instant::now();
            update.replace(id, Some((&game, &line)))?;
            times[1] += start.elapsed();
        }
        let start = Instant::now();
        update.commit()?;
        times[1] += start.elapsed();
        let start = Instant::now();
        index.merge()?;
        times[2] += start.elapsed();
    }
    let [made, added, merged] = times;
    println!("{count} games made in {made:.1?}, indexed in {added:.1?}, merged in {merged:.1?}");
    println!("{} bytes", index.size());
    Ok(())
}

fn query(reader: &IndexReader, book: &Book, random: &mut fastrand::Rng) -> Result<(), IndexError> {
    let mut positions = vec![(0, Position::start())];
    for ply in 1..=MAX_PLY {
        for _ in 0..QUERIES_OF_PLY {
            let mut position = Position::start();
            for ply in 0..ply {
                let Some(mv) = book.next_move(random, &position, ply) else { break };
                position.play_unchecked(mv);
            }
            positions.push((ply, position));
        }
    }
    random.shuffle(&mut positions[1..]);
    for pass in ["first", "second"] {
        if pass == "second" {
            let start = Instant::now();
            reader.read_all()?;
            println!("read as a whole in {:.1?}", start.elapsed());
        }
        let mut times: Vec<(usize, Duration)> = Vec::new();
        for (ply, position) in &positions {
            let start = Instant::now();
            reader.explore(position)?;
            times.push((*ply, start.elapsed()));
        }
        for plies in [0..1, 1..6, 6..11, 11..16, 16..MAX_PLY + 1] {
            let mut times: Vec<Duration> =
                times.iter().filter(|(ply, _)| plies.contains(ply)).map(|&(_, time)| time).collect();
            times.sort_unstable();
            let share = |percent: usize| times[(times.len() - 1) * percent / 100];
            println!(
                "{pass} queries after {plies:?} half-moves: median {:.2?}, 99 % {:.2?}, slowest {:.2?}",
                share(50),
                share(99),
                share(100)
            );
        }
    }
    Ok(())
}

/// Gives games new moves, one at a time.
fn change(folder: &Path, count: u64, book: &Book, random: &mut fastrand::Rng) -> Result<(), IndexError> {
    let mut times: [Vec<Duration>; 3] = Default::default();
    for _ in 0..CHANGES {
        let id = random.u64(..count);
        let (game, line) = book.game(random, id);
        let start = Instant::now();
        let mut index = Index::open(folder, LABEL)?;
        times[0].push(start.elapsed());
        let start = Instant::now();
        let mut update = index.update();
        update.replace(id, Some((&game, &line)))?;
        update.commit()?;
        times[1].push(start.elapsed());
        let start = Instant::now();
        index.merge()?;
        times[2].push(start.elapsed());
    }
    let median = times.each_mut().map(|times| {
        times.sort_unstable();
        times[times.len() / 2]
    });
    let [opened, committed, merged] = median;
    println!(
        "change of a game: opened in {opened:.1?}, committed in {committed:.1?}, merged in {merged:.1?}"
    );
    Ok(())
}

/// The moves of some games.
#[derive(Default)]
struct Book(HashMap<u64, Vec<(Move, u32)>>);

impl Book {
    fn read(&mut self, path: &Path) -> io::Result<()> {
        let mut reader = Reader::new(BufReader::new(File::open(path)?));
        while reader.read_game(self)? {}
        Ok(())
    }

    fn next_move(&self, random: &mut fastrand::Rng, position: &Position, ply: usize) -> Option<Move> {
        let known = self.0.get(&position.repetition_key()).map_or(&[][..], |moves| moves);
        let games: u32 = known.iter().map(|it| it.1).sum();
        if games >= MIN_GAMES {
            let mut place = random.u32(..games);
            for &(mv, count) in known {
                if place < count {
                    return Some(mv);
                }
                place -= count;
            }
        }
        let legal = position.legal_moves();
        let is_popular = self.0.is_empty() && ply < POPULAR_PLIES;
        let place = if is_popular { random.f64().powi(4) } else { random.f64() };
        legal.get((place * legal.len() as f64) as usize).copied()
    }

    fn game(&self, random: &mut fastrand::Rng, id: u64) -> (IndexedGame, OpeningLine) {
        let results = [GameResult::Win(Color::White), GameResult::Draw, GameResult::Win(Color::Black)];
        let game = IndexedGame {
            id,
            result: results[random.usize(..3)],
            elo: Some(random.u16(1500..2800)),
            year: Some(random.u16(1990..2026)),
        };
        let mut line = OpeningLine::new();
        let mut position = Position::start();
        for ply in 0.. {
            let Some(mv) = self.next_move(random, &position, ply) else { break };
            let before = position;
            position.play_unchecked(mv);
            if !line.play(&before, mv, &position) {
                break;
            }
        }
        (game, line)
    }
}

impl Visitor for Book {
    const MOVETEXT: Movetext = Movetext::Positions;
    const VARIATIONS: bool = false;

    fn play(&mut self, before: &Position, mv: Option<Move>, _: &Position) -> ControlFlow<Stop> {
        let Some(mv) = mv else { return ControlFlow::Break(Stop::Game) };
        let moves = self.0.entry(before.repetition_key()).or_default();
        match moves.iter_mut().find(|it| it.0 == mv) {
            Some(it) => it.1 += 1,
            None => moves.push((mv, 1)),
        }
        ControlFlow::Continue(())
    }
}
