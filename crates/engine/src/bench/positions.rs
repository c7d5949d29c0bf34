//! The positions of the bench.

/// Strict FEN, castling rights as in Chess960.
pub(super) static POSITIONS: [&str; 1] = ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"];
