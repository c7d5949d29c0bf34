//! Expected lines and their results.

use ferz_board::{Color, Move, Outcome, PieceType, Position};
use ferz_eval::{EndgameRule, Term, endgame_rule};
use ferz_search::Line;

use super::exchange::{is_unsettled, worth};
use crate::review::Assessment;

/// A line that the search expects, and its result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExpectedLine {
    /// The moves.
    pub moves: Vec<Move>,
    /// The score of the line.
    pub assessment: Assessment,
    /// How the last move ends the game, if it does.
    pub outcome: Option<Outcome>,
    /// The endgame rule that applies at the end of the line, if it does not apply at its start.
    pub rule: Option<EndgameRule>,
    /// The changes up to the last quiet position of the line, within the part that is shown.
    pub settled: Option<QuietPoint>,
}

/// A quiet position of a line, in which no capture wins material, compared with the start of the line.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QuietPoint {
    /// The number of moves up to the position.
    pub plies: usize,
    /// From pawns to queens: the change of the difference between the side to move and its opponent.
    pub material: [i32; 5],
    /// The changes of evaluation terms for the side to move, the largest first.
    pub terms: Vec<TermChange>,
}

/// The change of an evaluation term, in centipawns for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TermChange {
    pub term: Term,
    pub change: i32,
}

/// The pieces that are counted.
pub const COUNTED: [PieceType; 5] =
    [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

/// Smaller changes of a term are not reported.
const MIN_CHANGE: i32 = 15;
/// The most changes that are reported.
const REPORTED_CHANGES: usize = 3;

impl ExpectedLine {
    /// The plies of a line that are shown.
    pub(super) const SHOWN_PLIES: usize = 12;

    /// The expected line of a search result.
    pub(super) fn new(position: &Position, line: &Line) -> ExpectedLine {
        let mut positions = vec![*position];
        for &mv in &line.moves {
            let mut next = positions[positions.len() - 1];
            if next.play(mv).is_err() {
                break;
            }
            positions.push(next);
        }
        let last = &positions[positions.len() - 1];
        ExpectedLine {
            moves: line.moves[..positions.len() - 1].to_vec(),
            assessment: Assessment::of_line(line, position.side_to_move()),
            outcome: last.outcome(),
            rule: endgame_rule(last).filter(|&rule| endgame_rule(position) != Some(rule)),
            settled: QuietPoint::find(&positions[..positions.len().min(ExpectedLine::SHOWN_PLIES + 1)]),
        }
    }
}

impl QuietPoint {
    fn find(positions: &[Position]) -> Option<QuietPoint> {
        let start = &positions[0];
        let us = start.side_to_move();
        let is_settled = |position: &Position| position.has_legal_moves() && !is_unsettled(position);
        let plies = (1..positions.len()).rev().find(|&plies| is_settled(&positions[plies]))?;
        let end = &positions[plies];
        let difference = |position: &Position, piece: PieceType| {
            let count = |color| position.pieces(piece.of(color)).len() as i32;
            count(us) - count(!us)
        };
        let material = COUNTED.map(|piece| difference(end, piece) - difference(start, piece));
        Some(QuietPoint { plies, material, terms: term_changes(start, end) })
    }

    /// The material that the side to move has won, with pieces worth 1, 3, 3, 5 and 9.
    pub fn worth(&self) -> i32 {
        COUNTED.into_iter().zip(self.material).map(|(piece, change)| change * worth(piece)).sum()
    }
}

/// The largest changes of the classical evaluation, material and the right to move left out: those are told otherwise.
fn term_changes(before: &Position, after: &Position) -> Vec<TermChange> {
    let us = before.side_to_move();
    let (before, after) = (terms(before, us), terms(after, us));
    let pairs = Term::ALL.iter().copied().zip(before.into_iter().zip(after));
    let mut changes: Vec<_> = pairs
        .map(|(term, (before, after))| TermChange { term, change: after - before })
        .filter(|change| !matches!(change.term, Term::Material | Term::Tempo))
        .filter(|change| change.change.abs() >= MIN_CHANGE)
        .collect();
    changes.sort_by_key(|change| -change.change.abs());
    changes.truncate(REPORTED_CHANGES);
    changes
}

/// The balance of each term for a side; empty in endgames with a rule of their own.
fn terms(position: &Position, us: Color) -> Vec<i32> {
    let explanation = ferz_eval::explain(position);
    let (phase, scale) = (explanation.phase, explanation.scale);
    let blended = |row: &ferz_eval::TermScores| {
        let score = row.white - row.black;
        let value = (score.mg() * phase * 64 + score.eg() * scale * (24 - phase)) / (24 * 64);
        if us == Color::White { value } else { -value }
    };
    explanation.rows.iter().map(blended).collect()
}
