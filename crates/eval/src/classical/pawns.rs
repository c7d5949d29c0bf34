//! Pawn structure: what depends on pawns alone, and is therefore remembered from position to position.

use ferz_board::{Bitboard, Color, PieceType, Position, Square};

use super::params::weigh;
use super::score::Score;
use super::shelter::shelter;
use super::side::{Black, Side, White, beside, files_of};
use super::tracer::Tracer;

/// What the pawns of a position are worth and where the other terms find them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Structure {
    /// White's minus Black's.
    pub(super) score: Score,
    /// The passed pawns of both sides.
    pub(super) passed: Bitboard,
    /// What each side's pawns attack or may come to attack.
    pub(super) attack_spans: [Bitboard; 2],
}

impl Structure {
    /// The structure of a position, from scratch.
    pub(super) fn new<T: Tracer>(position: &Position, tracer: &mut T) -> Structure {
        let (white, white_passed) = structure::<White, T>(position, tracer);
        let (black, black_passed) = structure::<Black, T>(position, tracer);
        let pawns = |color| position.pieces(PieceType::Pawn.of(color));
        Structure {
            score: white - black,
            passed: white_passed | black_passed,
            attack_spans: [
                White::pawn_attack_span(pawns(Color::White)),
                Black::pawn_attack_span(pawns(Color::Black)),
            ],
        }
    }
}

/// What one side's pawns are worth, and which are passed.
fn structure<Us: Side, T: Tracer>(position: &Position, tracer: &mut T) -> (Score, Bitboard) {
    let ours = position.pieces(PieceType::Pawn.of(Us::COLOR));
    let theirs = position.pieces(PieceType::Pawn.of(Us::Them::COLOR));
    let opposed = ours & Us::Them::ahead(theirs);
    let passed = ours - Us::Them::ahead(theirs | ours) - Us::Them::pawn_attack_span(theirs);

    let mut score = Score::ZERO;
    score += weak_pawns::<Us, T>(ours, theirs, opposed, tracer);
    score += connected_pawns::<Us, T>(ours, tracer);
    for pawn in passed {
        score += weigh!(tracer, Us::COLOR, passed[Us::rank(pawn)]);
    }
    for pawn in ours - passed - opposed {
        if is_candidate::<Us>(pawn, ours, theirs) {
            score += weigh!(tracer, Us::COLOR, candidate[Us::rank(pawn)]);
        }
    }
    (score, passed)
}

/// Pawns that no other pawn can defend need pieces to do it. They are weaker still when no enemy pawn stands
/// ahead on their file, for then rooks can attack them.
fn weak_pawns<Us: Side, T: Tracer>(
    ours: Bitboard,
    theirs: Bitboard,
    opposed: Bitboard,
    tracer: &mut T,
) -> Score {
    let isolated = ours - beside(files_of(ours));
    // A backward pawn has neighbours, but they have left it behind, and its next square is an enemy pawn's.
    let lost_steps = (Us::forward(ours) & Us::Them::pawn_attacks(theirs)) - Us::pawn_attack_span(ours);
    let backward = (ours & Us::backward(lost_steps)) - isolated;
    // Two pawns on a file get in each other's way.
    let doubled = ours & Us::Them::ahead(ours);
    weigh!(tracer, Us::COLOR, isolated[0], (isolated & opposed).len())
        + weigh!(tracer, Us::COLOR, isolated[1], (isolated - opposed).len())
        + weigh!(tracer, Us::COLOR, backward[0], (backward & opposed).len())
        + weigh!(tracer, Us::COLOR, backward[1], (backward - opposed).len())
        + weigh!(tracer, Us::COLOR, doubled[0], doubled.len())
}

/// Pawns that defend each other, or stand abreast and could, are strong and control many squares.
fn connected_pawns<Us: Side, T: Tracer>(ours: Bitboard, tracer: &mut T) -> Score {
    let mut score = Score::ZERO;
    for pawn in ours & Us::pawn_attacks(ours) {
        score += weigh!(tracer, Us::COLOR, supported[Us::rank(pawn)]);
    }
    for pawn in ours & beside(ours) {
        score += weigh!(tracer, Us::COLOR, phalanx[Us::rank(pawn)]);
    }
    score
}

/// Whether a pawn that faces none on its own file has as many neighbours to help it through as there are enemy
/// pawns to meet.
fn is_candidate<Us: Side>(pawn: Square, ours: Bitboard, theirs: Bitboard) -> bool {
    let pawn = pawn.bitboard();
    if ours.intersects(Us::ahead(pawn)) {
        return false;
    }
    let opponents = theirs & Us::pawn_attack_span(pawn);
    let helpers = ours & Us::Them::pawn_attack_span(Us::forward(pawn));
    helpers.len() >= opponents.len()
}

/// Remembers pawn structures: they change rarely, so nearly every position finds its own here.
#[derive(Clone, Debug)]
pub(super) struct PawnCache {
    entries: Box<[Entry]>,
}

/// The default stands for a position without pawns, whose key is 0: no entry is ever invalid.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    key: u64,
    structure: Structure,
    shelters: [Shelter; 2],
}

/// The shelter of a king that stood here when it was last computed for these pawns.
#[derive(Clone, Copy, Debug, Default)]
struct Shelter {
    king: Option<Square>,
    score: Score,
}

impl PawnCache {
    /// A power of two: a megabyte in all, so that it stays in the processor's second-level cache.
    const ENTRIES: usize = 16_384;

    pub(super) fn new() -> PawnCache {
        PawnCache { entries: vec![Entry::default(); PawnCache::ENTRIES].into_boxed_slice() }
    }

    pub(super) fn clear(&mut self) {
        self.entries.fill(Entry::default());
    }

    /// The structure of the position's pawns, and the shelter they give to the kings (White's minus Black's).
    #[inline]
    pub(super) fn probe(&mut self, position: &Position) -> (Structure, Score) {
        let key = position.pawn_key();
        let entry = &mut self.entries[key as usize % PawnCache::ENTRIES];
        if entry.key != key {
            *entry = Entry { key, structure: Structure::new(position, &mut ()), ..Entry::default() };
        }
        let shelter = entry.shelter::<White>(position) - entry.shelter::<Black>(position);
        (entry.structure, shelter)
    }
}

impl Entry {
    #[inline]
    fn shelter<Us: Side>(&mut self, position: &Position) -> Score {
        let king = Some(position.king(Us::COLOR));
        let known = &mut self.shelters[Us::COLOR.index()];
        if known.king != king {
            *known = Shelter { king, score: shelter::<Us, ()>(position, &mut ()) };
        }
        known.score
    }
}
