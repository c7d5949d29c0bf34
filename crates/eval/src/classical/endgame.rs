//! Specialised endgame knowledge: mop-up evaluation against a bare king, and scale factors for drawish material.

use ferz_board::{Bitboard, Color, PieceType, Position, Square};

use super::side::{Black, EDGE_FILES, Side, WINGS, White, distance_to_centre};
use super::weights::WEIGHTS;

/// Mop-up evaluation: the value for White if one side has a bare king, unless pawns decide the game.
///
/// The search cannot see the mate from afar, so the value leads there: it drives the bare king to the edge (against bishop
/// and knight to a corner that the bishop controls) and brings the strong king closer.
pub(super) fn bare_king(position: &Position) -> Option<i32> {
    let is_bare = |color: Color| position.by_color(color).is_singular();
    match (is_bare(Color::White), is_bare(Color::Black)) {
        (true, true) => Some(0),
        (false, true) => against_bare_king(position, Color::White),
        (true, false) => against_bare_king(position, Color::Black).map(|value| -value),
        (false, false) => None,
    }
}

/// The bonus for a mate that can be forced.
const FORCED_MATE: i32 = 600;

#[cold]
fn against_bare_king(position: &Position, strong: Color) -> Option<i32> {
    let pieces = |piece_type: PieceType| position.pieces(piece_type.of(strong));
    let bishops = pieces(PieceType::Bishop);
    let knights = pieces(PieceType::Knight);
    let has_major = (pieces(PieceType::Queen) | pieces(PieceType::Rook)).any();
    let has_pair = bishops.intersects(Bitboard::LIGHT) && bishops.intersects(Bitboard::DARK);
    let has_both_minors = bishops.any() && knights.any();
    if !(has_major || has_pair || has_both_minors || knights.len() >= 3) {
        return if pieces(PieceType::Pawn).any() { None } else { Some(0) };
    }

    let (own_king, bare_king) = (position.king(strong), position.king(!strong));
    let drive = if has_major || has_pair || !has_both_minors {
        20 * distance_to_centre(bare_king)
    } else {
        40 * (7 - distance_to_corner(bare_king, bishops.intersects(Bitboard::LIGHT)))
    };
    let approach = 10 * (7 - i32::from(own_king.distance(bare_king)));
    let material: i32 = position
        .by_color(strong)
        .into_iter()
        .filter_map(|square| position.piece_at(square))
        .filter(|piece| piece.piece_type() != PieceType::King)
        .map(|piece| WEIGHTS.material[piece.piece_type().index()].eg())
        .sum();
    let advance: i32 = pieces(PieceType::Pawn)
        .into_iter()
        .map(|pawn| 10 * pawn.relative_to(strong).rank().index() as i32)
        .sum();
    Some(FORCED_MATE + material + drive + approach + advance)
}

/// The Manhattan distance to the nearer corner of a colour, at most seven: the corners of the other colour are the
/// furthest squares.
fn distance_to_corner(square: Square, light: bool) -> i32 {
    let (file, rank) = (square.file().index() as i32, square.rank().index() as i32);
    // Along the diagonal between the corners of the other colour every square is seven steps from these.
    let to_a1 = file + rank;
    let to_a8 = file + 7 - rank;
    let steps = if light { to_a8 } else { to_a1 };
    steps.min(14 - steps)
}

/// The scale factor with which the endgame score counts in full.
pub(super) const FULL_SCALE: i32 = 64;

/// The scale factor of the endgame score, in parts of [`FULL_SCALE`]: lower, down to zero, where the side that is ahead
/// is known to make no progress.
#[inline]
pub(super) fn scale(position: &Position, eg: i32) -> i32 {
    if eg > 0 { scale_for::<White>(position) } else { scale_for::<Black>(position) }
}

#[inline(always)]
fn scale_for<Strong: Side>(position: &Position) -> i32 {
    let pawns = position.pieces(PieceType::Pawn.of(Strong::COLOR));
    if pawns.is_empty() {
        return scale_without_pawns::<Strong>(position);
    }
    let bishops = position.by_type(PieceType::Bishop);
    let majors = position.by_type(PieceType::Rook) | position.by_type(PieceType::Queen);
    let knights = position.by_type(PieceType::Knight);
    if (majors | knights).is_empty() && has_wrong_bishop::<Strong>(position, pawns) {
        return 0;
    }
    // The more pawns, the more ways to win; pawns on both wings stretch the defender.
    let both_wings = WINGS.iter().all(|&wing| pawns.intersects(wing));
    let by_pawns = (38 + 4 * pawns.len() as i32 + 10 * i32::from(both_wings)).min(FULL_SCALE);
    if has_opposite_bishops(bishops, position) {
        // Opposite-coloured bishops: the defending bishop blocks the pawns, but other pieces can attack with ours.
        let alone = (majors | knights).is_empty();
        return by_pawns.min(if alone { 16 + 3 * pawns.len() as i32 } else { 46 });
    }
    by_pawns
}

/// Without pawns, a lead of less than a rook does not force mate.
#[cold]
fn scale_without_pawns<Strong: Side>(position: &Position) -> i32 {
    let (ours, theirs) =
        (material_points(position, Strong::COLOR), material_points(position, !Strong::COLOR));
    let knights = position.pieces(PieceType::Knight.of(Strong::COLOR));
    let only_knights = position.by_color(Strong::COLOR).len() == knights.len() + 1;
    if ours <= 3 || (ours <= 6 && only_knights) {
        // A single minor piece cannot mate at all, two knights cannot force it.
        0
    } else if ours <= theirs + 3 {
        8
    } else {
        FULL_SCALE
    }
}

/// Material in points: minor pieces 3, rooks 5, queens 9.
fn material_points(position: &Position, color: Color) -> u32 {
    let count = |piece_type: PieceType| position.pieces(piece_type.of(color)).len();
    3 * (count(PieceType::Knight) + count(PieceType::Bishop))
        + 5 * count(PieceType::Rook)
        + 9 * count(PieceType::Queen)
}

/// Opposite-coloured bishops: one for each side, on squares of different colours.
fn has_opposite_bishops(bishops: Bitboard, position: &Position) -> bool {
    bishops.len() == 2
        && bishops.intersects(Bitboard::LIGHT)
        && bishops.intersects(Bitboard::DARK)
        && bishops.intersects(position.by_color(Color::White))
        && bishops.intersects(position.by_color(Color::Black))
}

/// The wrong rook pawn (or wrong bishop): a rook pawn promotes only if the defending king can be driven from the corner,
/// which takes a bishop that controls it.
#[cold]
fn has_wrong_bishop<Strong: Side>(position: &Position, pawns: Bitboard) -> bool {
    if !pawns.is_subset(EDGE_FILES) || WINGS.iter().all(|&wing| pawns.intersects(wing)) {
        return false;
    }
    let Some(pawn) = pawns.first() else { return false };
    let corner = Square::from_coords(pawn.file(), Strong::COLOR.promotion_rank());
    let same_color = if corner.is_light() { Bitboard::LIGHT } else { Bitboard::DARK };
    let bishops = position.pieces(PieceType::Bishop.of(Strong::COLOR));
    let defender = position.king(!Strong::COLOR);
    !bishops.intersects(same_color)
        && position.pieces(PieceType::Bishop.of(!Strong::COLOR)).is_empty()
        && defender.distance(corner) <= 1
}
