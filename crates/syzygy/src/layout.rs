//! Layouts: how the men of a table are turned into an index.

use ferz_board::{Bitboard, Color, Piece, PieceType, Position};

use crate::Damage;
use crate::geometry::{
    BELOW_DIAGONAL, BINOMIAL, KING_PAIRS, KINGS, LEADING_PAWN_START, MAX_PAWNS, PAWN_NUMBER, PAWN_SQUARE,
    TRIANGLE, above_diagonal, binomial, leading_pawn_placements,
};

/// The most men that tables exist for.
pub(crate) const MAX_MEN: usize = 7;

/// How the men of a subtable become an index: leading men first, up to symmetry, then groups of like men.
#[derive(Debug)]
pub(crate) struct Layout {
    lead: Lead,
    lead_factor: u64,
    groups: [Group; MAX_MEN - 1],
    groups_len: u8,
    size: u64,
}

/// The men that decide how the board is mirrored.
#[derive(Clone, Copy, Debug)]
enum Lead {
    /// Three men without a like.
    Three([Piece; 3]),
    /// Only the kings are without a like.
    Kings([Piece; 2]),
    /// The pawns of one colour.
    Pawns { color: Color, count: u8 },
}

/// Like men.
#[derive(Clone, Copy, Debug)]
struct Group {
    piece: Piece,
    /// 8 for pawns, which cannot stand on the first rank.
    first_square: u8,
    factor: u64,
}

/// How many ways there are to place three different men, up to symmetry.
const TRIPLES: u64 = 31_332;
/// Triples with no man, the first man, the first two men on the diagonal: where each kind begins.
const FIRST_ON_DIAGONAL: u64 = 6 * 63 * 62;
const TWO_ON_DIAGONAL: u64 = FIRST_ON_DIAGONAL + 4 * 28 * 62;
const ALL_ON_DIAGONAL: u64 = TWO_ON_DIAGONAL + 4 * 7 * 28;

/// A symmetry of the board.
#[derive(Clone, Copy)]
struct Mirror {
    xor: u8,
    transpose: bool,
}

impl Mirror {
    #[inline(always)]
    fn apply(self, square: u8) -> u8 {
        let square = square ^ self.xor;
        if self.transpose { transpose(square) } else { square }
    }

    #[inline(always)]
    fn apply_to_set(self, set: Bitboard) -> Bitboard {
        set.into_iter().fold(Bitboard::EMPTY, |mirrored, square| mirrored | bit(self.apply(square as u8)))
    }
}

/// The square mirrored at the long diagonal.
#[inline(always)]
fn transpose(square: u8) -> u8 {
    (square >> 3 | square << 3) & 63
}

#[inline(always)]
fn bit(square: u8) -> Bitboard {
    Bitboard(1 << (square & 63))
}

/// Pawns of the leading colour: the file of the first one selects the subtable.
#[derive(Clone, Copy)]
pub(crate) struct LeadingPawns {
    pawns: Bitboard,
    /// Mirrors the ranks if the colours are exchanged, and the files if the first pawn stands on the right.
    xor: u8,
    first: u8,
}

impl LeadingPawns {
    /// Finds the first of these pawns.
    #[inline(always)]
    pub(crate) fn new(pawns: Bitboard, colors_exchanged: bool) -> LeadingPawns {
        let xor = if colors_exchanged { 56 } else { 0 };
        let number = |square| PAWN_NUMBER[usize::from(square as u8 ^ xor)];
        let first = PAWN_SQUARE[usize::from(pawns.into_iter().map(number).max().unwrap_or(0))];
        let files = if first & 4 != 0 { 7 } else { 0 };
        LeadingPawns { pawns, xor: xor ^ files, first: first ^ files }
    }

    /// The file of the first pawn, 0 to 3.
    #[inline(always)]
    pub(crate) fn file(self) -> usize {
        usize::from(self.first & 3)
    }

    /// The number of this placement of pawns.
    #[inline(always)]
    fn index(self) -> u64 {
        let number = |square| PAWN_NUMBER[usize::from(square as u8 ^ self.xor)];
        let numbers = self.pawns.into_iter().fold(0_u64, |set, square| set | 1 << number(square));
        let start = LEADING_PAWN_START[self.pawns.len() as usize % (MAX_PAWNS + 1)][usize::from(self.first)];
        // The first pawn has the highest number.
        let others = Bitboard(numbers ^ 1 << PAWN_NUMBER[usize::from(self.first)]);
        let others = others.into_iter().zip(1..).map(|(number, i)| BINOMIAL[i % 7][number as usize]);
        u64::from(start + others.sum::<u32>())
    }
}

impl Layout {
    /// The layout of these men in this order. `order` has the places of the leading men and of the second pawns among
    /// the groups, `file` is that of the leading pawn.
    pub(crate) fn new(pieces: &[Piece], order: [u8; 2], file: usize) -> Result<Layout, Damage> {
        let lead = Lead::of(pieces)?;
        let mut layout = Layout {
            lead,
            lead_factor: 0,
            groups: [Group { piece: Piece::WhiteKing, first_square: 0, factor: 0 }; MAX_MEN - 1],
            groups_len: 0,
            size: 0,
        };
        let rest = &pieces[lead.len()..];
        let mut counts = [0; MAX_MEN - 1];
        for group in rest.chunk_by(Piece::eq) {
            let first_square = if group[0].piece_type() == PieceType::Pawn { 8 } else { 0 };
            layout.groups[usize::from(layout.groups_len)] =
                Group { piece: group[0], first_square, factor: 0 };
            counts[usize::from(layout.groups_len)] = group.len();
            layout.groups_len += 1;
        }
        layout.set_factors(&counts, order, file)?;
        Ok(layout)
    }

    /// Computes the factors: the product of the sizes of all groups that come before in the order.
    fn set_factors(&mut self, counts: &[usize], order: [u8; 2], file: usize) -> Result<(), Damage> {
        let groups = usize::from(self.groups_len);
        let has_second_pawns = groups > 0 && self.groups[0].piece.piece_type() == PieceType::Pawn;
        let mut next = usize::from(has_second_pawns);
        let mut free = 64 - self.lead.len() - if has_second_pawns { counts[0] } else { 0 };
        let mut size = 1;
        let mut is_lead_done = false;
        for place in 0..=groups {
            if place == usize::from(order[0]) {
                self.lead_factor = size;
                size *= self.lead.placements(file);
                is_lead_done = true;
            } else if has_second_pawns && place == usize::from(order[1]) {
                self.groups[0].factor = size;
                size *= binomial(48 - self.lead.len(), counts[0]);
            } else if next < groups {
                self.groups[next].factor = size;
                size *= binomial(free, counts[next]);
                free -= counts[next];
                next += 1;
            } else {
                return Err(Damage::Order);
            }
        }
        self.size = size;
        if is_lead_done { Ok(()) } else { Err(Damage::Order) }
    }

    /// The number of indices.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The colour of the leading pawns.
    pub(crate) fn leading_pawns(&self) -> Option<Color> {
        match self.lead {
            Lead::Pawns { color, .. } => Some(color),
            Lead::Three(_) | Lead::Kings(_) => None,
        }
    }

    /// The index of a position with this material; without pawns.
    #[inline]
    pub(crate) fn index(&self, position: &Position, colors_exchanged: bool) -> u64 {
        let set = |piece: Piece| pieces_of(position, piece, colors_exchanged);
        let square = |piece: Piece| set(piece).first().map_or(0, |square| square as u8);
        let (mirror, lead, used) = match self.lead {
            Lead::Three(pieces) => {
                let squares = pieces.map(square);
                let mirror = triangle_mirror(&squares);
                let squares = squares.map(|square| mirror.apply(square));
                (mirror, three_index(squares), bit(squares[0]) | bit(squares[1]) | bit(squares[2]))
            }
            Lead::Kings(pieces) => {
                let squares = pieces.map(square);
                let mirror = triangle_mirror(&squares);
                let [first, second] = squares.map(|square| mirror.apply(square));
                let number = KINGS[usize::from(TRIANGLE[usize::from(first)]) % 10][usize::from(second)];
                (mirror, u64::from(number), bit(first) | bit(second))
            }
            Lead::Pawns { color, .. } => {
                let pawns = LeadingPawns::new(set(PieceType::Pawn.of(color)), colors_exchanged);
                return self.pawn_index(position, colors_exchanged, pawns);
            }
        };
        self.add_groups(position, colors_exchanged, mirror, used, lead * self.lead_factor)
    }

    /// The index of a position with pawns.
    #[inline]
    pub(crate) fn pawn_index(&self, position: &Position, colors_exchanged: bool, pawns: LeadingPawns) -> u64 {
        let mirror = Mirror { xor: pawns.xor, transpose: false };
        let used = mirror.apply_to_set(pawns.pawns);
        self.add_groups(position, colors_exchanged, mirror, used, pawns.index() * self.lead_factor)
    }

    #[inline(always)]
    fn add_groups(
        &self,
        position: &Position,
        colors_exchanged: bool,
        mirror: Mirror,
        mut used: Bitboard,
        mut index: u64,
    ) -> u64 {
        for group in &self.groups[..usize::from(self.groups_len) % MAX_MEN] {
            let set = mirror.apply_to_set(pieces_of(position, group.piece, colors_exchanged));
            let mut number = 0;
            for (square, i) in set.into_iter().zip(1..) {
                let square = square as u8;
                // Squares that others stand on are not counted.
                let below = (used & Bitboard((1 << square) - 1)).len() as u8;
                number += BINOMIAL[i % 7][usize::from(square.wrapping_sub(below + group.first_square)) % 64];
            }
            index += u64::from(number) * group.factor;
            used |= set;
        }
        index
    }
}

/// The men of a position that stand for a piece of the table.
#[inline(always)]
fn pieces_of(position: &Position, piece: Piece, colors_exchanged: bool) -> Bitboard {
    let color = if colors_exchanged { !piece.color() } else { piece.color() };
    position.by_type(piece.piece_type()) & position.by_color(color)
}

/// What brings the first man into the triangle a1–d1–d4, and the first of them that is not on the diagonal below it.
#[inline(always)]
fn triangle_mirror(squares: &[u8]) -> Mirror {
    let files = if squares[0] & 4 != 0 { 7 } else { 0 };
    let ranks = if squares[0] & 32 != 0 { 56 } else { 0 };
    let xor = files | ranks;
    let side = squares.iter().map(|&square| above_diagonal(square ^ xor)).find(|&side| side != 0);
    Mirror { xor, transpose: side.is_some_and(|side| side > 0) }
}

/// The number of a placement of three different men, the first in the triangle.
#[inline(always)]
fn three_index([a, b, c]: [u8; 3]) -> u64 {
    let (b_skips, c_skips) = (u64::from(b > a), u64::from(c > a) + u64::from(c > b));
    let [rank_a, rank_b, rank_c] = [a, b, c].map(|square| u64::from(square >> 3));
    let below = |square: u8| u64::from(BELOW_DIAGONAL[usize::from(square)]);
    if above_diagonal(a) != 0 {
        u64::from(TRIANGLE[usize::from(a)]) * 63 * 62
            + (u64::from(b) - b_skips) * 62
            + (u64::from(c) - c_skips)
    } else if above_diagonal(b) != 0 {
        FIRST_ON_DIAGONAL + rank_a * 28 * 62 + below(b) * 62 + u64::from(c) - c_skips
    } else if above_diagonal(c) != 0 {
        TWO_ON_DIAGONAL + rank_a * 7 * 28 + (rank_b - b_skips) * 28 + below(c)
    } else {
        ALL_ON_DIAGONAL + rank_a * 7 * 6 + (rank_b - b_skips) * 6 + (rank_c - c_skips)
    }
}

impl Lead {
    /// The leading men of a list. They must be what their material demands, and like men must stand side by side.
    fn of(pieces: &[Piece]) -> Result<Lead, Damage> {
        let like = |piece: Piece| pieces.iter().filter(|&&other| other == piece).count();
        if pieces.chunk_by(Piece::eq).any(|group| group.len() != like(group[0])) {
            return Err(Damage::Pieces);
        }
        let unlike = pieces.iter().filter(|&&piece| like(piece) == 1).count();
        let has_pawns = pieces.iter().any(|piece| piece.piece_type() == PieceType::Pawn);
        match *pieces {
            [first, ..] if has_pawns => {
                let count = like(first);
                // Pawns of the other colour follow.
                let others = pieces[count..].iter().skip_while(|piece| piece.piece_type() == PieceType::Pawn);
                let in_order = others.clone().all(|piece| piece.piece_type() != PieceType::Pawn);
                if first.piece_type() != PieceType::Pawn || !in_order || count > MAX_PAWNS {
                    return Err(Damage::Pieces);
                }
                Ok(Lead::Pawns { color: first.color(), count: count as u8 })
            }
            [a, b, c, ..] if unlike >= 3 && [a, b, c].iter().all(|&piece| like(piece) == 1) => {
                Ok(Lead::Three([a, b, c]))
            }
            [a, b, ..] if unlike == 2 && like(a) == 1 && like(b) == 1 => Ok(Lead::Kings([a, b])),
            _ => Err(Damage::Pieces),
        }
    }

    fn len(self) -> usize {
        match self {
            Lead::Three(_) => 3,
            Lead::Kings(_) => 2,
            Lead::Pawns { count, .. } => usize::from(count),
        }
    }

    fn placements(self, file: usize) -> u64 {
        match self {
            Lead::Three(_) => TRIPLES,
            Lead::Kings(_) => KING_PAIRS as u64,
            Lead::Pawns { count, .. } => leading_pawn_placements(usize::from(count), file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The men in order, the order of the groups, size and index as python-chess computes them, the position, and whether
    /// its colours are exchanged.
    #[test]
    fn indices_are_those_of_another_prober() {
        let rows = [
            (
                "PpKnkQr",
                [1, 2],
                218_978_707_680,
                24_915_727_583,
                "4K3/8/2p5/1nQ5/8/1k2P3/8/1r6 w - - 0 1",
                false,
            ),
            ("PpppkKr", [1, 3], 19_975_582_800, 3_121_159_424, "8/1R4kP/1P1p4/4P3/8/8/K7/8 b - - 0 1", true),
            ("pkQQQK", [2, 15], 843_461_640, 677_779_138, "8/3K1Q2/8/8/5p2/1Q6/1Q6/6k1 w - - 0 1", false),
            (
                "PPkQQQK",
                [0, 15],
                32_613_850_080,
                30_512_361_453,
                "4K3/2P5/1Q6/8/P2Q4/2Q5/8/7k w - - 0 1",
                false,
            ),
            (
                "PQqkNRK",
                [0, 15],
                293_524_650_720,
                75_176_827_566,
                "4K3/1q5p/6k1/2n5/8/8/1r6/3Q4 b - - 0 1",
                true,
            ),
            ("PpKQQQk", [1, 3], 36_496_451_280, 17_306_140_813, "7q/8/8/P1K1k3/8/7q/q5p1/8 b - - 0 1", true),
            ("PpkqqK", [4, 2], 1_887_747_480, 352_481_812, "7k/4P3/3p4/8/2K2Q2/8/4Q3/8 b - - 0 1", true),
            (
                "qkbQQRK",
                [0, 15],
                196_209_130_320,
                152_423_010_292,
                "5k2/3Q4/7R/1b6/8/1K5q/7Q/8 w - - 0 1",
                false,
            ),
            ("kKqqqq", [1, 15], 257_724_390, 137_437_076, "8/1Q1K4/8/1Qk5/8/5Q2/2Q5/8 b - - 0 1", true),
            ("PPKqqk", [0, 15], 1_686_923_280, 1_113_466_882, "6q1/8/1k2P3/8/P3K3/8/7q/8 w - - 0 1", false),
            ("PpBKQk", [3, 5], 3_775_494_960, 1_860_975_095, "1k4q1/4K3/2b5/P7/8/8/6p1/8 b - - 0 1", true),
            ("pKnkBb", [4, 15], 5_060_769_840, 3_993_859_698, "8/3K4/7b/k7/1NP5/8/3B4/8 b - - 0 1", true),
            (
                "ppnqKRk",
                [0, 15],
                195_683_100_480,
                95_121_880_487,
                "7n/8/p2p4/8/3K3k/7q/3R4/8 w - - 0 1",
                false,
            ),
            ("KQkqqq", [0, 15], 1_127_638_680, 7_465_161, "8/8/8/8/6K1/8/1Q5Q/1q1Qk3 b - - 0 1", true),
            ("pkqqKr", [4, 15], 2_530_384_920, 1_337_403_904, "6k1/3R2Q1/7Q/1K6/2P5/8/8/8 b - - 0 1", true),
        ];
        for (men, order, size, index, fen, colors_exchanged) in rows {
            let pieces: Vec<Piece> = men.chars().filter_map(Piece::from_char).collect();
            let position: Position = fen.parse().unwrap();
            let file = match pieces[0].piece_type() {
                PieceType::Pawn => {
                    LeadingPawns::new(pieces_of(&position, pieces[0], colors_exchanged), colors_exchanged)
                        .file()
                }
                _ => 0,
            };
            let layout = Layout::new(&pieces, order, file).unwrap();
            assert_eq!(
                (layout.size(), layout.index(&position, colors_exchanged)),
                (size, index),
                "{men} {fen}"
            );
        }
    }

    #[test]
    fn impossible_lists_are_refused() {
        let layout = |men: &str, order| {
            let pieces: Vec<Piece> = men.chars().filter_map(Piece::from_char).collect();
            Layout::new(&pieces, order, 0).err()
        };
        assert_eq!(layout("KkQ", [0, 15]), None);
        assert_eq!(layout("KkQ", [1, 15]), Some(Damage::Order));
        assert_eq!(layout("KQQk", [0, 15]), Some(Damage::Pieces));
        assert_eq!(layout("KkQRQ", [0, 15]), Some(Damage::Pieces));
        assert_eq!(layout("KPk", [0, 15]), Some(Damage::Pieces));
        assert_eq!(layout("PKpk", [0, 1]), Some(Damage::Pieces));
        assert_eq!(layout("PpKk", [0, 1]), None);
        assert_eq!(layout("PpKk", [1, 1]), Some(Damage::Order));
        assert_eq!(layout("PpKk", [0, 15]), Some(Damage::Order));
    }
}
