//! Threats: the squares that the opponent attacks.

use ferz_board::{Bitboard, Color, Direction, PieceType, Position, attacks};

/// The squares that the opponent of the side to move attacks.
pub(crate) fn attacked_squares(position: &Position) -> Bitboard {
    let them = !position.side_to_move();
    let occupied = position.occupied();
    let pieces = |piece_type| position.by_type(piece_type) & position.by_color(them);
    let mut attacked = pawn_attacks(pieces(PieceType::Pawn), them) | attacks::king(position.king(them));
    for square in pieces(PieceType::Knight) {
        attacked |= attacks::knight(square);
    }
    for square in pieces(PieceType::Bishop) | pieces(PieceType::Queen) {
        attacked |= attacks::bishop(square, occupied);
    }
    for square in pieces(PieceType::Rook) | pieces(PieceType::Queen) {
        attacked |= attacks::rook(square, occupied);
    }
    attacked
}

/// The squares that pawns of a colour attack.
pub(crate) fn pawn_attacks(pawns: Bitboard, color: Color) -> Bitboard {
    let (west, east) = match color {
        Color::White => (Direction::NorthWest, Direction::NorthEast),
        Color::Black => (Direction::SouthWest, Direction::SouthEast),
    };
    pawns.shift(west) | pawns.shift(east)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferz_board::Square;

    /// The attacked squares are those with an attacker.
    #[test]
    fn attacked_squares_agree_with_attackers_of_each_square() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut position = Position::start();
        for _ in 0..200 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                position = Position::start();
                continue;
            }
            position.play_unchecked(moves[random.usize(..moves.len())]);
            let attacked = attacked_squares(&position);
            let them = position.by_color(!position.side_to_move());
            for square in Square::ALL {
                let attackers = position.attackers_to(square) & them;
                assert_eq!(attacked.contains(square), attackers.any(), "{position} {square}");
            }
        }
    }
}
