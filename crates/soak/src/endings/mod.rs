//! Elementary endings against the best defence, without tables for the engine.

mod solver;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use fastrand::Rng;
use ferz_board::{CastlingMode, Color, Game, Outcome, PieceType, Position, Setup, Square};
use ferz_notation::line;
use ferz_search::{Engine, Limits, SearchOptions, Signals};

use solver::SolvedEnding;

/// Win elementary endings against the best defence
///
/// Plays KQK, KRK, KPK, KBBK and KBNK from random won positions. The defence is that of a retrograde solver: it holds
/// out as long as possible. Every game must end in mate before the fifty-move rule or a repetition ends it.
#[derive(Args)]
pub(crate) struct EndingsArgs {
    /// Games of each ending
    #[arg(long, value_name = "N", default_value_t = 40)]
    games: usize,
    /// Nodes of each search
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    nodes: u64,
    /// Use the classical evaluation
    #[arg(long)]
    classical: bool,
    /// Seed of the random generator
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

impl EndingsArgs {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let queen = SolvedEnding::new(&[PieceType::Queen], &[]);
        let rook = SolvedEnding::new(&[PieceType::Rook], &[]);
        let pawn = SolvedEnding::new(&[PieceType::Pawn], &[&queen, &rook]);
        let bishops = SolvedEnding::new(&[PieceType::Bishop, PieceType::Bishop], &[]);
        let bishop_and_knight = SolvedEnding::new(&[PieceType::Bishop, PieceType::Knight], &[]);
        let endings = [
            ("KQK", "KQ", vec![&queen]),
            ("KRK", "KR", vec![&rook]),
            ("KPK", "KP", vec![&pawn, &queen, &rook]),
            ("KBBK", "KBB", vec![&bishops]),
            ("KBNK", "KBN", vec![&bishop_and_knight]),
        ];
        let mut engine = Engine::new(16)?;
        if self.classical {
            engine.set_network(None);
        }
        let mut all_won = true;
        for (name, men, tables) in endings {
            let mut random = Rng::with_seed(self.seed);
            let (mut won, mut shortest, mut played) = (0, 0, 0);
            for _ in 0..self.games {
                let start = won_position(men, tables[0], &mut random)?;
                let game = self.play(&mut engine, start, &tables)?;
                if game.outcome() == Some(Outcome::Checkmate { winner: Color::White }) {
                    won += 1;
                    shortest += tables[0].mate_in(&start).unwrap_or(0);
                    played += game.moves().len().div_ceil(2);
                } else {
                    let moves: Vec<_> = game.moves().collect();
                    let moves = line::uci(&start, &moves);
                    println!("{name}: not won: {start} moves {}", moves.join(" "));
                }
            }
            all_won &= won == self.games;
            println!("{name}: {won} of {} won in {played} moves; {shortest} are necessary", self.games);
        }
        Ok(if all_won { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Plays a game to its end; a draw by repetition or by the fifty-move rule is claimed.
    fn play(&self, engine: &mut Engine, start: Position, tables: &[&SolvedEnding]) -> Result<Game> {
        let mut game = Game::new(start);
        engine.clear();
        while game.outcome().is_none() && game.repetitions() < 3 && !game.position().can_claim_fifty_moves() {
            let mv = if game.position().side_to_move() == Color::White {
                let limits = Limits::default().nodes(self.nodes);
                let conclusion =
                    engine.search(&game, &limits, &SearchOptions::default(), &Signals::new(), &mut |_| {});
                conclusion.best.context("a move")?
            } else {
                let resistance = |&mv: &ferz_board::Move| {
                    let mut child = *game.position();
                    child.play_unchecked(mv);
                    tables.iter().find_map(|it| it.mate_in(&child)).unwrap_or(u32::MAX)
                };
                game.position().legal_moves().into_iter().max_by_key(resistance).context("a move")?
            };
            game.play(mv)?;
        }
        Ok(game)
    }
}

/// A random position with these men of White against a king, won with either side to move.
fn won_position(men: &str, table: &SolvedEnding, random: &mut Rng) -> Result<Position> {
    for _ in 0..100_000 {
        let side_to_move = if random.bool() { Color::White } else { Color::Black };
        let mut setup = Setup { side_to_move, ..Setup::empty() };
        for letter in men.chars().chain(['k']) {
            let piece = ferz_board::Piece::from_char(letter).context("a piece")?;
            setup.board.set(Square::ALL[random.usize(..64)], Some(piece));
        }
        if let Ok(position) = Position::from_setup(&setup, CastlingMode::Standard)
            && table.mate_in(&position).is_some_and(|moves| moves > 0)
        {
            return Ok(position);
        }
    }
    bail!("no won position of {men}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elementary_endings_are_won() {
        for classical in [false, true] {
            let args = EndingsArgs { games: 2, nodes: 10_000, classical, seed: 7 };
            assert_eq!(format!("{:?}", args.run().expect("it runs")), format!("{:?}", ExitCode::SUCCESS));
        }
    }
}
