//! Moves and scores as the page reads them.

use ferz_board::{CastlingMode, Color, Game, Move, Position};
use ferz_notation::pgn::{GameTree, NodeId};
use ferz_notation::san::San;
use ferz_search::Score;

use crate::protocol::{MovesEntry, ScoreEntry};

/// A null move in UCI notation.
pub(crate) const NULL_MOVE: &str = "0000";

/// How castling is written in a game: Chess960 games name the rook's square.
pub(crate) fn castling_mode(tree: &GameTree) -> CastlingMode {
    let is_fischer = |variant: &str| ["960", "fischer"].iter().any(|word| variant.contains(word));
    let tag = tree.tag("Variant").is_some_and(|variant| is_fischer(&variant.to_ascii_lowercase()));
    if tag { CastlingMode::Chess960 } else { tree.start().castling_mode() }
}

/// A move, perhaps a null move, as UCI.
pub(crate) fn uci(mv: Option<Move>, mode: CastlingMode) -> String {
    mv.map_or_else(|| NULL_MOVE.to_owned(), |mv| mv.uci(mode).to_string())
}

/// A move, perhaps a null move, as SAN.
pub(crate) fn san(position: &Position, mv: Option<Move>) -> String {
    mv.map_or_else(|| "--".to_owned(), |mv| San::new(position, mv).to_string())
}

/// A line in both notations.
pub(crate) fn line(position: &Position, moves: &[Move], mode: CastlingMode) -> MovesEntry {
    let mut position = *position;
    let mut entry = MovesEntry::default();
    for &mv in moves {
        let san = San::new(&position, mv).to_string();
        if position.play(mv).is_err() {
            break;
        }
        entry.uci.push(uci(Some(mv), mode));
        entry.san.push(san);
    }
    entry
}

/// The score from White's point of view.
pub(crate) fn score(score: Score, side_to_move: Color) -> ScoreEntry {
    match score.for_white(side_to_move) {
        Score::Centipawns(value) => ScoreEntry::Cp(value),
        Score::Mate(moves) => ScoreEntry::Mate(moves),
    }
}

/// The position after a move, perhaps a null move; `None` if it is not legal.
pub(crate) fn position_after(position: &Position, mv: Option<Move>) -> Option<Position> {
    let Some(mv) = mv else { return position.null_move() };
    let mut after = *position;
    after.play(mv).ok().map(|()| after)
}

/// The moves that lead to a node, as UCI, separated by spaces.
pub(crate) fn path(tree: &GameTree, node: NodeId, mode: CastlingMode) -> String {
    let moves: Vec<_> = tree.path(node).into_iter().map(|node| uci(tree.mv(node), mode)).collect();
    moves.join(" ")
}

/// The game up to a node. A [`Game`] cannot contain null moves, so it starts after the last one.
pub(crate) fn game_at(tree: &GameTree, node: NodeId) -> Option<Game> {
    if !tree.contains(node) {
        return None;
    }
    let mut game = Game::new(*tree.start());
    for node in tree.path(node) {
        match tree.mv(node) {
            Some(mv) => game.play(mv).ok()?,
            None => game = Game::new(game.position().null_move()?),
        }
    }
    Some(game)
}
