//! Games for tests.

use ferz_board::{Game, Position};

use super::{FinalResult, GameEnding, GameScore, Ply, ScoredGame};
use crate::datagen::random::SplitMix64;

/// Games at random, every other one Chess960, with promotions, en passant and scores of all sizes.
pub(super) fn random_games(seed: u64, count: u64) -> Vec<ScoredGame> {
    (0..count).map(|number| random_game(&mut SplitMix64::for_number(seed, number), number % 2 == 1)).collect()
}

fn random_game(random: &mut SplitMix64, is_chess960: bool) -> ScoredGame {
    let start = if is_chess960 { Position::chess960_start(random.below(960) as u16) } else { None };
    let mut game = Game::new(start.unwrap_or_default());
    let mut plies = Vec::new();
    let mut score = 0_i32;
    for _ in 0..random.below(250) {
        let moves = game.position().legal_moves();
        if game.outcome().is_some() {
            break;
        }
        let mv = moves[random.below(moves.len() as u64) as usize];
        score = match random.below(50) {
            0 => random.below(65_535) as i32 - 32_767,
            _ => (score + random.below(81) as i32 - 40).clamp(-32_767, 32_767),
        };
        plies.push(Ply { mv, score: GameScore(score as i16) });
        game.play(mv).expect("a legal move");
    }
    let result = FinalResult::ALL[random.below(3) as usize];
    let ending = GameEnding::ALL[random.below(8) as usize];
    ScoredGame { start: *game.start(), plies, result, ending }
}
