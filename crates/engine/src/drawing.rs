//! Boards as text, for `ferz position` and the UCI commands `d` and `eval`.

use ferz_board::{Color, File, Piece, Position, Rank, Square};
use ferz_eval::Network;

/// The board, without a line feed at its end.
pub(crate) fn draw_board(position: &Position) -> String {
    let mut lines = vec!["    ┌─────────────────┐".to_owned()];
    for rank in Rank::ALL.into_iter().rev() {
        let row = File::ALL.map(|file| {
            let piece = position.piece_at(Square::from_coords(file, rank));
            piece.map_or('·', Piece::to_char).to_string()
        });
        lines.push(format!("  {rank} │ {} │", row.join(" ")));
    }
    lines.extend(["    └─────────────────┘", "      a b c d e f g h"].map(str::to_owned));
    lines.join("\n")
}

/// The terms of the classical evaluation, and the values of the network if there is one.
pub(crate) fn draw_evaluation(position: &Position, network: Option<&Network>) -> String {
    let classical = ferz_eval::explain(position).to_string();
    match network {
        Some(network) => format!("{classical}\n\n{}", draw_network(position, network)),
        None => classical,
    }
}

/// The value of a network, and a board with the value of each piece: how much White loses, in pawns, without it.
pub(crate) fn draw_network(position: &Position, network: &Network) -> String {
    let value = network.evaluate(position);
    let for_white = if position.side_to_move() == Color::White { value } else { -value };
    let mut lines = vec![
        format!("{:<13} {network}", "net"),
        format!(
            "{:<13} {value} for {} to move, {} pawns for White",
            "net's value",
            position.side_to_move(),
            { pawns(network, for_white) }
        ),
    ];
    let values = network.piece_values(position);
    let rule = |left, between, right| format!("    {left}{}{right}", ["───────"; 8].join(between));
    lines.push(rule("┌", "┬", "┐"));
    for rank in Rank::ALL.into_iter().rev() {
        let squares = File::ALL.map(|file| Square::from_coords(file, rank));
        let letters = squares.map(|square| {
            let letter = position.piece_at(square).map_or(' ', Piece::to_char);
            format!("   {letter}   ")
        });
        let worths = squares.map(|square| {
            let worth = values[square.index()].map(|value| pawns(network, value)).unwrap_or_default();
            format!("{worth:^7}")
        });
        lines.push(format!("  {rank} │{}│", letters.join("│")));
        lines.push(format!("    │{}│", worths.join("│")));
        if rank != Rank::First {
            lines.push(rule("├", "┼", "┤"));
        }
    }
    lines.push(rule("└", "┴", "┘"));
    let files = File::ALL.map(|file| format!("{:^7}", file.to_char()));
    lines.push(format!("     {}", files.join(" ").trim_end()));
    lines.join("\n")
}

/// Pawns with a sign, in at most seven characters.
fn pawns(network: &Network, value: i32) -> String {
    let pawns = f64::from(network.centipawns(value)) / 100.0;
    if pawns.abs() < 999.0 { format!("{pawns:+.2}") } else { format!("{pawns:+.0e}") }
}

#[cfg(test)]
mod tests {
    use ferz_eval::NetworkParameters;

    use super::*;

    #[test]
    fn all_rows_of_the_board_have_the_same_width() {
        let mut net = NetworkParameters::noise(32, 1, 1);
        for bias in [0, i32::MAX, i32::MIN] {
            net.output_biases = vec![bias];
            let network = Network::from_bytes(&net.to_bytes()).expect("a valid network");
            let text = draw_network(&Position::start(), &network);
            let rows: Vec<_> = text.lines().skip(2).collect();
            assert_eq!(rows.len(), 1 + 8 * 3 + 1);
            assert!(rows[..25].iter().all(|row| row.chars().count() == 69), "{text}");
        }
    }
}
