//! Measures the time of a classical evaluation on the positions of random games, with a warm pawn hash table.

use std::hint::black_box;
use std::time::Instant;

use ferz_board::{Move, Position};
use ferz_eval::Evaluator;

fn main() {
    let lines = games();
    let mut evaluator = Evaluator::new(&Position::start());
    let (mut best, mut count) = (f64::MAX, 0u32);
    for _ in 0..20 {
        let (mut nanoseconds, mut sum) = (0.0, 0i64);
        count = 0;
        for (start, moves) in &lines {
            let mut position = *start;
            evaluator.reset(&position);
            for mv in moves {
                let before = position;
                before.play_into(*mv, &mut position, evaluator.push());
                // Eight at a time, so that reading the clock hardly counts.
                let began = Instant::now();
                for _ in 0..8 {
                    sum += i64::from(evaluator.evaluate(black_box(&position)));
                }
                nanoseconds += began.elapsed().as_nanos() as f64 / 8.0;
                count += 1;
            }
        }
        black_box(sum);
        best = best.min(nanoseconds / f64::from(count));
    }
    println!("{best:.1} ns per evaluation, {count} positions");
}

/// Moves of random games.
fn games() -> Vec<(Position, Vec<Move>)> {
    let mut rng = fastrand::Rng::with_seed(7);
    (0..200)
        .map(|_| {
            let start = Position::start();
            let (mut position, mut line) = (start, Vec::new());
            while line.len() < 90 && !position.legal_moves().is_empty() {
                let moves = position.legal_moves();
                let mv = moves.as_slice()[rng.usize(..moves.len())];
                position.play_unchecked(mv);
                line.push(mv);
            }
            (start, line)
        })
        .collect()
}
