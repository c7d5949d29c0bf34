//! Why a text is not a move of the position.

use std::error::Error;
use std::fmt;

use ferz_board::{CastlingMode, Move};

use super::San;

/// A text that is not a move of the position, and why.
///
/// Each kind of error quotes the text, shortened where it is very long.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SanError {
    /// It is not a move in any notation.
    Syntax {
        /// The text.
        token: String,
    },
    /// No piece of that kind can go there, whoever's king is attacked.
    NoSuchMove {
        /// The text.
        token: String,
    },
    /// A piece of that kind can go there, but its king would be attacked then.
    KingInCheck {
        /// The text.
        token: String,
    },
    /// Castling to that side is not possible now: no right, something in between, or an attacked square.
    CannotCastle {
        /// The text.
        token: String,
    },
    /// A pawn reaches the last rank, and it is not said what it becomes.
    MissingPromotion {
        /// The text.
        token: String,
    },
    /// Several pieces can go there.
    Ambiguous {
        /// The text.
        token: String,
        /// All legal moves that could be meant: at most eight.
        candidates: Vec<Move>,
    },
    /// A move, but not written as the export format wants it.
    NotExport {
        /// The text.
        token: String,
        /// How the move is written.
        expected: San,
    },
    /// A null move in check.
    NullInCheck {
        /// The text.
        token: String,
    },
}

impl SanError {
    /// The text that is not a move, shortened if it is very long.
    pub fn token(&self) -> &str {
        match self {
            SanError::Syntax { token }
            | SanError::NoSuchMove { token }
            | SanError::KingInCheck { token }
            | SanError::CannotCastle { token }
            | SanError::MissingPromotion { token }
            | SanError::Ambiguous { token, .. }
            | SanError::NotExport { token, .. }
            | SanError::NullInCheck { token } => token,
        }
    }
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = self.token().escape_debug();
        match self {
            SanError::Syntax { .. } => write!(f, "'{token}' is not a move"),
            SanError::NoSuchMove { .. } => write!(f, "'{token}': no piece of that kind can go there"),
            SanError::KingInCheck { .. } => write!(f, "'{token}' leaves the king in check"),
            SanError::CannotCastle { .. } => write!(f, "'{token}': castling is not possible"),
            SanError::MissingPromotion { .. } => write!(f, "'{token}' does not say what the pawn becomes"),
            SanError::Ambiguous { candidates, .. } => {
                write!(f, "'{token}' is ambiguous:")?;
                for (i, mv) in candidates.iter().enumerate() {
                    write!(f, "{} {}", if i == 0 { "" } else { " or" }, mv.uci(CastlingMode::Chess960))?;
                }
                Ok(())
            }
            SanError::NotExport { expected, .. } => {
                write!(f, "'{token}' is not the standard way to write {expected}")
            }
            SanError::NullInCheck { .. } => write!(f, "'{token}': no null move in check"),
        }
    }
}

impl Error for SanError {}

/// A text as errors quote it: nobody wants to read, or keep, a megabyte.
pub(crate) fn quoted(text: &str) -> String {
    const MOST_CHARS: usize = 32;
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
