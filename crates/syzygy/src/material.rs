//! Material: what tables are named after.

use std::fmt;

use ferz_board::{Color, PieceType, Position};

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

impl Material {
    /// The material of a position.
    #[must_use]
    pub fn of(position: &Position) -> Material {
        let mut key = 0;
        for piece_type in PieceType::ALL {
            if piece_type != PieceType::King {
                let set = position.by_type(piece_type);
                let white = (set & position.by_color(Color::White)).len();
                let shift = 4 * piece_type.index() as u32;
                key |= u64::from(white) << shift | u64::from(set.len() - white) << (shift + SIDE_BITS);
            }
        }
        Material(key)
    }

    /// How many men of a colour and type there are.
    #[must_use]
    pub const fn count(self, color: Color, piece_type: PieceType) -> u32 {
        match piece_type {
            PieceType::King => 1,
            _ => (self.side(color) >> (4 * piece_type.index()) & 0xf) as u32,
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
