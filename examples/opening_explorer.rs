//! Counts how often each move was played in a position, and with what results.
//!
//! ```text
//! opening-explorer [--min-elo N] [--plies N] [--moves "e4 e5 Nf3"] FILE…     (.pgn or .pgn.zst)
//! ```

use std::collections::HashMap;
use std::error::Error;
use std::ops::ControlFlow;

use ferz_board::{Color, Move, Position};
use ferz_notation::pgn::{GameResult, Movetext, Stop, Visitor, parallel};
use ferz_notation::san::{self, San};
use ferz_notation::zst::TextReader;

/// Results of games: won by White, drawn, won by Black.
type Results = [u64; 3];

/// The moves of all games so far. Transpositions meet, because a move belongs to the key of its position.
#[derive(Default)]
struct Explorer {
    min_elo: u32,
    plies: usize,
    elo: u32,
    line: Vec<(u64, Move)>,
    played: HashMap<(u64, Move), Results>,
}

impl Visitor for Explorer {
    const MOVETEXT: Movetext = Movetext::Positions;
    const VARIATIONS: bool = false;

    fn begin_game(&mut self) {
        self.elo = u32::MAX;
        self.line.clear();
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) {
        if matches!(name, b"WhiteElo" | b"BlackElo") {
            let elo = str::from_utf8(value).ok().and_then(|value| value.parse().ok());
            self.elo = self.elo.min(elo.unwrap_or(0));
        }
    }

    fn begin_moves(&mut self, _: &Position) -> ControlFlow<Stop> {
        let is_rated = self.elo < u32::MAX && self.elo >= self.min_elo;
        if self.min_elo == 0 || is_rated { ControlFlow::Continue(()) } else { ControlFlow::Break(Stop::Game) }
    }

    fn play(&mut self, before: &Position, mv: Option<Move>, _: &Position) -> ControlFlow<Stop> {
        self.line.extend(mv.map(|mv| (before.repetition_key(), mv)));
        if self.line.len() < self.plies { ControlFlow::Continue(()) } else { ControlFlow::Break(Stop::Game) }
    }

    fn end_game(&mut self, result: GameResult) {
        let result = match result {
            GameResult::Win(Color::White) => 0,
            GameResult::Draw => 1,
            GameResult::Win(Color::Black) => 2,
            GameResult::Unknown => return,
        };
        self.line.drain(..).for_each(|place| self.played.entry(place).or_default()[result] += 1);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut min_elo, mut plies, mut position, mut files) = (0, 24, Position::start(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match &argument[..] {
            "--min-elo" => min_elo = value()?.parse()?,
            "--plies" => plies = value()?.parse()?,
            "--moves" => {
                for word in value()?.split_whitespace() {
                    position.play(san::parse(&position, word)?)?;
                }
            }
            _ => files.push(argument),
        }
    }
    let threads = std::thread::available_parallelism()?.get();
    let mut played: HashMap<(u64, Move), Results> = HashMap::new();
    for file in files {
        let visitor = || Explorer { min_elo, plies, ..Explorer::default() };
        let add = |part: Explorer, _: &_| {
            for (place, results) in part.played {
                let sum = played.entry(place).or_default();
                (0..3).for_each(|result| sum[result] += results[result]);
            }
            Ok::<_, std::io::Error>(())
        };
        parallel::read(TextReader::open(&file)?, threads, |batch| batch.read_all(visitor()), add)?;
    }
    let moves = position.legal_moves();
    let results = |&mv: &Move| Some((mv, *played.get(&(position.repetition_key(), mv))?));
    let mut rows: Vec<(Move, Results)> = moves.iter().filter_map(results).collect();
    rows.sort_by_key(|(_, results)| std::cmp::Reverse(results.iter().sum::<u64>()));
    for (mv, results) in rows {
        let games: u64 = results.iter().sum();
        let [white, draw, black] = results.map(|count| 100 * count / games);
        println!("{:7} {games:>8}  {white:>3} % {draw:>3} % {black:>3} %", San::new(&position, mv).as_str());
    }
    Ok(())
}
