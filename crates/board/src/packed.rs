//! Positions in 32 bytes.

use core::fmt;

use crate::{Bitboard, Color, Piece, PieceType, Position, Setup, SetupError, Square};

/// A position in 32 bytes, without loss: for files, databases and messages. [`Position::pack`] makes one, and
/// [`PackedPosition::unpack`] checks the bytes, wherever they come from.
///
/// Numbers are little-endian, and what is unused is zero, so a position has exactly one packed form.
///
/// | bytes | content |
/// |---|---|
/// | 0–7 | the occupied squares: a1 is bit 0, h8 bit 63 |
/// | 8–23 | four bits for each occupied square in that order, the low half of a byte first |
/// | 24 | bit 7: Black is to move; bits 0–6: the square skipped by a double step, 64 for none |
/// | 25–26 | the half-move clock |
/// | 27–30 | the move number |
/// | 31 | 0 |
///
/// The four bits are 0 pawn, 1 knight, 2 bishop, 3 rook, 4 queen, 5 king, 6 a rook that may castle; plus 8 for Black.
/// The layout never changes.
///
/// ```
/// use ferz_board::{PackedPosition, Position};
/// let position = Position::from_fen("r3k3/8/8/8/3pP3/8/8/4K2R b Kq e3 0 40")?;
/// let bytes = position.pack().to_bytes();
/// assert_eq!(bytes.len(), 32);
/// assert_eq!(PackedPosition::from_bytes(bytes).unpack()?, position);
/// let error = PackedPosition::from_bytes([0; 32]).unpack().unwrap_err();
/// assert!(error.to_string().starts_with("White has no king; Black has no king"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "binary")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PackedPosition([u8; 32]);

/// The first byte of the pieces.
const PIECES: usize = 8;
/// The first byte after the pieces.
const STATE: usize = 24;
/// The nibble of a rook that may castle, without its colour.
const CASTLING_ROOK: u8 = 6;
const BLACK: u8 = 8;
const BLACK_TO_MOVE: u8 = 0x80;
const NO_SQUARE: u8 = 64;

impl PackedPosition {
    /// Takes bytes from anywhere; [`PackedPosition::unpack`] checks them.
    #[inline]
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> PackedPosition {
        PackedPosition(bytes)
    }

    /// The bytes.
    #[inline]
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0
    }

    /// The position, if the bytes are the packed form of one. Like the text of a position, they may have castling
    /// rights of Chess960, and a check that no last move can have given.
    pub fn unpack(&self) -> Result<Position, UnpackError> {
        let bytes = &self.0;
        let mut setup = Setup::empty();
        let mut pieces = nibbles(bytes);
        let occupied = Bitboard(u64::from_le_bytes(core::array::from_fn(|at| bytes[at])));
        for square in occupied {
            let (byte, nibble) = pieces.next().ok_or(UnpackError::TooManyPieces)?;
            let color = if nibble & BLACK == 0 { Color::White } else { Color::Black };
            let piece_type = match nibble & !BLACK {
                CASTLING_ROOK => {
                    setup.castling_rooks.insert(square);
                    PieceType::Rook
                }
                code => *PieceType::ALL.get(usize::from(code)).ok_or(UnpackError::Byte(byte))?,
            };
            setup.board.put(square, piece_type.of(color));
        }
        if let Some((byte, _)) = pieces.find(|&(_, nibble)| nibble != 0) {
            return Err(UnpackError::Byte(byte));
        }
        let [state, half0, half1, full0, full1, full2, full3, 0] = bytes[STATE..] else {
            return Err(UnpackError::Byte(31));
        };
        if state & BLACK_TO_MOVE != 0 {
            setup.side_to_move = Color::Black;
        }
        setup.en_passant = match state & !BLACK_TO_MOVE {
            NO_SQUARE => None,
            index => Some(Square::new(index).ok_or(UnpackError::Byte(STATE))?),
        };
        setup.halfmove_clock = u16::from_le_bytes([half0, half1]).into();
        setup.fullmove_number = u32::from_le_bytes([full0, full1, full2, full3]);
        Ok(Position::from_any_setup(&setup)?)
    }
}

/// The 32 nibbles of the pieces, each with the place of its byte.
fn nibbles(bytes: &[u8; 32]) -> impl Iterator<Item = (usize, u8)> {
    (PIECES..STATE).flat_map(|at| [(at, bytes[at] & 15), (at, bytes[at] >> 4)])
}

impl Position {
    /// The position in 32 bytes, without loss.
    #[must_use]
    pub fn pack(&self) -> PackedPosition {
        let mut bytes = [0; 32];
        bytes[..PIECES].copy_from_slice(&self.occupied().0.to_le_bytes());
        for (place, (square, piece)) in self.board().iter().enumerate() {
            bytes[PIECES + place / 2] |= nibble(self, square, piece) << (place % 2 * 4);
        }
        let turn = if self.side_to_move().is_black() { BLACK_TO_MOVE } else { 0 };
        bytes[STATE] = turn | self.double_step().map_or(NO_SQUARE, |square| square as u8);
        bytes[STATE + 1..STATE + 3].copy_from_slice(&self.halfmove_clock.to_le_bytes());
        bytes[STATE + 3..STATE + 7].copy_from_slice(&self.fullmove_number.to_le_bytes());
        PackedPosition(bytes)
    }
}

fn nibble(position: &Position, square: Square, piece: Piece) -> u8 {
    let castles = position.castling_rooks().contains(square);
    let code = if castles { CASTLING_ROOK } else { piece.piece_type() as u8 };
    code | if piece.color().is_black() { BLACK } else { 0 }
}

/// The error of bytes that are not a [`PackedPosition`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum UnpackError {
    /// More than 32 squares are occupied.
    TooManyPieces,
    /// The byte at this place, counted from 0, has no meaning.
    Byte(usize),
    /// The bytes are a position, but not a legal one.
    Position(SetupError),
}

impl fmt::Display for UnpackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnpackError::TooManyPieces => f.write_str("more than 32 pieces"),
            UnpackError::Byte(at) => write!(f, "byte {at} of the packed position is not valid"),
            UnpackError::Position(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for UnpackError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            UnpackError::Position(error) => Some(error),
            UnpackError::TooManyPieces | UnpackError::Byte(_) => None,
        }
    }
}

impl From<SetupError> for UnpackError {
    fn from(error: SetupError) -> UnpackError {
        UnpackError::Position(error)
    }
}
