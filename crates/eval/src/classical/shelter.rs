//! Pawn shelter and pawn storm: the pawns around a king.

use ferz_board::{Bitboard, Color, File, PieceType, Position, Square};

use super::params::weigh;
use super::score::TaperedScore;
use super::side::{Side, beside};
use super::tracer::Tracer;

/// The scores of the pawns around a king.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shelter {
    /// For its own side.
    pub(super) score: TaperedScore,
    /// For the attack on it.
    pub(super) exposure: TaperedScore,
}

impl Shelter {
    /// The shelter of a side's king, from scratch.
    pub(super) fn new<Us: Side, T: Tracer>(position: &Position, tracer: &mut T) -> Shelter {
        Shelter {
            score: shelter::<Us, T>(position, tracer),
            exposure: missing_shield::<Us::Them, T>(position, tracer),
        }
    }
}

/// How many ranks the tables by file and rank have: rank 0 for no pawn, then the second to the seventh.
const RANKS: usize = 7;

/// Pawn shelter: own pawns near the king keep lines closed, the better the less they have moved. Pawn storm: enemy pawns
/// that come near open lines, unless own pawns block them. Pawns behind the king do not count.
fn shelter<Us: Side, T: Tracer>(position: &Position, tracer: &mut T) -> TaperedScore {
    let king = position.king(Us::COLOR);
    let ranks = Us::ranks(Us::rank(king), 7);
    let ours = position.pieces(PieceType::Pawn.of(Us::COLOR)) & ranks;
    let theirs = position.pieces(PieceType::Pawn.of(Us::Them::COLOR)) & ranks;

    let mut score = TaperedScore::ZERO;
    // A king on the edge shelters behind the same three files as one beside it.
    let middle = king.file().index().clamp(1, 6);
    for file in &File::ALL[middle - 1..=middle + 1] {
        let to_edge = file.index().min(7 - file.index());
        let own = nearest_rank::<Us>(ours & Bitboard::from(*file));
        let enemy = nearest_rank::<Us>(theirs & Bitboard::from(*file));
        score += weigh!(tracer, Us::COLOR, shelter[to_edge * RANKS + own]);
        score += if own != 0 && enemy == own + 1 {
            weigh!(tracer, Us::COLOR, storm_blocked[enemy])
        } else {
            weigh!(tracer, Us::COLOR, storm[to_edge * RANKS + enemy])
        };
    }
    score
}

/// Pawn shield: every pawn missing from the two ranks in front of the enemy king is a hole for the attackers.
fn missing_shield<Us: Side, T: Tracer>(position: &Position, tracer: &mut T) -> TaperedScore {
    let king = position.king(Us::Them::COLOR).bitboard();
    let front = Us::backward(king | beside(king));
    let shield = position.pieces(PieceType::Pawn.of(Us::Them::COLOR)) & (front | Us::backward(front));
    weigh!(tracer, Us::COLOR, attack_missing_shield[3 - shield.len().min(3) as usize])
}

/// The rank of the pawn on a file that is closest to our side; 0, where no pawn can stand, for none.
#[inline(always)]
fn nearest_rank<Us: Side>(pawns_on_file: Bitboard) -> usize {
    let nearest: Option<Square> = match Us::COLOR {
        Color::White => pawns_on_file.first(),
        Color::Black => pawns_on_file.last(),
    };
    nearest.map_or(0, Us::rank)
}
