//! Terms of knights, bishops, rooks and queens.

use ferz_board::{Bitboard, PieceType, Square, attacks};

use super::params::{flat_index, weigh};
use super::score::Score;
use super::side::{CENTRE, Side};
use super::survey::Survey;
use super::tracer::Tracer;
use super::weights::WEIGHTS;

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
    let hits = (attacked & survey.king_zone::<Us::Them>()).len();
    if hits != 0 {
        tracer.counted(Us::COLOR, flat_index!(attack_by) + attacker, 1);
        tracer.counted(Us::COLOR, flat_index!(attack_hits) + attacker, hits as i32);
    }
    *survey.king_attack::<Us>() += JOINED[attacker][hits as usize % MAX_HITS];
}

/// A power of two above the twelve squares that the zone of a king has.
const MAX_HITS: usize = 16;

/// What a piece adds to the attack, by the number of squares it hits: the two weights together, or nothing.
static JOINED: [[Score; MAX_HITS]; 4] = {
    let mut table = [[Score::ZERO; MAX_HITS]; 4];
    let mut attacker = 0;
    while attacker < 4 {
        let mut hits = 1;
        table[attacker][0] = WEIGHTS.attack_by[attacker];
        while hits < MAX_HITS {
            table[attacker][hits] = table[attacker][hits - 1].plus(WEIGHTS.attack_hits[attacker]);
            hits += 1;
        }
        table[attacker][0] = Score::ZERO;
        attacker += 1;
    }
    table
};

/// Knights live by good squares: they are slow, so the ones they have must be central, safe and near the kings.
#[inline(always)]
fn knights<Us: Side, T: Tracer>(survey: &mut Survey<'_>, tracer: &mut T) -> Score {
    let mut score = Score::ZERO;
    let outposts = survey.structure.outposts[Us::COLOR.index()];
    let free_outposts = outposts - survey.position.by_color(Us::COLOR);
    let knights = survey.pieces::<Us>(PieceType::Knight);
    let (mut from_king, mut in_reach) = (0, 0);
    for square in knights {
        let (attacked, moves) = survey.enter::<Us>(PieceType::Knight, square, attacks::knight(square));
        score += weigh!(tracer, Us::COLOR, knight_mobility[moves]);
        join_attack::<Us, T>(survey, 0, attacked, tracer);
        from_king += survey.distance_to_king::<Us>(square);
        in_reach += u32::from(attacked.intersects(free_outposts) && !outposts.contains(square));
    }
    score
        + weigh!(tracer, Us::COLOR, king_distance[0], from_king)
        + weigh!(tracer, Us::COLOR, outpost[0], (knights & outposts).len())
        + weigh!(tracer, Us::COLOR, outpost_in_reach[0], in_reach)
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
    let outposts = survey.structure.outposts[Us::COLOR.index()];
    let mut from_king = 0;
    for square in bishops {
        let (attacked, moves) =
            survey.enter::<Us>(PieceType::Bishop, square, attacks::bishop(square, occupied - transparent));
        score += weigh!(tracer, Us::COLOR, bishop_mobility[moves]);
        join_attack::<Us, T>(survey, 1, attacked, tracer);
        from_king += survey.distance_to_king::<Us>(square);
        let same_color = if square.is_light() { Bitboard::LIGHT } else { Bitboard::DARK };
        score += weigh!(tracer, Us::COLOR, bishop_pawns[0], (pawns & same_color).len());
        score += weigh!(tracer, Us::COLOR, bishop_pawns[1], (rammed & same_color).len());
    }
    for square in bishops & LONG_DIAGONALS {
        if (attacks::bishop(square, all_pawns) & CENTRE).is_several() {
            score += weigh!(tracer, Us::COLOR, bishop_long_diagonal[0]);
        }
    }
    if bishops.intersects(Bitboard::LIGHT) && bishops.intersects(Bitboard::DARK) {
        score += weigh!(tracer, Us::COLOR, bishop_pair[0]);
    }
    score
        + weigh!(tracer, Us::COLOR, king_distance[1], from_king)
        + weigh!(tracer, Us::COLOR, outpost[1], (bishops & outposts).len())
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
    let closed = rooks & survey.structure.files::<Us>();
    let cut_off = CUT_OFF[survey.position.king(Us::COLOR).index()];
    let shut_in = (closed & cut_off) - survey.position.castling_rooks();
    for square in rooks {
        let (attacked, moves) =
            survey.enter::<Us>(PieceType::Rook, square, attacks::rook(square, occupied - transparent));
        score += weigh!(tracer, Us::COLOR, rook_mobility[moves]);
        join_attack::<Us, T>(survey, 2, attacked, tracer);
    }
    for square in shut_in {
        if survey.moves::<Us>(square, attacks::rook(square, occupied - transparent)) <= 3 {
            score += weigh!(tracer, Us::COLOR, rook_trapped[0]);
        }
    }
    let on_seventh = rooks & Us::ranks(6, 6);
    if on_seventh.any() {
        let targets = (survey.pieces::<Us::Them>(PieceType::Pawn) & Us::ranks(6, 6))
            | (survey.pieces::<Us::Them>(PieceType::King) & Us::ranks(7, 7));
        if targets.any() {
            score += weigh!(tracer, Us::COLOR, rook_seventh[0], on_seventh.len());
        }
    }
    let half_open = rooks - closed;
    let open = half_open - survey.structure.files::<Us::Them>();
    score
        + weigh!(tracer, Us::COLOR, rook_file[0], (half_open - open).len())
        + weigh!(tracer, Us::COLOR, rook_file[1], open.len())
}

/// For every square of a king the squares on his rank that he cuts off from the middle of the board.
static CUT_OFF: [Bitboard; 64] = {
    let mut table = [Bitboard::EMPTY; 64];
    let mut i = 0;
    while i < 64 {
        let king = Square::ALL[i];
        let below = king.bitboard().0 - 1;
        let towards_rim = if king.file().index() < 4 { below } else { !below & !king.bitboard().0 };
        table[i] = Bitboard(Bitboard::from_rank(king.rank()).0 & towards_rim);
        i += 1;
    }
    table
};

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
