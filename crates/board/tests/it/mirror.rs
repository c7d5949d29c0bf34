//! The same position with the colours exchanged.

use ferz_board::{CastlingMode, Piece, Position, Setup, Square};

/// White's pieces for Black's and the board turned upside down: chess is the same game for both sides.
pub fn mirrored(position: &Position) -> Position {
    let setup = Setup::from(position);
    let recolored = |piece: Piece| piece.piece_type().of(!piece.color());
    let mirrored = Setup {
        board: setup.board.iter().map(|(square, piece)| (square.flip_rank(), recolored(piece))).collect(),
        side_to_move: !setup.side_to_move,
        castling_rooks: setup.castling_rooks.flip_ranks(),
        en_passant: setup.en_passant.map(Square::flip_rank),
        ..setup
    };
    Position::from_setup(&mirrored, CastlingMode::Chess960).expect("legal for one side, legal for the other")
}
