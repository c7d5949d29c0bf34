//! How far a position seems to be from mate. The estimate decides the order of the search, never its answer.

use crate::{Bitboard, Color, File, PieceType, Position, Square, attacks};

const LOSING_KING_STEP: u32 = 3;
const WINNING_KING_STEP: u32 = 3;
const PROMOTION: u32 = 8;
const PAWN_STEP: u32 = 4;
const MAN_IN_FRONT: u32 = 4;
const ENEMY_MAN: u32 = 4;
const FLIGHT_SQUARE: u32 = 1;
const MINOR_PIECES_ALONE: u32 = 60;
const BLOCKER_STEP: u32 = 4;
const KNIGHT_STEP: u32 = 1;

/// The estimates for a mate in each of two corners. A fixed corner gives every move of a king a direction.
pub(super) fn estimate(position: &Position, winner: Color) -> [u8; 2] {
    let loser = !winner;
    let ours = position.by_color(winner);
    let king = position.king(loser);
    let heavy = ours & (position.by_type(PieceType::Queen) | position.by_type(PieceType::Rook));
    let pawns = ours & position.by_type(PieceType::Pawn);
    let minors_alone = heavy.is_empty() && pawns.is_empty();
    let mut common = FLIGHT_SQUARE * flight_squares(position, king, winner);
    if heavy.is_empty() && pawns.any() {
        common += PROMOTION + promotion_distance(position, pawns, winner);
    }
    if !minors_alone {
        common += ENEMY_MAN * position.by_color(loser).len();
    }
    mating_corners(position, winner).map(|corner| {
        let mut estimate = common + LOSING_KING_STEP * u32::from(king.distance(corner));
        let support = position.king(winner).distance(diagonal_neighbour(corner)).max(1);
        estimate += WINNING_KING_STEP * u32::from(support);
        if minors_alone {
            estimate += MINOR_PIECES_ALONE + BLOCKER_STEP * blocker_distance(position, loser, corner);
            let knights = position.pieces(PieceType::Knight.of(winner)).into_iter();
            estimate += KNIGHT_STEP * knights.map(|knight| u32::from(knight.distance(corner))).sum::<u32>();
        }
        estimate.min(u32::from(u8::MAX) - 1) as u8
    })
}

/// The corners where our pawns promote, the one whose shade suits the bishops first: our own must attack it, theirs
/// must not.
fn mating_corners(position: &Position, winner: Color) -> [Square; 2] {
    let bishops = position.by_type(PieceType::Bishop);
    let ours = bishops & position.by_color(winner);
    let light =
        if ours.any() { ours.intersects(Bitboard::LIGHT) } else { !bishops.intersects(Bitboard::LIGHT) };
    let corner = Square::from_coords(File::A, winner.promotion_rank());
    let corner = if corner.is_light() == light { corner } else { corner.flip_file() };
    [corner, corner.flip_file()]
}

fn diagonal_neighbour(corner: Square) -> Square {
    let file = if corner.file() == File::A { 1 } else { -1 };
    let rank = if corner.rank().index() == 0 { 1 } else { -1 };
    corner.offset(file, rank).unwrap_or(corner)
}

/// Squares next to the king that it may step to, checks through its own square included.
fn flight_squares(position: &Position, king: Square, winner: Color) -> u32 {
    let occupied = position.occupied() - king.bitboard();
    let squares = attacks::king(king) - position.by_color(!winner);
    squares.into_iter().filter(|&square| !is_attacked(position, square, winner, occupied)).count() as u32
}

fn is_attacked(position: &Position, square: Square, by: Color, occupied: Bitboard) -> bool {
    let of = |piece_type: PieceType| position.pieces(piece_type.of(by));
    let queens = of(PieceType::Queen);
    attacks::knight(square).intersects(of(PieceType::Knight))
        || attacks::king(square).intersects(of(PieceType::King))
        || attacks::pawn(!by, square).intersects(of(PieceType::Pawn))
        || attacks::rook(square, occupied).intersects(of(PieceType::Rook) | queens)
        || attacks::bishop(square, occupied).intersects(of(PieceType::Bishop) | queens)
}

/// What the nearest pawn has before it.
fn promotion_distance(position: &Position, pawns: Bitboard, winner: Color) -> u32 {
    let distance = |pawn: Square| {
        let last = Square::from_coords(pawn.file(), winner.promotion_rank());
        let in_front = (attacks::between(pawn, last).with(last) & position.occupied()).len();
        PAWN_STEP * u32::from(pawn.distance(last)) + MAN_IN_FRONT * in_front
    };
    pawns.into_iter().map(distance).min().unwrap_or(0)
}

/// How far the nearest man is that can block its own king in. Minor pieces need one: it takes a flight square and
/// cannot step into the line of the check.
fn blocker_distance(position: &Position, loser: Color, corner: Square) -> u32 {
    let theirs = position.by_color(loser);
    let other_shade = if corner.is_light() { Bitboard::DARK } else { Bitboard::LIGHT };
    let bishops = position.by_type(PieceType::Bishop);
    let mut pieces = position.by_type(PieceType::Knight) | bishops & other_shade;
    if position.pieces(PieceType::Knight.of(!loser)).any() {
        pieces |= position.by_type(PieceType::Rook) | bishops;
    }
    let pieces = (theirs & pieces).into_iter().map(|square| u32::from(square.distance(corner)));
    // A pawn moves away from this corner: unless it is there already, it must promote first.
    let pawns = (theirs & position.by_type(PieceType::Pawn)).into_iter().map(|pawn| {
        let steps = pawn.rank().index().abs_diff(loser.promotion_rank().index()) as u32;
        if pawn.distance(corner) == 1 { 1 } else { 7 + steps }
    });
    pieces.chain(pawns).min().unwrap_or(20)
}
