//! Mobility and other terms of knights, bishops, rooks and queens.

use ferz_board::{Bitboard, PieceType, Square, attacks};

use super::eval_info::EvalInfo;
use super::params::{flat_index, weigh};
use super::score::TaperedScore;
use super::side::{CENTRE, Side};
use super::tracer::Tracer;
use super::weights::WEIGHTS;

/// All terms of one side's pieces. Fills in the attack maps, so it must come before the terms that read them.
#[inline(always)]
pub(super) fn pieces<Us: Side, T: Tracer>(info: &mut EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    knights::<Us, T>(info, tracer)
        + bishops::<Us, T>(info, tracer)
        + rooks::<Us, T>(info, tracer)
        + queens::<Us, T>(info, tracer)
        + behind_pawns::<Us, T>(info, tracer)
}

/// King attackers: a piece that attacks the zone of the enemy king takes part in the attack, the more squares of the zone
/// the more.
#[inline(always)]
fn king_attacker<Us: Side, T: Tracer>(
    info: &mut EvalInfo<'_>,
    attacker: usize,
    attacked: Bitboard,
    tracer: &mut T,
) {
    let hits = (attacked & info.king_zone::<Us::Them>()).len();
    if hits != 0 {
        tracer.counted(Us::COLOR, flat_index!(attack_by) + attacker, 1);
        tracer.counted(Us::COLOR, flat_index!(attack_hits) + attacker, hits as i32);
    }
    *info.king_attack::<Us>() += KING_ATTACKER[attacker][hits as usize % MAX_HITS];
}

/// A power of two above twelve, the number of squares in a king zone.
const MAX_HITS: usize = 16;

/// The score of a king attacker, by the number of squares it attacks: both weights together, or nothing.
static KING_ATTACKER: [[TaperedScore; MAX_HITS]; 4] = {
    let mut table = [[TaperedScore::ZERO; MAX_HITS]; 4];
    let mut attacker = 0;
    while attacker < 4 {
        let mut hits = 1;
        table[attacker][0] = WEIGHTS.attack_by[attacker];
        while hits < MAX_HITS {
            table[attacker][hits] = table[attacker][hits - 1].plus(WEIGHTS.attack_hits[attacker]);
            hits += 1;
        }
        table[attacker][0] = TaperedScore::ZERO;
        attacker += 1;
    }
    table
};

/// Knights: mobility, outposts and the distance to the own king. Knights are slow, so they need good squares.
#[inline(always)]
fn knights<Us: Side, T: Tracer>(info: &mut EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    let mut score = TaperedScore::ZERO;
    let outposts = info.structure.outposts[Us::COLOR.index()];
    let free_outposts = outposts - info.position.by_color(Us::COLOR);
    let knights = info.pieces::<Us>(PieceType::Knight);
    let (mut from_king, mut in_reach) = (0, 0);
    for square in knights {
        let (attacked, mobility) = info.add_attacks::<Us>(PieceType::Knight, square, attacks::knight(square));
        score += weigh!(tracer, Us::COLOR, knight_mobility[mobility]);
        king_attacker::<Us, T>(info, 0, attacked, tracer);
        from_king += info.distance_to_king::<Us>(square);
        in_reach += u32::from(attacked.intersects(free_outposts) && !outposts.contains(square));
    }
    score
        + weigh!(tracer, Us::COLOR, king_distance[0], from_king)
        + weigh!(tracer, Us::COLOR, outpost[0], (knights & outposts).len())
        + weigh!(tracer, Us::COLOR, outpost_in_reach[0], in_reach)
}

/// Bishops: mobility, outposts, the bishop pair, bad bishops and long diagonals. Bishops need open diagonals: own pawns
/// on their colour are in the way, and two bishops together cover all squares.
#[inline(always)]
fn bishops<Us: Side, T: Tracer>(info: &mut EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    let mut score = TaperedScore::ZERO;
    let bishops = info.pieces::<Us>(PieceType::Bishop);
    if bishops.is_empty() {
        return score;
    }
    let occupied = info.position.occupied();
    let transparent = info.pieces::<Us>(PieceType::Queen);
    let pawns = info.pieces::<Us>(PieceType::Pawn);
    let rammed = pawns & Us::backward(occupied);
    let all_pawns = info.position.by_type(PieceType::Pawn);
    let outposts = info.structure.outposts[Us::COLOR.index()];
    let mut from_king = 0;
    for square in bishops {
        let (attacked, mobility) = info.add_attacks::<Us>(
            PieceType::Bishop,
            square,
            attacks::bishop(square, occupied - transparent),
        );
        score += weigh!(tracer, Us::COLOR, bishop_mobility[mobility]);
        king_attacker::<Us, T>(info, 1, attacked, tracer);
        from_king += info.distance_to_king::<Us>(square);
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

/// The long diagonals without the central squares, from which a bishop sees only one other central square.
const LONG_DIAGONALS: Bitboard = Bitboard(0x8142_2400_0024_4281);

/// A pawn in front of a minor piece shields it.
#[inline(always)]
fn behind_pawns<Us: Side, T: Tracer>(info: &EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    let minors = info.pieces::<Us>(PieceType::Knight) | info.pieces::<Us>(PieceType::Bishop);
    let sheltered = minors & Us::backward(info.position.by_type(PieceType::Pawn));
    weigh!(tracer, Us::COLOR, behind_pawn[0], sheltered.len())
}

/// Rooks: mobility, open and half-open files, the seventh rank, and rooks trapped by their king.
#[inline(always)]
fn rooks<Us: Side, T: Tracer>(info: &mut EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    let mut score = TaperedScore::ZERO;
    let rooks = info.pieces::<Us>(PieceType::Rook);
    if rooks.is_empty() {
        return score;
    }
    let occupied = info.position.occupied();
    let transparent = rooks | info.pieces::<Us>(PieceType::Queen);
    let closed = rooks & info.structure.files::<Us>();
    let cut_off = CUT_OFF[info.position.king(Us::COLOR).index()];
    let shut_in = (closed & cut_off) - info.position.castling_rooks();
    for square in rooks {
        let (attacked, mobility) =
            info.add_attacks::<Us>(PieceType::Rook, square, attacks::rook(square, occupied - transparent));
        score += weigh!(tracer, Us::COLOR, rook_mobility[mobility]);
        king_attacker::<Us, T>(info, 2, attacked, tracer);
    }
    for square in shut_in {
        if info.mobility::<Us>(square, attacks::rook(square, occupied - transparent)) <= 3 {
            score += weigh!(tracer, Us::COLOR, rook_trapped[0]);
        }
    }
    let on_seventh = rooks & Us::ranks(6, 6);
    if on_seventh.any() {
        let targets = (info.pieces::<Us::Them>(PieceType::Pawn) & Us::ranks(6, 6))
            | (info.pieces::<Us::Them>(PieceType::King) & Us::ranks(7, 7));
        if targets.any() {
            score += weigh!(tracer, Us::COLOR, rook_seventh[0], on_seventh.len());
        }
    }
    let half_open = rooks - closed;
    let open = half_open - info.structure.files::<Us::Them>();
    score
        + weigh!(tracer, Us::COLOR, rook_file[0], (half_open - open).len())
        + weigh!(tracer, Us::COLOR, rook_file[1], open.len())
}

/// For every king square the squares on its rank between the king and the edge.
static CUT_OFF: [Bitboard; 64] = {
    let mut table = [Bitboard::EMPTY; 64];
    let mut i = 0;
    while i < 64 {
        let king = Square::ALL[i];
        let below = king.bitboard().0 - 1;
        let towards_edge = if king.file().index() < 4 { below } else { !below & !king.bitboard().0 };
        table[i] = Bitboard(Bitboard::from_rank(king.rank()).0 & towards_edge);
        i += 1;
    }
    table
};

/// Queens: mobility and the attack on the king.
#[inline(always)]
fn queens<Us: Side, T: Tracer>(info: &mut EvalInfo<'_>, tracer: &mut T) -> TaperedScore {
    let mut score = TaperedScore::ZERO;
    let occupied = info.position.occupied();
    for square in info.pieces::<Us>(PieceType::Queen) {
        let (attacked, mobility) =
            info.add_attacks::<Us>(PieceType::Queen, square, attacks::queen(square, occupied));
        score += weigh!(tracer, Us::COLOR, queen_mobility[mobility]);
        king_attacker::<Us, T>(info, 3, attacked, tracer);
    }
    score
}
