//! Plays pairs of games: the same opening with colours exchanged.

use std::sync::Arc;

use ferz_board::{Color, DrawClaim, Game, Outcome, Position};
use ferz_eval::Network;
use ferz_search::{Conclusion, Engine, Limits, OutOfMemory, Parameters, Score, Signals};

use crate::options::Options;
use crate::random::Random;

/// Moves at random before anyone thinks: so many, or one more.
const RANDOM_PLIES: u64 = 8;
/// So many times the nodes of a move go into judging the opening.
const VERIFICATION: u64 = 2;
/// In centipawns: an opening is not further from even.
const OPENING_SCORE: i32 = 150;
/// So many scores in a row beyond this one decide a game that one side wins.
const WIN_PLIES: usize = 4;
const WIN_SCORE: i32 = 1000;
/// And so many below this one a game that nobody does, but not before this ply.
const DRAW_PLIES: usize = 8;
const DRAW_SCORE: i32 = 10;
const DRAW_FROM: usize = 80;
/// A game that takes longer is a draw.
const MAX_PLY: usize = 400;
/// Beyond every evaluation.
const MATE_SCORE: i32 = 100_000;

/// How a game ended for the first of two players: 1, 0 or -1.
pub type Points = i32;

/// Two engines that know nothing of each other.
#[derive(Debug)]
pub struct Players {
    engines: [Engine; 2],
    limits: Limits,
    seed: u64,
}

impl Players {
    pub fn new(options: &Options, network: Option<&Arc<Network>>) -> Result<Players, OutOfMemory> {
        let mut engines = [Engine::new(options.hash)?, Engine::new(options.hash)?];
        engines.iter_mut().for_each(|engine| engine.set_network(network.cloned()));
        let limits = Limits { nodes: Some(options.nodes), ..Limits::default() };
        Ok(Players { engines, limits, seed: options.seed })
    }

    /// Plays the pair with this number.
    pub fn play_pair(&mut self, number: u64, sides: &[Parameters; 2]) -> [Points; 2] {
        let start = self.opening(number);
        for (engine, &side) in self.engines.iter_mut().zip(sides) {
            engine.set_parameters(side);
        }
        Color::ALL.map(|first_plays| self.play(start, first_plays))
    }

    /// A position after some random moves that is neither over nor decided. It depends on the seed and the number
    /// alone.
    fn opening(&mut self, number: u64) -> Position {
        let mut random = Random::for_number(self.seed, number);
        let judge = &mut self.engines[0];
        judge.set_parameters(Parameters::default());
        let limits =
            Limits { nodes: self.limits.nodes.map(|nodes| VERIFICATION * nodes), ..Limits::default() };
        loop {
            let mut position = Position::start();
            let plies = RANDOM_PLIES + random.below(2);
            if !(0..plies).all(|_| play_at_random(&mut position, &mut random)) {
                continue;
            }
            judge.clear();
            if let Some((_, score)) = judged(&search(judge, &Game::new(position), &limits))
                && score.abs() <= OPENING_SCORE
            {
                return position;
            }
        }
    }

    /// Plays a game in which the first engine has this colour.
    fn play(&mut self, start: Position, first_plays: Color) -> Points {
        self.engines.iter_mut().for_each(Engine::clear);
        let mut game = Game::new(start);
        // As White sees them.
        let mut scores = Vec::new();
        let winner = loop {
            let turn = game.position().side_to_move();
            let engine = &mut self.engines[usize::from(turn != first_plays)];
            // Whoever has no move has lost or drawn before it comes to this.
            let Some((mv, score)) = judged(&search(engine, &game, &self.limits)) else { break None };
            if game.play(mv).is_err() {
                debug_assert!(false, "an illegal move: {mv:?} in {}", game.position());
                break None;
            }
            scores.push(if turn == Color::White { score } else { -score });
            let ply = RANDOM_PLIES as usize + scores.len();
            if let Some(verdict) = by_rules(&game).or_else(|| by_scores(&scores, ply)) {
                break verdict;
            }
        };
        winner.map_or(0, |winner| if winner == first_plays { 1 } else { -1 })
    }
}

fn search(engine: &mut Engine, game: &Game, limits: &Limits) -> Conclusion {
    engine.search(game, limits, &ferz_search::Options::default(), &Signals::new(), &mut |_| {})
}

/// The best move and what it is worth to who plays it.
fn judged(conclusion: &Conclusion) -> Option<(ferz_board::Move, i32)> {
    let score = match conclusion.lines.first()?.score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) if moves > 0 => MATE_SCORE,
        Score::Mate(_) => -MATE_SCORE,
    };
    Some((conclusion.best?, score))
}

/// Whether there was a move to play.
fn play_at_random(position: &mut Position, random: &mut Random) -> bool {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return false;
    }
    position.play_unchecked(moves[random.below(moves.len() as u64) as usize]);
    true
}

/// The winner, if there is one, of a game that is over by the rules; draws are claimed as soon as they can be.
fn by_rules(game: &Game) -> Option<Option<Color>> {
    match game.outcome() {
        Some(Outcome::Checkmate { winner }) => Some(Some(winner)),
        Some(Outcome::Draw(_)) => Some(None),
        None => {
            let claims = [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves];
            claims.into_iter().any(|claim| game.can_claim(claim)).then_some(None)
        }
    }
}

/// The winner, if there is one, of a game whose end both players see coming.
fn by_scores(scores: &[i32], ply: usize) -> Option<Option<Color>> {
    let agreed = |count: usize, agrees: &dyn Fn(i32) -> bool| {
        scores.len() >= count && scores[scores.len() - count..].iter().all(|&score| agrees(score))
    };
    if agreed(WIN_PLIES, &|score| score >= WIN_SCORE) {
        Some(Some(Color::White))
    } else if agreed(WIN_PLIES, &|score| score <= -WIN_SCORE) {
        Some(Some(Color::Black))
    } else {
        let is_drawn = ply >= DRAW_FROM && agreed(DRAW_PLIES, &|score| score.abs() < DRAW_SCORE);
        (is_drawn || ply >= MAX_PLY).then_some(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_must_agree() {
        assert_eq!(by_scores(&[1000, 1200, 1100, MATE_SCORE], 20), Some(Some(Color::White)));
        assert_eq!(by_scores(&[1000, 900, 1100, 1500], 20), None);
        assert_eq!(by_scores(&[-1000; 4], 20), Some(Some(Color::Black)));
        assert_eq!(by_scores(&[-1000; 3], 20), None);
        assert_eq!(by_scores(&[9, -9, 0, 0, 0, 0, 0, 0], 80), Some(None));
        assert_eq!(by_scores(&[9, -9, 0, 0, 0, 0, 0, 0], 79), None);
        assert_eq!(by_scores(&[10, 0, 0, 0, 0, 0, 0, 0], 80), None);
        assert_eq!(by_scores(&[300], MAX_PLY), Some(None));
    }
}
