//! What a net thinks of a position, for human eyes.

use ferz_board::{Color, File, Piece, Position, Rank, Square};
use ferz_eval::Network;

/// The value and a board of what each piece is worth: how much White loses, in pawns, if it vanishes.
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

/// With a sign; at most seven characters.
fn pawns(network: &Network, value: i32) -> String {
    let pawns = f64::from(network.centipawns(value)) / 100.0;
    if pawns.abs() < 999.0 { format!("{pawns:+.2}") } else { format!("{pawns:+.0e}") }
}

#[cfg(test)]
mod tests {
    use ferz_eval::NetworkParameters;

    use super::*;

    #[test]
    fn the_picture_is_as_wide_in_every_row() {
        let mut net = NetworkParameters::noise(32, 1, 1);
        for bias in [0, i32::MAX, i32::MIN] {
            net.output_biases = vec![bias];
            let network = Network::from_bytes(&net.to_bytes()).expect("a whole net");
            let text = draw_network(&Position::start(), &network);
            let rows: Vec<_> = text.lines().skip(2).collect();
            assert_eq!(rows.len(), 1 + 8 * 3 + 1);
            assert!(rows[..25].iter().all(|row| row.chars().count() == 69), "{text}");
        }
    }
}
