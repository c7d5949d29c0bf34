//! Errors in four tutorials: squares, bits and bytes.

use ferz_board::{
    Bitboard, CastlingMode, Color, File, Piece, PieceType, Position, Rank, Setup, Square, perft,
};
use shakmaty::Position as _;

use super::{is_legal, position};

#[test]
fn the_highest_bit_is_not_a8() {
    /// Reads the 64 binary digits like a drawing: the first is a8, the last is h1.
    fn square_of_bit(bit: u32) -> Square {
        let digit = 63 - bit;
        Square::wrapping((7 - digit / 8) * 8 + digit % 8)
    }
    // The pawns look right: their rank is symmetrical.
    let start = Position::start();
    let pawns = start.pieces(Piece::WhitePawn);
    assert_eq!(pawns, Bitboard(0xff00));
    let read: Bitboard = pawns.into_iter().map(|square| square_of_bit(square.index() as u32)).collect();
    assert_eq!(read, pawns);
    // The king is on 0x10, and that is e1.
    assert_eq!(square_of_bit(0x10_u64.trailing_zeros()), Square::D1);
    assert_eq!(start.pieces(Piece::WhiteKing), Bitboard(0x10));
    assert_eq!(Bitboard(0x10).single(), Some(Square::E1));
    assert_eq!(Bitboard(1 << 63).single(), Some(Square::H8));
    let oracle = shakmaty::Chess::default();
    assert_eq!((oracle.board().kings() & oracle.board().white()).0, 0x10);
    assert_eq!(oracle.board().king_of(shakmaty::Color::White), Some(shakmaty::Square::E1));
}

#[test]
fn the_game_begins_with_white_and_all_castling_rights() {
    /// A bool that is true for Black, and rights that nobody has filled in.
    fn start() -> Setup {
        Setup { side_to_move: Color::Black, castling_rooks: Bitboard::EMPTY, ..Setup::start() }
    }
    let wrong = Position::from_setup(&start(), CastlingMode::Standard).expect("a legal position");
    // Black's moves mirror White's, and nobody castles before the seventh ply.
    assert_eq!(perft::count(&wrong, 4), 197_281);
    assert_eq!(perft::count(&Position::start(), 4), 197_281);
    assert!(wrong.parse_uci("e2e4").is_err());
    assert!(Position::start().parse_uci("e2e4").is_ok());
    let italian = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4";
    assert!(is_legal(italian, "e1g1"));
    assert!(!is_legal(&italian.replace("KQkq", "-"), "e1g1"));

    let fen = shakmaty::fen::Fen::from_position(&shakmaty::Chess::default(), shakmaty::EnPassantMode::Legal);
    assert_eq!(Position::start().to_string(), fen.to_string());
}

#[test]
fn the_colour_bit_is_set_for_black() {
    /// As the prose has it, against the code beside it: 00000101 is a black king, 00001101 a white one.
    fn color_of_byte(byte: usize) -> Color {
        if byte & 0b1000 != 0 { Color::White } else { Color::Black }
    }
    assert_eq!(Piece::WhiteKing.code(), 0b0101);
    assert_eq!(Piece::BlackKing.code(), 0b1101);
    for piece in Piece::ALL {
        assert_ne!(color_of_byte(piece.code()), piece.color());
        // What was packed is unpacked: kind in the low three bits, colour above them.
        assert_eq!(piece.code(), piece.piece_type() as usize | (piece.color() as usize) << 3);
        assert_eq!(Piece::new(piece.color(), piece.piece_type()), piece);
    }
}

#[test]
fn labels_from_one_are_not_bits_from_zero() {
    /// The labels are None, A1, B1 … H8, so that A1 is 1 and H8 is 64.
    fn bit_of_label(square: Square) -> Option<u64> {
        1_u64.checked_shl(square as u32 + 1)
    }
    assert_eq!(bit_of_label(Square::A1).map(Bitboard), Some(Square::B1.bitboard()));
    assert_eq!(bit_of_label(Square::H1).map(Bitboard), Some(Square::A2.bitboard()));
    assert_eq!(bit_of_label(Square::H8), None, "1 << 64: a panic, or a1 again");
    for (index, square) in Square::ALL.into_iter().enumerate() {
        assert_eq!(square.index(), index);
        assert_eq!(square.bitboard(), Bitboard(1 << index));
        assert_eq!(shakmaty::Square::new(index as u32).to_string(), square.to_string());
    }
}

#[test]
fn masks_and_squares_share_one_mapping() {
    /// The masks of a mapping in which a1 is the highest bit.
    fn file_mask(file: File) -> u64 {
        0x8080_8080_8080_8080 >> file.index()
    }
    fn rank_mask(rank: Rank) -> u64 {
        0xff00_0000_0000_0000 >> (8 * rank.index())
    }
    // The squares of the other mapping: a1 is bit 0.
    let crossing = Bitboard(file_mask(File::G) & rank_mask(Rank::Fifth));
    assert_eq!(crossing.single(), Some(Square::B4));
    for square in Square::ALL {
        let (file, rank) = (square.file(), square.rank());
        assert_ne!(Bitboard(file_mask(file) & rank_mask(rank)), square.bitboard());
        assert_eq!(Bitboard::from_file(file) & Bitboard::from_rank(rank), square.bitboard());
        let oracle_file = shakmaty::Bitboard::from_file(shakmaty::File::new(file.index() as u32));
        let oracle_rank = shakmaty::Bitboard::from_rank(shakmaty::Rank::new(rank.index() as u32));
        assert_eq!((oracle_file & oracle_rank).0, square.bitboard().0);
    }
}

#[test]
fn half_a_turn_is_not_a_flip() {
    fn flipped(square: Square) -> Square {
        Square::wrapping(63 - square as u32)
    }
    /// A table that likes kings that have castled short.
    fn king_value(square: Square) -> i32 {
        if square == Square::G1 { 30 } else { 0 }
    }
    fn balance(position: &Position, for_black: impl Fn(Square) -> Square) -> i32 {
        king_value(position.king(Color::White)) - king_value(for_black(position.king(Color::Black)))
    }
    let relative = |square: Square| square.relative_to(Color::Black);
    // Both sides have castled short: nobody is better.
    let both_short = position("5rk1/8/8/8/8/8/8/5RK1 w - - 0 1");
    assert_eq!(both_short.board(), both_short.with_colors_exchanged().board());
    assert_eq!(balance(&both_short, flipped), 30);
    assert_eq!(balance(&both_short, relative), 0);

    assert_eq!(flipped(Square::E1), Square::D8);
    assert_eq!(relative(Square::E1), Square::E8);
    assert_eq!(shakmaty::Square::E1.rotate_180(), shakmaty::Square::D8);
    assert_eq!(shakmaty::Square::E1.flip_vertical(), shakmaty::Square::E8);
}

#[test]
fn an_empty_square_is_not_a_king() {
    const KING: u8 = 0;
    /// A piece list that is filled with zeros first.
    fn piece_list(position: &Position) -> [u8; 64] {
        let mut list = [0; 64];
        for (square, piece) in position.board() {
            list[square.index()] = match piece.piece_type() {
                PieceType::King => KING,
                other => 1 + other as u8,
            };
        }
        list
    }
    let start = Position::start();
    let list = piece_list(&start);
    assert_eq!(list[Square::E4.index()], KING);
    assert_eq!(list.iter().filter(|&&piece| piece == KING).count(), 34);
    assert_eq!(start.piece_at(Square::E4), None);
    let is_king =
        |square: &Square| start.piece_at(*square).is_some_and(|it| it.piece_type() == PieceType::King);
    assert_eq!(Square::ALL.iter().filter(|square| is_king(square)).count(), 2);
    let oracle = shakmaty::Chess::default();
    assert_eq!(oracle.board().piece_at(shakmaty::Square::E4), None);
    assert_eq!(oracle.board().kings().count(), 2);
}
