//! Records of 16 bytes, and moves in two of them.

use std::fmt;

use ferz_board::{Move, PieceType, Position, Square};

/// One record of a book: a position and a move in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Entry {
    /// The key of the position.
    pub key: u64,
    /// The move.
    pub mv: PackedMove,
    /// How often it is to be played, compared with the other moves of the position; zero means never.
    pub weight: u16,
    /// What a learning program has noted about it.
    pub learn: u32,
}

impl Entry {
    /// The record in these bytes: four big-endian numbers. All bytes mean something, so nothing is lost.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Entry {
        let record = u128::from_be_bytes(bytes);
        Entry {
            key: (record >> 64) as u64,
            mv: PackedMove::from_bits((record >> 48) as u16),
            weight: (record >> 32) as u16,
            learn: record as u32,
        }
    }

    /// The bytes of the record.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        let record = (self.key as u128) << 64
            | (self.mv.bits() as u128) << 48
            | (self.weight as u128) << 32
            | self.learn as u128;
        record.to_be_bytes()
    }
}

/// A move as stored in books: target (6 bits), origin (6 bits), promotion (3 bits). Which piece moves, and whether it
/// is castling, depends on the position.
///
/// ```
/// use ferz_board::Position;
/// use ferz_notation::polyglot::PackedMove;
///
/// let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")?;
/// let castles = position.parse_uci("e1g1")?;
/// let packed = PackedMove::new(castles);
/// assert_eq!(packed.bits(), 0x0107); // e1h1: the king takes its rook
/// assert_eq!(packed.unpack(&position), Some(castles));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PackedMove(u16);

/// The meaning of the promotion bits. Zero means no promotion, 5 to 7 are unused.
const PROMOTIONS: [PieceType; 4] = [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

impl PackedMove {
    /// Packs a move; castling as king takes own rook.
    #[must_use]
    pub const fn new(mv: Move) -> PackedMove {
        let promotion = match mv.promotion() {
            Some(PieceType::Knight) => 1,
            Some(PieceType::Bishop) => 2,
            Some(PieceType::Rook) => 3,
            Some(PieceType::Queen) => 4,
            Some(PieceType::Pawn | PieceType::King) | None => 0,
        };
        PackedMove(mv.to() as u16 | (mv.from() as u16) << 6 | promotion << 12)
    }

    /// The move with these bits, whatever they are.
    #[must_use]
    pub const fn from_bits(bits: u16) -> PackedMove {
        PackedMove(bits)
    }

    /// The bits.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The legal move that is meant in a position, if there is one. Castling may be written as king takes
    /// rook (`e1h1`, as the format wants it) or as the king's step (`e1g1`, as some programs write it);
    /// `e1a1` by a rook is a rook's move.
    #[must_use]
    pub fn unpack(self, position: &Position) -> Option<Move> {
        let to = Square::wrapping(u32::from(self.0));
        let from = Square::wrapping(u32::from(self.0 >> 6));
        let promotion = match self.0 >> 12 & 7 {
            0 => None,
            code => Some(*PROMOTIONS.get(usize::from(code) - 1)?),
        };
        position.find_move(from, to, promotion)
    }
}

/// The squares and the promotion as in UCI notation, but castling as it is stored: `e1h1`. Unused promotion bits are `?`.
impl fmt::Display for PackedMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (to, from) = (Square::wrapping(u32::from(self.0)), Square::wrapping(u32::from(self.0 >> 6)));
        write!(f, "{from}{to}")?;
        match self.0 >> 12 & 7 {
            0 => Ok(()),
            code => f.write_str(["n", "b", "r", "q"].get(usize::from(code) - 1).unwrap_or(&"?")),
        }
    }
}
