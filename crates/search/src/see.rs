//! Static exchange evaluation (SEE): the material balance of a series of captures on one square.

use ferz_board::{Bitboard, Move, MoveKind, PieceType, Position, Square, attacks};

use crate::value::Value;

/// Piece values for move ordering and SEE; the evaluation has better ones, but is slower.
pub(crate) const fn piece_value(piece_type: PieceType) -> Value {
    match piece_type {
        PieceType::Pawn => 100,
        PieceType::Knight => 310,
        PieceType::Bishop => 330,
        PieceType::Rook => 510,
        PieceType::Queen => 980,
        PieceType::King => 0,
    }
}

/// Whether the static exchange evaluation of a move is at least `threshold`.
///
/// Both sides capture on the target square with their least valuable attacker and stop where going on would cost
/// them material. Pins are ignored.
pub(crate) fn see_ge(position: &Position, mv: Move, threshold: Value) -> bool {
    // Castling and promotions are rare enough to count as an even trade.
    if mv.kind() == MoveKind::Castling {
        return threshold <= 0;
    }
    let (from, to) = (mv.from(), mv.to());
    let Some(mover) = position.piece_at(from) else { return false };
    // The balance beyond the threshold if nothing recaptures; then, if the moved piece is lost.
    let mut balance = captured_value(position, mv) - threshold;
    if let Some(piece_type) = mv.promotion() {
        balance += piece_value(piece_type) - piece_value(PieceType::Pawn);
    }
    if balance < 0 {
        return false;
    }
    balance -= piece_value(mv.promotion().unwrap_or(mover.piece_type()));
    if balance >= 0 {
        return true;
    }

    let mut occupied = position.occupied() ^ from.bitboard();
    if mv.is_en_passant() {
        occupied.remove(Square::from_coords(to.file(), from.rank()));
    }
    let diagonal = position.by_type(PieceType::Bishop) | position.by_type(PieceType::Queen);
    let straight = position.by_type(PieceType::Rook) | position.by_type(PieceType::Queen);
    let mut attackers = position.board().attackers_to(to, occupied);
    let mut side = !position.side_to_move();

    // `balance` is that of the side which captured last, its capturer counted as lost: negative here. The side to
    // capture now has the opposite, less the piece it captures with. If that is still not negative, this side wins the
    // exchange whatever follows.
    loop {
        attackers &= occupied;
        let Some((piece_type, square)) = least_valuable(position, attackers & position.by_color(side)) else {
            break;
        };
        occupied ^= square.bitboard();
        if matches!(piece_type, PieceType::Pawn | PieceType::Bishop | PieceType::Queen) {
            attackers |= attacks::bishop(to, occupied) & diagonal;
        }
        if matches!(piece_type, PieceType::Rook | PieceType::Queen) {
            attackers |= attacks::rook(to, occupied) & straight;
        }
        side = !side;
        balance = -balance - 1 - piece_value(piece_type);
        if balance >= 0 {
            // A king cannot capture what is defended.
            if piece_type == PieceType::King && (attackers & occupied & position.by_color(side)).any() {
                side = !side;
            }
            break;
        }
    }
    // The side to capture has no attacker left, or none that helps.
    side != position.side_to_move()
}

/// The value of the piece that a move captures; 0 if it captures none.
#[inline]
fn captured_value(position: &Position, mv: Move) -> Value {
    position.captured(mv).map_or(0, |piece| piece_value(piece.piece_type()))
}

/// The least valuable of these pieces (least valuable attacker, LVA).
#[inline]
fn least_valuable(position: &Position, pieces: Bitboard) -> Option<(PieceType, Square)> {
    if pieces.is_empty() {
        return None;
    }
    PieceType::ALL.into_iter().find_map(|it| Some((it, (pieces & position.by_type(it)).first()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferz_board::Color;

    /// The exchange played out on the board, with the least valuable attacker first.
    fn by_search(position: &Position, mv: Move) -> Value {
        fn best(position: &Position, to: Square) -> Value {
            let mut list = ferz_board::MoveList::new();
            position.generate_to(to.bitboard(), &mut list);
            let captures = list.into_iter().filter(|&mv| position.captured(mv).is_some() && mv.to() == to);
            let least = captures.min_by_key(|mv| {
                position.piece_at(mv.from()).map_or(0, |piece| match piece.piece_type() {
                    PieceType::King => 10_000,
                    piece_type => piece_value(piece_type),
                })
            });
            let Some(mv) = least else { return 0 };
            let mut child = *position;
            child.play_unchecked(mv);
            (captured_value(position, mv) - best(&child, to)).max(0)
        }
        let mut child = *position;
        child.play_unchecked(mv);
        captured_value(position, mv) - best(&child, mv.to())
    }

    #[test]
    fn known_exchanges() {
        for (fen, mv, gain) in [
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -210),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
            ("4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
            ("4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1", "d5c6", 100),
            ("4k3/4r3/8/4p3/8/8/4R3/4RK2 w - - 0 1", "e2e5", 100),
            ("4k3/4r3/4r3/4p3/8/8/4R3/4RK2 w - - 0 1", "e2e5", -410),
            ("3rk3/8/8/3p4/8/8/8/3QK3 w - - 0 1", "d1d5", -880),
            ("8/8/8/3pk3/8/8/8/3QK3 w - - 0 1", "d1d5", -880),
            ("8/8/8/3pk3/8/8/3R4/3QK3 w - - 0 1", "d2d5", 100),
            ("4k3/8/8/8/8/3n4/8/3K1Q2 w - - 0 1", "f1f2", -980),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let mv = position.parse_uci(mv).unwrap();
            assert!(see_ge(&position, mv, gain), "{fen}: at least {gain}");
            assert!(!see_ge(&position, mv, gain + 1), "{fen}: at most {gain}");
        }
    }

    #[test]
    fn agrees_with_a_search_where_nothing_is_pinned() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut compared = 0;
        for _ in 0..300 {
            let mut position = Position::start();
            for _ in 0..80 {
                let moves = position.legal_moves();
                let pinned = Color::ALL.into_iter().any(|color| position.blockers(color).any());
                for &mv in &moves {
                    if pinned || position.is_check() || !matches!(mv.kind(), MoveKind::Normal) {
                        continue;
                    }
                    // Captures may open lines that pin or give check. The kings must stand away from the fight,
                    // which excludes these cases.
                    let far = Color::ALL.into_iter().all(|color| {
                        let king = position.king(color);
                        king.file() != mv.to().file()
                            && !attacks::king(king).contains(mv.to())
                            && (attacks::queen(king, Bitboard::EMPTY)
                                & (position.by_type(PieceType::Bishop)
                                    | position.by_type(PieceType::Rook)
                                    | position.by_type(PieceType::Queen))
                                & position.by_color(!color))
                            .is_empty()
                            && (attacks::knight(king) & position.by_type(PieceType::Knight)).is_empty()
                            && !attacks::queen(king, Bitboard::EMPTY).contains(mv.to())
                            && !attacks::knight(king).contains(mv.to())
                    });
                    if !far
                        || mv.to().rank() == ferz_board::Rank::First
                        || mv.to().rank() == ferz_board::Rank::Eighth
                    {
                        continue;
                    }
                    let gain = by_search(&position, mv);
                    compared += 1;
                    let text = mv.uci(ferz_board::CastlingMode::Standard);
                    assert!(see_ge(&position, mv, gain), "{position} {text} {gain}");
                    assert!(!see_ge(&position, mv, gain + 1), "{position} {text} {gain}");
                }
                if moves.is_empty() {
                    break;
                }
                position.play_unchecked(moves[random.usize(..moves.len())]);
            }
        }
        assert!(compared > 5_000, "{compared}");
    }
}
