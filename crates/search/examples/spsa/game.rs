//! Plays pairs of games: the same opening with colours exchanged.

use std::sync::Arc;

use fastrand::Rng;
use ferz_board::{Color, DrawClaim, Game, Position};
use ferz_eval::Network;
use ferz_search::{Conclusion, Engine, Limits, OutOfMemory, Score, SearchParameters, Signals};

use crate::options::Options;

/// The number of random moves of an opening; sometimes one more.
const RANDOM_PLIES: u64 = 8;
/// The nodes of the search that judges an opening, in multiples of a move's nodes.
const VERIFICATION: u64 = 2;
/// The largest score of an opening, in centipawns.
const OPENING_SCORE: i32 = 150;
/// Win adjudication: this number of scores in a row beyond this one.
const WIN_PLIES: usize = 4;
const WIN_SCORE: i32 = 1000;
/// Draw adjudication: this number of scores in a row below this one, from this ply on.
const DRAW_PLIES: usize = 8;
const DRAW_SCORE: i32 = 10;
const DRAW_FROM: usize = 80;
/// A longer game is a draw.
const MAX_PLY: usize = 400;
/// Larger than every evaluation.
const MATE_SCORE: i32 = 100_000;

/// The result of a game for the first of two players: 1, 0 or -1.
pub type Points = i32;

/// Two independent engines.
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
        let limits = Limits::default().nodes(options.nodes);
        Ok(Players { engines, limits, seed: options.seed })
    }

    /// Plays the pair with this number.
    pub fn play_pair(&mut self, number: u64, sides: &[SearchParameters; 2]) -> [Points; 2] {
        let start = self.opening(number);
        for (engine, &side) in self.engines.iter_mut().zip(sides) {
            engine.set_parameters(side);
        }
        Color::ALL.map(|first_plays| self.play(start, first_plays))
    }

    /// A position after some random moves in which the game is neither over nor decided. It depends only on the seed
    /// and the number.
    fn opening(&mut self, number: u64) -> Position {
        let mut random = rng_of_pair(self.seed, number);
        let judge = &mut self.engines[0];
        judge.set_parameters(SearchParameters::default());
        let mut limits = Limits::default();
        limits.nodes = self.limits.nodes.map(|nodes| VERIFICATION * nodes);
        loop {
            let mut position = Position::start();
            let plies = RANDOM_PLIES + random.u64(..2);
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
            // A side without moves has lost or drawn before.
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

/// The random numbers of the pair with this number.
pub fn rng_of_pair(seed: u64, number: u64) -> Rng {
    let mut rng = Rng::with_seed(seed);
    Rng::with_seed(rng.u64(..) ^ number)
}

fn search(engine: &mut Engine, game: &Game, limits: &Limits) -> Conclusion {
    engine.search_on_this_thread(
        game,
        limits,
        &ferz_search::SearchOptions::default(),
        &Signals::new(),
        &mut |_| {},
    )
}

/// The best move and its score for the side that plays it.
fn judged(conclusion: &Conclusion) -> Option<(ferz_board::Move, i32)> {
    let score = match conclusion.lines.first()?.score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) if moves > 0 => MATE_SCORE,
        Score::Mate(_) => -MATE_SCORE,
    };
    Some((conclusion.best?, score))
}

/// Whether there was a move to play.
fn play_at_random(position: &mut Position, random: &mut Rng) -> bool {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return false;
    }
    position.play_unchecked(moves[random.usize(..moves.len())]);
    true
}

/// The winner, if there is one, of a game that is over by the rules; draws are claimed as soon as they can be.
fn by_rules(game: &Game) -> Option<Option<Color>> {
    match game.outcome() {
        Some(outcome) => Some(outcome.winner()),
        None => {
            let claims = [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves];
            claims.into_iter().any(|claim| game.can_claim(claim)).then_some(None)
        }
    }
}

/// Adjudication: the winner, if there is one, of a game on whose result both players agree.
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
