//! How a game against the engine ends.

use ferz_board::{Color, DrawClaim, DrawReason, Outcome};
use ferz_notation::pgn::GameResult;

use super::refusal::Refusal;
use crate::protocol::{EndReason, OverEntry, ResultName, sentence};

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlayEnding {
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

impl PlayEnding {
    /// The result for the tags of the game.
    pub(crate) fn result(self) -> GameResult {
        match self {
            PlayEnding::Rules(outcome) => outcome.into(),
            PlayEnding::Resignation { winner } => GameResult::Win(winner),
            PlayEnding::Time { loser } => GameResult::Win(!loser),
            PlayEnding::Agreement | PlayEnding::Claim(_) | PlayEnding::TimeDraw { .. } => GameResult::Draw,
        }
    }

    fn reason(self) -> EndReason {
        match self {
            PlayEnding::Rules(Outcome::Checkmate { .. }) => EndReason::Checkmate,
            PlayEnding::Rules(Outcome::Draw(DrawReason::Stalemate)) => EndReason::Stalemate,
            PlayEnding::Rules(Outcome::Draw(DrawReason::InsufficientMaterial)) => {
                EndReason::InsufficientMaterial
            }
            PlayEnding::Rules(Outcome::Draw(DrawReason::FivefoldRepetition)) => EndReason::FivefoldRepetition,
            PlayEnding::Rules(Outcome::Draw(DrawReason::SeventyFiveMoves)) => EndReason::SeventyFiveMoves,
            PlayEnding::Rules(Outcome::Draw(DrawReason::DeadPosition)) => EndReason::DeadPosition,
            PlayEnding::Resignation { .. } => EndReason::Resignation,
            PlayEnding::Agreement => EndReason::Agreement,
            PlayEnding::Claim(DrawClaim::ThreefoldRepetition) => EndReason::ThreefoldRepetition,
            PlayEnding::Claim(DrawClaim::FiftyMoves) => EndReason::FiftyMoves,
            PlayEnding::Rules(_) | PlayEnding::Claim(_) => {
                unreachable!("a new end of games needs a name in the protocol")
            }
            PlayEnding::Time { .. } => EndReason::Time,
            PlayEnding::TimeDraw { .. } => EndReason::TimeInsufficientMaterial,
        }
    }

    /// The ending as a phrase for the user.
    fn text(self) -> String {
        let text = match self {
            PlayEnding::Rules(Outcome::Draw(DrawReason::DeadPosition)) => "dead position: draw".to_owned(),
            PlayEnding::Rules(outcome) => outcome.to_string(),
            PlayEnding::Resignation { winner } => format!("{} resigns, {winner} wins", !winner),
            PlayEnding::Agreement => "draw by agreement".to_owned(),
            PlayEnding::Claim(claim) => format!("draw by {claim}"),
            PlayEnding::Time { loser } => format!("{loser}'s time is up, {} wins", !loser),
            PlayEnding::TimeDraw { loser } => {
                format!("{loser}'s time is up, but {} cannot mate: draw", !loser)
            }
        };
        sentence(&text)
    }
}

impl From<PlayEnding> for OverEntry {
    fn from(ending: PlayEnding) -> OverEntry {
        OverEntry { result: ResultName(ending.result()), reason: ending.reason(), text: ending.text() }
    }
}

impl From<Outcome> for OverEntry {
    fn from(outcome: Outcome) -> OverEntry {
        PlayEnding::Rules(outcome).into()
    }
}

/// Reads an ending that the page has kept. A reason and a result that contradict each other are refused.
impl TryFrom<&OverEntry> for PlayEnding {
    type Error = Refusal;

    fn try_from(over: &OverEntry) -> Result<PlayEnding, Refusal> {
        let winner = match over.result.0 {
            GameResult::Win(winner) => winner,
            // The page does not keep who ran out of time in a draw, so the text names White.
            GameResult::Draw | GameResult::Unknown => Color::Black,
        };
        let draw = |reason| PlayEnding::Rules(Outcome::Draw(reason));
        let ending = match over.reason {
            EndReason::Checkmate => PlayEnding::Rules(Outcome::Checkmate { winner }),
            EndReason::Stalemate => draw(DrawReason::Stalemate),
            EndReason::InsufficientMaterial => draw(DrawReason::InsufficientMaterial),
            EndReason::FivefoldRepetition => draw(DrawReason::FivefoldRepetition),
            EndReason::SeventyFiveMoves => draw(DrawReason::SeventyFiveMoves),
            EndReason::DeadPosition => draw(DrawReason::DeadPosition),
            EndReason::Resignation => PlayEnding::Resignation { winner },
            EndReason::Agreement => PlayEnding::Agreement,
            EndReason::ThreefoldRepetition => PlayEnding::Claim(DrawClaim::ThreefoldRepetition),
            EndReason::FiftyMoves => PlayEnding::Claim(DrawClaim::FiftyMoves),
            EndReason::Time => PlayEnding::Time { loser: !winner },
            EndReason::TimeInsufficientMaterial => {
                let black = over.text.starts_with("Black");
                PlayEnding::TimeDraw { loser: if black { Color::Black } else { Color::White } }
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
        let mut endings = vec![PlayEnding::Agreement];
        for color in Color::ALL {
            endings.extend([
                PlayEnding::Rules(Outcome::Checkmate { winner: color }),
                PlayEnding::Resignation { winner: color },
                PlayEnding::Time { loser: color },
                PlayEnding::TimeDraw { loser: color },
            ]);
        }
        let draws = [
            DrawReason::Stalemate,
            DrawReason::InsufficientMaterial,
            DrawReason::FivefoldRepetition,
            DrawReason::SeventyFiveMoves,
            DrawReason::DeadPosition,
        ];
        endings.extend(draws.map(|reason| PlayEnding::Rules(Outcome::Draw(reason))));
        endings.extend([DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves].map(PlayEnding::Claim));
        for ending in endings {
            let over = OverEntry::from(ending);
            let json = serde_json::to_string(&over).expect("an object");
            let kept: OverEntry = serde_json::from_str(&json).expect("the same object");
            assert_eq!(PlayEnding::try_from(&kept), Ok(ending), "{json}");
        }
        let wrong = OverEntry {
            result: ResultName(GameResult::Draw),
            ..PlayEnding::Time { loser: Color::White }.into()
        };
        assert!(PlayEnding::try_from(&wrong).is_err());
    }
}
