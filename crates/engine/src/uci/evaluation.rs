//! `eval`: what the evaluation thinks of a position, and why.

use ferz_board::{Color, Position};
use ferz_eval::Evaluator;

/// The evaluation and what it is made of.
pub(super) fn evaluation_table(position: &Position) -> String {
    let value = Evaluator::new(position).evaluate(position);
    let for_white = if position.side_to_move() == Color::White { value } else { -value };
    format!("evaluation {:+.2} (White's point of view)", f64::from(for_white) / 100.0)
}
