//! The generator's masks and sets, for readers.

use alloc::vec::Vec;
use core::marker::PhantomData;

use super::placement::Placement;
use super::side::{Black, Kind, Side, White};
use super::{All, Sink, for_side_to_move, generate};
use crate::{Bitboard, CastlingSide, Color, PieceType, Position, Square};

/// What the move generator knows before it writes the first move, and the sets of moves that follow from it.
///
/// ```
/// use ferz_board::{Bitboard, Position, Square};
/// // The rook on e8 gives check. Only a block, its capture or a king move is an answer.
/// let position = Position::from_fen("k3r3/8/8/8/8/8/3N4/3QK3 w - - 0 1")?;
/// let masks = position.move_masks();
/// assert_eq!(masks.checkers, Square::E8.bitboard());
/// assert!(masks.check_mask.contains(Square::E4) && !masks.check_mask.contains(Square::F3));
/// let moves: u32 = masks.sets.iter().map(|set| set.count()).sum();
/// assert_eq!(moves, position.count_legal());
/// # Ok::<(), ferz_board::FenError>(())
/// ```
#[doc(alias = "pin_mask")]
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MoveMasks {
    /// The pieces that give check.
    pub checkers: Bitboard,
    /// The squares that a move of any piece but the king must go to: all squares without a check, the checker and the
    /// squares before it in a single check, none in a double check.
    pub check_mask: Bitboard,
    /// Pins along ranks and files: the pinned pieces, their pinners and the squares between king and pinner.
    pub straight_pins: Bitboard,
    /// The same along diagonals.
    pub diagonal_pins: Bitboard,
    /// The squares that the enemy attacks if our king is lifted off the board: the king must not go there.
    pub danger: Bitboard,
    /// The sets of moves, in the generator's order. None is empty.
    pub sets: Vec<MoveSet>,
}

/// Moves of one kind, as the generator finds them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MoveSet {
    /// What they are.
    pub kind: MoveSetKind,
    /// Where they start: one square, or for pawn steps and captures one for each target, in the same order.
    pub from: Bitboard,
    /// Where they end. Castling has the square of the rook, as [`Move::to`](crate::Move::to).
    pub targets: Bitboard,
}

/// The kind of a [`MoveSet`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MoveSetKind {
    /// Moves of one piece other than a pawn.
    Piece(PieceType),
    /// Pawns that go one square.
    Step,
    /// Pawns that go two squares.
    DoubleStep,
    /// Pawn captures towards the a-file.
    CaptureWest,
    /// Pawn captures towards the h-file.
    CaptureEast,
    /// An en-passant capture.
    EnPassant,
    /// Castling.
    Castling,
}

impl MoveSet {
    /// The number of moves. A pawn that promotes has four for each target.
    #[must_use]
    pub fn count(&self) -> u32 {
        let is_pawn = !matches!(self.kind, MoveSetKind::Piece(_) | MoveSetKind::Castling);
        let last = self.targets & (White::PROMOTION_RANK | Black::PROMOTION_RANK);
        self.targets.len() + if is_pawn { 3 * last.len() } else { 0 }
    }
}

impl Position {
    /// The masks of the move generator and the sets of moves that follow from them. This is for explanations and
    /// drawings; [`Position::legal_moves`] is the way to the moves.
    #[must_use]
    pub fn move_masks(&self) -> MoveMasks {
        for_side_to_move!(self, S => {
            let node = Placement::of::<S>(self);
            let threats = node.threats::<S>();
            let mut sets = Sets::<S> { node: &node, sets: Vec::new(), side: PhantomData };
            generate::<S, _, _>(&node, All, &mut sets);
            MoveMasks {
                checkers: threats.checkers,
                check_mask: threats.answers(node.king()),
                straight_pins: threats.pins_straight,
                diagonal_pins: threats.pins_diagonal,
                danger: node.danger::<S>(),
                sets: sets.sets,
            }
        })
    }
}

/// Keeps the sets as they are.
struct Sets<'a, S> {
    node: &'a Placement,
    sets: Vec<MoveSet>,
    side: PhantomData<S>,
}

impl<S: Side> Sets<'_, S> {
    fn push(&mut self, kind: MoveSetKind, from: Bitboard, targets: Bitboard) {
        if targets.any() {
            self.sets.push(MoveSet { kind, from, targets });
        }
    }
}

impl<S: Side> Sink for Sets<'_, S> {
    fn piece<P: Kind>(&mut self, from: Square, targets: Bitboard) {
        self.push(MoveSetKind::Piece(P::TYPE), from.bitboard(), targets);
    }

    fn pawn_pushes(&mut self, single: Bitboard, double: Bitboard) {
        self.push(MoveSetKind::Step, S::backward(single), single);
        self.push(MoveSetKind::DoubleStep, S::backward(S::backward(double)), double);
    }

    fn pawn_captures_west(&mut self, targets: Bitboard) {
        // The way back from a capture to the west is one to the east, seen from the other side.
        self.push(MoveSetKind::CaptureWest, S::Them::capture_east(targets), targets);
    }

    fn pawn_captures_east(&mut self, targets: Bitboard) {
        self.push(MoveSetKind::CaptureEast, S::Them::capture_west(targets), targets);
    }

    fn en_passant(&mut self, from: Bitboard) {
        self.push(MoveSetKind::EnPassant, from, self.node.en_passant);
    }

    fn castling(&mut self, rook: Square, _: CastlingSide) {
        self.push(MoveSetKind::Castling, self.node.king().bitboard(), rook.bitboard());
    }
}
