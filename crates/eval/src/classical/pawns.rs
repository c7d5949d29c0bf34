//! Pawn structure: what depends on pawns alone, and is therefore remembered from position to position.

use ferz_board::{Bitboard, Color, PieceType, Position, Square};

use super::params::weigh;
use super::score::Score;
use super::shelter::Shelter;
use super::side::{Black, CENTRAL_FILES, Side, White, beside, files_of};
use super::tracer::Tracer;

/// All that is known of a position's pawns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pawns {
    pub(super) structure: Structure,
    /// Of White's king and of Black's.
    pub(super) shelters: [Shelter; 2],
}

impl Pawns {
    /// The pawns of a position, from scratch.
    pub(super) fn new<T: Tracer>(position: &Position, tracer: &mut T) -> Pawns {
        Pawns {
            structure: Structure::new(position, tracer),
            shelters: [
                Shelter::new::<White, T>(position, tracer),
                Shelter::new::<Black, T>(position, tracer),
            ],
        }
    }

    /// What they are worth, White's minus Black's.
    #[inline(always)]
    pub(super) fn score(&self) -> Score {
        let [white, black] = &self.shelters;
        self.structure.score + (white.score - black.score)
    }
}

/// What the pawns of a position are worth without regard to the kings, and where the other terms find them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Structure {
    /// White's minus Black's.
    score: Score,
    /// The passed pawns of both sides.
    pub(super) passed: Bitboard,
    /// Where each side's minor pieces are at home.
    pub(super) outposts: [Bitboard; 2],
    /// The files on which each side has pawns, in the bits of the first rank.
    files: [u8; 2],
}

impl Structure {
    /// The structure of a position, from scratch.
    pub(super) fn new<T: Tracer>(position: &Position, tracer: &mut T) -> Structure {
        let (white, white_passed) = structure::<White, T>(position, tracer);
        let (black, black_passed) = structure::<Black, T>(position, tracer);
        let first_rank = |color| files_of(position.pieces(PieceType::Pawn.of(color))).0 as u8;
        Structure {
            score: white - black,
            passed: white_passed | black_passed,
            outposts: [outposts::<White>(position), outposts::<Black>(position)],
            files: [first_rank(Color::White), first_rank(Color::Black)],
        }
    }

    /// The files on which a side has pawns.
    #[inline(always)]
    pub(super) fn files<Us: Side>(&self) -> Bitboard {
        Bitboard(u64::from(self.files[Us::COLOR.index()]) * 0x0101_0101_0101_0101)
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
    score += space::<Us, T>(ours, theirs, tracer);
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

/// Squares on the fourth to the sixth rank from which no enemy pawn can ever drive a piece and where a pawn
/// holds it.
fn outposts<Us: Side>(position: &Position) -> Bitboard {
    let held = Us::pawn_attacks(position.pieces(PieceType::Pawn.of(Us::COLOR)));
    let challenged = Us::Them::pawn_attack_span(position.pieces(PieceType::Pawn.of(Us::Them::COLOR)));
    (Us::ranks(3, 5) & held) - challenged
}

/// Safe squares in the middle behind one's own pawns give the pieces room to regroup; those behind a pawn count
/// twice, being sheltered.
fn space<Us: Side, T: Tracer>(ours: Bitboard, theirs: Bitboard, tracer: &mut T) -> Score {
    let room = (CENTRAL_FILES & Us::ranks(1, 3)) - ours - Us::Them::pawn_attacks(theirs);
    let behind_one = Us::backward(ours);
    let behind = behind_one | Us::backward(behind_one);
    weigh!(tracer, Us::COLOR, space[0], room.len() + (room & behind).len())
}

/// Remembers pawn structures: they change rarely, so nearly every position finds its own here.
#[derive(Clone, Debug)]
pub(super) struct PawnCache {
    entries: Box<[Entry]>,
}

/// The default stands for a position without pawns, whose key is 0: no entry is ever invalid. It fills a cache
/// line and never lies across two.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Entry {
    key: u64,
    /// Where the kings stood when their shelters were last computed for these pawns.
    kings: [Option<Square>; 2],
    pawns: Pawns,
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

    /// What is known of the position's pawns.
    #[inline]
    pub(super) fn probe(&mut self, position: &Position) -> &Pawns {
        let key = position.pawn_key();
        let entry = &mut self.entries[key as usize % PawnCache::ENTRIES];
        if entry.key != key {
            let pawns = Pawns { structure: Structure::new(position, &mut ()), ..Pawns::default() };
            *entry = Entry { key, kings: [None; 2], pawns };
        }
        entry.shelter::<White>(position);
        entry.shelter::<Black>(position);
        &entry.pawns
    }
}

impl Entry {
    /// Brings a king's shelter up to date.
    #[inline(always)]
    fn shelter<Us: Side>(&mut self, position: &Position) {
        let king = Some(position.king(Us::COLOR));
        if self.kings[Us::COLOR.index()] != king {
            self.kings[Us::COLOR.index()] = king;
            self.pawns.shelters[Us::COLOR.index()] = Shelter::new::<Us, ()>(position, &mut ());
        }
    }
}
