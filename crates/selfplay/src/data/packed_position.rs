//! A position in at most 31 bytes.
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 8 | the occupied squares, a1 is bit 0 |
//! | half as many as pieces, rounded up | a nibble for each piece in the order of the squares, the low one first: type (0 pawn … 5 king, 6 a rook that may castle), +8 for Black |
//! | 1 | bit 7: Black to move; bits 0 to 6: the square skipped by a double step, or 64 |
//! | 2 | the half-move clock |
//! | 4 | the move number |

use ferz_board::{Bitboard, CastlingMode, Color, PieceType, Position, Setup, Square};

/// The nibble of a rook that may castle, without its colour.
const CASTLING_ROOK: u8 = 6;
const BLACK: u8 = 8;
const BLACK_TO_MOVE: u8 = 0x80;
const NO_SQUARE: u8 = 64;
/// The length of the part after the pieces.
const STATE: usize = 7;

/// Appends a position.
pub(super) fn write(position: &Position, out: &mut Vec<u8>) {
    let occupied = position.occupied();
    out.extend_from_slice(&occupied.0.to_le_bytes());
    let mut low = None;
    for square in occupied {
        let nibble = nibble(position, square);
        match low.take() {
            None => low = Some(nibble),
            Some(low) => out.push(low | nibble << 4),
        }
    }
    out.extend(low);
    let turn = if position.side_to_move() == Color::Black { BLACK_TO_MOVE } else { 0 };
    out.push(turn | position.double_step().map_or(NO_SQUARE, |square| square.index() as u8));
    out.extend_from_slice(&(position.halfmove_clock() as u16).to_le_bytes());
    out.extend_from_slice(&position.fullmove_number().to_le_bytes());
}

fn nibble(position: &Position, square: Square) -> u8 {
    let Some(piece) = position.piece_at(square) else { return 0 };
    let kind = if position.castling_rooks().contains(square) {
        CASTLING_ROOK
    } else {
        piece.piece_type().index() as u8
    };
    kind | if piece.color() == Color::Black { BLACK } else { 0 }
}

/// Reads a position from the start of some bytes; `None` if it is not valid.
pub(super) fn read(bytes: &mut &[u8]) -> Option<Position> {
    let (occupied, rest) = bytes.split_first_chunk::<8>()?;
    let occupied = Bitboard(u64::from_le_bytes(*occupied));
    // No legal position has more.
    if occupied.len() > 32 {
        return None;
    }
    let (nibbles, rest) = rest.split_at_checked(occupied.len().div_ceil(2) as usize)?;
    let (state, rest) = rest.split_first_chunk::<STATE>()?;
    let mut setup = Setup::empty();
    for (index, square) in occupied.into_iter().enumerate() {
        let nibble = nibbles[index / 2] >> (index % 2 * 4) & 15;
        put(&mut setup, square, nibble)?;
    }
    let [turn, halfmove_low, halfmove_high, fullmove @ ..] = *state;
    setup.side_to_move = if turn & BLACK_TO_MOVE == 0 { Color::White } else { Color::Black };
    setup.en_passant = match turn & !BLACK_TO_MOVE {
        NO_SQUARE => None,
        index => Some(Square::new(index)?),
    };
    setup.halfmove_clock = u16::from_le_bytes([halfmove_low, halfmove_high]).into();
    setup.fullmove_number = u32::from_le_bytes(fullmove);
    let position = Position::from_setup(&setup, CastlingMode::Chess960).ok()?;
    *bytes = rest;
    Some(position)
}

fn put(setup: &mut Setup, square: Square, nibble: u8) -> Option<()> {
    let color = if nibble & BLACK == 0 { Color::White } else { Color::Black };
    let piece_type = match nibble & !BLACK {
        CASTLING_ROOK => {
            setup.castling_rooks.insert(square);
            PieceType::Rook
        }
        kind => *PieceType::ALL.get(usize::from(kind))?,
    };
    setup.board.set(square, Some(piece_type.of(color)));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_inverts_writing() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 17 300",
            "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3",
            "4k3/8/8/8/8/8/8/4K3 w - - 32767 100000",
            "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1",
        ] {
            let position = Position::from_fen_in(fen, CastlingMode::Chess960).expect(fen);
            let mut bytes = Vec::new();
            write(&position, &mut bytes);
            assert!(bytes.len() <= 31, "{}", bytes.len());
            for cut in 0..bytes.len() {
                assert_eq!(read(&mut &bytes[..cut]), None, "{fen} cut at {cut}");
            }
            bytes.push(99);
            let mut rest = &bytes[..];
            assert_eq!(read(&mut rest), Some(position), "{fen}");
            assert_eq!(rest, [99]);
        }
    }

    #[test]
    fn what_is_no_position_is_refused() {
        assert_eq!(read(&mut &[0; 64][..]), None);
        assert_eq!(read(&mut &[0xff; 64][..]), None);
    }
}
