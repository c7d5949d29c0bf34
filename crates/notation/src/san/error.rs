//! Why a text is not a move of the position.

use std::error::Error;
use std::fmt;

use ferz_board::{CastlingMode, IllegalReason, Move};

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
    /// No such piece can move there, even if checks are ignored.
    NoSuchMove {
        /// The text.
        token: String,
        /// The reason, if it is clear which piece was meant.
        reason: Option<IllegalReason>,
    },
    /// The move would leave the king in check.
    KingInCheck {
        /// The text.
        token: String,
        /// The reason, if only one piece could be meant.
        reason: Option<IllegalReason>,
    },
    /// Castling to that side is not possible now: no right, something in between, or an attacked square.
    CannotCastle {
        /// The text.
        token: String,
        /// The reason.
        reason: Option<IllegalReason>,
    },
    /// A pawn reaches the last rank, and the text names no promotion piece.
    MissingPromotion {
        /// The text.
        token: String,
    },
    /// Several pieces can move there.
    Ambiguous {
        /// The text.
        token: String,
        /// All legal moves that fit: at most eight.
        candidates: Vec<Move>,
    },
    /// A move, but not in export format.
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
    /// A null move where a move is needed.
    NullMove {
        /// The text.
        token: String,
    },
}

impl SanError {
    /// A short name for scripts, e.g. `no-such-move`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            SanError::Syntax { .. } => "syntax",
            SanError::NoSuchMove { .. } => "no-such-move",
            SanError::KingInCheck { .. } => "king-in-check",
            SanError::CannotCastle { .. } => "cannot-castle",
            SanError::MissingPromotion { .. } => "missing-promotion",
            SanError::Ambiguous { .. } => "ambiguous",
            SanError::NotExport { .. } => "not-export",
            SanError::NullInCheck { .. } => "null-in-check",
            SanError::NullMove { .. } => "null-move",
        }
    }

    /// The text that is not a move, shortened if it is very long.
    #[must_use]
    pub fn token(&self) -> &str {
        match self {
            SanError::Syntax { token }
            | SanError::NoSuchMove { token, .. }
            | SanError::KingInCheck { token, .. }
            | SanError::CannotCastle { token, .. }
            | SanError::MissingPromotion { token }
            | SanError::Ambiguous { token, .. }
            | SanError::NotExport { token, .. }
            | SanError::NullInCheck { token }
            | SanError::NullMove { token } => token,
        }
    }

    /// The rule of the game that forbids the move, if it is clear which piece was meant.
    #[must_use]
    pub const fn reason(&self) -> Option<IllegalReason> {
        match self {
            SanError::NoSuchMove { reason, .. }
            | SanError::KingInCheck { reason, .. }
            | SanError::CannotCastle { reason, .. } => *reason,
            SanError::MissingPromotion { .. } => Some(IllegalReason::PromotionMissing),
            _ => None,
        }
    }
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = self.token().escape_debug();
        match self {
            SanError::NoSuchMove { reason: Some(reason), .. }
            | SanError::KingInCheck { reason: Some(reason), .. }
            | SanError::CannotCastle { reason: Some(reason), .. } => {
                write!(f, "'{token}' is not legal: {reason}")
            }
            SanError::Syntax { .. } => write!(f, "'{token}' is not a move"),
            SanError::NoSuchMove { .. } => write!(f, "'{token}': no such piece can move there"),
            SanError::KingInCheck { .. } => write!(f, "'{token}' leaves the king in check"),
            SanError::CannotCastle { .. } => write!(f, "'{token}': illegal castling"),
            SanError::MissingPromotion { .. } => write!(f, "'{token}' needs a promotion piece"),
            SanError::Ambiguous { candidates, .. } => {
                write!(f, "'{token}' is ambiguous:")?;
                for (i, mv) in candidates.iter().enumerate() {
                    write!(f, "{} {}", if i == 0 { "" } else { " or" }, mv.uci(CastlingMode::Chess960))?;
                }
                Ok(())
            }
            SanError::NotExport { expected, .. } => {
                write!(f, "'{token}' is not standard SAN; expected {expected}")
            }
            SanError::NullInCheck { .. } => write!(f, "'{token}': null move in check"),
            SanError::NullMove { .. } => write!(f, "'{token}' is a null move"),
        }
    }
}

impl Error for SanError {}

/// A text as errors quote it: long ones are cut.
pub(crate) fn quoted(text: &str) -> String {
    const MOST_CHARS: usize = 32;
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
