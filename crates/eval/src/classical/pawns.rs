//! Pawn structure and the pawn hash table: what depends on pawns alone is computed once.

use ferz_board::{Bitboard, Color, PieceType, Position, Square};

use super::params::weigh;
use super::score::TaperedScore;
use super::shelter::Shelter;
use super::side::{Black, CENTRAL_FILES, Side, White, beside, files_of};
use super::tracer::Tracer;

/// Everything known about the pawns of a position.
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

    /// Their score, White's minus Black's.
    #[inline(always)]
    pub(super) fn score(&self) -> TaperedScore {
        let [white, black] = &self.shelters;
        self.structure.score + (white.score - black.score)
    }
}

/// The pawn structure without regard to the kings: its score and what the other terms need.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Structure {
    /// White's minus Black's.
    score: TaperedScore,
    /// The passed pawns of both sides.
    pub(super) passed: Bitboard,
    /// The outposts of each side.
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

/// The score of one side's pawns, and which are passed.
fn structure<Us: Side, T: Tracer>(position: &Position, tracer: &mut T) -> (TaperedScore, Bitboard) {
    let ours = position.pieces(PieceType::Pawn.of(Us::COLOR));
    let theirs = position.pieces(PieceType::Pawn.of(Us::Them::COLOR));
    let opposed = ours & Us::Them::ahead(theirs);
    let passed = ours - Us::Them::ahead(theirs | ours) - Us::Them::pawn_attack_span(theirs);

    let mut score = TaperedScore::ZERO;
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

/// Isolated, backward and doubled pawns. Pawns that no other pawn can defend need pieces to do it. They are weaker still
/// if no enemy pawn stands ahead on their file, because rooks can attack them.
fn weak_pawns<Us: Side, T: Tracer>(
    ours: Bitboard,
    theirs: Bitboard,
    opposed: Bitboard,
    tracer: &mut T,
) -> TaperedScore {
    let isolated = ours - beside(files_of(ours));
    // A backward pawn has neighbours, but they are ahead of it, and an enemy pawn controls its stop square.
    let lost_steps = (Us::forward(ours) & Us::Them::pawn_attacks(theirs)) - Us::pawn_attack_span(ours);
    let backward = (ours & Us::backward(lost_steps)) - isolated;
    // Doubled pawns get in each other's way.
    let doubled = ours & Us::Them::ahead(ours);
    weigh!(tracer, Us::COLOR, isolated[0], (isolated & opposed).len())
        + weigh!(tracer, Us::COLOR, isolated[1], (isolated - opposed).len())
        + weigh!(tracer, Us::COLOR, backward[0], (backward & opposed).len())
        + weigh!(tracer, Us::COLOR, backward[1], (backward - opposed).len())
        + weigh!(tracer, Us::COLOR, doubled[0], doubled.len())
}

/// Connected pawns: pawns that defend each other, or stand side by side (phalanx), are strong and control many squares.
fn connected_pawns<Us: Side, T: Tracer>(ours: Bitboard, tracer: &mut T) -> TaperedScore {
    let mut score = TaperedScore::ZERO;
    for pawn in ours & Us::pawn_attacks(ours) {
        score += weigh!(tracer, Us::COLOR, supported[Us::rank(pawn)]);
    }
    for pawn in ours & beside(ours) {
        score += weigh!(tracer, Us::COLOR, phalanx[Us::rank(pawn)]);
    }
    score
}

/// A candidate passed pawn: on a half-open file, with at least as many helpers on the adjacent files as opponents.
fn is_candidate<Us: Side>(pawn: Square, ours: Bitboard, theirs: Bitboard) -> bool {
    let pawn = pawn.bitboard();
    if ours.intersects(Us::ahead(pawn)) {
        return false;
    }
    let opponents = theirs & Us::pawn_attack_span(pawn);
    let helpers = ours & Us::Them::pawn_attack_span(Us::forward(pawn));
    helpers.len() >= opponents.len()
}

/// Outposts: squares on the fourth to the sixth rank that an own pawn defends and no enemy pawn can ever attack.
fn outposts<Us: Side>(position: &Position) -> Bitboard {
    let held = Us::pawn_attacks(position.pieces(PieceType::Pawn.of(Us::COLOR)));
    let challenged = Us::Them::pawn_attack_span(position.pieces(PieceType::Pawn.of(Us::Them::COLOR)));
    (Us::ranks(3, 5) & held) - challenged
}

/// Space: safe central squares give the pieces room to regroup. Squares behind an own pawn are sheltered and count
/// twice.
fn space<Us: Side, T: Tracer>(ours: Bitboard, theirs: Bitboard, tracer: &mut T) -> TaperedScore {
    let room = (CENTRAL_FILES & Us::ranks(1, 3)) - ours - Us::Them::pawn_attacks(theirs);
    let behind_one = Us::backward(ours);
    let behind = behind_one | Us::backward(behind_one);
    weigh!(tracer, Us::COLOR, space[0], room.len() + (room & behind).len())
}

/// The pawn hash table: pawn structures change rarely, so nearly every probe is a hit.
#[derive(Clone, Debug)]
pub(super) struct PawnTable {
    entries: Box<[Entry]>,
}

/// An entry of the pawn hash table, aligned to a cache line. The default is that of a position without pawns, whose key
/// is 0, so no entry is ever invalid.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Entry {
    key: u64,
    /// Where the kings stood when their shelters were last computed for these pawns.
    kings: [Option<Square>; 2],
    pawns: Pawns,
}

impl PawnTable {
    /// A power of two: a megabyte in all, so that it stays in the processor's second-level cache.
    const ENTRIES: usize = 16_384;

    pub(super) fn new() -> PawnTable {
        PawnTable { entries: vec![Entry::default(); PawnTable::ENTRIES].into_boxed_slice() }
    }

    pub(super) fn clear(&mut self) {
        self.entries.fill(Entry::default());
    }

    /// The pawns of a position.
    #[inline]
    pub(super) fn probe(&mut self, position: &Position) -> &Pawns {
        let key = position.pawn_key();
        let entry = &mut self.entries[key as usize % PawnTable::ENTRIES];
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
