//! What a line of play comes to.

use ferz_board::{Color, Move, Outcome, PieceType, Position};
use ferz_eval::Term;
use ferz_search::Line;

use super::exchange::{is_unsettled, worth};
use crate::review::Assessment;

/// A line that the search expects, and what becomes of the position.
#[derive(Clone, Debug)]
pub struct ExpectedLine {
    /// The moves.
    pub moves: Vec<Move>,
    /// What the line is worth.
    pub assessment: Assessment,
    /// How the game ends with the last move, if it does.
    pub outcome: Option<Outcome>,
    /// What has changed at the last point of the line, as far as it is shown, where nothing hangs.
    pub settled: Option<Settled>,
}

/// A point of a line where nothing hangs, compared with its beginning.
#[derive(Clone, Debug)]
pub struct Settled {
    /// How many moves lead there.
    pub plies: usize,
    /// From pawns to queens: how many more the side to move has, compared with the other side and with before.
    pub material: [i32; 5],
    /// How the evaluation changes for the side to move, the largest differences first.
    pub terms: Vec<TermChange>,
}

/// How much a term of the evaluation changes, in hundredths of a pawn for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TermChange {
    pub term: Term,
    pub change: i32,
}

/// The pieces that are counted.
pub const COUNTED: [PieceType; 5] =
    [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

/// Smaller changes of the evaluation are not worth a word.
const LEAST_CHANGE: i32 = 15;
/// How many of them are told.
const TOLD_CHANGES: usize = 3;

impl ExpectedLine {
    /// How many plies of a line are shown.
    pub(super) const SHOWN_PLIES: usize = 12;

    /// What a line of a search comes to.
    pub(super) fn new(position: &Position, line: &Line) -> ExpectedLine {
        let mut positions = vec![*position];
        for &mv in &line.moves {
            let mut next = positions[positions.len() - 1];
            if next.play(mv).is_err() {
                break;
            }
            positions.push(next);
        }
        ExpectedLine {
            moves: line.moves[..positions.len() - 1].to_vec(),
            assessment: Assessment::of_line(line, position.side_to_move()),
            outcome: positions[positions.len() - 1].outcome(),
            settled: Settled::find(&positions[..positions.len().min(ExpectedLine::SHOWN_PLIES + 1)]),
        }
    }
}

impl Settled {
    fn find(positions: &[Position]) -> Option<Settled> {
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
        Some(Settled { plies, material, terms: term_changes(start, end) })
    }

    /// What the side to move has won in all, counted 1, 3, 3, 5, 9.
    pub fn worth(&self) -> i32 {
        COUNTED.into_iter().zip(self.material).map(|(piece, change)| change * worth(piece)).sum()
    }
}

/// The largest changes of the classical evaluation, material and the right to move left out: those are told otherwise.
fn term_changes(before: &Position, after: &Position) -> Vec<TermChange> {
    let us = before.side_to_move();
    let (before, after) = (terms(before, us), terms(after, us));
    let pairs = Term::ALL.into_iter().zip(before.into_iter().zip(after));
    let mut changes: Vec<_> = pairs
        .map(|(term, (before, after))| TermChange { term, change: after - before })
        .filter(|change| !matches!(change.term, Term::Material | Term::Tempo))
        .filter(|change| change.change.abs() >= LEAST_CHANGE)
        .collect();
    changes.sort_by_key(|change| -change.change.abs());
    changes.truncate(TOLD_CHANGES);
    changes
}

/// What each term gives to a side, more than to the other; nothing in endings that have a value of their own.
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
