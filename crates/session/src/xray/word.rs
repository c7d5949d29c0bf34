//! How 64-bit words and sets of them are written.

use ferz_board::{Bitboard, Color, Piece, PieceType, Position};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// 64 bits, written as `"0x"` and 16 digits: JSON numbers are only exact up to 2^53.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word(pub u64);

impl From<Bitboard> for Word {
    fn from(set: Bitboard) -> Word {
        Word(set.0)
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("0x{:016x}", self.0))
    }
}

/// Bitboards by name, in order.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Boards(Vec<(String, Word)>);

impl Boards {
    /// The twelve pieces, the two sides and the occupancy.
    pub(super) fn of(position: &Position) -> Boards {
        let pieces = Color::ALL.into_iter().flat_map(|color| PieceType::ALL.map(|kind| kind.of(color)));
        let mut boards: Vec<_> = pieces.map(|piece| (name(piece), position.pieces(piece).into())).collect();
        boards
            .extend(Color::ALL.map(|color| (color_name(color).to_owned(), position.by_color(color).into())));
        boards.push(("occupied".to_owned(), position.occupied().into()));
        Boards(boards)
    }

    /// The bits that differ, for each bitboard that does.
    pub(super) fn toggled(&self, other: &Boards) -> Boards {
        let pairs = self.0.iter().zip(&other.0);
        let toggled = pairs.map(|((name, a), (_, b))| (name.clone(), Word(a.0 ^ b.0)));
        Boards(toggled.filter(|&(_, word)| word != Word(0)).collect())
    }
}

fn name(piece: Piece) -> String {
    format!("{}_{}", color_name(piece.color()), piece.piece_type())
}

/// The name of a colour in the protocol.
const fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}

impl Serialize for Boards {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, word)| map.serialize_entry(name, word))?;
        map.end()
    }
}
