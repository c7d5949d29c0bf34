//! The museum of bugs: every exhibit is a bug, written down as a small function, and a position in which it is wrong.
//! The board must be right there, and shakmaty or a definition must agree. `docs/museum.md` explains the exhibits.

mod keys;
mod move_generators;
mod texts;

use ferz_board::{CastlingMode, Position};
use shakmaty::{Chess, Position as _};

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The same position on shakmaty's board.
fn oracle(fen: &str) -> Chess {
    let fen: shakmaty::fen::Fen = fen.parse().expect("a FEN");
    fen.into_position(shakmaty::CastlingMode::Standard).expect("a legal position")
}

/// The legal moves in UCI notation, sorted. Both boards must agree about them.
fn legal_moves(fen: &str) -> Vec<String> {
    let uci = |mv: ferz_board::Move| mv.uci(CastlingMode::Standard).to_string();
    let mut ours: Vec<String> = position(fen).legal_moves().into_iter().map(uci).collect();
    let uci = |mv: shakmaty::Move| mv.to_uci(shakmaty::CastlingMode::Standard).to_string();
    let mut theirs: Vec<String> = oracle(fen).legal_moves().into_iter().map(uci).collect();
    ours.sort();
    theirs.sort();
    assert_eq!(ours, theirs, "{fen}");
    ours
}

fn is_legal(fen: &str, uci: &str) -> bool {
    legal_moves(fen).iter().any(|mv| mv == uci)
}
