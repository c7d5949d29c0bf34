//! `eval`: what the evaluation thinks of a position, and why.

use ferz_board::Position;

/// The evaluation and what it is made of.
pub(super) fn evaluation_table(position: &Position) -> String {
    ferz_eval::explain(position).to_string()
}
