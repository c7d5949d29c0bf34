//! The recursion, on a [`Placement`] instead of a complete position.

use core::marker::PhantomData;

#[cfg(target_has_atomic = "64")]
use super::Table;
use crate::movegen::placement::Placement;
use crate::movegen::side::{Black, Kind, Pawn, Side, White};
use crate::movegen::{All, AnyCastling, CastlingRules, Sink, StandardCastling, for_side_to_move, generate};
use crate::{Bitboard, CastlingSide, Color, PieceType, Position, Square, count};

/// How the last plies are counted.
pub(super) trait Strategy {
    /// The number of moves at a leaf's parent.
    fn leaves<S: Side, R: CastlingRules>(node: &Placement) -> u64;

    /// The leaves below a node, counted now or looked up.
    #[inline(always)]
    fn recall(&self, _: &Placement, _: Color, _: u32, count: impl FnOnce() -> u64) -> u64 {
        count()
    }

    /// Adds leaves up. Without a table, no count can reach an overflow in a lifetime.
    #[inline(always)]
    fn add(leaves: u64, more: u64) -> u64 {
        leaves + more
    }
}

/// The fastest counter this build has.
pub(super) struct Fastest;
/// The counter of every build.
pub(super) struct Portable;
/// The fastest counter, and a table.
#[cfg(target_has_atomic = "64")]
pub(super) struct Hashed<'a>(pub(super) &'a Table);

impl Strategy for Fastest {
    #[inline(always)]
    fn leaves<S: Side, R: CastlingRules>(node: &Placement) -> u64 {
        count::count::<S, R>(node)
    }
}

impl Strategy for Portable {
    #[inline(always)]
    fn leaves<S: Side, R: CastlingRules>(node: &Placement) -> u64 {
        count::portable::count::<S, R>(node)
    }
}

#[cfg(target_has_atomic = "64")]
impl Strategy for Hashed<'_> {
    #[inline(always)]
    fn leaves<S: Side, R: CastlingRules>(node: &Placement) -> u64 {
        count::count::<S, R>(node)
    }

    #[inline(always)]
    fn recall(&self, node: &Placement, side: Color, depth: u32, count: impl FnOnce() -> u64) -> u64 {
        // The closure always counts, so there always is a count.
        self.0.recall(node, side, depth, || Some(count())).unwrap_or_default()
    }

    #[inline(always)]
    fn add(leaves: u64, more: u64) -> u64 {
        leaves.saturating_add(more)
    }
}

/// The leaves below a position. Castling is decided once: rights only ever get fewer, so a position with
/// those of standard chess keeps them.
pub(super) fn count<T: Strategy>(position: &Position, depth: u32, strategy: &T) -> u64 {
    if depth == 0 {
        return 1;
    }
    for_side_to_move!(position, S => {
        let node = Placement::of::<S>(position);
        if position.has_standard_castling() {
            subtree::<S, StandardCastling, T>(&node, depth, strategy)
        } else {
            subtree::<S, AnyCastling, T>(&node, depth, strategy)
        }
    })
}

#[inline(never)]
fn subtree<S: Side, R: CastlingRules, T: Strategy>(node: &Placement, depth: u32, strategy: &T) -> u64 {
    match depth {
        1 => T::leaves::<S, R>(node),
        2 => strategy.recall(node, S::COLOR, depth, || last_two::<S, R, T>(node, strategy)),
        _ => strategy.recall(node, S::COLOR, depth, || {
            let mut sink = Descent::<S, R, T, false>::new(node, depth, strategy);
            generate::<S, R, _, _>(node, All, &mut sink);
            sink.leaves
        }),
    }
}

/// The last two plies at once: the children never exist in memory.
#[inline(never)]
fn last_two<S: Side, R: CastlingRules, T: Strategy>(node: &Placement, strategy: &T) -> u64 {
    let mut sink = Descent::<S, R, T, true>::new(node, 2, strategy);
    generate::<S, R, _, _>(node, All, &mut sink);
    sink.leaves
}

/// Goes down every move; with `LAST` the children's moves are counted on the spot.
struct Descent<'a, S, R, T, const LAST: bool> {
    node: &'a Placement,
    depth: u32,
    strategy: &'a T,
    leaves: u64,
    types: PhantomData<(S, R)>,
}

impl<'a, S: Side, R: CastlingRules, T: Strategy, const LAST: bool> Descent<'a, S, R, T, LAST> {
    #[inline(always)]
    fn new(node: &'a Placement, depth: u32, strategy: &'a T) -> Self {
        Descent { node, depth, strategy, leaves: 0, types: PhantomData }
    }

    #[inline(always)]
    fn visit(&mut self, child: &Placement) {
        let more = if LAST {
            T::leaves::<S::Them, R>(child)
        } else {
            subtree::<S::Them, R, T>(child, self.depth - 1, self.strategy)
        };
        self.leaves = T::add(self.leaves, more);
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
                    self.relocate::<Pawn>(from, to, placed, Bitboard::EMPTY);
                }
            } else {
                self.relocate::<Pawn>(from, to, PieceType::Pawn, Bitboard::EMPTY);
            }
        }
    }
}

impl<S: Side, R: CastlingRules, T: Strategy, const LAST: bool> Sink for Descent<'_, S, R, T, LAST> {
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
        self.visit(&self.node.after_en_passant::<S>(from));
    }

    #[inline(always)]
    fn castling(&mut self, rook: Square, side: CastlingSide) {
        let (king_to, rook_to) = (side.king_target(S::COLOR), side.rook_target(S::COLOR));
        let child = self.node.after_castling::<S>(rook.bitboard(), king_to.bitboard(), rook_to.bitboard());
        self.visit(&child);
    }
}
