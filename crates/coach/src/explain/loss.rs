//! What a bad move loses.

use ferz_board::{Color, Move, Outcome, Position};
use ferz_notation::san::San;
use serde::Serialize;

use super::exchange::{capture_gain, captured, exchange};
use super::line::QuietPoint;
use super::{PlacedPiece, words};
use crate::review::{Assessment, Remark};

/// A side with this expected score is winning, …
const WON: f64 = 0.9;
/// … and a position with this draw probability, in thousandths, is drawn.
const DRAWN: u16 = 750;

/// Why a move is worse than the best one. The reasons are tried in this order, and the first one that applies is given.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum LossReason {
    /// A missed or allowed mate.
    Mate {
        /// Which of the two.
        remark: Remark,
    },
    /// The move ends a won game with a draw.
    EndsInDraw {
        /// The phrase for the draw, such as `stalemate`.
        by: String,
    },
    /// The best answer captures a piece with profit, which it could not before the move.
    Hangs {
        /// The piece.
        man: PlacedPiece,
    },
    /// The best answer captures a piece with profit, which it could before the move, too.
    LeavesHanging {
        /// The piece.
        man: PlacedPiece,
    },
    /// The line after the move loses material, and the best line loses less.
    LosesMaterial {
        /// From pawns to queens, as in [`QuietPoint::material`](super::QuietPoint::material).
        material: [i32; 5],
        /// The best answer, in SAN.
        to: String,
    },
    /// The best line wins material, and the line after the move wins none.
    MissesMaterial {
        /// From pawns to queens.
        material: [i32; 5],
    },
    /// A winning position becomes a drawn one.
    WinToDraw,
    /// A winning position becomes a losing one.
    WinToLoss,
    /// A drawn position becomes a losing one.
    DrawToLoss,
}

/// The result of a position in all likelihood.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LikelyResult {
    Win,
    Draw,
    Loss,
}

impl LikelyResult {
    fn of(assessment: &Assessment, color: Color) -> Option<LikelyResult> {
        let expected = assessment.expected_score(color);
        match expected {
            _ if expected >= WON => Some(LikelyResult::Win),
            _ if expected <= 1.0 - WON => Some(LikelyResult::Loss),
            _ if assessment.wdl.draw() >= DRAWN => Some(LikelyResult::Draw),
            _ => None,
        }
    }
}

impl LossReason {
    /// The reason, if there is one that can be named. `played` is the move and the line expected after it, `best` the
    /// best line; the assessments are those of the two lines.
    #[must_use]
    pub fn find(
        position: &Position,
        played: &[Move],
        best: &[Move],
        (before, after): (&Assessment, &Assessment),
        remark: Option<Remark>,
    ) -> Option<LossReason> {
        if let Some(remark) = remark {
            return Some(LossReason::Mate { remark });
        }
        let color = position.side_to_move();
        let mut next = *position;
        next.play(*played.first()?).ok()?;
        let results = (LikelyResult::of(before, color), LikelyResult::of(after, color));
        if let (Some(LikelyResult::Win), Some(Outcome::Draw(reason))) = (results.0, next.outcome()) {
            return Some(LossReason::EndsInDraw { by: reason.to_string() });
        }
        let [mine, best] = [played, best].map(|line| QuietPoint::of_line(position, line));
        let won = |point: &Option<QuietPoint>| point.as_ref().map_or(0, QuietPoint::worth);
        if won(&mine) < 0 && won(&mine) < won(&best) {
            let reply = *played.get(1)?;
            return Some(hanging(position, &next, reply).unwrap_or_else(|| LossReason::LosesMaterial {
                material: mine.map_or([0; 5], |point| point.material),
                to: San::new(&next, reply).to_string(),
            }));
        }
        match results {
            (Some(LikelyResult::Win), Some(LikelyResult::Loss)) => return Some(LossReason::WinToLoss),
            (Some(LikelyResult::Win), Some(LikelyResult::Draw)) => return Some(LossReason::WinToDraw),
            (Some(LikelyResult::Draw), Some(LikelyResult::Loss)) => return Some(LossReason::DrawToLoss),
            _ => {}
        }
        let missed = best.filter(|best| best.worth() > 0 && won(&mine) <= 0);
        missed.map(|best| LossReason::MissesMaterial { material: best.material })
    }

    /// The reason as a predicate, such as `hangs the knight on c3`.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            LossReason::Mate { remark } => remark.to_string().to_lowercase(),
            LossReason::EndsInDraw { by } => format!("turns a win into a draw by {by}"),
            LossReason::Hangs { man } => format!("hangs the {man}"),
            LossReason::LeavesHanging { man } => format!("leaves the {man} hanging"),
            LossReason::LosesMaterial { material, to } => {
                let (won, lost) = words::won_and_lost(material);
                match (won, lost.unwrap_or_else(|| "material".to_owned())) {
                    (Some(won), lost) => format!("loses {lost} for {won} after {to}"),
                    (None, lost) => format!("loses {lost} after {to}"),
                }
            }
            LossReason::MissesMaterial { material } => match words::won_and_lost(material) {
                (Some(won), Some(lost)) => format!("misses the win of {won} for {lost}"),
                (won, _) => format!("misses the win of {}", won.unwrap_or_else(|| "material".to_owned())),
            },
            LossReason::WinToDraw => "turns a win into a draw".to_owned(),
            LossReason::WinToLoss => "turns a win into a loss".to_owned(),
            LossReason::DrawToLoss => "turns a draw into a loss".to_owned(),
        }
    }
}

/// The piece that the reply captures with profit.
fn hanging(before: &Position, after: &Position, reply: Move) -> Option<LossReason> {
    let (piece, square) = captured(after, reply).filter(|_| exchange(after, reply) > 0)?;
    let man = PlacedPiece { piece, square };
    let was_there = before.piece_at(square) == after.piece_at(square);
    let was_hanging = was_there && before.null_move().is_some_and(|theirs| capture_gain(&theirs, square) > 0);
    Some(if was_hanging { LossReason::LeavesHanging { man } } else { LossReason::Hangs { man } })
}
