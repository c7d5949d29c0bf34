//! From values of the search to what they mean for the result of a game.

use ferz_board::{PieceType, Position};

use crate::value::{MATE, Value, is_decisive, is_loss, is_win};
use crate::{Score, Wdl};

/// A logistic model: the value at which half of the games are won, and how fast that changes, both depending on
/// how much material is left.
struct Model {
    half: f64,
    spread: f64,
}

impl Model {
    fn of(position: &Position) -> Model {
        let count = |piece_type| f64::from(position.by_type(piece_type).len());
        let material = count(PieceType::Pawn)
            + 3.0 * (count(PieceType::Knight) + count(PieceType::Bishop))
            + 5.0 * count(PieceType::Rook)
            + 9.0 * count(PieceType::Queen);
        let x = material.clamp(8.0, 78.0) / 58.0;
        let polynomial = |[a, b, c, d]: [f64; 4]| ((a * x + b) * x + c) * x + d;
        Model { half: polynomial(HALF), spread: polynomial(SPREAD) }
    }

    fn win(&self, value: f64) -> f64 {
        1.0 / (1.0 + ((self.half - value) / self.spread).exp())
    }
}

const HALF: [f64; 4] = [0.0, 0.0, 0.0, 150.0];
const SPREAD: [f64; 4] = [0.0, 0.0, 0.0, 70.0];

/// The chances of the side to move.
pub(crate) fn chances(value: Value, position: &Position) -> Wdl {
    if is_win(value) {
        return Wdl { win: 1000, draw: 0, loss: 0 };
    }
    if is_loss(value) {
        return Wdl { win: 0, draw: 0, loss: 1000 };
    }
    let model = Model::of(position);
    let win = (1000.0 * model.win(f64::from(value))).round() as u16;
    let loss = (1000.0 * model.win(f64::from(-value))).round() as u16;
    let win = win.min(1000 - loss.min(1000));
    Wdl { win, draw: 1000 - win - loss.min(1000 - win), loss: loss.min(1000 - win) }
}

/// The value as users see it: 100 centipawns are an even chance to win.
pub(crate) fn score(value: Value, position: &Position) -> Score {
    if is_decisive(value) {
        let plies = MATE - value.abs();
        return Score::Mate(if value > 0 { (plies + 1) / 2 } else { -(plies / 2) });
    }
    Score::Centipawns((f64::from(value) * 100.0 / Model::of(position).half).round() as i32)
}

/// Scores as numbers that can be compared: mates beyond every advantage, the quicker the better.
pub(crate) fn comparable(score: Score, position: &Position) -> Value {
    match score {
        Score::Centipawns(centipawns) => {
            (f64::from(centipawns) * Model::of(position).half / 100.0).round() as Value
        }
        Score::Mate(moves) if moves > 0 => MATE - moves,
        Score::Mate(moves) => -MATE - moves,
    }
}
