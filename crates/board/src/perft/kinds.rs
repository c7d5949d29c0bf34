//! Perft by kind: what the last moves of the lines do.

use core::ops::AddAssign;

use crate::{Move, Position};

/// The number of leaves, and how many of the moves that lead to them are of each kind.
///
/// The kinds are those of the tables in the Chess Programming Wiki ("Perft Results"). A move can be of several kinds. Only
/// the last move of a line counts, not the moves before it.
///
/// # Where tables differ
///
/// - The Wiki has 2,637 double checks in Kiwipete at depth 5. Here, and in the programs of a TalkChess thread about this
///   number, there are 2,645.
/// - Some tables count mates apart from checks: from the start at depth 6 they have 798,271 checks, which is
///   [`checks`](KindCounts::checks) without the 10,828 [`mates`](KindCounts::mates).
/// - Some count an en-passant capture that uncovers two pieces as a discovered check of its own kind. Here it is a double
///   check.
///
/// ```
/// use ferz_board::{perft, Position};
/// let counts = perft::kinds(&Position::start(), 4);
/// assert_eq!((counts.nodes, counts.captures, counts.checks, counts.mates), (197_281, 1_576, 469, 8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct KindCounts {
    /// All leaves.
    pub nodes: u64,
    /// Captures, those en passant and those that promote included.
    pub captures: u64,
    /// Captures en passant.
    pub en_passant: u64,
    /// Castling moves; one move of king and rook.
    pub castles: u64,
    /// Promotions: four for each pawn move to the last rank.
    pub promotions: u64,
    /// Moves that give check in any way: discovered checks, double checks and mates included.
    pub checks: u64,
    /// Checks only by a piece that did not move. The rook that castles has moved. Double checks are not among them.
    pub discovered_checks: u64,
    /// Checks by two pieces at once.
    pub double_checks: u64,
    /// Moves that give checkmate.
    pub mates: u64,
}

impl KindCounts {
    /// The names and numbers in the order of the Wiki's tables.
    #[must_use]
    pub const fn rows(&self) -> [(&'static str, u64); 9] {
        [
            ("nodes", self.nodes),
            ("captures", self.captures),
            ("en passant", self.en_passant),
            ("castles", self.castles),
            ("promotions", self.promotions),
            ("checks", self.checks),
            ("discovered checks", self.discovered_checks),
            ("double checks", self.double_checks),
            ("mates", self.mates),
        ]
    }

    /// Counts one move of a position.
    fn add(&mut self, position: &Position, mv: Move) {
        self.nodes += 1;
        self.captures += u64::from(position.captured(mv).is_some());
        self.en_passant += u64::from(mv.is_en_passant());
        self.castles += u64::from(mv.is_castling());
        self.promotions += u64::from(mv.promotion().is_some());
        if position.gives_check(mv) {
            self.add_check(position, mv);
        }
    }

    /// Checks are rare, so the position after one may be made.
    #[cold]
    #[inline(never)]
    fn add_check(&mut self, position: &Position, mv: Move) {
        let mut after = *position;
        after.play_unchecked(mv);
        let checkers = after.checkers();
        let arrived = match mv.castling_side() {
            Some(side) => side.rook_target(position.side_to_move()),
            None => mv.to(),
        };
        self.checks += 1;
        self.double_checks += u64::from(checkers.is_several());
        self.discovered_checks += u64::from(!checkers.is_several() && !checkers.contains(arrived));
        self.mates += u64::from(!after.has_legal_moves());
    }
}

impl AddAssign for KindCounts {
    fn add_assign(&mut self, other: KindCounts) {
        self.nodes += other.nodes;
        self.captures += other.captures;
        self.en_passant += other.en_passant;
        self.castles += other.castles;
        self.promotions += other.promotions;
        self.checks += other.checks;
        self.discovered_checks += other.discovered_checks;
        self.double_checks += other.double_checks;
        self.mates += other.mates;
    }
}

/// The leaves at this depth by the kind of the last move. The root of depth 0 has no last move: it is one node.
#[must_use]
pub fn kinds(position: &Position, depth: u32) -> KindCounts {
    let mut counts = KindCounts::default();
    match depth {
        0 => counts.nodes = 1,
        1 => position.for_each_move(|mv| counts.add(position, mv)),
        _ => position.for_each_child(|_, child| counts += kinds(child, depth - 1)),
    }
    counts
}
