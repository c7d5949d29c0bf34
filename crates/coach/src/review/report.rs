//! A review as JSON.

use ferz_board::Color;
use ferz_notation::line;
use ferz_notation::openings::Opening;
use ferz_notation::san::San;
use ferz_search::Score;
use serde::Serialize;

use super::{Assessment, Judgement, Remark, Review, ReviewedMove};
use crate::explain::LossReason;

/// A review as a JSON object. Scores and win probabilities are White's.
#[derive(Clone, Debug, Serialize)]
pub struct GameReport {
    opening: Option<OpeningReport>,
    accuracy: Accuracy,
    moves: Vec<MoveReport>,
}

#[derive(Clone, Debug, Serialize)]
struct Accuracy {
    white: Option<f64>,
    black: Option<f64>,
}

/// A named opening.
#[derive(Clone, Debug, Serialize)]
pub struct OpeningReport {
    eco: &'static str,
    name: &'static str,
}

impl From<&'static Opening> for OpeningReport {
    fn from(opening: &'static Opening) -> OpeningReport {
        OpeningReport { eco: opening.eco, name: opening.name }
    }
}

/// A reviewed move.
#[derive(Clone, Debug, Serialize)]
pub struct MoveReport {
    /// The move number.
    number: u32,
    color: &'static str,
    san: String,
    uci: String,
    before: AssessmentReport,
    after: AssessmentReport,
    /// In SAN, from the position before the move.
    best_line: Vec<String>,
    judgement: Judgement,
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<Remark>,
    /// Why the move is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<LossReason>,
    loss: f64,
    accuracy: f64,
}

/// The assessment of a position.
#[derive(Clone, Debug, Serialize)]
pub struct AssessmentReport {
    /// Centipawns for White; `None` if there is a mate.
    cp: Option<i32>,
    /// Moves to mate: positive if White mates, negative if Black does, 0 if it is on the board.
    mate: Option<i32>,
    /// Probabilities of a White win, a draw and a Black win, per mille.
    wdl: [u16; 3],
    depth: u32,
}

impl From<Assessment> for AssessmentReport {
    fn from(assessment: Assessment) -> AssessmentReport {
        let Assessment { score, wdl, depth } = assessment;
        let (cp, mate) = match score {
            Score::Centipawns(value) => (Some(value), None),
            Score::Mate(moves) => (None, Some(moves)),
        };
        AssessmentReport { cp, mate, wdl: wdl.into(), depth }
    }
}

impl From<&ReviewedMove> for MoveReport {
    fn from(reviewed: &ReviewedMove) -> MoveReport {
        let position = &reviewed.position;
        MoveReport {
            number: position.fullmove_number(),
            color: match reviewed.color() {
                Color::White => "white",
                Color::Black => "black",
            },
            san: San::new(position, reviewed.mv).to_string(),
            uci: line::uci(position, &[reviewed.mv]).concat(),
            before: reviewed.before.into(),
            after: reviewed.after.into(),
            best_line: line::san(position, &reviewed.best_line),
            judgement: reviewed.judgement,
            remark: reviewed.remark,
            reason: reviewed.reason.clone(),
            loss: rounded(reviewed.loss, 1000.0),
            accuracy: rounded(reviewed.accuracy(), 10.0),
        }
    }
}

impl From<&Review> for GameReport {
    fn from(review: &Review) -> GameReport {
        let accuracy = |color| review.accuracy(color).map(|it| rounded(it, 10.0));
        GameReport {
            opening: review.opening.map(|(_, opening)| opening.into()),
            accuracy: Accuracy { white: accuracy(Color::White), black: accuracy(Color::Black) },
            moves: review.moves.iter().map(MoveReport::from).collect(),
        }
    }
}

fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}
