//! The position of a session: setting it up and showing it.

use std::fmt;

use ferz_board::{FenError, Game, Position, Repair, UciError};
use ferz_eval::Network;

use super::command::{PositionCommand, Quoted};
use crate::drawing::{draw_board, draw_network};

/// Why a `position` command was rejected.
#[derive(Debug)]
pub(super) enum PositionError<'a> {
    Fen(FenError),
    Move {
        /// From 1.
        number: usize,
        text: &'a str,
        error: UciError,
    },
}

impl fmt::Display for PositionError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PositionError::Fen(error) => write!(f, "position: bad FEN: {error}"),
            PositionError::Move { number, text, error } => {
                write!(f, "position: move {number}, {}: {error}", Quoted(text))
            }
        }
    }
}

/// Sets up the game of a `position` command and lists the repairs of its FEN. One illegal move rejects the command.
pub(super) fn set_up<'a>(command: &PositionCommand<'a>) -> Result<(Game, Vec<Repair>), PositionError<'a>> {
    let (start, repairs) = match command.fen {
        Some(fen) => Position::from_fen_lenient(fen).map_err(PositionError::Fen)?,
        None => (Position::start(), Vec::new()),
    };
    let mut game = Game::new(start);
    for (index, text) in command.moves.iter().enumerate() {
        let rejected = |error| PositionError::Move { number: index + 1, text, error };
        game.play_uci(&text.to_ascii_lowercase()).map_err(rejected)?;
    }
    Ok((game, repairs))
}

/// Parses a move in UCI notation, in lower or upper case.
pub(super) fn find_move(position: &Position, text: &str) -> Result<ferz_board::Move, UciError> {
    position.parse_uci(&text.to_ascii_lowercase())
}

/// Whether a repair changed the position. Filling in a missing field does not.
pub(super) fn changes_position(repair: &Repair) -> bool {
    matches!(repair, Repair::CastlingDropped(_) | Repair::EnPassantDropped(_) | Repair::ImpossibleCheck(_))
}

/// The answer to `d`: the board, the values of the network, and the lines that scripts look for (FEN, key, checkers).
pub(super) fn drawing(position: &Position, network: Option<&Network>) -> String {
    let mut text = draw_board(position);
    if let Some(network) = network {
        text += &format!("\n{}\n", draw_network(position, network));
    }
    text += &format!("\nFen: {position}\nKey: {:016X}\nCheckers:", position.key());
    for square in position.checkers() {
        text += &format!(" {square}");
    }
    text
}
