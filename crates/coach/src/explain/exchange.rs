//! Static exchange evaluation by legal moves: what captures on a square come to.

use ferz_board::{Move, PieceType, Position, Square};

/// What a piece is worth in pawns, as everybody learns it.
pub(super) fn worth(piece: PieceType) -> i32 {
    match piece {
        PieceType::Pawn => 1,
        PieceType::Knight | PieceType::Bishop => 3,
        PieceType::Rook => 5,
        PieceType::Queen => 9,
        PieceType::King => 100,
    }
}

/// What a move captures, and where.
pub(super) fn captured(position: &Position, mv: Move) -> Option<(PieceType, Square)> {
    let square =
        if mv.is_en_passant() { Square::from_coords(mv.to().file(), mv.from().rank()) } else { mv.to() };
    position.captured(mv).map(|piece| (piece.piece_type(), square))
}

/// What a move adds to the material of its side at once.
pub(super) fn gain(position: &Position, mv: Move) -> i32 {
    let promotion = mv.promotion().map_or(0, |piece| worth(piece) - worth(PieceType::Pawn));
    captured(position, mv).map_or(0, |(piece, _)| worth(piece)) + promotion
}

/// What the side to move wins by captures of the piece on a square, each with the least valuable piece that can, if both
/// sides stop where going on would cost them. Only legal moves count. Zero if there is nothing to win.
pub(super) fn capture_gain(position: &Position, square: Square) -> i32 {
    let moves = position.legal_moves();
    let captures = moves.into_iter().filter(|&mv| {
        captured(position, mv).is_some_and(|(_, victim)| victim == square)
            && mv.promotion().is_none_or(|piece| piece == PieceType::Queen)
    });
    // Of equal pieces the one on the lower square: the result may depend on it, and must be the same every time.
    let cost = |mv: &Move| position.piece_at(mv.from()).map(|piece| worth(piece.piece_type()));
    let least = captures.min_by_key(|mv| (cost(mv), mv.from()));
    let Some(mv) = least else { return 0 };
    let mut after = *position;
    after.play_unchecked(mv);
    (gain(position, mv) - capture_gain(&after, mv.to())).max(0)
}

/// What a move wins with all captures that follow on its square; negative if it loses something there.
pub(super) fn exchange(position: &Position, mv: Move) -> i32 {
    let mut after = *position;
    after.play_unchecked(mv);
    gain(position, mv) - capture_gain(&after, mv.destination())
}

/// Whether the side to move can win something at once: then counting the pieces means little.
pub(super) fn is_unsettled(position: &Position) -> bool {
    position.is_check()
        || position.legal_moves().into_iter().any(|mv| gain(position, mv) > 0 && exchange(position, mv) > 0)
}
