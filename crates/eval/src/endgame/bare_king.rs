//! Endings against a bare king: elementary mates, and pawns that win or do not.

use ferz_board::{Bitboard, PieceType, Square, attacks};

use super::{Effect, EndgameRule, Ending, Knowledge, color_of, distance_to_centre, kpk, material_points};
use crate::classical::material;

/// The value of a mate that can be forced, beside material and the way to it.
const FORCED_MATE: i32 = 600;
/// The value of a pawn that wins by the bitbase, on its second rank.
const WINNING_PAWN: i32 = 500;

/// What is known against a bare king.
pub(super) fn rule(ending: &Ending<'_>) -> Knowledge {
    if can_force_mate(ending) {
        if loses_a_piece(ending) {
            return Knowledge::draw(EndgameRule::InsufficientMaterial);
        }
        return Knowledge { rule: EndgameRule::BareKing, effect: Effect::Value(mop_up(ending)) };
    }
    let pawns = ending.strong(PieceType::Pawn);
    let knights = ending.strong(PieceType::Knight);
    if pawns.is_empty() {
        let two_knights = knights.is_several();
        return Knowledge::draw(if two_knights {
            EndgameRule::TwoKnights
        } else {
            EndgameRule::InsufficientMaterial
        });
    }
    if let (Some(pawn), true) = (pawns.single(), ending.has_only(&[PieceType::Pawn])) {
        return pawn_ending(ending, pawn);
    }
    match rook_pawns(ending) {
        Some(rule) => Knowledge::draw(rule),
        None => Knowledge { rule: EndgameRule::Pawns, effect: Effect::Limit(secure_value(ending)) },
    }
}

/// Whether the pieces can force mate: a queen, a rook, bishops of both colours, bishop and knight, or three knights.
fn can_force_mate(ending: &Ending<'_>) -> bool {
    let bishops = ending.strong(PieceType::Bishop);
    let knights = ending.strong(PieceType::Knight);
    let has_major = (ending.strong(PieceType::Queen) | ending.strong(PieceType::Rook)).any();
    has_major || has_bishop_pair(bishops) || bishops.any() && knights.any() || knights.len() >= 3
}

/// Whether one of two minor pieces falls, so that the other cannot mate: it hangs, or the king forks both.
fn loses_a_piece(ending: &Ending<'_>) -> bool {
    let (bishops, knights) = (ending.strong(PieceType::Bishop), ending.strong(PieceType::Knight));
    if (bishops | knights).len() != 2 || ending.position.by_color(ending.strong).len() != 3 {
        return false;
    }
    let by_king = attacks::king(ending.strong_king());
    let attacked = (bishops | knights) & (attacks::king(ending.weak_king()) - by_king);
    if ending.position.side_to_move() == ending.strong {
        // Pieces that only protect each other cannot both be saved, or hardly ever.
        return attacked.is_several();
    }
    let occupied = ending.position.occupied();
    let by_bishops = bishops.into_iter().map(|it| attacks::bishop(it, occupied));
    let by_pieces = by_bishops.chain(knights.into_iter().map(attacks::knight));
    (attacked - by_pieces.fold(Bitboard::EMPTY, |all, set| all | set)).any()
}

fn has_bishop_pair(bishops: Bitboard) -> bool {
    bishops.intersects(Bitboard::LIGHT) && bishops.intersects(Bitboard::DARK)
}

/// Mop-up evaluation: the search cannot see the mate from afar, so the value leads there.
fn mop_up(ending: &Ending<'_>) -> i32 {
    let bishops = ending.strong(PieceType::Bishop);
    let is_bishop_and_knight =
        material_points(ending.position, ending.strong) == 6 && !has_bishop_pair(bishops) && bishops.any();
    let way = if is_bishop_and_knight { bishop_and_knight(ending) } else { drive(ending) };
    ending.for_white(secure_value(ending) + way)
}

/// The least value of a forced mate, and the greatest value of pawns against a bare king: a promotion is worth more.
fn secure_value(ending: &Ending<'_>) -> i32 {
    let pawns = ending.strong(PieceType::Pawn).into_iter();
    let advance: i32 = pawns.map(|pawn| 10 * pawn.relative_to(ending.strong).rank().index() as i32).sum();
    FORCED_MATE + material(ending.position, ending.strong) + advance
}

/// Drives the weak king to the edge and brings the strong king closer.
///
/// A step counts more than the margins of the search, which would otherwise prune the way to the mate.
pub(super) fn drive(ending: &Ending<'_>) -> i32 {
    60 * distance_to_centre(ending.weak_king()) + 48 * (7 - kings_distance(ending))
}

fn kings_distance(ending: &Ending<'_>) -> i32 {
    i32::from(ending.strong_king().distance(ending.weak_king()))
}

/// The way to the mate with bishop and knight, which is given in a corner that the bishop controls. It is the longest,
/// so the steps count even more.
fn bishop_and_knight(ending: &Ending<'_>) -> i32 {
    let weak_king = ending.weak_king();
    let on_light = ending.strong(PieceType::Bishop).intersects(Bitboard::LIGHT);
    let knight = ending.strong(PieceType::Knight).first().map_or(0, |it| i32::from(it.distance(weak_king)));
    300 * (7 - distance_to_corner(weak_king, on_light))
        + 100 * (3 - distance_to_edge(weak_king))
        + 150 * (7 - kings_distance(ending))
        + 40 * (7 - knight)
}

/// The Manhattan distance to the nearer corner of a colour, at most seven: the corners of the other colour are the
/// furthest squares.
fn distance_to_corner(square: Square, light: bool) -> i32 {
    let (file, rank) = (square.file().index() as i32, square.rank().index() as i32);
    // Along the diagonal between the corners of the other colour every square is seven steps from these.
    let steps = if light { file + 7 - rank } else { file + rank };
    steps.min(14 - steps)
}

/// The number of steps to the nearest edge: 0 to 3.
fn distance_to_edge(square: Square) -> i32 {
    let along = |index: usize| index.min(7 - index) as i32;
    along(square.file().index()).min(along(square.rank().index()))
}

/// King and pawn against king.
fn pawn_ending(ending: &Ending<'_>, pawn: Square) -> Knowledge {
    let relative = |square: Square| square.relative_to(ending.strong);
    let pawn = relative(pawn);
    let strong_to_move = ending.position.side_to_move() == ending.strong;
    if kpk::is_won(pawn, relative(ending.strong_king()), relative(ending.weak_king()), strong_to_move) {
        let value = WINNING_PAWN + 20 * pawn.rank().index() as i32;
        Knowledge { rule: EndgameRule::PawnWins, effect: Effect::Value(ending.for_white(value)) }
    } else {
        Knowledge::draw(EndgameRule::PawnDraws)
    }
}

/// Rook pawns promote only if the king can be driven from the corner, which takes a bishop that controls it.
pub(super) fn rook_pawns(ending: &Ending<'_>) -> Option<EndgameRule> {
    let corner = ending.rook_pawn_corner()?;
    let king = ending.weak_king();
    if king.distance(corner) > 1 {
        return None;
    }
    let bishops = ending.strong(PieceType::Bishop);
    if ending.has_only(&[PieceType::Pawn, PieceType::Bishop]) {
        let rule = if bishops.is_empty() { EndgameRule::RookPawn } else { EndgameRule::WrongBishop };
        return (!bishops.intersects(color_of(corner))).then_some(rule);
    }
    // A pawn on the seventh rank takes the square from which the king would drive the other king away.
    let pawn = ending.strong(PieceType::Pawn).single()?;
    let is_knight_and_pawn = ending.has_only(&[PieceType::Pawn, PieceType::Knight])
        && ending.strong(PieceType::Knight).is_singular();
    (is_knight_and_pawn && pawn.distance(corner) == 1 && king == corner)
        .then_some(EndgameRule::KnightAndRookPawn)
}
