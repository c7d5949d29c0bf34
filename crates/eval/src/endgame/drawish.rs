//! Endings where both sides have something: scale factors for material that rarely wins.

use std::cmp::Ordering;

use ferz_board::{Bitboard, Color, File, PieceType, Position};

use super::bare_king::{drive, rook_pawns};
use super::{Effect, EndgameRule, Ending, FULL_SCALE, Knowledge, color_of, material_points};
use crate::classical::material;

/// What is known if both sides have more than the king.
pub(super) fn rule(position: &Position) -> Option<Knowledge> {
    let [white, black] = Color::ALL.map(|strong| Ending { position, strong });
    if let Some(value) = lone_queen(&white).or_else(|| lone_queen(&black)) {
        return Some(Knowledge { rule: EndgameRule::LoneQueen, effect: Effect::Value(value) });
    }
    let known = [white, black].map(|ending| scale(&ending));
    // The rule that matters is that of the side that is ahead.
    let (rule, _) = match material(position, Color::White).cmp(&material(position, Color::Black)) {
        Ordering::Greater => known[0],
        Ordering::Less => known[1],
        Ordering::Equal => known[0].or(known[1]),
    }?;
    Some(Knowledge { rule, effect: Effect::Scale(known.map(|it| it.map_or(FULL_SCALE, |(_, scale)| scale))) })
}

/// A queen against a rook or a minor piece wins: the weak king is driven to the edge.
fn lone_queen(ending: &Ending<'_>) -> Option<i32> {
    let (position, weak) = (ending.position, !ending.strong);
    let is_lone = ending.has_only(&[PieceType::Queen])
        && ending.strong(PieceType::Queen).is_singular()
        && position.by_color(weak).len() == 2
        && matches!(material_points(position, weak), 3 | 5);
    is_lone.then(|| {
        let ahead = material(position, ending.strong) - material(position, weak);
        ending.for_white(ahead + drive(ending))
    })
}

/// The scale factor of values for the strong side, in parts of [`FULL_SCALE`], and its reason.
fn scale(ending: &Ending<'_>) -> Option<(EndgameRule, i32)> {
    let pawns = ending.strong(PieceType::Pawn);
    if pawns.is_empty() {
        return scale_without_pawns(ending);
    }
    let bare_defence = ending.position.by_color(!ending.strong)
        == ending.weak(PieceType::King) | ending.weak(PieceType::Pawn);
    if bare_defence && let Some(rule) = rook_pawns(ending).filter(|_| !can_change_file(ending)) {
        return Some((rule, 0));
    }
    if !ending.has_only(&[PieceType::Pawn, PieceType::Bishop]) {
        return None;
    }
    let bishop = ending.strong(PieceType::Bishop).single()?;
    let weak_bishop = ending.weak(PieceType::Bishop).single();
    let weak_pieces = ending.position.by_color(!ending.strong)
        - ending.weak(PieceType::King)
        - ending.weak(PieceType::Pawn);
    if !weak_pieces.is_singular() {
        return None;
    }
    if weak_bishop.is_some_and(|it| it.is_light() != bishop.is_light()) {
        // The weak bishop stops the pawns on the squares of its colour. A single pawn hardly ever passes.
        let count = pawns.len() as i32;
        return Some((EndgameRule::OppositeBishops, if count == 1 { 4 } else { 16 + 4 * count }));
    }
    let is_minor = weak_pieces.intersects(ending.weak(PieceType::Bishop) | ending.weak(PieceType::Knight));
    (is_minor && is_blockade(ending)).then_some((EndgameRule::Blockade, 8))
}

/// Whether a capture could bring a rook pawn to the next file.
fn can_change_file(ending: &Ending<'_>) -> bool {
    let next_files = Bitboard::from_file(File::B) | Bitboard::from_file(File::G);
    ending.weak(PieceType::Pawn).intersects(next_files)
}

/// Whether the weak king stands in front of the only pawn, on a square that the bishop does not control.
fn is_blockade(ending: &Ending<'_>) -> bool {
    let (Some(pawn), Some(bishop)) =
        (ending.strong(PieceType::Pawn).single(), ending.strong(PieceType::Bishop).single())
    else {
        return false;
    };
    let king = ending.weak_king();
    let rank = |square: ferz_board::Square| square.relative_to(ending.strong).rank();
    king.file() == pawn.file()
        && rank(king) > rank(pawn)
        && !color_of(bishop).contains(king)
        && ending.weak(PieceType::Pawn).is_empty()
}

/// Without pawns, a lead of less than a rook does not force mate.
fn scale_without_pawns(ending: &Ending<'_>) -> Option<(EndgameRule, i32)> {
    let position = ending.position;
    let (ours, theirs) =
        (material_points(position, ending.strong), material_points(position, !ending.strong));
    if ours <= 3 || ours <= 6 && ending.has_only(&[PieceType::Knight]) {
        // A single minor piece cannot mate, two knights cannot force it.
        return Some((EndgameRule::NoPawns, 0));
    }
    if ours <= theirs + 3 {
        return Some((EndgameRule::NoPawns, 8));
    }
    is_queen_stopped(ending).then_some((EndgameRule::QueenAgainstPawn, 3))
}

/// A queen cannot win against a rook or bishop pawn that its king supports on the seventh rank, because stalemate or
/// promotion follows, unless the own king is near.
fn is_queen_stopped(ending: &Ending<'_>) -> bool {
    let weak = Ending { position: ending.position, strong: !ending.strong };
    let Some(pawn) = weak.strong(PieceType::Pawn).single() else { return false };
    let promotion_square = weak.promotion_square(pawn);
    ending.has_only(&[PieceType::Queen])
        && ending.strong(PieceType::Queen).is_singular()
        && weak.has_only(&[PieceType::Pawn])
        && matches!(pawn.file(), File::A | File::C | File::F | File::H)
        && pawn.distance(promotion_square) == 1
        && ending.weak_king().distance(pawn) <= 1
        && ending.strong_king().distance(promotion_square) > 4
}
