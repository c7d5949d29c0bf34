//! What becomes of generated moves: a list, a call for each, or the positions they lead to.

use core::marker::PhantomData;

use super::Sink;
use super::placement::Placement;
use super::side::{Kind, Side};
use crate::make::relocate;
use crate::{Bitboard, CastlingSide, Move, MoveList, PieceType, Position, Square};

/// Turns the generator's sets into single pawn moves: `$step(from, to)`, `$promotion(from, to)` on the last
/// rank and `$double(from, to)`.
macro_rules! pawn_moves {
    ($side:ident, $self:ident, $step:ident, $promotion:ident, $double:ident) => {
        #[inline(always)]
        fn pawn_pushes(&mut $self, single: Bitboard, double: Bitboard) {
            for to in single & !$side::PROMOTION_RANK {
                $self.$step($side::backward(to.bitboard()).first_unchecked(), to);
            }
            for to in double {
                let from = $side::backward($side::backward(to.bitboard())).first_unchecked();
                $self.$double(from, to);
            }
            for to in single & $side::PROMOTION_RANK {
                $self.$promotion($side::backward(to.bitboard()).first_unchecked(), to);
            }
        }

        #[inline(always)]
        fn pawn_captures_west(&mut $self, targets: Bitboard) {
            for to in targets & !$side::PROMOTION_RANK {
                $self.$step($side::Them::capture_east(to.bitboard()).first_unchecked(), to);
            }
            for to in targets & $side::PROMOTION_RANK {
                $self.$promotion($side::Them::capture_east(to.bitboard()).first_unchecked(), to);
            }
        }

        #[inline(always)]
        fn pawn_captures_east(&mut $self, targets: Bitboard) {
            for to in targets & !$side::PROMOTION_RANK {
                $self.$step($side::Them::capture_west(to.bitboard()).first_unchecked(), to);
            }
            for to in targets & $side::PROMOTION_RANK {
                $self.$promotion($side::Them::capture_west(to.bitboard()).first_unchecked(), to);
            }
        }
    };
}

/// Takes moves one by one, or all moves of a piece at once.
pub(super) trait Output {
    fn mv(&mut self, mv: Move);

    #[inline(always)]
    fn targets(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.mv(Move::normal(from, to));
        }
    }
}

impl Output for &mut MoveList {
    #[inline(always)]
    fn mv(&mut self, mv: Move) {
        self.push(mv);
    }

    #[inline(always)]
    fn targets(&mut self, from: Square, targets: Bitboard) {
        self.push_targets(from, targets);
    }
}

/// A function called with each move.
pub(super) struct Visit<F>(pub(super) F);

impl<F: FnMut(Move)> Output for Visit<F> {
    #[inline(always)]
    fn mv(&mut self, mv: Move) {
        (self.0)(mv);
    }
}

/// Turns the generator's sets into moves.
pub(super) struct Moves<S, O> {
    output: O,
    king: Square,
    en_passant: Bitboard,
    side: PhantomData<S>,
}

impl<S: Side, O: Output> Moves<S, O> {
    #[inline(always)]
    pub(super) fn new(node: &Placement, output: O) -> Self {
        Moves { output, king: node.king(), en_passant: node.en_passant, side: PhantomData }
    }

    #[inline(always)]
    fn step(&mut self, from: Square, to: Square) {
        self.output.mv(Move::normal(from, to));
    }

    #[inline(always)]
    fn double(&mut self, from: Square, to: Square) {
        self.output.mv(Move::double_step(from, to));
    }

    #[inline(always)]
    fn promotion(&mut self, from: Square, to: Square) {
        for piece_type in PieceType::PROMOTIONS {
            self.output.mv(Move::promoting(from, to, piece_type));
        }
    }
}

impl<S: Side, O: Output> Sink for Moves<S, O> {
    #[inline(always)]
    fn piece<P: Kind>(&mut self, from: Square, targets: Bitboard) {
        self.output.targets(from, targets);
    }

    pawn_moves!(S, self, step, promotion, double);

    #[inline(always)]
    fn en_passant(&mut self, from: Bitboard) {
        self.output.mv(Move::en_passant(from.first_unchecked(), self.en_passant.first_unchecked()));
    }

    #[inline(always)]
    fn castling(&mut self, rook: Square, _: CastlingSide) {
        self.output.mv(Move::castling(self.king, rook));
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

    pawn_moves!(S, self, step, promotion, double);

    #[inline(always)]
    fn en_passant(&mut self, from: Bitboard) {
        self.play(Move::en_passant(from.first_unchecked(), self.node.en_passant.first_unchecked()));
    }

    #[inline(always)]
    fn castling(&mut self, rook: Square, _: CastlingSide) {
        self.play(Move::castling(self.node.king(), rook));
    }
}
