//! Plays games from every line of the opening table and prints them as PGN. The embedded opening book is made of them.
//!
//! ```sh
//! cargo run --release -p ferz-selfplay --example opening_games -- 2 600 > openings.pgn
//! ```
//!
//! The arguments are the number of games per line and the nodes of a move. The output depends on these and the engine
//! only: each move gets between 75 % and 125 % of the nodes, chosen by the number of the game, so that games from the
//! same line differ.

use std::io::{self, BufWriter, Write};

use ferz_board::{Color, Game, Outcome};
use ferz_notation::openings::{self, Opening};
use ferz_notation::san::{self, San};
use ferz_search::{Engine, Limits, Score, SearchOptions, Signals};
use ferz_selfplay::datagen::random::SplitMix64;

/// A side that is this far ahead, in centipawns, for [`WIN_PLIES`] half-moves wins.
const WIN_SCORE: i32 = 300;
const WIN_PLIES: u32 = 4;
/// A longer game is a draw.
const MAX_PLIES: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let (Some(games), Some(nodes)) = (numbers.next(), numbers.next()) else {
        return Err("usage: opening_games GAMES NODES".into());
    };
    let (games, nodes) = (games?, nodes?);
    let mut out = BufWriter::new(io::stdout().lock());
    let mut engine = Engine::new(4)?;
    for (line, opening) in openings::all().iter().enumerate() {
        for number in 0..games {
            let mut random = SplitMix64::for_number(number, line as u64);
            let (game, winner) = play(opening, &mut engine, nodes, &mut random)?;
            write(opening, &game, winner, &mut out)?;
        }
    }
    out.flush()?;
    Ok(())
}

/// Plays a game and returns it with its winner.
fn play(
    opening: &Opening,
    engine: &mut Engine,
    nodes: u64,
    random: &mut SplitMix64,
) -> Result<(Game, Option<Color>), Box<dyn std::error::Error>> {
    let mut game = Game::default();
    for text in opening.moves.split(' ') {
        let mv = san::parse_lenient(game.position(), text)?;
        game.play(mv)?;
    }
    engine.clear();
    let mut ahead = (None, 0);
    while game.ply() < MAX_PLIES {
        if let Some(outcome) = game.outcome() {
            return Ok((game, outcome.winner()));
        }
        let limits =
            Limits::default().soft_nodes(nodes * 3 / 4 + random.below(nodes / 2 + 1)).nodes(nodes * 8);
        let found = engine.search(&game, &limits, &SearchOptions::default(), &Signals::new(), &mut |_| {});
        let Some(best) = found.best else { break };
        let side = game.position().side_to_move();
        let leader = match found.lines.first().map(|line| line.score) {
            Some(Score::Centipawns(value)) if value >= WIN_SCORE => Some(side),
            Some(Score::Centipawns(value)) if value <= -WIN_SCORE => Some(!side),
            Some(Score::Mate(moves)) => Some(if moves > 0 { side } else { !side }),
            Some(Score::Centipawns(_)) | None => None,
        };
        ahead = if leader.is_some() && leader == ahead.0 { (leader, ahead.1 + 1) } else { (leader, 1) };
        if ahead.0.is_some() && ahead.1 >= WIN_PLIES {
            return Ok((game, leader));
        }
        game.play(best)?;
    }
    let winner = game.outcome().and_then(Outcome::winner);
    Ok((game, winner))
}

fn write(opening: &Opening, game: &Game, winner: Option<Color>, out: &mut impl Write) -> io::Result<()> {
    let result = match winner {
        Some(Color::White) => "1-0",
        Some(Color::Black) => "0-1",
        None => "1/2-1/2",
    };
    writeln!(out, "[Event \"{}\"]", opening.name)?;
    writeln!(out, "[ECO \"{}\"]", opening.eco)?;
    writeln!(out, "[Result \"{result}\"]\n")?;
    let mut position = *game.start();
    for mv in game.moves() {
        if position.side_to_move() == Color::White {
            write!(out, "{}. ", position.fullmove_number())?;
        }
        write!(out, "{} ", San::new(&position, mv))?;
        position.play_unchecked(mv);
    }
    writeln!(out, "{result}\n")
}
