//! A position as the page draws it.

use std::collections::BTreeMap;

use ferz_board::{Bitboard, CastlingMode, DrawClaim, Game, Move, Position, Square};
use ferz_notation::san::San;

use crate::protocol::{ClaimName, MoveEntry, Preview, SquareName};
use crate::xray;

/// The squares of a move, where the king goes for castling.
pub(crate) fn squares(mv: Move) -> [SquareName; 2] {
    [SquareName(mv.from()), SquareName(mv.destination())]
}

/// The king in check.
pub(crate) fn checked_king(position: &Position) -> Option<SquareName> {
    position.is_check().then(|| SquareName(position.king(position.side_to_move())))
}

/// The board as the page draws it.
pub(crate) fn preview(position: &Position, last: Option<Move>) -> Preview {
    Preview {
        fen: position.to_string(),
        board: xray::letters(position),
        turn: position.side_to_move().into(),
        check: checked_king(position),
        last: last.map(squares),
    }
}

/// The legal moves by the square they start from.
pub(crate) fn moves(position: &Position, mode: CastlingMode) -> BTreeMap<String, Vec<MoveEntry>> {
    let legal = position.legal_moves();
    let mut moves: BTreeMap<String, Vec<MoveEntry>> = BTreeMap::new();
    for &mv in &legal {
        let san = San::new(position, mv).to_string();
        let is_en_passant = mv.is_en_passant();
        let entry = MoveEntry {
            uci: mv.uci(mode).to_string(),
            to: targets(mv, legal.as_slice()).into_iter().map(SquareName).collect(),
            promotion: mv.promotion().map(|kind| kind.to_char().to_ascii_lowercase()),
            capture: position.captured(mv).is_some(),
            castling: mv.is_castling(),
            en_passant: is_en_passant,
            check: san.ends_with(['+', '#']),
            mate: san.ends_with('#'),
            captured: is_en_passant
                .then(|| SquareName(Square::from_coords(mv.to().file(), mv.from().rank()))),
            san,
        };
        moves.entry(mv.from().to_string()).or_default().push(entry);
    }
    moves
}

/// The squares on which a dropped piece means this move. For castling these are the king's target and the rook's square,
/// unless the king can also step there.
fn targets(mv: Move, legal: &[Move]) -> Vec<Square> {
    if !mv.is_castling() {
        return vec![mv.to()];
    }
    let steps: Bitboard = legal
        .iter()
        .filter(|other| other.from() == mv.from() && !other.is_castling())
        .map(|other| other.to())
        .collect();
    let other_castling = legal.iter().filter(|other| other.is_castling() && **other != mv);
    let rooks: Bitboard = other_castling.map(|other| other.to()).collect();
    let mut targets = vec![mv.to()];
    let king = mv.destination();
    if king != mv.to() && king != mv.from() && !steps.contains(king) && !rooks.contains(king) {
        targets.insert(0, king);
    }
    targets
}

/// Draws that the side to move may claim.
pub(crate) fn claims(game: &Game) -> Vec<ClaimName> {
    let all = [
        (DrawClaim::ThreefoldRepetition, ClaimName::ThreefoldRepetition),
        (DrawClaim::FiftyMoves, ClaimName::FiftyMoves),
    ];
    let open = game.outcome().is_none();
    all.into_iter().filter(|&(claim, _)| open && game.can_claim(claim)).map(|(_, name)| name).collect()
}
