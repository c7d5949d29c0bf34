//! What a move changes on the board, as accumulators want to know it.

use ferz_board::{Color, Observer, Piece, PieceType, Square};

use super::architecture::Architecture;

/// A piece on a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Feature {
    pub(super) piece: Piece,
    pub(super) square: Square,
}

/// What one move changed: at most two pieces placed and two removed (castling).
///
/// Moves are noted whether there is a net to ask for them or not, so noting must cost next to nothing: two shifts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Changes {
    placed: Features,
    removed: Features,
}

impl Changes {
    /// Of a null move.
    pub(crate) const NONE: Changes = Changes { placed: Features(0), removed: Features(0) };

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.placed.0 | self.removed.0 == 0
    }

    #[inline(always)]
    pub(super) fn arrivals(&self) -> impl Iterator<Item = Feature> {
        self.placed.iter()
    }

    #[inline(always)]
    pub(super) fn departures(&self) -> impl Iterator<Item = Feature> {
        self.removed.iter()
    }

    /// Whether a side's accumulator after these changes has nothing in common with the one before. So it is, too,
    /// after more than a move can change: several moves in one go.
    #[inline(always)]
    pub(super) fn needs_refresh<A: Architecture>(&self, perspective: Color) -> bool {
        let king = PieceType::King.of(perspective);
        let zone = |features: &Features| features.find(king).map(|square| A::zone(perspective, square));
        self.placed.are_too_many() || self.removed.are_too_many() || zone(&self.removed) != zone(&self.placed)
    }
}

impl Observer for Changes {
    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        self.placed.push(piece, square);
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.removed.push(piece, square);
    }
}

/// Up to two pieces on squares, 16 bits each, the last one lowest. A third is only noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Features(u64);

impl Features {
    /// So that nothing in 16 bits is zero.
    const PRESENT: u64 = 1 << 15;

    #[inline(always)]
    fn push(&mut self, piece: Piece, square: Square) {
        self.0 = self.0 << 16 | Features::PRESENT | (piece.index() << 6 | square.index()) as u64;
    }

    /// What was shifted further than two places is still there, or what came after it.
    #[inline(always)]
    fn are_too_many(self) -> bool {
        self.0 >> 32 != 0
    }

    /// Where a piece is, if it is one of them.
    #[inline(always)]
    fn find(self, piece: Piece) -> Option<Square> {
        let wanted = (Features::PRESENT >> 6 | piece.index() as u64) as u16;
        let mut both = [self.0 as u16, (self.0 >> 16) as u16].into_iter();
        both.find(|bits| bits >> 6 == wanted).map(|bits| Square::wrapping(bits.into()))
    }

    #[inline(always)]
    fn iter(self) -> impl Iterator<Item = Feature> {
        [self.0 as u16, (self.0 >> 16) as u16].into_iter().take_while(|&bits| bits != 0).map(|bits| Feature {
            piece: PIECES[usize::from(bits >> 6) & 15],
            square: Square::wrapping(bits.into()),
        })
    }
}

/// By [`Piece::index`], which leaves gaps.
static PIECES: [Piece; 16] = {
    let mut pieces = [Piece::WhitePawn; 16];
    let mut i = 0;
    while i < Piece::ALL.len() {
        pieces[Piece::ALL[i].index()] = Piece::ALL[i];
        i += 1;
    }
    pieces
};

#[cfg(test)]
mod tests {
    use super::super::halfkp::HalfKp;
    use super::super::rows::PlainRows;
    use super::*;

    #[test]
    fn every_piece_on_every_square_is_kept() {
        for piece in Piece::ALL {
            for square in Square::ALL {
                let mut changes = Changes::NONE;
                changes.moved(piece, square, square.flip_file());
                let feature = |square| Feature { piece, square };
                assert!(
                    changes.departures().eq([feature(square)])
                        && changes.arrivals().eq([feature(square.flip_file())])
                );
                changes.placed(Piece::WhiteRook, Square::A1);
                assert_eq!(changes.arrivals().count(), 2);
                assert!(!changes.is_empty());
            }
        }
        assert!(Changes::NONE.is_empty());
    }

    #[test]
    fn too_many_are_noticed_however_many() {
        let mut changes = Changes::NONE;
        for count in 1..20 {
            changes.placed(Piece::WhitePawn, Square::A1);
            assert_eq!(changes.needs_refresh::<HalfKp<PlainRows>>(Color::White), count > 2);
        }
    }
}
