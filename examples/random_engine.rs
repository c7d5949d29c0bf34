//! A UCI engine that plays random legal moves, Chess960 included.

use std::io::{self, BufRead, Write};

use ferz_board::{CastlingMode, Game, Position};

fn main() -> io::Result<()> {
    let (mut game, mut mode) = (Game::default(), CastlingMode::Standard);
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            ["uci"] => {
                let option = "option name UCI_Chess960 type check default false";
                writeln!(out, "id name Random\nid author Ferz\n{option}\nuciok")?;
            }
            ["isready"] => writeln!(out, "readyok")?,
            ["setoption", "name", "UCI_Chess960", "value", value] => {
                mode = if value == "true" { CastlingMode::Chess960 } else { CastlingMode::Standard };
            }
            ["position", ref words @ ..] => match set_up(words) {
                Ok(new) => game = new,
                Err(error) => writeln!(out, "info string error: {error}")?,
            },
            ["go", ..] => {
                let moves = game.position().legal_moves();
                match fastrand::choice(&moves) {
                    Some(mv) => writeln!(out, "bestmove {}", mv.uci(mode))?,
                    None => writeln!(out, "bestmove (none)")?,
                }
            }
            ["quit"] => break,
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}

/// The game of a `position` command. After an error the old game stays.
fn set_up(words: &[&str]) -> Result<Game, Box<dyn std::error::Error>> {
    let moves = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let start = match &words[..moves] {
        ["startpos"] => Position::start(),
        ["fen", fen @ ..] => Position::from_fen_lenient(&fen.join(" "))?.0,
        _ => return Err("expected startpos or fen".into()),
    };
    let mut game = Game::new(start);
    words.iter().skip(moves + 1).try_for_each(|word| game.play_uci(word).map(drop))?;
    Ok(game)
}
