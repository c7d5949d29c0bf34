//! `eval`: what the evaluation thinks of a position, and why.

use ferz_board::Position;
use ferz_eval::Network;

use crate::commands::position::draw_network;

/// The evaluation and what it is made of. With a net the classical evaluation is for comparison only.
pub(super) fn evaluation_table(position: &Position, network: Option<&Network>) -> String {
    let classical = ferz_eval::explain(position).to_string();
    match network {
        Some(network) => format!("{classical}\n\n{}", draw_network(position, network)),
        None => classical,
    }
}
