//! Terms of knights, bishops, rooks and queens.

use ferz_board::{Bitboard, File, PieceType, Square, attacks};

use super::params::weigh;
use super::score::Score;
use super::side::{CENTRE, Side, files_of};
use super::survey::Survey;
use super::tracer::Tracer;

/// All terms of one side's pieces. It fills in what they attack, so it must come before the terms that ask.
#[inline(always)]
pub(super) fn pieces<Us: Side, T: Tracer>(survey: &mut Survey<'_>, tracer: &mut T) -> Score {
    knights::<Us, T>(survey, tracer)
        + bishops::<Us, T>(survey, tracer)
        + rooks::<Us, T>(survey, tracer)
        + queens::<Us, T>(survey, tracer)
        + behind_pawns::<Us, T>(survey, tracer)
}

/// A piece that reaches into the zone of the enemy king takes part in the attack on it, the more the more
/// squares it covers there.
#[inline(always)]
fn join_attack<Us: Side, T: Tracer>(
    survey: &mut Survey<'_>,
    attacker: usize,
    attacked: Bitboard,
    tracer: &mut T,
) {
    let hits = attacked & survey.king_zone::<Us::Them>();
    if hits.any() {
        *survey.king_attack::<Us>() += weigh!(tracer, Us::COLOR, attack_by[attacker])
            + weigh!(tracer, Us::COLOR, attack_hits[attacker], hits.len());
    }
}

/// Squares on the fourth to the sixth rank from which no enemy pawn can ever drive a piece and where a pawn
/// holds it.
#[inline(always)]
fn outposts<Us: Side>(survey: &Survey<'_>) -> Bitboard {
    let challenged = survey.structure.attack_spans[Us::Them::COLOR.index()];
    (Us::ranks(3, 5) & survey.attacks::<Us>().by(PieceType::Pawn)) - challenged
}

/// Knights live by good squares: they are slow, so the ones they have must be central, safe and near the kings.
#[inline(always)]
fn knights<Us: Side, T: Tracer>(survey: &mut Survey<'_>, tracer: &mut T) -> Score {
    let mut score = Score::ZERO;
    let outposts = outposts::<Us>(survey);
    let king = survey.position.king(Us::COLOR);
    for square in survey.pieces::<Us>(PieceType::Knight) {
        let (attacked, moves) = survey.enter::<Us>(PieceType::Knight, square, attacks::knight(square));
        score += weigh!(tracer, Us::COLOR, knight_mobility[moves]);
        score += weigh!(tracer, Us::COLOR, king_distance[0], king.distance(square));
        join_attack::<Us, T>(survey, 0, attacked, tracer);
        if outposts.contains(square) {
            score += weigh!(tracer, Us::COLOR, outpost[0]);
        } else if ((attacked & outposts) - survey.position.by_color(Us::COLOR)).any() {
            score += weigh!(tracer, Us::COLOR, outpost_in_reach[0]);
        }
    }
    score
}

/// Bishops want open diagonals: own pawns on the colour of their squares are in their way, and two bishops
/// together see all squares.
#[inline(always)]
fn bishops<Us: Side, T: Tracer>(survey: &mut Survey<'_>, tracer: &mut T) -> Score {
    let mut score = Score::ZERO;
    let bishops = survey.pieces::<Us>(PieceType::Bishop);
    if bishops.is_empty() {
        return score;
    }
    let occupied = survey.position.occupied();
    let transparent = survey.pieces::<Us>(PieceType::Queen);
    let pawns = survey.pieces::<Us>(PieceType::Pawn);
    let rammed = pawns & Us::backward(occupied);
    let all_pawns = survey.position.by_type(PieceType::Pawn);
    let outposts = outposts::<Us>(survey);
    let king = survey.position.king(Us::COLOR);
    for square in bishops {
        let (attacked, moves) =
            survey.enter::<Us>(PieceType::Bishop, square, attacks::bishop(square, occupied - transparent));
        score += weigh!(tracer, Us::COLOR, bishop_mobility[moves]);
        score += weigh!(tracer, Us::COLOR, king_distance[1], king.distance(square));
        join_attack::<Us, T>(survey, 1, attacked, tracer);
        let same_color = if square.is_light() { Bitboard::LIGHT } else { Bitboard::DARK };
        score += weigh!(tracer, Us::COLOR, bishop_pawns[0], (pawns & same_color).len());
        score += weigh!(tracer, Us::COLOR, bishop_pawns[1], (rammed & same_color).len());
        if outposts.contains(square) {
            score += weigh!(tracer, Us::COLOR, outpost[1]);
        }
        if LONG_DIAGONALS.contains(square) && (attacks::bishop(square, all_pawns) & CENTRE).is_several() {
            score += weigh!(tracer, Us::COLOR, bishop_long_diagonal[0]);
        }
    }
    if bishops.intersects(Bitboard::LIGHT) && bishops.intersects(Bitboard::DARK) {
        score += weigh!(tracer, Us::COLOR, bishop_pair[0]);
    }
    score
}

/// The long diagonals, without the squares in the middle where a bishop sees only one other of them.
const LONG_DIAGONALS: Bitboard = Bitboard(0x8142_2400_0024_4281);

/// A pawn in front of a minor piece shields it.
#[inline(always)]
fn behind_pawns<Us: Side, T: Tracer>(survey: &Survey<'_>, tracer: &mut T) -> Score {
    let minors = survey.pieces::<Us>(PieceType::Knight) | survey.pieces::<Us>(PieceType::Bishop);
    let sheltered = minors & Us::backward(survey.position.by_type(PieceType::Pawn));
    weigh!(tracer, Us::COLOR, behind_pawn[0], sheltered.len())
}

/// Rooks want files without pawns, and the rank where the enemy's pawns started.
#[inline(always)]
fn rooks<Us: Side, T: Tracer>(survey: &mut Survey<'_>, tracer: &mut T) -> Score {
    let mut score = Score::ZERO;
    let rooks = survey.pieces::<Us>(PieceType::Rook);
    if rooks.is_empty() {
        return score;
    }
    let occupied = survey.position.occupied();
    let transparent = rooks | survey.pieces::<Us>(PieceType::Queen);
    let closed = files_of(survey.pieces::<Us>(PieceType::Pawn));
    let their_pawns = survey.pieces::<Us::Them>(PieceType::Pawn);
    let can_castle = survey.position.castling_rooks();
    let king = survey.position.king(Us::COLOR);
    for square in rooks {
        let (attacked, moves) =
            survey.enter::<Us>(PieceType::Rook, square, attacks::rook(square, occupied - transparent));
        score += weigh!(tracer, Us::COLOR, rook_mobility[moves]);
        join_attack::<Us, T>(survey, 2, attacked, tracer);
        if !closed.contains(square) {
            let open = !their_pawns.intersects(Bitboard::from(square.file()));
            score += weigh!(tracer, Us::COLOR, rook_file[usize::from(open)]);
        } else if moves <= 3 && is_shut_in(king, square) && !can_castle.contains(square) {
            score += weigh!(tracer, Us::COLOR, rook_trapped[0]);
        }
        if Us::rank(square) == 6 {
            let targets = their_pawns & Us::ranks(6, 6);
            if targets.any() || Us::rank(survey.position.king(Us::Them::COLOR)) == 7 {
                score += weigh!(tracer, Us::COLOR, rook_seventh[0]);
            }
        }
    }
    score
}

/// Whether a king stands between a rook and the middle of the board, on the rook's rank.
#[inline(always)]
fn is_shut_in(king: Square, rook: Square) -> bool {
    let (king_file, rook_file) = (king.file(), rook.file());
    king.rank() == rook.rank() && ((king_file < File::E) == (rook_file < king_file)) && king_file != rook_file
}

/// A queen is worth what she sees: all her terms are mobility and the attack on the king.
#[inline(always)]
fn queens<Us: Side, T: Tracer>(survey: &mut Survey<'_>, tracer: &mut T) -> Score {
    let mut score = Score::ZERO;
    let occupied = survey.position.occupied();
    for square in survey.pieces::<Us>(PieceType::Queen) {
        let (attacked, moves) =
            survey.enter::<Us>(PieceType::Queen, square, attacks::queen(square, occupied));
        score += weigh!(tracer, Us::COLOR, queen_mobility[moves]);
        join_attack::<Us, T>(survey, 3, attacked, tracer);
    }
    score
}
