//! Static exchange evaluation (SEE) with legal moves: the result of captures on a square.

use ferz_board::{Move, PieceType, Position, Square};

/// The usual value of a piece in pawns.
pub(super) fn worth(piece: PieceType) -> i32 {
    match piece {
        PieceType::Pawn => 1,
        PieceType::Knight | PieceType::Bishop => 3,
        PieceType::Rook => 5,
        PieceType::Queen => 9,
        PieceType::King => 100,
    }
}

/// The captured piece and its square.
pub(super) fn captured(position: &Position, mv: Move) -> Option<(PieceType, Square)> {
    let square =
        if mv.is_en_passant() { Square::from_coords(mv.to().file(), mv.from().rank()) } else { mv.to() };
    position.captured(mv).map(|piece| (piece.piece_type(), square))
}

/// The material that a move wins at once.
pub(super) fn gain(position: &Position, mv: Move) -> i32 {
    let promotion = mv.promotion().map_or(0, |piece| worth(piece) - worth(PieceType::Pawn));
    captured(position, mv).map_or(0, |(piece, _)| worth(piece)) + promotion
}

/// The material that the side to move wins by captures on a square. Each side captures with its least valuable piece and
/// stops when a further capture would lose material. Only legal moves count. Zero if nothing can be won.
pub(super) fn capture_gain(position: &Position, square: Square) -> i32 {
    let moves = position.legal_moves();
    let captures = moves.into_iter().filter(|&mv| {
        captured(position, mv).is_some_and(|(_, victim)| victim == square)
            && mv.promotion().is_none_or(|piece| piece == PieceType::Queen)
    });
    // Of equal pieces, take the one on the lower square, so that the result is deterministic.
    let cost = |mv: &Move| position.piece_at(mv.from()).map(|piece| worth(piece.piece_type()));
    let least = captures.min_by_key(|mv| (cost(mv), mv.from()));
    let Some(mv) = least else { return 0 };
    let mut after = *position;
    after.play_unchecked(mv);
    (gain(position, mv) - capture_gain(&after, mv.to())).max(0)
}

/// The material that a move wins, including all later captures on its square; negative if it loses.
pub(super) fn exchange(position: &Position, mv: Move) -> i32 {
    let mut after = *position;
    after.play_unchecked(mv);
    gain(position, mv) - capture_gain(&after, mv.destination())
}

/// Whether the side to move is in check or can win material at once, so that a material count means little.
pub(super) fn is_unsettled(position: &Position) -> bool {
    position.is_check()
        || position.legal_moves().into_iter().any(|mv| gain(position, mv) > 0 && exchange(position, mv) > 0)
}
