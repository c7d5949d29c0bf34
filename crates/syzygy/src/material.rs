//! Material: what tables are named after.

use std::fmt;

use ferz_board::{Color, Piece, PieceType, Position};

use crate::layout::MAX_MEN;

/// The two files of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TableKind {
    /// The result: win, draw, loss.
    Wdl,
    /// The distance to zeroing.
    Dtz,
}

impl TableKind {
    /// Both kinds.
    pub const ALL: [TableKind; 2] = [TableKind::Wdl, TableKind::Dtz];

    /// The first bytes of the file.
    pub(crate) const fn magic(self) -> [u8; 4] {
        match self {
            TableKind::Wdl => [0x71, 0xe8, 0x23, 0x5d],
            TableKind::Dtz => [0xd7, 0x66, 0x0c, 0xa5],
        }
    }

    /// The extension of the file's name: `rtbw` or `rtbz`.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            TableKind::Wdl => "rtbw",
            TableKind::Dtz => "rtbz",
        }
    }
}

impl fmt::Display for TableKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            TableKind::Wdl => "WDL",
            TableKind::Dtz => "DTZ",
        })
    }
}

/// The men of both sides, written as `KQvKR`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Material(u64);

/// Bits for the men of one side: four for each type, the king left out.
const SIDE_BITS: u32 = 20;
const SIDE_MASK: u64 = (1 << SIDE_BITS) - 1;

/// In the order of names.
const TYPES: [PieceType; 5] =
    [PieceType::Queen, PieceType::Rook, PieceType::Bishop, PieceType::Knight, PieceType::Pawn];

/// Where the count of a piece stands.
const fn shift(color: Color, piece_type: PieceType) -> u32 {
    SIDE_BITS * color.index() as u32 + 4 * piece_type.index() as u32
}

impl Material {
    /// Nothing but kings.
    pub const KINGS: Material = Material(0);

    /// The material of a position.
    #[inline]
    #[must_use]
    pub fn of(position: &Position) -> Material {
        let white = position.by_color(Color::White);
        let mut key = 0;
        for piece_type in TYPES {
            let set = position.by_type(piece_type);
            let count = (set & white).len();
            key |= u64::from(count) << shift(Color::White, piece_type);
            key |= u64::from(set.len() - count) << shift(Color::Black, piece_type);
        }
        Material(key)
    }

    /// The material of these men; `None` unless both sides have one king.
    pub(crate) fn of_pieces(pieces: &[Piece]) -> Option<Material> {
        let mut key = 0;
        let mut kings = [0, 0];
        for piece in pieces {
            match piece.piece_type() {
                PieceType::King => kings[piece.color().index()] += 1,
                piece_type => key += 1 << shift(piece.color(), piece_type),
            }
        }
        // Four bits hold the counts: a table has at most seven men.
        (kings == [1, 1] && pieces.len() <= MAX_MEN).then_some(Material(key))
    }

    /// Reads the name of a table: the stronger side first, the men in order.
    pub(crate) fn from_table_name(name: &str) -> Option<Material> {
        let (white, black) = name.split_once('v')?;
        let pieces: Vec<Piece> = [(white, Color::White), (black, Color::Black)]
            .iter()
            .flat_map(|(men, color)| men.chars().map(|man| Some(PieceType::from_char(man)?.of(*color))))
            .collect::<Option<_>>()?;
        let material = Material::of_pieces(&pieces)?;
        (material.normalized() == material && material.to_string() == name && pieces.len() > 2)
            .then_some(material)
    }

    /// The counts as one number.
    #[inline(always)]
    pub(crate) const fn key(self) -> u64 {
        self.0
    }

    /// Whether both sides have the same men.
    pub(crate) fn is_symmetric(self) -> bool {
        self == self.with_colors_exchanged()
    }

    /// Whether there is a pawn.
    pub(crate) fn has_pawns(self) -> bool {
        Color::ALL.iter().any(|&color| self.count(color, PieceType::Pawn) > 0)
    }

    /// How many men of a colour and type there are.
    #[must_use]
    pub const fn count(self, color: Color, piece_type: PieceType) -> u32 {
        match piece_type {
            PieceType::King => 1,
            _ => (self.0 >> shift(color, piece_type) & 0xf) as u32,
        }
    }

    /// All men, kings included.
    #[must_use]
    pub fn men(self) -> u32 {
        Color::ALL.iter().map(|&color| self.men_of(color)).sum()
    }

    fn men_of(self, color: Color) -> u32 {
        PieceType::ALL.iter().map(|&piece_type| self.count(color, piece_type)).sum()
    }

    /// White's men for Black and the reverse.
    #[must_use]
    pub const fn with_colors_exchanged(self) -> Material {
        Material(self.0 >> SIDE_BITS | (self.0 & SIDE_MASK) << SIDE_BITS)
    }

    /// The material that tables are named after: the stronger side first. More men are stronger, then better men.
    #[must_use]
    pub fn normalized(self) -> Material {
        let strength = |color| (self.men_of(color), self.side(color));
        if strength(Color::White) >= strength(Color::Black) { self } else { self.with_colors_exchanged() }
    }

    const fn side(self, color: Color) -> u64 {
        self.0 >> (SIDE_BITS * color.index() as u32) & SIDE_MASK
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (color, start) in [(Color::White, "K"), (Color::Black, "vK")] {
            f.write_str(start)?;
            for piece_type in TYPES {
                for _ in 0..self.count(color, piece_type) {
                    write!(f, "{}", piece_type.of(Color::White).to_char())?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Material({self})")
    }
}
