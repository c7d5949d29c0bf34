//! Colours as types, so that directions are constants and every term is compiled once for each colour.

use ferz_board::{Bitboard, Color, Direction, Square};

/// White or Black, with directions and ranks relative to that side.
pub(super) trait Side {
    /// The other side.
    type Them: Side<Them = Self>;
    const COLOR: Color;

    /// Every square moved one step towards the other side.
    fn forward(squares: Bitboard) -> Bitboard;

    /// The front spans: all squares ahead of these on their files.
    fn ahead(squares: Bitboard) -> Bitboard;

    /// Every square moved one step back.
    #[inline(always)]
    fn backward(squares: Bitboard) -> Bitboard {
        Self::Them::forward(squares)
    }

    /// What pawns on these squares attack.
    #[inline(always)]
    fn pawn_attacks(pawns: Bitboard) -> Bitboard {
        let front = Self::forward(pawns);
        front.shift(Direction::East) | front.shift(Direction::West)
    }

    /// What two pawns attack at once.
    #[inline(always)]
    fn pawn_double_attacks(pawns: Bitboard) -> Bitboard {
        let front = Self::forward(pawns);
        front.shift(Direction::East) & front.shift(Direction::West)
    }

    /// The attack spans: what these pawns attack now or can attack after advancing.
    #[inline(always)]
    fn pawn_attack_span(pawns: Bitboard) -> Bitboard {
        Self::pawn_attacks(pawns | Self::ahead(pawns))
    }

    /// The rank of a square, 0 to 7, counted from this side's back rank.
    #[inline(always)]
    fn rank(square: Square) -> usize {
        square.relative_to(Self::COLOR).rank().index()
    }

    /// Some ranks, the first and the last counted from this side's back rank (0 to 7).
    #[inline(always)]
    fn ranks(first: usize, last: usize) -> Bitboard {
        let white = Bitboard((!0u64 >> (8 * (7 - (last - first)))) << (8 * first));
        if Self::COLOR == Color::White { white } else { white.flip_ranks() }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct White;
#[derive(Clone, Copy, Debug)]
pub(super) struct Black;

impl Side for White {
    type Them = Black;
    const COLOR: Color = Color::White;

    #[inline(always)]
    fn forward(squares: Bitboard) -> Bitboard {
        squares.shift(Direction::North)
    }

    #[inline(always)]
    fn ahead(squares: Bitboard) -> Bitboard {
        let mut fill = squares.0 << 8;
        fill |= fill << 8;
        fill |= fill << 16;
        Bitboard(fill | fill << 32)
    }
}

impl Side for Black {
    type Them = White;
    const COLOR: Color = Color::Black;

    #[inline(always)]
    fn forward(squares: Bitboard) -> Bitboard {
        squares.shift(Direction::South)
    }

    #[inline(always)]
    fn ahead(squares: Bitboard) -> Bitboard {
        let mut fill = squares.0 >> 8;
        fill |= fill >> 8;
        fill |= fill >> 16;
        Bitboard(fill | fill >> 32)
    }
}

/// The squares left and right of these.
#[inline(always)]
pub(super) fn beside(squares: Bitboard) -> Bitboard {
    squares.shift(Direction::East) | squares.shift(Direction::West)
}

/// The whole files on which these squares lie.
#[inline(always)]
pub(super) fn files_of(squares: Bitboard) -> Bitboard {
    squares | White::ahead(squares) | Black::ahead(squares)
}

/// The files from the a-file to the d-file and from the e-file to the h-file.
pub(super) const WINGS: [Bitboard; 2] = [Bitboard(0x0f0f_0f0f_0f0f_0f0f), Bitboard(0xf0f0_f0f0_f0f0_f0f0)];

/// The flank of a king on each file: its wing, or the four central files.
pub(super) static FLANKS: [Bitboard; 8] =
    [WINGS[0], WINGS[0], WINGS[0], CENTRAL_FILES, CENTRAL_FILES, WINGS[1], WINGS[1], WINGS[1]];

/// The four central squares.
pub(super) const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// The c- to f-files: space near the edge is worth little.
pub(super) const CENTRAL_FILES: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);
