//! Expected lines and their results.

use ferz_board::{Bitboard, Color, File, Move, Outcome, PieceType, Position, Rank, Square, attacks};
use ferz_eval::{EndgameRule, endgame_rule};
use serde::Serialize;

use super::exchange::{is_unsettled, worth};
use super::motifs::is_passed;
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

/// A quiet position of a line, compared with the start of the line: no capture wins material there, and the line does
/// not go on with one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QuietPoint {
    /// The number of moves up to the position.
    pub plies: usize,
    /// From pawns to queens: the change of the difference between the side to move and its opponent.
    pub material: [i32; 5],
    /// What else is different, for both sides.
    pub changes: Vec<Change>,
}

/// Something that a side has in a quiet position and did not have at the start of the line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Change {
    /// The bishop pair: two or more bishops against at most one.
    BishopPair {
        /// The side that has it.
        #[serde(serialize_with = "super::fact::text")]
        color: Color,
    },
    /// A passed pawn on a file where the side had none.
    PassedPawn {
        /// The side that has it.
        #[serde(serialize_with = "super::fact::text")]
        color: Color,
        /// Where it stands.
        #[serde(serialize_with = "super::fact::text")]
        square: Square,
    },
    /// Two or more pawns on a file where the side had at most one.
    DoubledPawns {
        /// The side that has them.
        #[serde(serialize_with = "super::fact::text")]
        color: Color,
        /// The file.
        #[serde(serialize_with = "super::fact::text")]
        file: File,
    },
    /// No pawn is left on the three files around a king on its first or second rank, in front of it; there were two or
    /// more. The opponent has a queen.
    OpenKing {
        /// The side of the king.
        #[serde(serialize_with = "super::fact::text")]
        color: Color,
    },
    /// Three or more pieces attack squares next to the enemy king, at least two more than before.
    KingAttack {
        /// The side that attacks.
        #[serde(serialize_with = "super::fact::text")]
        color: Color,
        /// How many pieces attack.
        pieces: u32,
    },
}

/// The pieces that are counted.
pub const COUNTED: [PieceType; 5] =
    [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

/// The most changes that are reported.
const REPORTED_CHANGES: usize = 3;
/// So many pieces around a king are an attack.
const LEAST_ATTACKERS: u32 = 3;

impl ExpectedLine {
    /// The plies of a line that are shown.
    pub(super) const SHOWN_PLIES: usize = 12;

    /// A line and its assessment. It ends before the first illegal move.
    pub(super) fn new(position: &Position, moves: &[Move], assessment: Assessment) -> ExpectedLine {
        let positions = positions(position, moves);
        let last = &positions[positions.len() - 1];
        ExpectedLine {
            moves: moves[..positions.len() - 1].to_vec(),
            assessment,
            outcome: last.outcome(),
            rule: endgame_rule(last).filter(|&rule| endgame_rule(position) != Some(rule)),
            settled: QuietPoint::find(&positions[..positions.len().min(ExpectedLine::SHOWN_PLIES + 1)]),
        }
    }

    /// The moves that are shown.
    pub(super) fn shown(&self) -> &[Move] {
        &self.moves[..self.moves.len().min(ExpectedLine::SHOWN_PLIES)]
    }

    /// Whether the line is shown to its end.
    pub(super) fn is_shown(&self) -> bool {
        self.moves.len() <= ExpectedLine::SHOWN_PLIES
    }
}

/// The positions of a line, from its start to the first illegal move.
fn positions(start: &Position, moves: &[Move]) -> Vec<Position> {
    let mut positions = vec![*start];
    for &mv in moves {
        let mut next = positions[positions.len() - 1];
        if next.play(mv).is_err() {
            break;
        }
        positions.push(next);
    }
    positions
}

impl QuietPoint {
    /// The last quiet position of a line, within the part that is shown.
    pub(super) fn of_line(start: &Position, moves: &[Move]) -> Option<QuietPoint> {
        QuietPoint::find(&positions(start, &moves[..moves.len().min(ExpectedLine::SHOWN_PLIES)]))
    }

    fn find(positions: &[Position]) -> Option<QuietPoint> {
        let start = &positions[0];
        let us = start.side_to_move();
        let men = |position: &Position| position.occupied().len();
        let is_settled = |plies: usize| {
            let position = &positions[plies];
            // An exchange that the line goes on with is not over, even if it wins nothing.
            let is_next_quiet = positions.get(plies + 1).is_none_or(|next| men(next) == men(position));
            is_next_quiet && position.has_legal_moves() && !is_unsettled(position)
        };
        let plies = (1..positions.len()).rev().find(|&plies| is_settled(plies))?;
        let end = &positions[plies];
        let difference = |position: &Position, piece: PieceType| {
            let count = |color| position.pieces(piece.of(color)).len() as i32;
            count(us) - count(!us)
        };
        let material = COUNTED.map(|piece| difference(end, piece) - difference(start, piece));
        Some(QuietPoint { plies, material, changes: changes(start, end) })
    }

    /// The material that the side to move has won, with pieces worth 1, 3, 3, 5 and 9.
    #[must_use]
    pub fn worth(&self) -> i32 {
        COUNTED.into_iter().zip(self.material).map(|(piece, change)| change * worth(piece)).sum()
    }
}

/// What each side has in the second position and not in the first; the side to move in the first one comes first.
fn changes(start: &Position, end: &Position) -> Vec<Change> {
    let us = start.side_to_move();
    let mut changes = Vec::new();
    for color in [us, !us] {
        let files = |squares: Bitboard, file: File| (squares & Bitboard::from_file(file)).len();
        let attackers = king_attackers(end, color);
        if attackers >= LEAST_ATTACKERS.max(king_attackers(start, color) + 2) {
            changes.push(Change::KingAttack { color, pieces: attackers });
        }
        if is_king_open(start, end, color) {
            changes.push(Change::OpenKing { color });
        }
        let (before, after) = (passed_pawns(start, color), passed_pawns(end, color));
        let is_new = |square: &Square| files(before, square.file()) == 0;
        changes.extend(after.into_iter().find(is_new).map(|square| Change::PassedPawn { color, square }));
        if has_bishop_pair(end, color) && !has_bishop_pair(start, color) {
            changes.push(Change::BishopPair { color });
        }
        let pawns = |position: &Position| position.pieces(PieceType::Pawn.of(color));
        let is_doubled = |&file: &File| files(pawns(end), file) >= 2 && files(pawns(start), file) <= 1;
        changes
            .extend(File::ALL.into_iter().find(is_doubled).map(|file| Change::DoubledPawns { color, file }));
    }
    changes.truncate(REPORTED_CHANGES);
    changes
}

fn has_bishop_pair(position: &Position, color: Color) -> bool {
    let bishops = |color| position.pieces(PieceType::Bishop.of(color)).len();
    bishops(color) >= 2 && bishops(!color) <= 1
}

fn passed_pawns(position: &Position, color: Color) -> Bitboard {
    let pawns = position.pieces(PieceType::Pawn.of(color));
    pawns.into_iter().filter(|&square| is_passed(position, square, color)).collect()
}

/// The number of pieces, without pawns and king, that attack a square next to the enemy king.
fn king_attackers(position: &Position, color: Color) -> u32 {
    let Some(king) = position.pieces(PieceType::King.of(!color)).first() else { return 0 };
    let zone = attacks::of(PieceType::King.of(!color), king, Bitboard::EMPTY);
    let pieces =
        position.by_color(color) - position.by_type(PieceType::Pawn) - position.by_type(PieceType::King);
    let attacks_zone = |&square: &Square| {
        let piece = position.piece_at(square);
        piece.is_some_and(|piece| attacks::of(piece, square, position.occupied()).intersects(zone))
    };
    pieces.into_iter().filter(attacks_zone).count() as u32
}

fn is_king_open(start: &Position, end: &Position, color: Color) -> bool {
    let shelter = |position: &Position| {
        let king = position.pieces(PieceType::King.of(color)).first();
        let Some(king) = king.map(|king| king.relative_to(color)) else { return 0 };
        let is_cover = |pawn: &Square| {
            let pawn = pawn.relative_to(color);
            pawn.rank() > king.rank() && pawn.file().index().abs_diff(king.file().index()) <= 1
        };
        position.pieces(PieceType::Pawn.of(color)).into_iter().filter(is_cover).count()
    };
    let has_queen = end.pieces(PieceType::Queen.of(!color)).any();
    let king = end.pieces(PieceType::King.of(color)).first().map(|king| king.relative_to(color).rank());
    let is_at_home = matches!(king, Some(Rank::First | Rank::Second));
    has_queen && is_at_home && shelter(start) >= 2 && shelter(end) == 0
}
