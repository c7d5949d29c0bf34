//! The WDL model: from values of the search to win probabilities and scores.

use ferz_board::{PieceType, Position};

use crate::value::{MATE, TB_WIN, Value, is_loss, is_mate, is_win};
use crate::{Score, Wdl};

/// Fitted with `examples/fit_wdl --player ferz --prior 100` to 8995 positions, and 820 held out, of 260 games at 8+0.08
/// with the network of the fourteenth generation against Stockfish 15.1, an older Ferz and a weak build of Carp.
///
/// The log-likelihood of the held-out positions is -0.367 each, with the model before -0.424. The strong prior keeps
/// `half` from varying too much with material (168 to 201), which would make a pawn shrink with every exchange.
/// Evaluations other than our networks have no model of their own: their win probabilities are rough.
const FITTED: WdlModel =
    WdlModel { half: [39.08, -118.95, 74.06, 188.29], spread: [-55.63, 162.96, -90.46, 56.22] };

/// The WDL model: the win probability is a logistic function of the value, whose midpoint and slope depend on the
/// material left on the board.
///
/// Both are polynomials of degree three in material / 58, highest power first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WdlModel {
    half: [f64; 4],
    spread: [f64; 4],
}

impl WdlModel {
    /// The model that the search uses.
    pub const CURRENT: WdlModel = FITTED;

    /// A model with these coefficients, highest power first: `half` is the value with a win probability of 50 %, shown
    /// as 100 centipawns, and `spread` is how slowly the win probability changes with the value.
    #[must_use]
    pub const fn new(half: [f64; 4], spread: [f64; 4]) -> WdlModel {
        WdlModel { half, spread }
    }

    /// The coefficients of the value with a win probability of 50 %, highest power first.
    #[must_use]
    pub const fn half(&self) -> [f64; 4] {
        self.half
    }

    /// The coefficients of how slowly the win probability changes with the value, highest power first.
    #[must_use]
    pub const fn spread(&self) -> [f64; 4] {
        self.spread
    }

    /// The range of material that the model distinguishes.
    pub const MATERIAL: (u32, u32) = (8, 78);

    /// The material of both sides in pawns (1, 3, 3, 5, 9), clamped to [`WdlModel::MATERIAL`].
    #[must_use]
    pub fn material(position: &Position) -> u32 {
        let count = |piece_type| position.by_type(piece_type).len();
        let material = count(PieceType::Pawn)
            + 3 * (count(PieceType::Knight) + count(PieceType::Bishop))
            + 5 * count(PieceType::Rook)
            + 9 * count(PieceType::Queen);
        material.clamp(WdlModel::MATERIAL.0, WdlModel::MATERIAL.1)
    }

    /// The value with a win probability of 50 % at this material.
    #[must_use]
    pub fn half_at(&self, material: u32) -> f64 {
        polynomial(self.half, material)
    }

    /// How slowly the win probability changes with the value at this material.
    #[must_use]
    pub fn spread_at(&self, material: u32) -> f64 {
        polynomial(self.spread, material)
    }

    /// The win probability of this value, from 0 to 1. The probability of a loss is that of a win with the negated
    /// value.
    #[must_use]
    pub fn win(&self, value: f64, material: u32) -> f64 {
        1.0 / (1.0 + ((self.half_at(material) - value) / self.spread_at(material)).exp())
    }
}

fn polynomial([a, b, c, d]: [f64; 4], material: u32) -> f64 {
    let x = f64::from(material) / 58.0;
    ((a * x + b) * x + c) * x + d
}

/// The win, draw and loss probabilities of the side to move.
pub(crate) fn win_draw_loss(value: Value, position: &Position) -> Wdl {
    if is_win(value) {
        return Wdl::WIN;
    }
    if is_loss(value) {
        return Wdl::LOSS;
    }
    let material = WdlModel::material(position);
    let thousandths = |value| (1000.0 * WdlModel::CURRENT.win(f64::from(value), material)).round() as u16;
    // The sum is below 1, so that it is not above 1000 after rounding.
    let (win, loss) = (thousandths(value), thousandths(-value));
    Wdl::new(win, 1000 - win - loss, loss).expect("the parts of 1000")
}

/// The score of a win that the tables know, less the plies to it: more than any evaluation.
const TABLE_WIN_CENTIPAWNS: i32 = 20_000;

/// The score of a value: 100 centipawns are a win probability of 50 %.
pub(crate) fn score(value: Value, position: &Position) -> Score {
    if is_mate(value) {
        let plies = MATE - value.abs();
        return Score::Mate(if value > 0 { (plies + 1) / 2 } else { -(plies / 2) });
    }
    if is_win(value) || is_loss(value) {
        return Score::Centipawns(value.signum() * (TABLE_WIN_CENTIPAWNS - (TB_WIN - value.abs())));
    }
    let half = WdlModel::CURRENT.half_at(WdlModel::material(position));
    Score::Centipawns((f64::from(value) * 100.0 / half).round() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{LONGEST_MATE, mate_at, mated_at};

    /// From bare kings to nine queens each.
    fn positions() -> [Position; 5] {
        [
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/8/4p3/8/8/4P3/8/4K2R w - - 0 1",
            "r4rk1/pp3ppp/2n5/8/8/2N5/PP3PPP/R4RK1 w - - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "q3k3/qqqqqqqq/8/8/8/8/QQQQQQQQ/Q3K3 w - - 0 1",
        ]
        .map(|fen| fen.parse().unwrap())
    }

    fn values() -> impl Iterator<Item = Value> {
        (-3000..=3000).chain((3001 - MATE..MATE).step_by(97)).chain([
            LONGEST_MATE - 1,
            1 - LONGEST_MATE,
            LONGEST_MATE,
            -LONGEST_MATE,
            mate_at(0),
            mated_at(0),
            mate_at(5),
            mated_at(4),
        ])
    }

    #[test]
    fn probabilities_mirror() {
        for position in positions() {
            for value in values() {
                let wdl = win_draw_loss(value, &position);
                assert_eq!(win_draw_loss(-value, &position), wdl.reversed(), "{value} {position}");
            }
            let even = win_draw_loss(0, &position);
            assert_eq!(even.win(), even.loss());
            assert!(even.draw() > 0);
        }
    }

    #[test]
    fn more_value_wins_more() {
        for position in positions() {
            let mut values: Vec<Value> = values().collect();
            values.sort_unstable();
            let wins: Vec<u16> = values.iter().map(|&value| win_draw_loss(value, &position).win()).collect();
            assert!(wins.is_sorted(), "{position}");
            assert_eq!((wins[0], wins[wins.len() - 1]), (0, 1000));
            assert!(win_draw_loss(20, &position).win() > win_draw_loss(0, &position).win());
        }
    }

    #[test]
    fn a_hundred_centipawns_win_half() {
        for position in positions() {
            let half = WdlModel::CURRENT.half_at(WdlModel::material(&position)).round() as Value;
            let Score::Centipawns(shown) = score(half, &position) else { panic!("{half} is not a mate") };
            assert!((99..=101).contains(&shown), "{shown} {position}");
            assert!((490..=510).contains(&win_draw_loss(half, &position).win()), "{position}");
            assert_eq!(score(0, &position), Score::Centipawns(0));
        }
    }

    #[test]
    fn mates_are_certain() {
        for position in positions() {
            assert_eq!(win_draw_loss(mate_at(7), &position), Wdl::WIN);
            assert_eq!(win_draw_loss(mated_at(8), &position), Wdl::LOSS);
            assert_eq!(score(mate_at(7), &position), Score::Mate(4));
            assert_eq!(score(mated_at(8), &position), Score::Mate(-4));
            assert_eq!(score(mated_at(0), &position), Score::Mate(0));
        }
    }

    #[test]
    fn the_model_is_sensible_with_any_material() {
        let (least, most) = WdlModel::MATERIAL;
        for material in least..=most {
            let (half, spread) = (WdlModel::CURRENT.half_at(material), WdlModel::CURRENT.spread_at(material));
            assert!((59.0..=401.0).contains(&half), "{half} with {material}");
            assert!((20.0..=401.0).contains(&spread), "{spread} with {material}");
        }
        let [kings, .., queens] = positions().map(|position| WdlModel::material(&position));
        assert_eq!((kings, queens), (least, most));
    }
}
