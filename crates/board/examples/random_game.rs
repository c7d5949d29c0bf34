//! Plays random moves until the rules end the game, and says why it ended.
//!
//! `cargo run --example random_game -- 2026`

use ferz_board::{CastlingMode, Game};

fn main() {
    let mut state: u64 = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut game = Game::default();
    let outcome = loop {
        if let Some(outcome) = game.outcome() {
            break outcome;
        }
        let moves = game.position().legal_moves();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mv = moves[(state >> 33) as usize % moves.len()];
        game.play(mv).expect("a listed move is legal");
    };
    let played: Vec<String> = game.moves().map(|mv| mv.uci(CastlingMode::Standard).to_string()).collect();
    println!("{}\n\n{}", played.join(" "), game.position().board());
    println!("{outcome} after {} plies: {}", game.ply(), game.position());
}
