//! The part of a position that the move generator needs.

use super::side::{Kind, Side};
use crate::attacks;
use crate::{Bitboard, PieceType, Position, Square};

/// A position as the generator sees it, from the side to move: seven sets, castling rooks and en passant.
///
/// Queens are in both slider sets. Perft uses these nine words alone; other callers take them from a
/// [`Position`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) pawns: Bitboard,
    pub(crate) knights: Bitboard,
    /// Bishops and queens.
    pub(crate) diagonal: Bitboard,
    /// Rooks and queens.
    pub(crate) straight: Bitboard,
    pub(crate) kings: Bitboard,
    pub(crate) us: Bitboard,
    pub(crate) them: Bitboard,
    /// Rooks of both sides that may castle.
    pub(crate) castling: Bitboard,
    /// The en-passant square, if a pawn stands ready to capture there.
    pub(crate) en_passant: Bitboard,
}

impl Placement {
    #[inline(always)]
    pub(crate) fn of<S: Side>(position: &Position) -> Placement {
        let [pawns, knights, bishops, rooks, queens, kings] = position.board.types();
        Placement {
            pawns,
            knights,
            diagonal: bishops | queens,
            straight: rooks | queens,
            kings,
            us: position.by_color(S::COLOR),
            them: position.by_color(S::Them::COLOR),
            castling: position.castling,
            en_passant: position.en_passant.map_or(Bitboard::EMPTY, Square::bitboard),
        }
    }

    #[inline(always)]
    pub(crate) fn occupied(&self) -> Bitboard {
        self.us | self.them
    }

    #[inline(always)]
    pub(crate) fn king(&self) -> Square {
        (self.kings & self.us).first_unchecked()
    }

    /// Checks and pins of the side to move.
    #[inline(always)]
    pub(crate) fn threats<S: Side>(&self) -> Threats {
        let king = self.king();
        let occupied = self.occupied();
        let leapers = (attacks::knight(king) & self.knights) | (attacks::pawn(S::COLOR, king) & self.pawns);
        let mut checkers = leapers & self.them;
        let (mut pins_straight, mut pins_diagonal) = (Bitboard::EMPTY, Bitboard::EMPTY);
        // Through own pieces but not through enemy ones: what arrives is a checker or a pinner, or is held
        // off by several own pieces.
        for sniper in attacks::rook(king, self.them) & self.straight & self.them {
            let between = attacks::between(king, sniper);
            let shield = between & occupied;
            if shield.is_empty() {
                checkers.insert(sniper);
            } else if !shield.is_several() {
                pins_straight |= between.with(sniper);
            }
        }
        for sniper in attacks::bishop(king, self.them) & self.diagonal & self.them {
            let between = attacks::between(king, sniper);
            let shield = between & occupied;
            if shield.is_empty() {
                checkers.insert(sniper);
            } else if !shield.is_several() {
                pins_diagonal |= between.with(sniper);
            }
        }
        Threats { checkers, pins_straight, pins_diagonal }
    }

    /// The squares the enemy attacks, seen through our king.
    #[inline(always)]
    pub(crate) fn danger<S: Side>(&self) -> Bitboard {
        let occupied = self.occupied() ^ (self.kings & self.us);
        let mut danger = S::Them::pawn_attacks(self.pawns & self.them);
        for knight in self.knights & self.them {
            danger |= attacks::knight(knight);
        }
        danger |= attacks::king((self.kings & self.them).first_unchecked());
        for slider in self.diagonal & self.them {
            danger |= attacks::bishop(slider, occupied);
        }
        for slider in self.straight & self.them {
            danger |= attacks::rook(slider, occupied);
        }
        danger
    }

    /// Whether the king is safe after an en-passant capture by the pawn on `from`: with both pawns gone no
    /// slider reaches it, and no leaper checks it but the captured pawn.
    #[inline(always)]
    pub(crate) fn en_passant_is_safe<S: Side>(&self, from: Bitboard, checkers: Bitboard) -> bool {
        let king = self.king();
        let captured = S::backward(self.en_passant);
        let occupied = self.occupied() ^ from ^ captured ^ self.en_passant;
        !(attacks::rook(king, occupied) & self.straight & self.them).any()
            && !(attacks::bishop(king, occupied) & self.diagonal & self.them).any()
            && !(checkers & ((self.knights | self.pawns) - captured)).any()
    }

    /// The other side's view after a piece went from one square to another, capturing what stood there.
    /// Castling rooks that moved or were captured lose their right.
    #[inline(always)]
    pub(crate) fn after<S: Side, P: Kind>(
        &self,
        from: Bitboard,
        to: Bitboard,
        placed: PieceType,
        en_passant: Bitboard,
    ) -> Placement {
        let kept = !(from | to);
        let put = |set: Bitboard, member: bool| if member { set & kept | to } else { set & kept };
        let castling = match P::TYPE {
            PieceType::King => self.castling & !(S::BACK_RANK | to),
            PieceType::Rook => self.castling & kept,
            _ => self.castling & !to,
        };
        Placement {
            pawns: put(self.pawns, placed == PieceType::Pawn),
            knights: put(self.knights, placed == PieceType::Knight),
            diagonal: put(self.diagonal, matches!(placed, PieceType::Bishop | PieceType::Queen)),
            straight: put(self.straight, matches!(placed, PieceType::Rook | PieceType::Queen)),
            kings: if P::TYPE == PieceType::King { self.kings & kept | to } else { self.kings },
            us: self.them & kept,
            them: self.us & kept | to,
            castling,
            en_passant,
        }
    }

    /// The other side's view after an en-passant capture.
    #[inline(always)]
    pub(crate) fn after_en_passant<S: Side>(&self, from: Bitboard) -> Placement {
        let captured = S::backward(self.en_passant);
        Placement {
            pawns: self.pawns & !(from | captured) | self.en_passant,
            us: self.them & !captured,
            them: self.us & !from | self.en_passant,
            en_passant: Bitboard::EMPTY,
            ..*self
        }
    }

    /// The other side's view after castling with this rook.
    #[inline(always)]
    pub(crate) fn after_castling<S: Side>(
        &self,
        rook: Bitboard,
        king_to: Bitboard,
        rook_to: Bitboard,
    ) -> Placement {
        let king = self.kings & self.us;
        Placement {
            kings: self.kings & !king | king_to,
            straight: self.straight & !rook | rook_to,
            us: self.them,
            them: self.us & !(king | rook) | king_to | rook_to,
            castling: self.castling & !S::BACK_RANK,
            en_passant: Bitboard::EMPTY,
            ..*self
        }
    }

    /// The square skipped by a double step to `to`, if an enemy pawn stands beside it.
    #[inline(always)]
    pub(crate) fn skipped_square<S: Side>(&self, to: Bitboard) -> Bitboard {
        use crate::Direction::{East, West};
        let beside = to.shift(East) | to.shift(West);
        if beside.intersects(self.pawns & self.them) { S::backward(to) } else { Bitboard::EMPTY }
    }
}

/// Checks and pins against one king.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threats {
    pub(crate) checkers: Bitboard,
    /// Along ranks and files: the pinned pieces, their pinners and the squares between king and pinner.
    pub(crate) pins_straight: Bitboard,
    /// The same along diagonals.
    pub(crate) pins_diagonal: Bitboard,
}

impl Threats {
    /// The squares a move of another piece than the king must go to: all, or what ends a single check.
    #[inline(always)]
    pub(crate) fn answers(&self, king: Square) -> Bitboard {
        if self.checkers.is_empty() {
            Bitboard::ALL
        } else if self.checkers.is_several() {
            Bitboard::EMPTY
        } else {
            attacks::between(king, self.checkers.first_unchecked()) | self.checkers
        }
    }
}
