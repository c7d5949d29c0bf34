//! Assessments of positions.

use std::fmt;

use ferz_board::{Color, Outcome};
use ferz_notation::pgn::annotation;
use ferz_search::{Line, Score, Wdl};

/// The value of a position from White's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assessment {
    /// The score for White. After checkmate it is [`Score::Mate`] of 0, whichever side won.
    pub score: Score,
    /// The win, draw and loss probabilities for White.
    pub wdl: Wdl,
    /// The search depth; 0 if the game is over.
    pub depth: u32,
}

impl Assessment {
    /// The assessment of a search line, which is from the side to move's point of view.
    #[must_use]
    pub fn of_line(line: &Line, side_to_move: Color) -> Assessment {
        let (score, wdl) = (line.score.for_white(side_to_move), line.wdl.for_white(side_to_move));
        Assessment { score, wdl, depth: line.depth }
    }

    /// The assessment of a finished game.
    #[must_use]
    pub fn of(outcome: Outcome) -> Assessment {
        let (score, wdl) = match outcome.winner() {
            Some(Color::White) => (Score::Mate(0), Wdl::WIN),
            Some(Color::Black) => (Score::Mate(0), Wdl::LOSS),
            None => (Score::Centipawns(0), Wdl::DRAW),
        };
        Assessment { score, wdl, depth: 0 }
    }

    /// The assessment before the move of a side that led here: the mates of that side are one move longer.
    pub(crate) fn a_move_earlier(self, color: Color) -> Assessment {
        let score = match self.mate_by(color) {
            Some(moves) => {
                let moves = moves as i32 + 1;
                Score::Mate(if color == Color::White { moves } else { -moves })
            }
            None => self.score,
        };
        Assessment { score, depth: self.depth + 1, ..self }
    }

    /// The expected score of a side, 0 to 1: its win probability plus half of its draw probability.
    #[must_use]
    pub fn expected_score(&self, color: Color) -> f64 {
        f64::from(self.half_thousandths(color)) / 2000.0
    }

    /// The difference of the expected score of a side to that of a different position.
    #[must_use]
    pub fn expected_score_above(&self, other: &Assessment, color: Color) -> f64 {
        // A difference of integers is exact, and so are the limits it is compared with.
        f64::from(self.half_thousandths(color) - other.half_thousandths(color)) / 2000.0
    }

    fn half_thousandths(&self, color: Color) -> i32 {
        let wins = match color {
            Color::White => self.wdl.win(),
            Color::Black => self.wdl.loss(),
        };
        2 * i32::from(wins) + i32::from(self.wdl.draw())
    }

    /// The moves to a proven mate by a side; 0 if it is on the board.
    #[must_use]
    pub fn mate_by(&self, color: Color) -> Option<u32> {
        match self.score {
            Score::Mate(moves) if self.expected_score(color) == 1.0 => Some(moves.unsigned_abs()),
            _ => None,
        }
    }

    /// The `[%eval]` annotation of PGN; `None` if the game is over. For a line of a search this is
    /// `Assessment::of_line(&line, position.side_to_move()).eval()`.
    #[must_use]
    pub fn eval(&self) -> Option<annotation::Eval> {
        let score = match self.score {
            Score::Centipawns(value) => annotation::EvalScore::Centipawns(value),
            Score::Mate(moves) => annotation::EvalScore::Mate(moves),
        };
        (self.depth > 0).then_some(annotation::Eval { score, depth: Some(self.depth) })
    }
}

/// `+0.35`, `#-3`.
impl fmt::Display for Assessment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.score {
            Score::Centipawns(value) => write!(f, "{:+.2}", f64::from(value) / 100.0),
            Score::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}
