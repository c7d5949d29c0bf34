//! What becomes of generated moves: a list, or the positions they lead to.

use core::marker::PhantomData;

use super::Sink;
use super::placement::Placement;
use super::side::{Kind, Side};
use crate::make::relocate;
use crate::{Bitboard, CastlingSide, Move, MoveList, PieceType, Position, Square};

/// Turns the generator's sets into a list of moves.
pub(super) struct Moves<'a, S> {
    list: &'a mut MoveList,
    king: Square,
    en_passant: Bitboard,
    side: PhantomData<S>,
}

impl<'a, S: Side> Moves<'a, S> {
    #[inline(always)]
    pub(super) fn new(node: &Placement, list: &'a mut MoveList) -> Self {
        Moves { list, king: node.king(), en_passant: node.en_passant, side: PhantomData }
    }

    /// Captures on these squares, from `step` squares below them.
    #[inline(always)]
    fn pawn_captures(&mut self, targets: Bitboard, step: i32) {
        self.list.push_pawn_moves(targets & !S::PROMOTION_RANK, step, false);
        self.promotions(targets & S::PROMOTION_RANK, step);
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            let from = Square::wrapping((to as i32 - step) as u32);
            for piece_type in PieceType::PROMOTIONS {
                self.list.push(Move::promoting(from, to, piece_type));
            }
        }
    }
}

impl<S: Side> Sink for Moves<'_, S> {
    #[inline(always)]
    fn piece<P: Kind>(&mut self, from: Square, targets: Bitboard) {
        self.list.push_targets(from, targets);
    }

    #[inline(always)]
    fn pawn_pushes(&mut self, single: Bitboard, double: Bitboard) {
        self.list.push_pawn_moves(single & !S::PROMOTION_RANK, S::FORWARD, false);
        self.list.push_pawn_moves(double, 2 * S::FORWARD, true);
        self.promotions(single & S::PROMOTION_RANK, S::FORWARD);
    }

    #[inline(always)]
    fn pawn_captures_west(&mut self, targets: Bitboard) {
        self.pawn_captures(targets, S::FORWARD - 1);
    }

    #[inline(always)]
    fn pawn_captures_east(&mut self, targets: Bitboard) {
        self.pawn_captures(targets, S::FORWARD + 1);
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Bitboard) {
        self.list.push(Move::en_passant(from.first_unchecked(), self.en_passant.first_unchecked()));
    }

    #[inline(always)]
    fn castling(&mut self, rook: Square, _: CastlingSide) {
        self.list.push(Move::castling(self.king, rook));
    }
}

/// Makes each move, by code specialised for its kind, and shows the position it leads to.
pub(super) struct Children<'a, S, F> {
    parent: &'a Position,
    node: &'a Placement,
    child: &'a mut Position,
    visit: F,
    side: PhantomData<S>,
}

impl<'a, S: Side, F: FnMut(Move, &Position)> Children<'a, S, F> {
    #[inline(always)]
    pub(super) fn new(parent: &'a Position, node: &'a Placement, child: &'a mut Position, visit: F) -> Self {
        Children { parent, node, child, visit, side: PhantomData }
    }

    #[inline(always)]
    fn relocate(&mut self, mv: Move, moved: PieceType, double: bool) {
        let moved = moved.of(S::COLOR);
        relocate::<S, ()>(self.parent, self.child, mv.from(), mv.to(), moved, moved, double, &mut ());
        #[cfg(debug_assertions)]
        self.child.assert_consistent();
        (self.visit)(mv, self.child);
    }

    #[inline(always)]
    fn step(&mut self, from: Square, to: Square) {
        self.relocate(Move::normal(from, to), PieceType::Pawn, false);
    }

    #[inline(always)]
    fn double(&mut self, from: Square, to: Square) {
        self.relocate(Move::double_step(from, to), PieceType::Pawn, true);
    }

    #[inline(always)]
    fn promotion(&mut self, from: Square, to: Square) {
        for piece_type in PieceType::PROMOTIONS {
            self.play(Move::promoting(from, to, piece_type));
        }
    }

    /// Rare kinds of moves, kept out of the way of the others.
    #[inline(never)]
    fn play(&mut self, mv: Move) {
        self.parent.play_into(mv, self.child, &mut ());
        (self.visit)(mv, self.child);
    }
}

impl<S: Side, F: FnMut(Move, &Position)> Sink for Children<'_, S, F> {
    #[inline(always)]
    fn piece<P: Kind>(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.relocate(Move::normal(from, to), P::TYPE, false);
        }
    }

    #[inline(always)]
    fn pawn_pushes(&mut self, single: Bitboard, double: Bitboard) {
        for to in single & !S::PROMOTION_RANK {
            self.step(S::backward(to.bitboard()).first_unchecked(), to);
        }
        for to in double {
            let from = S::backward(S::backward(to.bitboard())).first_unchecked();
            self.double(from, to);
        }
        for to in single & S::PROMOTION_RANK {
            self.promotion(S::backward(to.bitboard()).first_unchecked(), to);
        }
    }

    #[inline(always)]
    fn pawn_captures_west(&mut self, targets: Bitboard) {
        for to in targets & !S::PROMOTION_RANK {
            self.step(S::Them::capture_east(to.bitboard()).first_unchecked(), to);
        }
        for to in targets & S::PROMOTION_RANK {
            self.promotion(S::Them::capture_east(to.bitboard()).first_unchecked(), to);
        }
    }

    #[inline(always)]
    fn pawn_captures_east(&mut self, targets: Bitboard) {
        for to in targets & !S::PROMOTION_RANK {
            self.step(S::Them::capture_west(to.bitboard()).first_unchecked(), to);
        }
        for to in targets & S::PROMOTION_RANK {
            self.promotion(S::Them::capture_west(to.bitboard()).first_unchecked(), to);
        }
    }

    #[inline(always)]
    fn en_passant(&mut self, from: Bitboard) {
        self.play(Move::en_passant(from.first_unchecked(), self.node.en_passant.first_unchecked()));
    }

    #[inline(always)]
    fn castling(&mut self, rook: Square, _: CastlingSide) {
        self.play(Move::castling(self.node.king(), rook));
    }
}
