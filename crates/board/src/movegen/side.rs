//! The side to move as a type, so that the compiler writes the generator twice and decides nothing at run
//! time.

use crate::{Bitboard, Color, Direction, PieceType, Rank};

/// A side, seen from which "forward" is a constant.
pub(crate) trait Side: Copy {
    /// The other side.
    type Them: Side<Them = Self>;
    /// The colour.
    const COLOR: Color;
    /// The difference between the squares before and after a pawn's step.
    const FORWARD: i32;
    /// The rank pawns cross by the first half of a double step.
    const THIRD_RANK: Bitboard;
    const BACK_RANK: Bitboard;
    const PROMOTION_RANK: Bitboard;

    fn forward(pawns: Bitboard) -> Bitboard;
    fn capture_west(pawns: Bitboard) -> Bitboard;
    fn capture_east(pawns: Bitboard) -> Bitboard;

    /// The inverse of `forward`.
    #[inline(always)]
    fn backward(squares: Bitboard) -> Bitboard {
        Self::Them::forward(squares)
    }

    /// Everything pawns attack.
    #[inline(always)]
    fn pawn_attacks(pawns: Bitboard) -> Bitboard {
        Self::capture_west(pawns) | Self::capture_east(pawns)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct White;
#[derive(Clone, Copy)]
pub(crate) struct Black;

impl Side for White {
    type Them = Black;
    const COLOR: Color = Color::White;
    const FORWARD: i32 = 8;
    const THIRD_RANK: Bitboard = Bitboard::from_rank(Rank::Third);
    const BACK_RANK: Bitboard = Bitboard::from_rank(Rank::First);
    const PROMOTION_RANK: Bitboard = Bitboard::from_rank(Rank::Eighth);

    #[inline(always)]
    fn forward(pawns: Bitboard) -> Bitboard {
        pawns.shift(Direction::North)
    }

    #[inline(always)]
    fn capture_west(pawns: Bitboard) -> Bitboard {
        pawns.shift(Direction::NorthWest)
    }

    #[inline(always)]
    fn capture_east(pawns: Bitboard) -> Bitboard {
        pawns.shift(Direction::NorthEast)
    }
}

impl Side for Black {
    type Them = White;
    const COLOR: Color = Color::Black;
    const FORWARD: i32 = -8;
    const THIRD_RANK: Bitboard = Bitboard::from_rank(Rank::Sixth);
    const BACK_RANK: Bitboard = Bitboard::from_rank(Rank::Eighth);
    const PROMOTION_RANK: Bitboard = Bitboard::from_rank(Rank::First);

    #[inline(always)]
    fn forward(pawns: Bitboard) -> Bitboard {
        pawns.shift(Direction::South)
    }

    #[inline(always)]
    fn capture_west(pawns: Bitboard) -> Bitboard {
        pawns.shift(Direction::SouthWest)
    }

    #[inline(always)]
    fn capture_east(pawns: Bitboard) -> Bitboard {
        pawns.shift(Direction::SouthEast)
    }
}

/// A type of piece as a type.
pub(crate) trait Kind {
    const TYPE: PieceType;
}

macro_rules! kinds {
    ($($name:ident)*) => {$(
        pub(crate) struct $name;
        impl Kind for $name {
            const TYPE: PieceType = PieceType::$name;
        }
    )*};
}

kinds!(Pawn Knight Bishop Rook Queen King);
