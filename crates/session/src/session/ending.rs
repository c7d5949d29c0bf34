//! How a game against the engine ends.

use ferz_board::{Color, DrawClaim, DrawReason, Outcome};
use ferz_notation::pgn::GameResult;

use super::refusal::Refusal;
use crate::protocol::{EndReason, OverEntry, ResultName, sentence};

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// By the rules alone: mate, stalemate and automatic draws.
    Rules(Outcome),
    /// The loser resigned.
    Resignation { winner: Color },
    /// Both sides agreed to a draw.
    Agreement,
    /// The side to move claimed a draw.
    Claim(DrawClaim),
    /// The loser ran out of time.
    Time { loser: Color },
    /// A side ran out of time, but the opponent cannot mate.
    TimeDraw { loser: Color },
}

impl Ending {
    /// The result for the tags of the game.
    pub(crate) fn result(self) -> GameResult {
        match self {
            Ending::Rules(outcome) => outcome.into(),
            Ending::Resignation { winner } => GameResult::Win(winner),
            Ending::Time { loser } => GameResult::Win(!loser),
            Ending::Agreement | Ending::Claim(_) | Ending::TimeDraw { .. } => GameResult::Draw,
        }
    }

    fn reason(self) -> EndReason {
        match self {
            Ending::Rules(Outcome::Checkmate { .. }) => EndReason::Checkmate,
            Ending::Rules(Outcome::Draw(DrawReason::Stalemate)) => EndReason::Stalemate,
            Ending::Rules(Outcome::Draw(DrawReason::InsufficientMaterial)) => EndReason::InsufficientMaterial,
            Ending::Rules(Outcome::Draw(DrawReason::FivefoldRepetition)) => EndReason::FivefoldRepetition,
            Ending::Rules(Outcome::Draw(DrawReason::SeventyFiveMoves)) => EndReason::SeventyFiveMoves,
            Ending::Resignation { .. } => EndReason::Resignation,
            Ending::Agreement => EndReason::Agreement,
            Ending::Claim(DrawClaim::ThreefoldRepetition) => EndReason::ThreefoldRepetition,
            Ending::Claim(DrawClaim::FiftyMoves) => EndReason::FiftyMoves,
            Ending::Rules(_) | Ending::Claim(_) => {
                unreachable!("a new end of games needs a name in the protocol")
            }
            Ending::Time { .. } => EndReason::Time,
            Ending::TimeDraw { .. } => EndReason::TimeInsufficientMaterial,
        }
    }

    /// The ending as a phrase for the user.
    fn text(self) -> String {
        let text = match self {
            Ending::Rules(outcome) => outcome.to_string(),
            Ending::Resignation { winner } => format!("{} resigns, {winner} wins", !winner),
            Ending::Agreement => "draw by agreement".to_owned(),
            Ending::Claim(claim) => format!("draw by {claim}"),
            Ending::Time { loser } => format!("{loser}'s time is up, {} wins", !loser),
            Ending::TimeDraw { loser } => format!("{loser}'s time is up, but {} cannot mate: draw", !loser),
        };
        sentence(&text)
    }
}

impl From<Ending> for OverEntry {
    fn from(ending: Ending) -> OverEntry {
        OverEntry { result: ResultName(ending.result()), reason: ending.reason(), text: ending.text() }
    }
}

impl From<Outcome> for OverEntry {
    fn from(outcome: Outcome) -> OverEntry {
        Ending::Rules(outcome).into()
    }
}

/// Reads an ending that the page has kept. A reason and a result that contradict each other are refused.
impl TryFrom<&OverEntry> for Ending {
    type Error = Refusal;

    fn try_from(over: &OverEntry) -> Result<Ending, Refusal> {
        let winner = match over.result.0 {
            GameResult::Win(winner) => winner,
            // The page does not keep who ran out of time in a draw, so the text names White.
            GameResult::Draw | GameResult::Unknown => Color::Black,
        };
        let draw = |reason| Ending::Rules(Outcome::Draw(reason));
        let ending = match over.reason {
            EndReason::Checkmate => Ending::Rules(Outcome::Checkmate { winner }),
            EndReason::Stalemate => draw(DrawReason::Stalemate),
            EndReason::InsufficientMaterial => draw(DrawReason::InsufficientMaterial),
            EndReason::FivefoldRepetition => draw(DrawReason::FivefoldRepetition),
            EndReason::SeventyFiveMoves => draw(DrawReason::SeventyFiveMoves),
            EndReason::Resignation => Ending::Resignation { winner },
            EndReason::Agreement => Ending::Agreement,
            EndReason::ThreefoldRepetition => Ending::Claim(DrawClaim::ThreefoldRepetition),
            EndReason::FiftyMoves => Ending::Claim(DrawClaim::FiftyMoves),
            EndReason::Time => Ending::Time { loser: !winner },
            EndReason::TimeInsufficientMaterial => {
                let black = over.text.starts_with("Black");
                Ending::TimeDraw { loser: if black { Color::Black } else { Color::White } }
            }
        };
        if ending.result() == over.result.0 {
            Ok(ending)
        } else {
            Err(Refusal::new("The result of the saved game contradicts the reason for its end."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_survive_being_saved() {
        let mut endings = vec![Ending::Agreement];
        for color in Color::ALL {
            endings.extend([
                Ending::Rules(Outcome::Checkmate { winner: color }),
                Ending::Resignation { winner: color },
                Ending::Time { loser: color },
                Ending::TimeDraw { loser: color },
            ]);
        }
        let draws = [
            DrawReason::Stalemate,
            DrawReason::InsufficientMaterial,
            DrawReason::FivefoldRepetition,
            DrawReason::SeventyFiveMoves,
        ];
        endings.extend(draws.map(|reason| Ending::Rules(Outcome::Draw(reason))));
        endings.extend([DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves].map(Ending::Claim));
        for ending in endings {
            let over = OverEntry::from(ending);
            let json = serde_json::to_string(&over).expect("an object");
            let kept: OverEntry = serde_json::from_str(&json).expect("the same object");
            assert_eq!(Ending::try_from(&kept), Ok(ending), "{json}");
        }
        let wrong =
            OverEntry { result: ResultName(GameResult::Draw), ..Ending::Time { loser: Color::White }.into() };
        assert!(Ending::try_from(&wrong).is_err());
    }
}
