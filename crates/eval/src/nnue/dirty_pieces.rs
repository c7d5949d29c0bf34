//! The pieces that a move changes ("dirty pieces"), for incremental updates of the accumulators.

use ferz_board::{Color, Observer, Piece, PieceType, Square};

use super::architecture::Architecture;

/// A piece on a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DirtyPiece {
    pub(super) piece: Piece,
    pub(super) square: Square,
}

/// The pieces that one move changed: at most two placed and two removed (castling).
///
/// Moves are recorded with and without a net, so recording must cost next to nothing: two shifts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DirtyPieces {
    placed: PackedPieces,
    removed: PackedPieces,
}

impl DirtyPieces {
    /// Those of a null move.
    pub(crate) const NONE: DirtyPieces = DirtyPieces { placed: PackedPieces(0), removed: PackedPieces(0) };

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.placed.0 | self.removed.0 == 0
    }

    #[inline(always)]
    pub(super) fn placed_pieces(&self) -> impl Iterator<Item = DirtyPiece> {
        self.placed.iter()
    }

    #[inline(always)]
    pub(super) fn removed_pieces(&self) -> impl Iterator<Item = DirtyPiece> {
        self.removed.iter()
    }

    /// Repeats the changes for another observer. Returns false if they are not all known: more pieces changed than one
    /// move can change.
    #[inline]
    pub(crate) fn apply_to(&self, observer: &mut impl Observer) -> bool {
        self.removed_pieces().for_each(|it| observer.removed(it.piece, it.square));
        self.placed_pieces().for_each(|it| observer.placed(it.piece, it.square));
        !self.placed.are_too_many() && !self.removed.are_too_many()
    }

    /// Whether a perspective's accumulator must be refreshed: its king changed its bucket, or more pieces changed than
    /// one move can change (several moves at once).
    #[inline(always)]
    pub(super) fn needs_refresh<A: Architecture>(&self, net: &A, perspective: Color) -> bool {
        let king = PieceType::King.of(perspective);
        let bucket = |pieces: &PackedPieces| pieces.find(king).map(|at| net.king_bucket(perspective, at));
        self.placed.are_too_many()
            || self.removed.are_too_many()
            || bucket(&self.removed) != bucket(&self.placed)
    }
}

impl Observer for DirtyPieces {
    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        self.placed.push(piece, square);
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.removed.push(piece, square);
    }
}

/// Up to two pieces on squares, 16 bits each, the last one lowest. Of a third only the presence is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PackedPieces(u64);

impl PackedPieces {
    /// Set in every piece, so that none is zero.
    const PRESENT: u64 = 1 << 15;

    #[inline(always)]
    fn push(&mut self, piece: Piece, square: Square) {
        self.0 = self.0 << 16 | PackedPieces::PRESENT | (piece.code() << 6 | square.index()) as u64;
    }

    /// Whether there were more than two: a piece shifted beyond two places leaves itself or a later one there.
    #[inline(always)]
    fn are_too_many(self) -> bool {
        self.0 >> 32 != 0
    }

    /// The square of a piece, if it is one of these.
    #[inline(always)]
    fn find(self, piece: Piece) -> Option<Square> {
        let wanted = (PackedPieces::PRESENT >> 6 | piece.code() as u64) as u16;
        let mut both = [self.0 as u16, (self.0 >> 16) as u16].into_iter();
        both.find(|bits| bits >> 6 == wanted).map(|bits| Square::wrapping(bits.into()))
    }

    #[inline(always)]
    fn iter(self) -> impl Iterator<Item = DirtyPiece> {
        [self.0 as u16, (self.0 >> 16) as u16].into_iter().take_while(|&bits| bits != 0).map(|bits| {
            DirtyPiece { piece: PIECES[usize::from(bits >> 6) & 15], square: Square::wrapping(bits.into()) }
        })
    }
}

/// Pieces by [`Piece::code`], which leaves gaps.
static PIECES: [Piece; 16] = {
    let mut pieces = [Piece::WhitePawn; 16];
    let mut i = 0;
    while i < Piece::ALL.len() {
        pieces[Piece::ALL[i].code()] = Piece::ALL[i];
        i += 1;
    }
    pieces
};

#[cfg(test)]
mod tests {
    use super::super::format::NetworkParameters;
    use super::super::mirrored::Mirrored;
    use super::*;

    #[test]
    fn every_piece_on_every_square_is_kept() {
        for piece in Piece::ALL {
            for square in Square::ALL {
                let mut dirty_pieces = DirtyPieces::NONE;
                dirty_pieces.moved(piece, square, square.flip_file());
                let feature = |square| DirtyPiece { piece, square };
                assert!(
                    dirty_pieces.removed_pieces().eq([feature(square)])
                        && dirty_pieces.placed_pieces().eq([feature(square.flip_file())])
                );
                dirty_pieces.placed(Piece::WhiteRook, Square::A1);
                assert_eq!(dirty_pieces.placed_pieces().count(), 2);
                assert!(!dirty_pieces.is_empty());
            }
        }
        assert!(DirtyPieces::NONE.is_empty());
    }

    #[test]
    fn more_than_two_pieces_need_a_refresh() {
        let net = Mirrored::new(&NetworkParameters::noise(32, 1, 1));
        let mut dirty_pieces = DirtyPieces::NONE;
        for count in 1..20 {
            dirty_pieces.placed(Piece::WhitePawn, Square::A1);
            assert_eq!(dirty_pieces.needs_refresh(&net, Color::White), count > 2);
        }
    }
}
