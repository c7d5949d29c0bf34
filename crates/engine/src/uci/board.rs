//! The board of a session: setting it up, showing it, turning it round.

use std::fmt;

use ferz_board::{FenError, Game, Position, Repair, UciError};

use ferz_eval::Network;

use super::command::{PositionCommand, Quoted};
use crate::commands::position::{draw_board, draw_network};

/// Why a position was refused.
#[derive(Debug)]
pub(super) enum Refusal<'a> {
    Fen(FenError),
    Move {
        /// From 1.
        number: usize,
        text: &'a str,
        error: UciError,
    },
}

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Fen(error) => write!(f, "position: bad FEN: {error}"),
            Refusal::Move { number, text, error } => {
                write!(f, "position: move {number}, {}: {error}", Quoted(text))
            }
        }
    }
}

/// Sets up a game as it is described, and says what had to be repaired. A single wrong move spoils it all.
pub(super) fn set_up<'a>(command: &PositionCommand<'a>) -> Result<(Game, Vec<Repair>), Refusal<'a>> {
    let (start, repairs) = match command.fen {
        Some(fen) => Position::from_fen_lenient(fen).map_err(Refusal::Fen)?,
        None => (Position::start(), Vec::new()),
    };
    let mut game = Game::new(start);
    for (index, text) in command.moves.iter().enumerate() {
        let refused = |error| Refusal::Move { number: index + 1, text, error };
        let mv = find_move(game.position(), text).map_err(refused)?;
        game.play(mv).map_err(|error| refused(error.into()))?;
    }
    Ok((game, repairs))
}

/// The move of this text. Capital letters are as good as small ones.
pub(super) fn find_move(position: &Position, text: &str) -> Result<ferz_board::Move, UciError> {
    position.parse_uci(&text.to_ascii_lowercase())
}

/// Whether a repair has made another position of what was written, not only filled in what everybody leaves out.
pub(super) fn is_change(repair: &Repair) -> bool {
    matches!(repair, Repair::CastlingDropped(_) | Repair::EnPassantDropped(_) | Repair::ImpossibleCheck(_))
}

/// The board, what the net thinks of the pieces, and what scripts look for at the end: FEN, key, checkers.
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
