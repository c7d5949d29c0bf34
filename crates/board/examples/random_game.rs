//! Plays random moves until the rules end the game, and prints the reason.
//!
//! `cargo run --example random_game -- 2026`

use ferz_board::{CastlingMode, Game};

fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut game = Game::default();
    let outcome = loop {
        if let Some(outcome) = game.outcome() {
            break outcome;
        }
        let mv = random.choice(game.position().legal_moves()).expect("a game that goes on has moves");
        game.play(mv).expect("a listed move is legal");
    };
    let played: Vec<String> = game.moves().map(|mv| mv.uci(CastlingMode::Standard).to_string()).collect();
    println!("{}\n\n{}", played.join(" "), game.position().board());
    println!("{outcome} after {} plies: {}", game.ply(), game.position());
}
