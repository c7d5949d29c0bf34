//! The recursion, on a [`Placement`] instead of a complete position.

use core::marker::PhantomData;

use super::table::{Slot, Table};
#[cfg(target_arch = "x86_64")]
use crate::count::cpu::{Avx512, Bmi};
use crate::movegen::placement::Placement;
use crate::movegen::side::{Black, Kind, Pawn, Side, White};
use crate::movegen::{All, Sink, for_side_to_move, generate};
use crate::{Bitboard, CastlingSide, Color, PieceType, Position, Square, count};

/// The recursion for one kind of processor. A value proves that the processor is of that kind.
pub(super) trait Level: Copy {
    /// The number of moves at a leaf's parent.
    fn leaves<S: Side>(self, node: &Placement) -> u64;
    /// The leaves below a node, counted now or looked up.
    fn subtree<S: Side>(self, node: &Placement, depth: u32, table: Option<&Table>) -> u64;
    /// The leaves two plies below a node.
    fn last_two<S: Side>(self, node: &Placement) -> u64;
}

/// Compiles the recursion for a level. Everything in it is inlined into these two functions, which alone need the
/// level's instructions.
macro_rules! level {
    ($level:ty, $module:ident, |$node:ident, $token:ident| $leaves:expr $(, $features:literal)?) => {
        mod $module {
            use super::*;

            $(#[target_feature(enable = $features)])?
            #[inline(never)]
            fn subtree<S: Side>(
                node: &Placement,
                depth: u32,
                level: $level,
                table: Option<&Table>,
            ) -> u64 {
                super::subtree::<S, _>(node, depth, level, table)
            }

            $(#[target_feature(enable = $features)])?
            #[inline(never)]
            fn last_two<S: Side>(node: &Placement, level: $level) -> u64 {
                super::last_two::<S, _>(node, level)
            }

            impl Level for $level {
                #[inline(always)]
                fn leaves<S: Side>(self, $node: &Placement) -> u64 {
                    let $token = self;
                    $leaves
                }

                #[inline(always)]
                fn subtree<S: Side>(
                    self,
                    node: &Placement,
                    depth: u32,
                    table: Option<&Table>,
                ) -> u64 {
                    // SAFETY: the level's value proves that the processor has the instructions. A plain build counts
                    // twice as fast with those of AVX-512, and half as fast again with those of BMI.
                    #[allow(unused_unsafe, reason = "the baseline needs no instructions of its own")]
                    unsafe {
                        subtree::<S>(node, depth, self, table)
                    }
                }

                #[inline(always)]
                fn last_two<S: Side>(self, node: &Placement) -> u64 {
                    // SAFETY: as above.
                    #[allow(unused_unsafe, reason = "the baseline needs no instructions of its own")]
                    unsafe {
                        last_two::<S>(node, self)
                    }
                }
            }
        }
    };
}

/// The instructions of every processor this build is for.
#[derive(Clone, Copy)]
pub(super) struct Baseline;

level!(Baseline, baseline, |node, _token| count::portable::count::<S>(node));
#[cfg(target_arch = "x86_64")]
level!(Bmi, bmi, |node, _token| count::portable::count::<S>(node), "popcnt,lzcnt,bmi1,bmi2");
#[cfg(target_arch = "x86_64")]
level!(
    Avx512,
    avx512,
    |node, token| count::avx512::count::<S>(node, token),
    "avx512f,avx512dq,avx512vpopcntdq,popcnt,lzcnt,bmi1,bmi2"
);

/// The leaves below a position, by the fastest code for this processor.
pub(super) fn count_fastest(position: &Position, depth: u32, table: Option<&Table>) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if let Some(level) = Avx512::detect() {
        return count(position, depth, level, table);
    }
    // In a build for processors with BMI2 the code of the last line uses it, too.
    #[cfg(target_arch = "x86_64")]
    if !cfg!(target_feature = "bmi2")
        && let Some(level) = Bmi::detect()
    {
        return count(position, depth, level, table);
    }
    count(position, depth, Baseline, table)
}

/// The leaves below a position, by the code of this level.
pub(super) fn count<L: Level>(position: &Position, depth: u32, level: L, table: Option<&Table>) -> u64 {
    if depth == 0 {
        return 1;
    }
    for_side_to_move!(position, S => {
        let node = Placement::of::<S>(position);
        level.subtree::<S>(&node, depth, table)
    })
}

#[inline(always)]
fn subtree<S: Side, L: Level>(node: &Placement, depth: u32, level: L, table: Option<&Table>) -> u64 {
    if depth == 1 {
        return level.leaves::<S>(node);
    }
    let slot = table.map(|table| table.slot(node, S::COLOR, depth));
    if let Some(leaves) = slot.as_ref().and_then(Slot::get) {
        return leaves;
    }
    let leaves = if depth == 2 {
        level.last_two::<S>(node)
    } else {
        let mut sink = Descent::<S, L, false>::new(node, depth, level, table);
        generate::<S, _, _>(node, All, &mut sink);
        sink.leaves
    };
    if let Some(slot) = slot {
        slot.set(leaves);
    }
    leaves
}

/// The last two plies at once: the children never exist in memory.
#[inline(always)]
fn last_two<S: Side, L: Level>(node: &Placement, level: L) -> u64 {
    let mut sink = Descent::<S, L, true>::new(node, 2, level, None);
    generate::<S, _, _>(node, All, &mut sink);
    sink.leaves
}

/// Goes down every move; with `LAST` the children's moves are counted on the spot.
struct Descent<'a, S, L, const LAST: bool> {
    node: &'a Placement,
    depth: u32,
    level: L,
    table: Option<&'a Table>,
    leaves: u64,
    side: PhantomData<S>,
}

impl<'a, S: Side, L: Level, const LAST: bool> Descent<'a, S, L, LAST> {
    #[inline(always)]
    fn new(node: &'a Placement, depth: u32, level: L, table: Option<&'a Table>) -> Self {
        Descent { node, depth, level, table, leaves: 0, side: PhantomData }
    }

    #[inline(always)]
    fn visit(&mut self, child: &Placement) {
        if LAST {
            self.leaves += self.level.leaves::<S::Them>(child);
        } else {
            self.visit_rare(child);
        }
    }

    /// A child by a rare kind of move: always a call, which keeps the code of the others small.
    #[inline(always)]
    fn visit_rare(&mut self, child: &Placement) {
        let more = self.level.subtree::<S::Them>(child, self.depth - 1, self.table);
        // Only a table can bring a count to an overflow in a lifetime.
        self.leaves = self.leaves.saturating_add(more);
    }

    #[inline(always)]
    fn relocate<P: Kind>(&mut self, from: Bitboard, to: Bitboard, placed: PieceType, en_passant: Bitboard) {
        self.visit(&self.node.after::<S, P>(from, to, placed, en_passant));
    }

    #[inline(always)]
    fn pawns(&mut self, mut targets: Bitboard, origin: impl Fn(Bitboard) -> Bitboard) {
        while targets.any() {
            let to = targets.pop_lowest();
            let from = origin(to);
            if to.intersects(S::PROMOTION_RANK) {
                for placed in PieceType::PROMOTIONS {
                    self.visit_rare(&self.node.after::<S, Pawn>(from, to, placed, Bitboard::EMPTY));
                }
            } else {
                self.relocate::<Pawn>(from, to, PieceType::Pawn, Bitboard::EMPTY);
            }
        }
    }
}

impl<S: Side, L: Level, const LAST: bool> Sink for Descent<'_, S, L, LAST> {
    #[inline(always)]
    fn piece<P: Kind>(&mut self, from: Square, mut targets: Bitboard) {
        while targets.any() {
            let to = targets.pop_lowest();
            self.relocate::<P>(from.bitboard(), to, P::TYPE, Bitboard::EMPTY);
        }
    }

    #[inline(always)]
    fn pawn_pushes(&mut self, single: Bitboard, mut double: Bitboard) {
        self.pawns(single, S::backward);
        while double.any() {
            let to = double.pop_lowest();
            let from = S::backward(S::backward(to));
            let skipped = self.node.skipped_square::<S>(to);
            self.relocate::<Pawn>(from, to, PieceType::Pawn, skipped);
        }
    }

    #[inline(always)]
    fn pawn_captures_west(&mut self, targets: Bitboard) {
        self.pawns(targets, S::Them::capture_east);
    }

    #[inline(always)]
    fn pawn_captures_east(&mut self, targets: Bitboard) {
        self.pawns(targets, S::Them::capture_west);
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Bitboard) {
        self.visit_rare(&self.node.after_en_passant::<S>(from));
    }

    #[inline(always)]
    fn castling(&mut self, rook: Square, side: CastlingSide) {
        let (king_to, rook_to) = (side.king_target(S::COLOR), side.rook_target(S::COLOR));
        let child = self.node.after_castling::<S>(rook.bitboard(), king_to.bitboard(), rook_to.bitboard());
        self.visit_rare(&child);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CastlingMode;

    /// The same tree by every level that this processor has.
    fn assert_levels_agree(position: &Position, depth: u32, leaves: u64) {
        assert_eq!(count(position, depth, Baseline, None), leaves, "baseline: {position}, depth {depth}");
        assert_eq!(count_fastest(position, depth, None), leaves, "fastest: {position}, depth {depth}");
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(level) = Bmi::detect() {
                assert_eq!(count(position, depth, level, None), leaves, "BMI: {position}, depth {depth}");
            }
            if let Some(level) = Avx512::detect() {
                assert_eq!(count(position, depth, level, None), leaves, "AVX-512: {position}, depth {depth}");
            }
        }
    }

    #[test]
    fn all_levels_count_the_suites_right() {
        let suites = [
            (include_str!("../../tests/data/special.perft"), CastlingMode::Standard),
            (include_str!("../../tests/data/standard.perft"), CastlingMode::Standard),
            (include_str!("../../tests/data/chess960.perft"), CastlingMode::Chess960),
        ];
        for (suite, mode) in suites {
            for line in suite.lines().filter(|line| line.contains(" ;")) {
                let mut parts = line.split(" ;");
                let fen = parts.next().expect("a FEN");
                let position = Position::from_fen_in(fen, mode).expect("a legal position");
                for (depth, part) in (1..).zip(parts) {
                    let leaves = part.split_once(' ').and_then(|(_, leaves)| leaves.parse().ok());
                    match leaves.expect("a number of leaves") {
                        leaves if leaves <= 100_000 => assert_levels_agree(&position, depth, leaves),
                        _ => break,
                    }
                }
            }
        }
    }
}
